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

function terminal(isTTY: boolean) {
  const written: string[] = []
  let now = 5000
  const progress = showProgressOn({ isTTY, write: text => written.push(text) }, () => now)
  const at = (milliseconds: number) => {
    now = 5000 + milliseconds
    return progress
  }
  return { written, at }
}

t.test('a short task shows no progress', t => {
  const { written, at } = terminal(true)
  at(0).show('read', 1, 10)
  at(999).show('read', 9, 10)
  at(999).clear()
  t.strictSame(written, [])
  t.end()
})

t.test('a long task shows its progress, at most ten times a second', t => {
  const { written, at } = terminal(true)
  at(1000).show('read', 5, 10)
  at(1099).show('read', 6, 10)
  at(1100).show('matching', 10, 10)
  at(1300).show('matching', 11, 10)
  at(1500).show('orders', 12_000, undefined)
  at(1700).show('read', 1, 0)
  at(1701).clear()
  at(1702).clear()
  t.strictSame(written, [
    '\r\x1b[K50 % read',
    '\r\x1b[K100 % matching',
    '\r\x1b[K100 % matching',
    '\r\x1b[K12,000 orders',
    '\r\x1b[K1 read',
    '\r\x1b[K'
  ])
  t.end()
})

t.test('without a terminal there is none', t => {
  const { written, at } = terminal(false)
  at(5000).show('read', 5, 10)
  at(6000).clear()
  t.strictSame(written, [])
  t.end()
})
