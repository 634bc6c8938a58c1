// What reconciling prints, for people and programs; text from the list is escaped.
import t from 'tap'
import { jsonLines, type ListSource, textLines } from '../../src/cli/reconcile-report.ts'
import {
  NO_COUNTS,
  type ReconcileCounts,
  type ReferenceResult,
  type TransferState
} from '../../src/reconcile/reference-result.ts'

const AT = '2026-11-20T10:00:00.000Z'
const NOON = '2026-11-19T12:00:00.000Z'
const common = { merchant: 'shop', reference: 'r1', line: 2 }

const counts: ReconcileCounts = {
  ...{ ...NO_COUNTS, references: 1_000_008, matched: 1_000_000, different: 1, neverArrived: 2, refused: 3 },
  ...{ notOrdered: 4, expired: 5, superseded: 6, onlyMerchant: 7, repeated: 8 }
}
const list: ListSource = { side: 'platform', name: 'list.csv', rows: 1, unasked: [] }

const summaryOf = (sources: ListSource[], counts: ReconcileCounts) => [...textLines(sources, counts, [], [])].join('')
const tableOf = (results: ReferenceResult[], merchants = ['shop']) =>
  [...textLines([list], counts, results, merchants)].slice(1)

t.test('the summary counts every result', t => {
  t.equal(
    summaryOf([{ ...list, rows: 1_000_016, unasked: ['total', 'items'] }], counts),
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
  const unreadable = summaryOf([{ ...list, name: '\x1b[2Jx' }], { ...counts, unreadableTransfers: 1234 })
  t.match(unreadable, /^\\u\{1b\}\[2Jx: 1 row, /)
  t.match(unreadable, /\nIn this period 1,234 transfers arrived without a readable reference\.\n$/)
  t.end()
})

t.test('the summary of two lists says which is which', t => {
  const sources = [
    { ...list, rows: 3, unasked: ['total'] },
    { side: 'merchant', name: 'shop.csv', rows: 5, unasked: ['items', 'order'] }
  ] satisfies ListSource[]
  const two = { ...counts, references: 1, merchantReferences: 4, orderedHere: 9, reported: 10, repeatedByMerchant: 1 }
  const lines = summaryOf(sources, two).split('\n')
  t.strictSame(lines.slice(0, 4), [
    'list.csv: 3 rows, 1 reference',
    'Columns of list.csv matched by name: total. To ignore them: --map total=',
    'shop.csv: 5 rows, 4 references',
    'Columns of shop.csv matched by name: items, order. To ignore them: --map orders.items=,orders.order='
  ])
  t.equal(lines[6], '  only at the platform             39')
  t.strictSame(lines.slice(-6), [
    '    ordered here                    9',
    '    reported earlier               10',
    '  only at the merchant              7',
    "  repeated, platform's list         8",
    "  repeated, merchant's list         1",
    ''
  ])
  t.end()
})

const only = { answer: 'only-platform', ...common } as const
const own = { answer: 'only-merchant', merchant: 'shop', reference: 'r1' } as const
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
  [{ ...own, order: 'N1', placedAt: AT, currency: 'GBP', total: '25.00' }, `N1         placed ${AT}, 25.00 GBP`],
  [
    { ...own, order: '#1', reportedAt: AT, currency: 'GBP', total: '25.00', transfer: { state: 'accepted', at: NOON } },
    `#1         reported ${AT}, 25.00 GBP, arrived ${NOON}`
  ],
  [{ ...only, state: 'ordered', at: AT, order: 'N2' }, `ordered here ${AT} as N2`],
  [{ ...only, state: 'reported', at: AT, order: '#2' }, `reported ${AT} as #2`],
  [
    { answer: 'repeated', merchant: 'shop', reference: 'r1', merchantLine: 7, firstMerchantLine: 4 },
    "line 7 of the merchant's list, already on line 4; not compared"
  ],
  [{ ...own, merchantLine: 7 }, "line 7 of the merchant's list"],
  ...(
    [
      [{ state: 'never-arrived' }, 'never arrived'],
      [{ state: 'superseded', at: AT }, `superseded ${AT} by another cart`]
    ] satisfies [TransferState, string][]
  ).map(([transfer, what]): [ReferenceResult, string] => [
    { ...own, merchantLine: 7, total: '5', transfer },
    `line 7 of the merchant's list, 5, ${what}`
  ])
]

t.test('the table has a header, and a row for each result, in aligned columns', t => {
  const answers = rows.map(([answer]) => answer)
  const [head, ...lines] = tableOf(answers, ['shop', 'a-long-name'])
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

t.test('a reference in wide characters keeps the columns aligned, and a result without a merchant has a dash', t => {
  const unknown = { ...only, merchant: null, state: 'never-arrived' } as const
  const [, narrow = '', wide = ''] = tableOf(['ab', '海'].map(reference => ({ ...unknown, reference })))
  t.match(narrow, /^only-platform {2}- /)
  t.equal(wide.replace('海', 'ab'), narrow)
  t.strictSame(tableOf([]), [], 'without results there is no table')
  t.end()
})

t.test('characters that act on a terminal, hide or reverse text are escaped', t => {
  const text = '\x1b[31m a\nb\r \u202e'
  const differences = [{ in: 'item' as const, sku: text, platform: 1, merchant: 0 }]
  const answers: ReferenceResult[] = [
    { answer: 'different', ...common, reference: text, order: text, differences },
    { ...only, reference: text, state: 'never-arrived' }
  ]
  const [, ...json] = [...jsonLines([list], counts, answers)]
  for (const line of [...tableOf(answers), ...json]) t.notMatch(line.trim(), /[\p{Cc}\p{Cf}]/u)
  t.strictSame(
    json.map(line => JSON.parse(line)),
    answers,
    'the JSON still has the same values'
  )
  t.end()
})
