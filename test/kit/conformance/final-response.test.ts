// What counts as the same bag, by lines or by units, and which status matches.
import t from 'tap'
import type { WebResponse } from '../../../src/kit/client/send-request.ts'
import {
  type CompareBy,
  excerpt,
  lineMismatch,
  matchesStatus,
  refusedTransfer,
  truncate
} from '../../../src/kit/conformance/final-response.ts'

const RESPONSE = { url: '', status: 422, statusText: '', body: Buffer.of(), milliseconds: 1 }

const line = (sku: string, quantity: string) => ({ sku, quantity, text: '' })
const BAG = [
  { sku: 'A', quantity: 2 },
  { sku: 'B', quantity: 1 },
  { sku: 'A', quantity: 3 }
]

/** Lines as they are on the page: `2 A`. */
const CASES: [what: string, compareBy: CompareBy, lines: string[], isMatch: boolean][] = [
  ['the same lines in another order', 'lines', ['1 B', '3 A', '2 A'], true],
  ['lines of one SKU merged', 'lines', ['5 A', '1 B'], false],
  ['lines of one SKU merged, by units', 'units', ['5 A', '1 B'], true],
  ['a unit too many', 'units', ['6 A', '1 B'], false],
  ['a line too many', 'units', ['5 A', '1 B', '1 C'], false],
  ['no line', 'lines', [], false],
  ['a leading zero is accepted', 'lines', ['02 A', '1 B', '3 A'], true],
  ['a quantity in words', 'units', ['five A', '1 B'], false],
  ['an empty quantity', 'units', ['5 A', ' B'], false],
  ['a fraction', 'units', ['5.0 A', '1 B'], false],
  ['a quantity of 0 beside all units', 'units', ['5 A', '1 B', '0 A'], false],
  ['a quantity of 0 beside all lines', 'lines', ['2 A', '3 A', '1 B', '00 C'], false],
  ['a sign', 'units', ['+5 A', '1 B'], false],
  ['the SKU in another case', 'units', ['5 a', '1 B'], false]
]

t.test('a bag is the same by its lines, or by the units of each SKU', async t => {
  for (const [what, compareBy, lines, isMatch] of CASES) {
    const shown = lines.map(text => {
      const [quantity = '', sku = ''] = text.split(' ')
      return line(sku, quantity)
    })
    t.equal(lineMismatch(shown, BAG, compareBy) === undefined, isMatch, what)
  }
})

t.test('a mismatch says what is shown, what was expected, and which quantity is not a number', async t => {
  t.strictSame(lineMismatch([line('A', 'two')], [{ sku: 'A', quantity: 2 }], 'lines'), {
    message:
      'The page shows two × A; expected 2 × A. The quantity of A is "two", which is not a whole number of at least 1.',
    expected: '2 × A',
    got: 'two × A. The quantity of A is "two", which is not a whole number of at least 1.'
  })
  t.strictSame(lineMismatch([], [{ sku: 'A', quantity: 2 }], 'lines'), {
    message: 'The page shows no lines; expected 2 × A.',
    expected: '2 × A',
    got: 'no lines'
  })
})

t.test('a status matches itself or its class', async t => {
  for (const expected of ['4xx', '422']) t.ok(matchesStatus(422, expected))
  for (const expected of ['422', '5xx']) t.notOk(matchesStatus(404, expected))
})

t.test('what a browser may treat as HTML', async t => {
  const isHtml = (headers: WebResponse['headers']) => refusedTransfer({ ...RESPONSE, headers }).isHtml
  const isPage = (value: string) => isHtml([{ name: 'Content-Type', value }])
  for (const type of ['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml']) t.ok(isPage(type), type)
  for (const type of ['application/problem+json', 'text/plain']) t.notOk(isPage(type), type)
  t.ok(isHtml([]), 'without a type')
})

t.test('a long text is truncated, with its length', async t => {
  t.equal(truncate('x'.repeat(500)), `${'x'.repeat(400)}… (500 characters)`)
  t.equal(excerpt(' a\n  b\t'), 'a b')
})
