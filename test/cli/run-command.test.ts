// What all commands have in common, and the period, which several take.
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import t from 'tap'
import {
  type Command,
  columns,
  executeCommand,
  readPeriod,
  SWITCH,
  showProgressOn,
  TEXT_FLAG,
  UsageError
} from '../../src/cli/run-command.ts'
import { runHere } from './run-here.ts'

const USAGE = 'npm run test\n'
const commandOf = (run: Command['run']): Command => ({ usage: USAGE, flags: {}, run })

t.test('--help prints the usage, and an unknown flag prints it below the mistake', async t => {
  const command = commandOf(async () => Promise.reject(new Error('it runs')))
  for (const flag of ['--help', '-h'])
    t.strictSame(await runHere(command, [flag], {}), { code: 0, stdout: USAGE, stderr: '' })
  const unknown = await runHere(command, ['--what'], { PORT: 'x' })
  t.strictSame(unknown, { code: 2, stdout: '', stderr: `--what is not a flag of this command\n\n${USAGE}` })
})

t.test('a flag that is mistyped, has no value or one too many is named, with what was probably meant', async t => {
  const flags = { orders: TEXT_FLAG, map: { ...TEXT_FLAG, multiple: true }, all: SWITCH } as const
  const read: unknown[] = []
  const command: Command<typeof flags> = {
    ...{ usage: USAGE, flags },
    run: async ({ values, positionals }) => read.push({ ...values }, positionals)
  }
  const mistakes: [args: string[], problem: string][] = [
    [['--ordres', 'x'], '--ordres is not a flag of this command; did you mean --orders?'],
    [['list', '--ORDERS=x'], '--ORDERS is not a flag of this command; did you mean --orders?'],
    [['-all'], '-all is not a flag of this command; did you mean --all?'],
    [['--hlep'], '--hlep is not a flag of this command; did you mean --help?'],
    [['--nothing'], '--nothing is not a flag of this command'],
    [['-x\u202e'], '-x\\u{202e} is not a flag of this command'],
    [['--all=yes'], '--all takes no value'],
    [['list', '--orders'], '--orders needs a value, such as --orders=…'],
    [['--map', '--orders', 'x'], '--map needs a value, such as --map=…'],
    [['--orders', 'x', 'list', '--orders=y'], '--orders is given more than once; give it once']
  ]
  for (const [args, problem] of mistakes) {
    const refused = { code: 2, stdout: '', stderr: `${problem}\n\n${USAGE}` }
    t.strictSame(await runHere(command, args, {}), refused, args.join(' '))
  }
  t.strictSame(read, [])
  await runHere(command, ['--orders=-x', '--map', 'a=b', '--map', '-', '--all', '--all', 'list', '--', '--what'], {})
  t.strictSame(read, [{ orders: '-x', map: ['a=b', '-'], all: true }, ['list', '--what']])
})

t.test('a file that cannot be opened is named, with the reason in words', async t => {
  const folder = t.testdir({ file: '' })
  const opens = (path: string) => commandOf(async () => openSync(path, 'r+'))
  const cases: [path: string, stderr: string | RegExp][] = [
    [join(folder, 'none'), `${folder}/none: there is no such file\n`],
    [folder, `${folder}: it is a folder\n`],
    // What has no words of ours says enough.
    [join(folder, 'file/none'), /^ENOTDIR: not a directory, open '/]
  ]
  for (const [path, stderr] of cases) t.match(await runHere(opens(path), [], {}), { code: 1, stdout: '', stderr })
})

t.test('a mistake of the environment is printed, if a command reads it, as it is, a bug with its stack', async t => {
  const reads = commandOf(async (_args, { environment }) => environment().port)
  const stderr = 'PORT is "\\u{202e}"; it must be a whole number from 0 to 65535\n'
  t.strictSame(await runHere(reads, [], { PORT: '\u202e' }), { code: 1, stdout: '', stderr })
  const bug = commandOf(async () => {
    throw new Error('broken\u202e')
  })
  t.match(await runHere(bug, [], { PORT: 'x' }), { code: 1, stdout: '', stderr: /^Error: broken\\u\{202e\}\n +at / })
})

t.test('a reader that goes away has read enough; an output that cannot be written fails the command', async t => {
  const page = 'x'.repeat(100_000)
  const command = commandOf(async (_args, { print }) => {
    await print([page, page, page])
    await print(page)
    return 5
  })
  for (const [code, expected, said] of [
    ['EPIPE', 5, ''],
    ['ENOSPC', 1, 'no space left\n']
  ] as const) {
    let writes = 0
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => {
        writes += 1
        done(writes === 2 ? Object.assign(new Error('no space left'), { code }) : null)
      }
    })
    const stderr = new PassThrough()
    t.equal(await executeCommand(command, [], { stdin: Readable.from([]), stdout, stderr }, {}), expected)
    t.equal(writes, 2)
    t.equal(String(stderr.read() ?? ''), said)
  }
})

