// Lines without quotation marks: which are taken for plain, and that their fields are what any other way finds.
import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { isPlain, plainRows } from '../../src/catalogue/plain-rows.ts'

t.test('lines are plain without quoted fields, and if all of them is text', async t => {
  const cases: [lines: string | Buffer, isPlain: boolean][] = [
    ['', true],
    ['a\tb\n', true],
    ['é\t☕\n', true],
    ['Screen 14"\tb\n', true],
    ['"a"\tb\n', false],
    ['a\t"b"\n', false],
    ['a\tb\n"c"\td\n', false],
    ['a\t\ufffd\n', false],
    [Buffer.from('a\tcaf\xe9\n', 'latin1'), false]
  ]
  for (const [lines, expected] of cases) t.equal(isPlain(Buffer.from(lines), '\t'), expected, JSON.stringify(lines))
  t.equal(isPlain(Buffer.from('a,"b"\n'), ','), false)
  t.equal(isPlain(Buffer.from('a,"b"\n'), '\t'), true)
})

t.test('any plain lines are split at line ends and delimiters', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '☕', '👍', '\t', '\n', '\r', '\r\n'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.boolean()), (text, used) => {
      const lines = text.split('\n')
      const last = String(lines.pop())
      const expected = lines.map(line => line.replace(/\r$/, '').split('\t'))
      if (last !== '') expected.push(last.split('\t'))
      const read = (isUsed: (column: number) => boolean) =>
        Array.from(plainRows(Buffer.from(text), '\t', isUsed), ({ fields }) => fields)
      const all = read(() => true)
      deepStrictEqual(all, expected)
      const some = read(column => used[column] === true)
      deepStrictEqual(
        some,
        expected.map(row => row.map((field, i) => (used[i] ? field : '')))
      )
    }),
    { numRuns: 1000 }
  )
})
