// What a merchant reports of an order, read exactly: every mistake is named, with what would be right.
import t, { type Test } from 'tap'
import { type ReadReport, readReport, reportOrder } from '../../../src/checkout/orders/reported-order.ts'
import { Problem } from '../../../src/errors.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { newOrder, place } from '../../store/new-order.ts'

const REPORT = {
  reference: '0f8fad5bd9cb469fa16570867728950e',
  number: '#1001',
  currency: 'GBP',
  total: '12.50',
  items: [{ sku: 'MUG', quantity: 2 }]
}
const bytes = (report: unknown) => Buffer.from(typeof report === 'string' ? report : JSON.stringify(report))

t.test('a report is read as it was sent; fields beyond it are left out', async t => {
  t.strictSame(readReport(bytes(REPORT)), { ...REPORT, total: 1250 })
  const more = { ...REPORT, email: 'ada@example.com', items: [{ sku: 'MUG', quantity: 2, title: 'Mug' }] }
  t.strictSame(readReport(bytes(more)), { ...REPORT, total: 1250 })
  t.strictSame(readReport(bytes(`\ufeff${JSON.stringify(REPORT)}`)), { ...REPORT, total: 1250 })
})

const right: [string, object][] = [
  ['a UUID with hyphens', { reference: '0F8FAD5B-d9cb-469f-a165-70867728950e' }],
  ['a reference of any printable ASCII', { reference: '!"#$%&/()=?*+~_-.:,;<>|{}[]^`A1' }],
  ['a number of 64 characters', { number: '☕'.repeat(64) }],
  ['a number with spaces inside', { number: 'Order 1 of 2' }],
  ['a SKU of 128 characters outside the first plane', { items: [{ sku: '😀'.repeat(128), quantity: 9999 }] }],
  ['a SKU with spaces at its ends', { items: [{ sku: ' a b ', quantity: 1 }] }],
  ['a SKU on two lines', { items: Array(2).fill({ sku: 'A', quantity: 1 }) }]
]
for (const [name, changes] of right) {
  t.test(`read: ${name}`, async t => {
    t.match(readReport(bytes({ ...REPORT, ...changes })), changes)
  })
}

t.test('totals are exact, in every currency', async t => {
  const totals: [string, string, number][] = [
    ['0', 'GBP', 0],
    ['0.00', 'GBP', 0],
    ['12.5', 'GBP', 1250],
    ['12.5000', 'GBP', 1250],
    ['4500', 'JPY', 4500],
    ['4.505', 'BHD', 4505],
    ['9999999999999.99', 'IDR', 999_999_999_999_999],
    ['9999999999999.98', 'IDR', 999_999_999_999_998]
  ]
  for (const [total, currency, minor] of totals) {
    t.equal(readReport(bytes({ ...REPORT, total, currency })).total, minor, `${total} ${currency}`)
  }
})

type Expected = [pointer: string, code: string, detail: RegExp][]

const REFERENCE = /give the reference of the transfer: 1 to 32 characters without spaces, or a UUID/
const NUMBER = /give the shop's number of the order as text, such as "1001": 1 to 64 characters/
const TOTAL = /give what was charged, in major units and as text, such as "12\.50"/
const ITEM = /give an object such as \{ "sku": "MUG", "quantity": 2 \}/
const QUANTITY = /give a whole number from 1 to 9999/
/** One field of the report that is wrong. */
const wrongFields: [string, object, code: string, RegExp][] = [
  ['an empty reference', { reference: '' }, 'reference-invalid', REFERENCE],
  ['a reference with a space', { reference: 'a b' }, 'reference-invalid', REFERENCE],
  ['a reference of 33 characters', { reference: 'x'.repeat(33) }, 'reference-invalid', REFERENCE],
  ['a reference that is a number', { reference: 5 }, 'field-type', /It is 5; give/],
  [
    'a number that is a number',
    { number: 1001 },
    'field-type',
    /^It is 1001; give the shop's number of the order as t/
  ],
  ...['', ' 1', '1 ', 'x'.repeat(65), 'a\nb', 'a\u0085', '\ud800'].map((number): (typeof wrongFields)[number] => [
    `the number ${JSON.stringify(number.slice(0, 9))}`,
    { number },
    'number-invalid',
    NUMBER
  ]),
  ['a currency in lower case', { currency: 'gbp' }, 'currency-invalid', /such as "GBP"/],
  ['a currency that is none', { currency: 'XYZ' }, 'currency-invalid', /It is "XYZ"; give/],
  ['gold', { currency: 'XAU' }, 'currency-invalid', /It is "XAU"/],
  ['a total that is a number', { total: 12.5 }, 'field-type', /It is 12\.5; give what was/],
  ...['', '-1', '1,50', '1.', '.5', '1e3', '£5', '1 000'].map((total): (typeof wrongFields)[number] => [
    `the total ${JSON.stringify(total)}`,
    { total },
    'total-invalid',
    TOTAL
  ]),
  ['a fraction of a penny', { total: '12.505' }, 'total-invalid', /It is "12\.505"; .* of GBP, which has 2 decimals/],
  ['a total beyond the largest', { total: '10000000000000.00' }, 'total-invalid', /an amount of GBP/],
  ['no items', { items: [] }, 'items-empty', /It is an empty list; give a list of at least one item/],
  ['items by SKU', { items: { MUG: 2 } }, 'field-type', /It is an object; give a list/]
]

