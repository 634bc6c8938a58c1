// Columns of a table in a terminal.
import t from 'tap'
import { columns } from '../../src/cli/terminal-text.ts'

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
