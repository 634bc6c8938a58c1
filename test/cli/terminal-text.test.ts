// Columns for a terminal, and the progress of slow work.
import t from 'tap'
import { columns, showProgressOn } from '../../src/cli/terminal-text.ts'

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