/** One field of the second item that is wrong. */
const wrongItems: typeof wrongFields = [
  ['an item without a SKU', { sku: undefined }, 'field-missing', /give a SKU/],
  ['an empty SKU', { sku: '' }, 'sku-invalid', /give a SKU of 1 to 128 characters/],
  ['a SKU of 129 characters', { sku: 'x'.repeat(129) }, 'sku-invalid', /"x{47}…"; give/],
  ['a SKU with a line end', { sku: 'a\nb' }, 'sku-invalid', /give a SKU/],
  ['half a surrogate pair', { sku: 'a\udc00' }, 'sku-invalid', /give a SKU/],
  ['a quantity as text', { quantity: '2' }, 'field-type', QUANTITY],
  ...[0, -1, 1.5, 10_000].map((quantity): (typeof wrongFields)[number] => [
    `the quantity ${quantity}`,
    { quantity },
    'quantity-invalid',
    QUANTITY
  ])
]

const wrong: [string, unknown, Expected][] = [
  ['nothing', '', [['#', 'json-malformed', /It is not JSON: /]]],
  ['no JSON', '{"reference": ', [['#', 'json-malformed', /It is not JSON: /]]],
  ['a list', [REPORT], [['#', 'field-type', /It is a list; give an object with reference, number, currency/]]],
  ['null', null, [['#', 'field-type', /It is null; give an object/]]],
  [
    'an empty object',
    {},
    [
      ['#/reference', 'field-missing', /Missing; give the reference/],
      ['#/number', 'field-missing', /Missing/],
      ['#/currency', 'field-missing', /Missing; give an ISO 4217 code/],
      ['#/total', 'field-missing', /Missing/],
      ['#/items', 'field-missing', /Missing; give a list of at least one item/]
    ]
  ],
  ['an item that is a SKU', { ...REPORT, items: ['MUG'] }, [['#/items/0', 'field-type', ITEM]]],
  ...wrongFields.map(([name, change, code, detail]): (typeof wrong)[number] => [
    name,
    { ...REPORT, ...change },
    [[`#/${Object.keys(change)}`, code, detail]]
  ]),
  ...wrongItems.map(([name, change, code, detail]): (typeof wrong)[number] => [
    name,
    { ...REPORT, items: [...REPORT.items, { sku: 'A', quantity: 1, ...change }] },
    [[`#/items/1/${Object.keys(change)}`, code, detail]]
  ]),
  [
    'everything wrong at once',
    { reference: '', number: 1, currency: 'pounds', total: 5, items: [{ quantity: 0 }, 'MUG'] },
    [
      ['#/reference', 'reference-invalid', REFERENCE],
      ['#/number', 'field-type', NUMBER],
      ['#/currency', 'currency-invalid', /It is "pounds"/],
      ['#/total', 'field-type', TOTAL],
      ['#/items/0/sku', 'field-missing', /Missing/],
      ['#/items/0/quantity', 'quantity-invalid', QUANTITY],
      ['#/items/1', 'field-type', ITEM]
    ]
  ]
]

for (const [name, report, expected] of wrong) {
  t.test(`refused: ${name}`, async t => {
    const error = t.throws(() => readReport(bytes(report)), { code: 'contract-broken' }) as Problem
    t.ok(error instanceof Problem)
    t.match(
      error.mistakes,
      expected.map(([pointer, code, detail]) => ({ pointer, code, detail }))
    )
    t.equal(error.mistakes.length, expected.length)
    const count = expected.length === 1 ? '1 mistake' : `${expected.length} mistakes`
    t.equal(error.message, `${count} in the report; the order was not kept.`)
  })
}

