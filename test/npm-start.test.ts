// `npm start` as described in the README: Ctrl-C stops the server gracefully, and leaves no process behind.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { until } from './until.ts'

t.test('npm start prints each demo shop, and stops gracefully', async t => {
  const npm = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      ...process.env,
      PORT: '0',
      DRAIN_SECONDS: '0',
      DATABASE_URL: `sqlite:${join(t.testdir({}), 'start.sqlite')}`
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  t.teardown(() => npm.kill('SIGKILL'))
  let out = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      out += text
    })
  }
  const exited = new Promise(resolve => npm.on('exit', resolve))
  await until('the demo shops', () => /Werft & Faden: option 2A/.test(out) && /curl .*werft/.test(out))
  t.match(
    out,
    /Harbour Goods: option 1, API Endpoint Integration\n {2}http:\/\/127\.0\.0\.1:\d+\/harbour\/cart\n {2}curl /
  )
  t.match(out, /喫茶みなと: option 2B, HTTP Get Request\n/)
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0]
  t.equal((await fetch(`${origin}/healthz`)).status, 200)
  // A terminal signals all processes, as systemd does, and npm passes the signal on: the server gets it twice.
  process.kill(-Number(npm.pid), 'SIGINT')
  await exited
  await until('the server to end with npm', () =>
    fetch(`${origin}/healthz`).then(
      () => false,
      () => true
    )
  )
  await until('its last line', () => out.includes('"stopped"'))
  t.notMatch(out, 'exiting')
})
