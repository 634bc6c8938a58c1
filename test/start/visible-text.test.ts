// Text that others wrote cannot act on a terminal, in what commands print and in the log.
import t from 'tap'
import { escapeJson, visible, visibleJson, visibleLines } from '../../src/start/visible-text.ts'

const texts: [string, string][] = [
  ['plain é ソ ☕ 😀', 'plain é ソ ☕ 😀'],
  ['\u001b[31mred', '\\u{1b}[31mred'],
  ['a\r\nb\tc', 'a\\u{d}\\u{a}b\\u{9}c'],
  ['\u007f\u0080\u009b2J\u009f\u00a0', '\\u{7f}\\u{80}\\u{9b}2J\\u{9f}\u00a0'],
  ['\u202a\u202eevil\u2066\u2069', '\\u{202a}\\u{202e}evil\\u{2066}\\u{2069}'],
  ['a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['a\u200bb\u200f\u2060\ufeff', 'a\\u{200b}b\\u{200f}\\u{2060}\\u{feff}'],
  ['half \ud800', 'half \\u{d800}'],
  ['tag \u{e0001}', 'tag \\u{e0001}']
]
t.test('what is invisible is printed as its code point; several lines stay lines, and JSON has the same value', t => {
  for (const [text, shown] of texts) {
    t.equal(visible(text), shown)
    const json = visibleJson({ text })
    t.strictSame(JSON.parse(json), { text })
    t.notMatch(json, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
  }
  t.equal(visibleLines('one\n\u202etwo\r\n\n'), 'one\n\\u{202e}two\\u{d}\n\n')
  t.end()
})

t.test('JSON text keeps its line ends, its own escapes and every visible character', t => {
  const json = '{"a\u202e": "\\u0007 \\\\ é ソ ☕\u200d😀"}\n[\n]\n'
  t.equal(escapeJson(json), '{"a\\u202e": "\\u0007 \\\\ é ソ ☕\\u200d😀"}\n[\n]\n')
  t.equal(escapeJson('{"a": "delete\u007f"}'), '{"a": "delete\\u007f"}', 'the one of ASCII that JSON does not escape')
  t.end()
})