t.test('the log reads which report it was, as far as that can be read, and five of its mistakes', async t => {
  const problemFrom = (report: unknown) => t.throws(() => readReport(bytes(report))) as Problem
  t.match(problemFrom({ ...REPORT, total: '1,50' }), {
    reference: REPORT.reference,
    reason: /^order "#1001": #\/total: It is "1,50"; give what was charged, in major units [^|]*$/
  })
  const items = [{ sku: 'MUG' }, { quantity: 1 }]
  const unknown = problemFrom({ reference: 'a b', number: 1001, currency: 'pounds', total: 5, items })
  t.equal(unknown.reference, undefined)
  t.match(
    unknown.reason,
    /^#\/reference: It is "a b"; .* \| #\/number: It is 1001; .* \| #\/currency: .* \| #\/total: .* \| #\/items\/0\/quantity: .* \| and 1 more$/
  )
  t.match(problemFrom('{'), { reference: undefined, reason: /^#: It is not JSON/ })
})

t.test('bytes that are not UTF-8 are refused', async t => {
  const body = Buffer.from(JSON.stringify({ ...REPORT, number: 'K\xf6ln' }), 'latin1')
  const error = t.throws(() => readReport(body), { code: 'contract-broken' }) as Problem
  const detail = `The body holds bytes that are not UTF-8: 0xF6 at offset ${body.indexOf(0xf6)}, counted from 0.`
  t.strictSame(error.mistakes, [{ pointer: '#', code: 'encoding-malformed', detail }])
})

t.test('a body full of mistakes is answered with a hundred of them, and one nested deeply is not parsed', async t => {
  const mistakesOf = (body: string) => {
    try {
      return readReport(Buffer.from(body))
    } catch (error) {
      return error instanceof Problem ? error.mistakes : error
    }
  }
  const many = JSON.stringify({ ...REPORT, items: Array.from({ length: 100_000 }, () => ({})) })
  t.equal((mistakesOf(many) as unknown[]).length, 100)
  const deep = JSON.stringify({ ...REPORT, number: 0 }).replace(':0', `:${'['.repeat(200_000)}${']'.repeat(200_000)}`)
  t.match(mistakesOf(deep), [
    { pointer: '#', code: 'json-malformed', detail: 'It is nested more than 32 levels deep.' }
  ])
})

const NOW = new Date('2026-11-20T12:00:00.000Z')
const LATER = new Date('2026-11-20T13:00:00.000Z')
const READ: ReadReport = {
  reference: 'order-1',
  number: '#1001',
  currency: 'GBP',
  total: 1250,
  items: [
    { sku: 'MUG', quantity: 2 },
    { sku: 'LAMP', quantity: 1 }
  ]
}
const KEPT = { ...READ, merchantId: 'shop', reportedAt: NOW.toISOString() }

function open(t: Test) {
  const store = openSqlite(`${t.testdir({})}/test.sqlite`)
  t.teardown(() => store.close())
  const report = (changes: Partial<ReadReport> = {}, merchant = 'shop', now = NOW) =>
    reportOrder(store, merchant, { ...READ, ...changes }, now)
  return { store, report }
}

t.test('a report is kept, and again it leads to the order as it was kept', async t => {
  const { report } = open(t)
  t.strictSame(await report(), { order: KEPT, isRepeat: false })
  t.strictSame(await report({}, 'shop', LATER), { order: KEPT, isRepeat: true })
  const split = [
    { sku: 'LAMP', quantity: 1 },
    { sku: 'MUG', quantity: 1 },
    { sku: 'MUG', quantity: 1 }
  ]
  t.strictSame(await report({ items: split }), { order: KEPT, isRepeat: true }, 'units count, not lines')
  t.match(await report({}, 'other'), { order: { merchantId: 'other' }, isRepeat: false }, 'each merchant has its own')
})

t.test('another order under the same reference or number is refused, and says what is kept', async t => {
  const { store, report } = open(t)
  await report()
  await place(store, newOrder(2), false)
  const cases: [string, Partial<ReadReport>, string][] = [
    [
      'another number',
      { number: '#1002' },
      'The order kept under this reference has the number "#1001"; it is not changed.'
    ],
    [
      'another total',
      { total: 1251 },
      'The order kept under this reference has the total 12.50 GBP; it is not changed.'
    ],
    [
      'another currency',
      { currency: 'USD' },
      'The order kept under this reference has the total 12.50 GBP; it is not changed.'
    ],
    [
      'another item',
      { items: [{ sku: 'MUG', quantity: 2 }] },
      'The order kept under this reference has other items; it is not changed.'
    ],
    [
      'everything else',
      { number: 'x', total: 1, items: [{ sku: 'MUG', quantity: 3 }] },
      'The order kept under this reference has the number "#1001", the total 12.50 GBP, other items; it is not changed.'
    ],
    ['another reference', { reference: 'order-9' }, 'The order "#1001" is kept under the reference "order-1".'],
    [
      'a reference that was ordered on our own page',
      { reference: 'order-2', number: '#1002' },
      'An order was placed on this server under this reference, with the number "AAAA-0002".'
    ]
  ]
  for (const [name, changes, message] of cases) {
    const reference = changes.reference ?? 'order-1'
    await t.rejects(report(changes), { code: 'order-differs', message, reference }, name)
  }
  t.match(await report(), { order: KEPT, isRepeat: true }, 'nothing has changed')
})
