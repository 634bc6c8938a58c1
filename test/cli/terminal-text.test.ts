// Printed text cannot control the terminal.
import t from 'tap'
import { columns, visible, visibleJson } from '../../src/cli/terminal-text.ts'

const texts: [string, string][] = [
  ['plain é ソ ☕', 'plain é ソ ☕'],
  ['\u001b[31mred', '\\u{1b}[31mred'],
  ['a\r\nb\tc', 'a\\u{d}\\u{a}b\\u{9}c'],
  ['\u009b2J', '\\u{9b}2J'],
  ['\u202eevil\u2066', '\\u{202e}evil\\u{2066}'],
  ['a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['half \ud800', 'half \\u{d800}'],
  ['tag \u{e0001}', 'tag \\u{e0001}']
]
for (const [text, shown] of texts) {
  t.test(`printed as ${shown}`, t => {
    t.equal(visible(text), shown)
    const json = visibleJson({ text })
    t.strictSame(JSON.parse(json), { text }, 'as JSON the value is unchanged')
    t.notMatch(json, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, 'the JSON text is as harmless')
    t.end()
  })
}

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
