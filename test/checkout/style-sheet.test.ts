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
    [
      'the names of the theme',
      ':root{--ink:#000;--on:#fff}a{color:var(--ink)}',
      ':root{--0:#000;--1:#fff}a{color:var(--0)}'
    ],
    [
      'no other name',
      ':root{--my-ink:red;--brand:red}.box--ink{color:var( --ink )}',
      ':root{--my-ink:red;--brand:red}.box--ink{color:var( --0 )}'
    ],
    [
      'nor one of a letter',
      ':root{--a:red;--r:2px}a{border-radius:var(--r)}',
      ':root{--a:red;--r:2px}a{border-radius:var(--r)}'
    ],
    ['nothing in a string', 'a{\n  content:"/* --ink */ \\"\n";\n}', 'a{content:"/* --ink */ \\"\n";}'],
    ['an apostrophe in a comment begins none', "/* don't */\na{content:'--ink'}\n/* can't */", "a{content:'--ink'}"],
    ['nothing', '\n', '']
  ]
  for (const [what, css, squeezed] of cases) t.equal(squeeze(css, ['--ink', '--on']), squeezed, what)
})

t.test('it is read from its file', async t => {
  const file = join(t.testdir({}), 'page.css')
  writeFileSync(file, 'a {\n}\n')
  t.equal(
    readStyleSheet(':root{--ink:#000;--on:#fff;--r:9px;--ink:#111}', file),
    ':root{--0:#000;--1:#fff;--r:9px;--0:#111}a {}'
  )
})
