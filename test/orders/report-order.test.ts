// A reported order is kept once; the same report again is fine, and another one is refused with what is kept.
import t, { type Test } from 'tap'
import type { ReadReport } from '../../src/orders/read-report.ts'
import { reportOrder } from '../../src/orders/report-order.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { newOrder, place } from '../store/new-order.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const LATER = new Date('2026-11-20T13:00:00.000Z')
const REPORT: ReadReport = {
  reference: 'order-1',
  number: '#1001',
  currency: 'GBP',
  total: 1250,
  items: [
    { sku: 'MUG', quantity: 2 },
    { sku: 'LAMP', quantity: 1 }
  ]
}
const KEPT = { ...REPORT, merchantId: 'shop', reportedAt: NOW.toISOString() }

function open(t: Test) {
  const store = openSqlite(`${t.testdir({})}/test.sqlite`)
  t.teardown(() => store.close())
  const report = (changes: Partial<ReadReport> = {}, merchant = 'shop', now = NOW) =>
    reportOrder(store, merchant, { ...REPORT, ...changes }, now)
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
