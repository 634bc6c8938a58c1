// Runs nginx as config/deploy/ has it, in a folder of its own: only names, addresses and paths are others, and answers name
// their replica. It is stopped when the test ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../listen.ts'
import { ROOT } from '../node-process.ts'
import { until } from '../until.ts'

const CERTIFICATES = join(ROOT, 'test/kit/certificates')

/** The header that tells tests which replica has answered. */
export const REPLICA = 'x-replica'

/** A line of the access log. */
export type Access = {
  client: string
  method: string
  path: string
  status: number
  protocol: string
  /** The replicas that were tried, and what each answered. */
  replicas: string
  statuses: string
}

export type SiteProxy = {
  /** Scheme, host and port of the site. */
  origin: string
  port: number
  accessLog: () => { text: string; entries: Access[] }
  errorLog: () => string
  /** Whether the replica at this address gets requests again. */
  isAsked: (address: string) => boolean
}

export type Paths = {
  folder: string
  /** Of the site. */
  port: number
  /** Of the replicas. */
  replicas: number[]
  /** Whether ModSecurity is in it, with our exclusions or as it comes. */
  firewall?: 'excluding' | 'plain'
}

const MODULE = '/usr/lib/nginx/modules/ngx_http_modsecurity_module.so'

/** Those that its page says to add to the site. */
function directives(folder: string): string {
  const page = readFileSync(join(ROOT, 'config/deploy/firewall/README.md'), 'utf8')
  const [, lines = ''] = /```nginx\n(.*?)```/s.exec(page) ?? []
  return lines.replace('/etc/nginx/firewall.conf', `"${join(folder, 'firewall.conf')}"`).replace('/var/log/nginx/', '')
}

export async function startNginx(t: Test, { folder, port, replicas, firewall }: Paths): Promise<SiteProxy> {
  const httpPort = await freePort()
  mkdirSync(join(folder, 'conf.d'), { recursive: true })
  const write = (name: string, file: string, changes: [string | RegExp, string][]) => {
    const text = readFileSync(join(ROOT, 'config/deploy/nginx', name), 'utf8')
    const changed = changes.reduce((before, [from, to]) => {
      const after = before.replaceAll(from, to)
      if (after === before) t.fail(`${name} has no ${from}`)
      return after
    }, text)
    writeFileSync(join(folder, file), changed)
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  write('nginx.conf', 'nginx.conf', [
    ['/etc/nginx/conf.d', 'conf.d'],
    ['include /etc/nginx/modules-enabled/*.conf;', firewall ? `load_module ${MODULE};` : ''],
    ['/var/log/nginx/', ''],
    ['/run/nginx.pid', 'nginx.pid'],
    // Where the package's own are, only root may write.
    ['http {', `http {\n${temporary.map(name => `  ${name}_temp_path ${name};\n`).join('')}`]
  ])
  write('cart-transfer.conf', 'conf.d/cart-transfer.conf', [
    [/.*listen \[::\].*\n/g, ''],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['/etc/letsencrypt/live/shop.example/fullchain.pem', `"${join(CERTIFICATES, 'localhost.pem')}"`],
    ['/etc/letsencrypt/live/shop.example/privkey.pem', `"${join(CERTIFICATES, 'localhost.key')}"`],
    ['/var/log/nginx/', ''],
    ['shop.example', 'localhost'],
    ['proxy_redirect off;', `proxy_redirect off;\n  add_header ${REPLICA} $upstream_addr always;`],
    ...(firewall ? [['server_tokens off;', `server_tokens off;\n${directives(folder)}`] as [string, string]] : [])
  ])
  if (firewall) {
    write('../firewall/firewall.conf', 'firewall.conf', [
      ['Include /etc/nginx/crs-exclusions.conf', firewall === 'plain' ? '' : 'Include crs-exclusions.conf']
    ])
    cpSync(join(ROOT, 'config/deploy/firewall/crs-exclusions.conf'), join(folder, 'crs-exclusions.conf'))
  }
  write(
    'replicas.conf',
    'conf.d/replicas.conf',
    replicas.map((replica, i) => [`127.0.0.1:${3000 + i}`, `127.0.0.1:${replica}`])
  )
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-g', 'daemon off;'], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe']
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    printed += text
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const origin = `https://localhost:${port}`
  await until('nginx to listen', async () => {
    if (child.exitCode !== null) throw new Error(`nginx exited: ${printed}`)
    return fetch(`http://127.0.0.1:${httpPort}/`, { redirect: 'manual' }).then(
      () => true,
      () => false
    )
  })
  const accessLog = () => {
    const text = read('access.log')
    const lines = text.split('\n').slice(0, -1)
    return { text, entries: lines.map(line => JSON.parse(line)) }
  }
  const isAsked = (address: string) => accessLog().entries.at(-1)?.replicas === address
  return { origin, port, accessLog, errorLog: () => read('error.log'), isAsked }
}
