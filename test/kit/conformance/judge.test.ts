// What counts as the same bag: exactly, by lines or by units.
import t from 'tap'
import { type Counting, isOfClass, shortened, wrongWithLines } from '../../../src/kit/conformance/judge.ts'

const line = (sku: string, quantity: string) => ({ sku, quantity, text: '' })
const BAG = [
  { sku: 'A', quantity: 2 },
  { sku: 'B', quantity: 1 },
  { sku: 'A', quantity: 3 }
]

const CASES: [what: string, counting: Counting, lines: [string, string][], isRight: boolean][] = [
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
    'a zero in front is a number',
    'lines',
    [
      ['A', '02'],
      ['B', '1'],
      ['A', '3']
    ],
    true
  ],
  [
    'a quantity of words',
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

for (const [what, counting, lines, isRight] of CASES) {
  t.test(what, async t => {
    const problem = wrongWithLines(
      lines.map(([sku, quantity]) => line(sku, quantity)),
      BAG,
      counting
    )
    t.equal(problem === undefined, isRight, String(problem))
  })
}

t.test('a problem says what is shown, what would be right, and which quantity is none', async t => {
  const problem = wrongWithLines([line('A', 'two')], [{ sku: 'A', quantity: 2 }], 'lines')
  t.equal(
    problem,
    'The page shows two × A; right would be 2 × A. The quantity of A is written "two", which is no number.'
  )
  t.equal(wrongWithLines([], [{ sku: 'A', quantity: 2 }], 'lines'), 'The page shows no line; right would be 2 × A.')
})

t.test('a status is one, or one of a class', async t => {
  t.ok(isOfClass(422, '4xx'))
  t.ok(isOfClass(422, '422'))
  t.notOk(isOfClass(404, '422'))
  t.notOk(isOfClass(500, '4xx'))
})

t.test('what is long is cut and says how long it was', async t => {
  t.equal(shortened('x'.repeat(500)), `${'x'.repeat(400)}… (500 characters)`)
  t.equal(shortened('short'), 'short')
})
