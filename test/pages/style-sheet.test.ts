// The style sheet as sent: minified.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { minify, readStyleSheet } from '../../src/pages/style-sheet.ts'

t.test('comments, line breaks and indentation are removed; the meaning stays', async t => {
  const cases: [string, string, string][] = [
    ['a comment', '/* why */\na{color:red}\n/* of\ntwo lines */', 'a{color:red}'],
    ['line breaks', 'a,\nb {\n  color: red;\n  margin: 0\n}\n\nc{top:0}\n', 'a,b {color: red;margin: 0}c{top:0}'],
    ['a line break between words is a space', 'a\nb{margin:0\n  auto}', 'a b{margin:0 auto}'],
    ['strings are left alone', 'a{\n  content:"/* --ink */ \\"\n";\n}', 'a{content:"/* --ink */ \\"\n";}'],
    [
      'an apostrophe in a comment does not begin a string',
      "/* don't */\na{content:'--ink'}\n/* can't */",
      "a{content:'--ink'}"
    ],
    ['an empty sheet', '\n', '']
  ]
  for (const [what, css, minified] of cases) t.equal(minify(css), minified, what)
})

t.test('a style sheet is read from its file', async t => {
  const file = join(t.testdir({}), 'page.css')
  writeFileSync(file, 'a {\n}\n')
  t.equal(readStyleSheet(':root{color:red}\n', file), ':root{color:red}a {}')
})
