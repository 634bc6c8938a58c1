// What of the style sheet goes out.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readStyleSheet, squeeze } from '../../src/checkout/style-sheet.ts'

t.test('comments, line breaks and long names stay behind; meaning does not', async t => {
  const cases: [string, string, string][] = [
    ['a comment', '/* why */\na{color:red}\n/* of\ntwo lines */', 'a{color:red}'],
    ['line breaks', 'a,\nb {\n  color: red;\n  margin: 0\n}\n\nc{top:0}\n', 'a,b {color: red;margin: 0}c{top:0}'],
    ['a line break between words is a space', 'a\nb{margin:0\n  auto}', 'a b{margin:0 auto}'],
    ['names', ':root{--ink:#000;--on-ink:#fff}a{color:var(--ink)}', ':root{--0:#000;--1:#fff}a{color:var(--0)}'],
    [
      'many names',
      Array.from('abcdefghijklm', x => `--x${x}:0;`).join(''),
      '--0:0;--1:0;--2:0;--3:0;--4:0;--5:0;--6:0;--7:0;--8:0;--9:0;--a:0;--b:0;--c:0;'
    ],
    ['nothing', '\n', '']
  ]
  for (const [what, css, squeezed] of cases) t.equal(squeeze(css), squeezed, what)
})

t.test('it is read from its file', async t => {
  const file = join(t.testdir({}), 'page.css')
  writeFileSync(file, 'a {\n}\n')
  t.equal(readStyleSheet(':root{--ink:#000}', file), ':root{--0:#000}a {}')
})