t.test('columns line up, over several pages too', t => {
  const table = columns()
  t.equal(
    table([
      ['A', 'B', 'C'],
      ['longer', '\u0007', '']
    ]),
    'A       B      C\nlonger  \\u{7}\n'
  )
  t.equal(table([['x', 'y', 'z']]), 'x       y      z\n')
  t.equal(table([]), '')
  t.end()
})

/** What is written on a terminal if this is shown after so many milliseconds, and cleared in the end. */
function written(isTTY: boolean, ...shown: [at: number, what: string, done: number, total: number | undefined][]) {
  const texts: string[] = []
  let now = 5000
  const { show, clear } = showProgressOn({ isTTY, write: text => texts.push(text) }, () => now)
  for (const [at, ...progress] of shown) {
    now = 5000 + at
    show(...progress)
  }
  clear()
  clear()
  return texts
}

t.test('progress is shown on a terminal, of a long task, and at most ten times a second', t => {
  t.strictSame(written(true, [0, 'read', 1, 10], [999, 'read', 9, 10]), [])
  t.strictSame(written(false, [5000, 'read', 5, 10]), [])
  const long = written(
    true,
    [1000, 'read', 5, 10],
    [1099, 'read', 6, 10],
    [1100, 'matching', 10, 10],
    [1300, 'matching', 11, 10],
    [1500, 'orders', 12_000, undefined],
    [1700, 'read', 1, 0]
  )
  const lines = ['50 % read', '100 % matching', '100 % matching', '12,000 orders', '1 read', '']
  t.strictSame(
    long,
    lines.map(line => `\r\x1b[K${line}`)
  )
  t.end()
})

t.test('a period is of whole days, of instants, or open', t => {
  const periods: [
    from: string | undefined,
    to: string | undefined,
    first: string | undefined,
    before: string | undefined
  ][] = [
    [undefined, undefined, undefined, undefined],
    ['2026-11-01', undefined, '2026-11-01T00:00:00.000Z', undefined],
    [undefined, '2026-11-10', undefined, '2026-11-11T00:00:00.000Z'],
    ['2026-11-10', '2026-11-10', '2026-11-10T00:00:00.000Z', '2026-11-11T00:00:00.000Z'],
    ['2026-12-31', '2026-12-31', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2026-11-10T08:00Z', '2026-11-10T09:30:15.5Z', '2026-11-10T08:00:00.000Z', '2026-11-10T09:30:15.500Z'],
    ['2026-11-10T08:00:00+02:00', '2026-11-10T08:00:00-02:00', '2026-11-10T06:00:00.000Z', '2026-11-10T10:00:00.000Z']
  ]
  for (const [from, to, first, before] of periods) {
    t.match(readPeriod(from, to), { from: first, before }, `from ${from} to ${to}`)
  }
  t.end()
})

t.test('anything but a date, or a time with its offset, is refused with an example', t => {
  const days = ['', 'yesterday', '20.11.2026', '2026-11', '2026-13-01', '2026-02-30', ' 2026-11-10']
  const times = ['2026-02-30T10:00:00Z', '2026-11-10T08:00', '2026-11-10T25:00Z', '2026-11-10 08:00Z']
  for (const text of [...days, ...times]) {
    const refused = (flag: string) => ({
      constructor: UsageError,
      message: new RegExp(`^${flag} is .*such as 2026-11-20`)
    })
    t.throws(() => readPeriod(text, undefined), refused('--from'), text)
    t.throws(() => readPeriod(undefined, text), refused('--to'), text)
  }
  t.end()
})

t.test('a period that ends before it begins is refused', t => {
  const refused = { constructor: UsageError, message: /is not before the end/ }
  t.throws(() => readPeriod('2026-11-11', '2026-11-10'), refused)
  t.throws(() => readPeriod('2026-11-10T08:00Z', '2026-11-10T08:00Z'), refused)
  t.end()
})
