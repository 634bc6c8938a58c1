// A shop is added as the README says, word for word. Ctrl-C then stops the server gracefully, as a SIGTERM to npm
// does, and leaves no process behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from './node-process.ts'
import { until } from './until.ts'

/** The commands of the README's steps, npm's own words apart. */
const [, STEPS = ''] = /^## Add a shop\n(.*?)\n## /ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
const COMMANDS = Array.from(STEPS.matchAll(/^\d\. `npm ([^`]+)`/gm), ([, command = '']) => command.split(' '))

/** Other tests start a server whose lines count. */
const WITHOUT_COVERAGE = { NODE_OPTIONS: undefined }

t.test('the steps of the README add a shop that takes a bag and stops gracefully', async t => {
  const folder = t.testdir({ project: {} })
  /** npm in a folder of its own, as if the project were there. */
  const npm = (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const settings = { PORT: '0', DRAIN_SECONDS: '0', DATABASE_URL: `sqlite:${join(folder, 'start.sqlite')}` }
    const child = spawn('npm', ['--prefix', ROOT, ...args], {
      cwd: join(folder, 'project'),
      env: { ...process.env, ...settings, ...env },
      detached: true
    })
    const printed = { text: '' }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        printed.text += text
      })
    }
    t.teardown(() => child.kill('SIGKILL'))
    // Only then all is there that it and its children print, and they have ended.
    return { child, printed, exited: once(child, 'close') }
  }
  t.match(COMMANDS, [
    ['run', 'add-shop', '--'],
    ['start', '--']
  ])
  const adding = npm(COMMANDS[0] ?? [])
  adding.child.stdin.end('\n'.repeat(7))
  t.match(await adding.exited, [0], adding.printed.text)
  t.match(adding.printed.text, 'Written: ../shops/acme.json, ../shops/acme.tsv\n\nnpm start -- ../shops/acme.json\n')

  const start = async () => {
    const started = npm(COMMANDS[1] ?? [], WITHOUT_COVERAGE)
    await until('the shop', () => /Simulator: /.test(started.printed.text))
    return started
  }
  const { child, printed, exited } = await start()
  t.match(
    printed.text,
    /Acme: option 1, API Endpoint Integration\n {2}http:\/\/127\.0\.0\.1:\d+\/acme\/cart\n {2}curl /
  )
  const [, body = '', address = ''] = /--data-raw '(.+)' '(.+)'/.exec(printed.text) ?? []
  const headers = { 'Content-Type': 'application/json' }
  t.match(await (await fetch(address, { method: 'POST', headers, body })).json(), { httpMethod: 'POST' })
  const { origin } = new URL(address)
  // A terminal signals all processes, as systemd does, and npm passes the signal on: the server gets it twice.
  process.kill(-Number(child.pid), 'SIGINT')
  await exited
  await t.rejects(fetch(`${origin}/healthz`), 'the server has ended with npm')
  t.match(printed.text, '"stopped"')
  t.notMatch(printed.text, 'exiting')

  // What runs npm signals it alone; the shell between it and the server may not pass that on.
  const again = await start()
  again.child.kill('SIGTERM')
  await again.exited
  t.match(again.printed.text, '"stopped"')
})
