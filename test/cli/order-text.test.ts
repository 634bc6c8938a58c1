// CSV that every parser reads back, and no spreadsheet runs as a formula.
import { parse } from 'csv-parse/sync'
import t from 'tap'
import { csvHeader, orderCsv } from '../../src/cli/order-text.ts'
import { addressFields } from '../../src/orders/order-form.ts'
import type { ListedOrder } from '../../src/orders/order-store.ts'
import { newOrder } from '../store/new-order.ts'

const rows = (...orders: ListedOrder[]): Record<string, string>[] =>
  parse(csvHeader() + orders.map(orderCsv).join(''), { columns: true })

t.test('an order becomes one row', t => {
  t.strictSame(rows({ ...newOrder(1), webhook: 'failed' }), [
    {
      number: 'AAAA-0001',
      merchant: 'shop',
      reference: 'order-1',
      placed_at: '2026-11-20T10:05:00.000Z',
      reported_at: '',
      currency: 'GBP',
      subtotal: '89.95',
      delivery: '4.50',
      total: '94.45',
      items: 'MUG:2; THROW:1',
      delivery_method: 'Standard',
      email: 'ada1@example.com',
      phone: "'+44 20 7946 1",
      country: 'GB',
      name: 'Ada Lovelace 1',
      organization: '',
      address1: '1 Quay Street',
      address2: '',
      district: '',
      city: 'Whitby',
      state: '',
      postcode: 'YO21 1AA',
      sorting: '',
      webhook: 'failed'
    }
  ])
  t.end()
})

t.test('every part of an address has a column, also those of few countries', t => {
  const columns = Object.keys(rows(newOrder(1))[0] ?? {})
  const parts = new Set(['GB', 'US', 'KR', 'MC'].flatMap(country => addressFields(country).map(({ name }) => name)))
  t.equal(parts.size, 9)
  for (const part of parts) t.ok(columns.includes(part), part)
  t.end()
})

t.test('cells are empty for an erased order, and without delivery methods or a webhook', t => {
  const { customer, delivery, ...bare } = newOrder(1)
  const empty = { delivery_method: '', email: '', phone: '', country: '', name: '', postcode: '', webhook: '' }
  t.match(rows(bare), [{ ...empty, delivery: '0.00', total: '94.45' }])
  t.end()
})

const cells: [string, string][] = [
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['  =1', "'  =1"],
  ['"=1', `'"=1`],
  ['＝1', "'＝1"],
  ['a;=1', "a;'=1"],
  ['a\t=1', "a\t'=1"],
  ['a\n=1', "a\n'=1"],
  ['a\r\n=1', "a\r'\n'=1"],
  ['a=1', 'a=1'],
  ['7-9 Quay', '7-9 Quay'],
  ['a,"b"', 'a,"b"'],
  ["O'Neill", "O'Neill"],
  ['<b>', '<b>']
]
for (const [reference, cell] of cells) {
  t.test(`the text ${JSON.stringify(reference)} is written as ${JSON.stringify(cell)}`, t => {
    const [row] = rows(newOrder(1, { reference }))
    t.equal(row?.reference, cell)
    t.end()
  })
}
