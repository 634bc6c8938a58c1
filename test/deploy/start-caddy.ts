// Runs Caddy as config/deploy/ has it: only names, addresses and the certificate are others, and answers name their replica.
// It is stopped when the test ends.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../listen.ts'
import { ROOT } from '../node-process.ts'
import { until } from '../until.ts'
import { type Paths, REPLICA, type SiteProxy } from './start-nginx.ts'

const CERTIFICATE = join(ROOT, 'test/kit/certificates/localhost')

/** For Debian's Caddy, which sends what has no key to any replica. */
const OLD: [string, string][] = [
  ['request_buffers 2MiB', 'buffer_requests'],
  [' {\n\t\t\tfallback round_robin\n\t\t}\n', '\n']
]

type Line = { logger?: string; msg: string; host?: string; request?: { uri: string } }

export async function startCaddy(t: Test, { folder, port, replicas }: Paths): Promise<SiteProxy> {
  const isOld = execFileSync('caddy', ['version'], { encoding: 'utf8' }).replace('v', '').startsWith('2.6.')
  const changes: [string, string][] = [
    ['\n{\n', `\n{\n\tadmin off\n\thttp_port ${await freePort()}\n`],
    [
      '\nshop.example {',
      `\nhttps://localhost:${port} {\n\tbind 127.0.0.1\n\ttls "${CERTIFICATE}.pem" "${CERTIFICATE}.key"`
    ],
    ...replicas.map((replica, i): [string, string] => [`127.0.0.1:${3000 + i}`, `127.0.0.1:${replica}`]),
    ['\t\tlb_policy', `\t\theader_down ${REPLICA} {http.reverse_proxy.upstream.hostport}\n\t\tlb_policy`],
    ...(isOld ? OLD : [])
  ]
  const file = join(folder, 'Caddyfile')
  const text = readFileSync(join(ROOT, 'config/deploy/caddy/Caddyfile'), 'utf8')
  const changed = changes.reduce((before, [from, to]) => {
    const after = before.replace(from, to)
    if (after === before) t.fail(`the Caddyfile has no ${from}`)
    return after
  }, text)
  writeFileSync(file, changed)
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe']
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    log += text
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const lines = (): Line[] =>
    log
      .split('\n')
      .slice(0, -1)
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line))
  /** What it last found when it asked a replica for its health. */
  const isAsked = (address: string) =>
    lines().findLast(({ logger, host }) => logger?.endsWith('health_checker.active') && host === address)?.msg ===
    'host is up'
  const origin = `https://localhost:${port}`
  await until('Caddy to listen', async () => {
    if (child.exitCode !== null) throw new Error(`Caddy exited: ${log}`)
    return fetch(`${origin}/simulator`).then(
      () => true,
      () => false
    )
  })
  const accessLog = () => {
    const requests = lines().filter(({ request }) => request)
    const entries = requests.map(
      ({ request }) => ({ path: request?.uri }) as ReturnType<SiteProxy['accessLog']>['entries'][0]
    )
    return { text: requests.map(line => JSON.stringify(line)).join('\n'), entries }
  }
  return { origin, port, accessLog, errorLog: () => log, isAsked }
}
