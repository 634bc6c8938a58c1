// The log for people: one line each, an error with its stack, and nothing in it that moves a cursor or colours a screen.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { readableLine } from '../../src/start/open-log.ts'
import { FEED, merchantFile } from '../build.ts'
import { listen } from '../listen.ts'
import { nodeCommand, ROOT } from '../node-process.ts'

t.test('a line has its time, level, message and fields', async t => {
  const time = '2026-11-20T10:00:00.000Z'
  const err = { type: 'Error', message: 'no\nluck', stack: 'Error: no\nluck\n    at a (b.ts:1:1)', code: 'E1' }
  const hostile = 'a\u001b[2J\u202eb'
  const cases: [line: object, text: string][] = [
    [{ level: 30, msg: 'stopped' }, '10:00:00.000Z info  stopped\n'],
    [
      { level: 40, msg: 'feed line not served', id: 'MUG', line: 7, reason: 'no "price"' },
      '10:00:00.000Z warn  feed line not served  id=MUG line=7 reason="no \\"price\\""\n'
    ],
    [
      { level: 50, msg: 'clean-up failed', err },
      '10:00:00.000Z error clean-up failed  code=E1\n    Error: no\n    luck\n        at a (b.ts:1:1)\n'
    ],
    [
      { level: 30, msg: hostile, [hostile]: hostile, err: { stack: hostile } },
      '10:00:00.000Z info  a\\u{1b}[2J\\u{202e}b  a\\u{1b}[2J\\u{202e}b=a\\u{1b}[2J\\u{202e}b\n    a\\u{1b}[2J\\u{202e}b\n'
    ],
    // Anything can be thrown.
    [{ level: 60, err: null }, '10:00:00.000Z fatal   err=null\n'],
    [{ level: 50, msg: 5, err: { message: 'no luck' } }, '10:00:00.000Z error 5  err={"message":"no luck"}\n']
  ]
  for (const [line, text] of cases) {
    t.equal(stripVTControlCharacters(readableLine(`${JSON.stringify({ time, ...line })}\n`)), text)
  }
})

/** As a person's terminal has it, whatever runs the tests. */
const COLOURS = {
  TERM: 'xterm-256color',
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  NODE_DISABLE_COLORS: undefined,
  CI: undefined
}

t.test('on a terminal the log is lines for people, elsewhere JSON; LOG_FORMAT decides otherwise', async t => {
  const folder = t.testdir({ 'shop.json': JSON.stringify(merchantFile('1', { publicUrl: '/shop' })), 'feed.tsv': FEED })
  // The start gets as far as its first lines, and ends by itself.
  const { port } = await listen(t, () => {})
  const start = async (isTerminal: boolean, LOG_FORMAT?: string) => {
    const env = {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: `sqlite:${folder}/shop.sqlite`,
      LOG_FORMAT,
      ...COLOURS
    }
    // Only here does a server have a terminal, so it counts as covered.
    const program = [join(ROOT, 'src/server.ts'), join(folder, 'shop.json')]
    const words = isTerminal && !LOG_FORMAT ? [process.execPath, ...program] : nodeCommand(program)
    const terminal = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])']
    const [command = '', ...args] = isTerminal ? [...terminal, ...words] : words
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
    const [out] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
    return out.join('').replaceAll('\r\n', '\n')
  }
  const text =
    /^\d\d:\d\d:\d\d\.\d{3}Z info {2}feed loaded {2}merchant=\S+ feed=(\S+|"[^"]+") products=\d+ problems=0 /m
  const json = /^\{"level":30,"time":"\S+","merchant":.*,"msg":"feed loaded"\}$/m
  const [onTerminal, elsewhere, ...others] = [
    await start(true),
    await start(false),
    await start(true, 'json'),
    await start(false, 'text')
  ]
  t.match(stripVTControlCharacters(onTerminal), text)
  t.match(onTerminal, '\u001b[32minfo \u001b[39m')
  t.match(elsewhere, json)
  t.match(others[0], json)
  t.match(others[1], text, 'without colours')
})
