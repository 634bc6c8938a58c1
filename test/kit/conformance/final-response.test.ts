// What counts as the same bag, by lines or by units, and which status matches.
import t from 'tap'
import { type CompareBy, isHtml, lineMismatch, matchesStatus } from '../../../src/kit/conformance/final-response.ts'

const line = (sku: string, quantity: string) => ({ sku, quantity, text: '' })
const BAG = [
  { sku: 'A', quantity: 2 },
  { sku: 'B', quantity: 1 },
  { sku: 'A', quantity: 3 }
]

const CASES: [what: string, compareBy: CompareBy, lines: [string, string][], isMatch: boolean][] = [
  [
    'the same lines in another order',
    'lines',
    [
      ['B', '1'],
      ['A', '3'],
      ['A', '2']
    ],
    true
  ],
  [
    'lines of one SKU merged',
    'lines',
    [
      ['A', '5'],
      ['B', '1']
    ],
    false
  ],
  [
    'lines of one SKU merged, by units',
    'units',
    [
      ['A', '5'],
      ['B', '1']
    ],
    true
  ],
  [
    'a unit too many',
    'units',
    [
      ['A', '6'],
      ['B', '1']
    ],
    false
  ],
  [
    'a line too many',
    'units',
    [
      ['A', '5'],
      ['B', '1'],
      ['C', '1']
    ],
    false
  ],
  ['no line', 'lines', [], false],
  [
    'a leading zero is accepted',
    'lines',
    [
      ['A', '02'],
      ['B', '1'],
      ['A', '3']
    ],
    true
  ],
  [
    'a quantity in words',
    'units',
    [
      ['A', 'five'],
      ['B', '1']
    ],
    false
  ],
  [
    'an empty quantity',
    'units',
    [
      ['A', '5'],
      ['B', '']
    ],
    false
  ],
  [
    'a fraction',
    'units',
    [
      ['A', '5.0'],
      ['B', '1']
    ],
    false
  ],
  [
    'a sign',
    'units',
    [
      ['A', '+5'],
      ['B', '1']
    ],
    false
  ],
  [
    'the SKU in another case',
    'units',
    [
      ['a', '5'],
      ['B', '1']
    ],
    false
  ]
]

for (const [what, compareBy, lines, isMatch] of CASES) {
  t.test(what, async t => {
    const mismatch = lineMismatch(
      lines.map(([sku, quantity]) => line(sku, quantity)),
      BAG,
      compareBy
    )
    t.equal(mismatch === undefined, isMatch, String(mismatch?.message))
  })
}

t.test('a mismatch says what is shown, what was expected, and which quantity is not a number', async t => {
  t.strictSame(lineMismatch([line('A', 'two')], [{ sku: 'A', quantity: 2 }], 'lines'), {
    message: 'The page shows two × A; expected 2 × A. The quantity of A is "two", which is not a number.',
    expected: '2 × A',
    got: 'two × A. The quantity of A is "two", which is not a number.'
  })
  t.strictSame(lineMismatch([], [{ sku: 'A', quantity: 2 }], 'lines'), {
    message: 'The page shows no lines; expected 2 × A.',
    expected: '2 × A',
    got: 'no lines'
  })
})

t.test('a status matches itself or its class', async t => {
  t.ok(matchesStatus(422, '4xx'))
  t.ok(matchesStatus(422, '422'))
  t.notOk(matchesStatus(404, '422'))
  t.notOk(matchesStatus(500, '4xx'))
})

t.test('what a browser may treat as HTML', t => {
  const response = (type?: string) => ({
    url: 'http://x/',
    status: 200,
    statusText: 'OK',
    headers: type === undefined ? [] : [{ name: 'Content-Type', value: type }],
    body: new Uint8Array(),
    milliseconds: 1
  })
  for (const type of ['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml', undefined]) {
    t.ok(isHtml(response(type)), String(type))
  }
  for (const type of ['application/problem+json', 'text/plain']) t.notOk(isHtml(response(type)), type)
  t.end()
})
