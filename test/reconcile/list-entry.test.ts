// Rows of the lists become entries: rows of one order are joined, repeated references are marked, two lists are paired.
import t from 'tap'
import { type KeyedRow, pairEntries, plainDecimal, type ReferenceEntry } from '../../src/reconcile/list-entry.ts'

const item = (line: number, sku: string, more: Partial<KeyedRow> = {}): KeyedRow => ({
  line,
  key: 'a',
  side: 'platform',
  reference: 'a',
  item: { sku, quantity: 1 },
  ...more
})
const row = (line: number, more: Partial<KeyedRow> = {}): KeyedRow => ({
  line,
  key: 'a',
  side: 'platform',
  reference: 'a',
  ...more
})
const entry = (line: number, more: Partial<ReferenceEntry> = {}): ReferenceEntry => ({
  line,
  reference: 'a',
  repeats: [],
  ...more
})
const items = (...skus: string[]) => skus.map(sku => ({ sku, quantity: 1 }))

const cases: [string, KeyedRow[], ReferenceEntry[]][] = [
  ['no rows, no entries', [], []],
  ['a row is an entry', [row(2, { total: '5' })], [entry(2, { total: '5' })]],
  [
    'another reference is another entry',
    [row(2), row(3, { key: 'b', reference: 'B' })],
    [entry(2), entry(3, { reference: 'B' })]
  ],
  [
    'a repeated reference is a repeat, even if the rows are equal; the first counts',
    [row(2, { total: '5' }), row(4, { total: '6' }), row(9, { total: '5' })],
    [entry(2, { total: '5', repeats: [4, 9] })]
  ],
  [
    'another spelling of a reference is a repeat too',
    [row(2), row(3, { reference: 'A' })],
    [entry(2, { repeats: [3] })]
  ],
  [
    'item rows of one reference are one entry, consecutive or not',
    [item(2, 'MUG'), item(7, 'LAMP'), item(9, 'MUG')],
    [entry(2, { items: items('MUG', 'LAMP', 'MUG') })]
  ],
  [
    'facts about the order in a later item row count',
    [item(2, 'MUG', { total: '5' }), item(3, 'LAMP', { currency: 'GBP', order: 'N1' })],
    [entry(2, { items: items('MUG', 'LAMP'), total: '5', currency: 'GBP', order: 'N1' })]
  ],
  ...(['order', 'currency', 'total', 'status'] as const).map((fact): (typeof cases)[number] => [
    `item rows that disagree in the ${fact} are another order, and one repeat`,
    [
      item(2, 'MUG', { [fact]: 'x' }),
      item(3, 'LAMP', { [fact]: 'y' }),
      item(4, 'ROPE', { [fact]: 'y' }),
      item(5, 'ROPE', { [fact]: 'z' }),
      item(6, 'CUP', { [fact]: 'x' })
    ],
    [entry(2, { [fact]: 'x', items: items('MUG', 'CUP'), repeats: [3, 5] })]
  ]),
  [
    'a row without an item is a repeat of item rows, and vice versa',
    [item(2, 'MUG'), row(3), row(4, { key: 'b' }), item(5, 'MUG', { key: 'b' })],
    [entry(2, { items: items('MUG'), repeats: [3] }), entry(4, { repeats: [5] })]
  ],
  [
    'an unreadable row counts only if there is no other',
    [
      ...[
        row(2, { isUnreadable: true }),
        row(3, { isUnreadable: true }),
        row(4, { total: '5' }),
        row(5, { isUnreadable: true })
      ],
      ...[row(6, { key: 'b', isUnreadable: true })]
    ],
    [entry(4, { total: '5' }), entry(6, { isUnreadable: true })]
  ],
  [
    'an unreadable item makes its order unreadable',
    [
      ...[item(2, 'MUG', { total: '5' }), item(3, 'LAMP', { isUnreadable: true })],
      ...[item(4, 'MUG', { key: 'b', isUnreadable: true }), item(5, 'LAMP', { key: 'b' })]
    ],
    [
      entry(2, { total: '5', items: items('MUG', 'LAMP'), isUnreadable: true }),
      entry(4, { items: items('MUG', 'LAMP'), isUnreadable: true })
    ]
  ],
  ['each reference has its own repeats', [row(2), row(3), row(4, { key: 'b' })], [entry(2, { repeats: [3] }), entry(4)]]
]

for (const [name, rows, entries] of cases) {
  t.test(name, t => {
    const [pairs = []] = pairEntries(rows, 500)
    t.strictSame(
      pairs.map(({ platform }) => platform),
      entries
    )
    t.end()
  })
}

t.test("in the merchant's list, further rows of an order that agree with the first are no repeats", t => {
  const rows = [
    ...[row(2, { order: 'N1', total: '5' }), row(3, { order: 'N1' }), row(4, { order: 'N1', total: '5' })],
    ...[row(5, { order: 'N2' }), row(6), row(7, { order: 'N1', total: '6' })],
    row(8, { order: 'N1', items: items('MUG') })
  ]
  const [[pair] = []] = pairEntries([...rows.map(one => ({ ...one, side: 'merchant' as const })), ...rows], 500)
  t.strictSame(pair?.merchant?.repeats, [5, 6, 7, 8])
  t.strictSame(pair?.platform?.repeats, [3, 4, 5, 6, 7, 8])
  t.end()
})

t.test('rows of two lists are never joined, and their entries are paired by key', t => {
  const rows = [row(5), row(9, { side: 'merchant', key: 'b' }), row(3, { key: 'b' }), row(4, { key: 'b' })]
  t.strictSame(
    [...pairEntries([...rows, row(2, { side: 'merchant', key: 'c' })], 500)],
    [
      [
        { key: 'a', platform: entry(5) },
        { key: 'b', merchant: entry(9), platform: entry(3, { repeats: [4] }) },
        { key: 'c', merchant: entry(2) }
      ]
    ]
  )
  t.strictSame([...pairEntries([], 500)], [])
  t.end()
})

t.test('rows are read on demand, not all at once: those of a few references at a time', t => {
  let taken = 0
  function* endless(): Generator<KeyedRow> {
    while (true) yield row(++taken, { key: String(taken) })
  }
  const batches = pairEntries(endless(), 3)
  for (const lines of [
    [1, 2, 3],
    [4, 5, 6]
  ]) {
    const expected = lines.map(line => ({ key: String(line), platform: entry(line) }))
    t.strictSame(batches.next().value, expected)
    t.equal(taken, Number(lines.at(-1)) + 1)
  }
  t.end()
})

t.test('insignificant zeros are removed from decimals', t => {
  const cases = [
    ['147.90', '147.9'],
    ['147.00', '147'],
    ['147', '147'],
    ['100', '100'],
    ['0147.5', '147.5'],
    ['0', '0'],
    ['000', '0'],
    ['0.00', '0'],
    ['0.05', '0.05'],
    ['00.50', '0.5']
  ] as const
  for (const [decimal, plain] of cases) t.equal(plainDecimal(decimal), plain, decimal)
  t.end()
})
