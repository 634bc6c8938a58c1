// What reconciling prints, for people and programs; text from the list is escaped.
import t from 'tap'
import type { ListSource } from '../../src/cli/fill-lists.ts'
import { jsonLines, summaryText, tableLines } from '../../src/cli/reconcile-report.ts'
import type { ReconcileCounts, ReferenceResult, TransferState } from '../../src/reconcile/reference-result.ts'
import { visible } from '../../src/start/visible-text.ts'

const AT = '2026-11-20T10:00:00.000Z'
const NOON = '2026-11-19T12:00:00.000Z'
const common = { merchant: 'shop', reference: 'r1', line: 2 }

const counts: ReconcileCounts = {
  references: 1_000_008,
  merchantReferences: 0,
  matched: 1_000_000,
  different: 1,
  neverArrived: 2,
  refused: 3,
  notOrdered: 4,
  expired: 5,
  superseded: 6,
  orderedHere: 0,
  reported: 0,
  onlyMerchant: 7,
  repeated: 8,
  repeatedByMerchant: 0,
  unreadableTransfers: 0
}

const source = (more: Partial<ListSource> = {}): ListSource => ({
  side: 'platform',
  name: 'list.csv',
  rows: 1,
  unasked: [],
  ...more
})

t.test('the summary counts every result', t => {
  const text = summaryText([source({ rows: 1_000_016, unasked: ['total', 'items'] })], counts)
  t.equal(
    text,
    [
      'list.csv: 1,000,016 rows, 1,000,008 references',
      'Columns of list.csv matched by name: total, items. To ignore them: --map total=,items=',
      '  matched                   1,000,000',
      '  different                         1',
      '  only at the platform             20',
      '    never arrived                   2',
      '    arrived and refused             3',
      '    arrived and not ordered         4',
      '    expired                         5',
      '    superseded                      6',
      '  only at the merchant              7',
      '  repeated in the list              8',
      ''
    ].join('\n')
  )
  const unreadable = summaryText([source({ name: '\x1b[2Jx' })], { ...counts, unreadableTransfers: 1234 })
  t.match(unreadable, /\nIn this period 1,234 transfers arrived without a readable reference\.\n$/)
  t.match(
    summaryText([source({ name: 'one' })], { ...counts, references: 1, unreadableTransfers: 1 }),
    /^one: 1 row, 1 reference\n[\s\S]*In this period 1 transfer arrived without/
  )
  t.match(unreadable, /^\\u\{1b\}\[2Jx: 1 row, /)
  t.end()
})

t.test('the summary of two lists says which is which', t => {
  const sources = [
    source({ rows: 3, unasked: ['total'] }),
    source({ side: 'merchant', name: 'shop.csv', rows: 5, unasked: ['items', 'order'] })
  ]
  t.equal(
    summaryText(sources, {
      ...{ ...counts, references: 2, merchantReferences: 4 },
      ...{ orderedHere: 9, reported: 10, repeatedByMerchant: 1 }
    }),
    [
      'list.csv: 3 rows, 2 references',
      'Columns of list.csv matched by name: total. To ignore them: --map total=',
      'shop.csv: 5 rows, 4 references',
      'Columns of shop.csv matched by name: items, order. To ignore them: --map orders.items=,orders.order=',
      '  matched                   1,000,000',
      '  different                         1',
      '  only at the platform             39',
      '    never arrived                   2',
      '    arrived and refused             3',
      '    arrived and not ordered         4',
      '    expired                         5',
      '    superseded                      6',
      '    ordered here                    9',
      '    reported earlier               10',
      '  only at the merchant              7',
      "  repeated, platform's list         8",
      "  repeated, merchant's list         1",
      ''
    ].join('\n')
  )
  t.end()
})

const only = { answer: 'only-platform', ...common } as const
const rows: [ReferenceResult, string][] = [
  [{ answer: 'matched', ...common, order: 'N1' }, 'N1'],
  [
    {
      answer: 'different',
      ...common,
      order: 'N1',
      differences: [
        { in: 'item', sku: 'MUG', platform: 2, merchant: 0 },
        { in: 'item', sku: 'LAMP', platform: 0, merchant: 1 },
        { in: 'quantity', sku: 'ROPE', platform: 3, merchant: 4, transferred: 3 },
        { in: 'currency', platform: 'USD', merchant: 'GBP' },
        { in: 'total', platform: '24.9', merchant: '25' },
        { in: 'order', platform: 'N2', merchant: 'N1' }
      ]
    },
    'N1         item MUG: 2 at the platform, none at the merchant; item LAMP: none at the platform, 1 at the merchant; quantity of ROPE: 3 at the platform, 4 at the merchant, 3 transferred; currency: USD at the platform, GBP at the merchant; total: 24.9 at the platform, 25 at the merchant; order: N2 at the platform, N1 at the merchant'
  ],
  [{ ...only, state: 'never-arrived' }, 'never arrived'],
  [
    { ...only, state: 'refused', at: AT, problem: 'cart-not-sellable', mistakes: ['out-of-stock', 'sku-unknown'] },
    `refused ${AT}: cart-not-sellable (out-of-stock, sku-unknown)`
  ],
  [{ ...only, state: 'refused', at: AT, problem: 'too-many-lines', mistakes: [] }, `refused ${AT}: too-many-lines`],
  [{ ...only, state: 'not-ordered', at: AT }, `arrived ${AT}, not ordered`],
  [{ ...only, state: 'expired', at: AT, arrivedAt: NOON }, `arrived ${NOON}, expired ${AT}, not ordered`],
  [{ ...only, state: 'expired', arrivedAt: AT }, `arrived ${AT}, expired, not ordered`],
  [{ ...only, state: 'superseded', at: AT }, `superseded ${AT} by another cart, not ordered`],
  [{ answer: 'repeated', ...common, firstLine: 1 }, 'already on line 1; not compared'],
  [
    {
      answer: 'only-merchant',
      merchant: 'shop',
      reference: 'r1',
      order: 'N1',
      placedAt: AT,
      currency: 'GBP',
      total: '25.00'
    },
    `N1         placed ${AT}, 25.00 GBP`
  ],
  [
    {
      ...{ answer: 'only-merchant', merchant: 'shop', reference: 'r1', order: '#1', reportedAt: AT },
      ...{ currency: 'GBP', total: '25.00', transfer: { state: 'accepted', at: NOON } }
    },
    `#1         reported ${AT}, 25.00 GBP, arrived ${NOON}`
  ],
  [{ ...only, state: 'ordered', at: AT, order: 'N2' }, `ordered here ${AT} as N2`],
  [{ ...only, state: 'reported', at: AT, order: '#2' }, `reported ${AT} as #2`],
  [
    { answer: 'repeated', merchant: 'shop', reference: 'r1', merchantLine: 7, firstMerchantLine: 4 },
    "line 7 of the merchant's list, already on line 4; not compared"
  ],
  [{ answer: 'only-merchant', merchant: 'shop', reference: 'r1', merchantLine: 7 }, "line 7 of the merchant's list"],
  ...(
    [
      [{ state: 'never-arrived' }, 'never arrived'],
      [{ state: 'accepted', at: AT }, `arrived ${AT}`],
      [{ state: 'superseded', at: AT }, `superseded ${AT} by another cart`],
      [{ state: 'refused', at: AT, problem: 'too-many-lines', mistakes: [] }, `refused ${AT}: too-many-lines`],
      [{ state: 'ordered', at: AT, order: 'N2' }, `ordered here ${AT} as N2`]
    ] satisfies [TransferState, string][]
  ).map(([transfer, what]): [ReferenceResult, string] => [
    { answer: 'only-merchant', merchant: 'shop', reference: 'r1', merchantLine: 7, total: '5', transfer },
    `line 7 of the merchant's list, 5, ${what}`
  ])
]

t.test('the table has a header, and a row for each result, in aligned columns', t => {
  const [head, ...lines] = [
    ...tableLines(
      rows.map(([answer]) => answer),
      ['shop', 'a-long-name']
    )
  ]
  t.equal(head, '\nANSWER         MERCHANT     REFERENCE                                LINE  ORDER      WHAT\n')
  const column = (name: string) => String(head).indexOf(name) - 1
  t.equal(lines.length, rows.length)
  for (const [i, [answer, what]] of rows.entries()) {
    const line = String(lines[i])
    t.ok(line.endsWith(`  ${what}\n`), `${line} ends with ${what}`)
    t.ok(line.startsWith(`${answer.answer} `))
    t.equal(line.indexOf('shop'), column('MERCHANT'))
    t.equal(line.indexOf('r1'), column('REFERENCE'))
    if ('line' in answer) t.equal(line[column('LINE') + 'LINE'.length - 1], '2')
  }
  t.end()
})

t.test('a reference in wide characters keeps the columns aligned', t => {
  const [, narrow = '', wide = ''] = [
    ...tableLines(
      [
        { ...only, reference: 'ab', state: 'never-arrived' },
        { ...only, reference: '海', state: 'never-arrived' }
      ],
      []
    )
  ]
  t.equal(wide.replace('海', 'ab'), narrow)
  t.end()
})

t.test('without results there is no table', t => {
  t.strictSame([...tableLines([], ['shop'])], [])
  t.end()
})

t.test('a result without a merchant has a dash in that column', t => {
  const [, line] = [...tableLines([{ ...only, merchant: null, state: 'never-arrived' }], [])]
  t.match(line, /^only-platform {2}- /)
  t.end()
})

const hostile: [string, string][] = [
  ['\x1b[31mred', '\\u{1b}[31mred'],
  ['a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}'],
  ['\u009b2J', '\\u{9b}2J'],
  ['\u202eevil', '\\u{202e}evil'],
  ['zero\u200bwidth', 'zero\\u{200b}width'],
  ['\u2028', '\\u{2028}'],
  ['\ud800', '\\u{d800}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['ソ-☕ 😀 é', 'ソ-☕ 😀 é']
]

t.test('control characters, and characters that hide or reverse text, are escaped', t => {
  for (const [text, escaped] of hostile) {
    t.equal(visible(text), escaped)
    const differences = [{ in: 'item' as const, sku: text, platform: 1, merchant: 0 }]
    const answers: ReferenceResult[] = [
      { answer: 'different', ...common, reference: text, order: text, differences },
      { ...only, reference: text, state: 'never-arrived' }
    ]
    for (const line of tableLines(answers, ['shop'])) t.notMatch(line.trim(), /[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u)
    const [, ...json] = [...jsonLines([source()], counts, answers)]
    for (const [i, line] of json.entries()) {
      t.notMatch(line.trim(), /[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u)
      t.strictSame(JSON.parse(line), answers[i], 'the JSON still has the same value')
    }
  }
  t.end()
})

t.test('JSON has one object per line: the summary, then each result', t => {
  const answers = rows.map(([answer]) => answer)
  const lines = [...jsonLines([source({ rows: 9, unasked: ['total'] })], counts, answers)]
  t.ok(lines.every(line => line.indexOf('\n') === line.length - 1))
  t.strictSame(
    lines.map(line => JSON.parse(line)),
    [{ summary: { rows: 9, unasked: ['total'], ...counts } }, ...answers]
  )
  const two = [source(), source({ side: 'merchant', rows: 2, unasked: ['items'] })]
  const [summary = ''] = jsonLines(two, counts, [])
  t.strictSame(JSON.parse(summary), {
    summary: { rows: 1, unasked: [], merchantList: { rows: 2, unasked: ['items'] }, ...counts }
  })
  t.end()
})
