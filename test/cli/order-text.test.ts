// CSV that every parser reads back, and no spreadsheet runs as a formula.
import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import t from 'tap'
import { type Customer, type ListedOrder, orderData } from '../../src/checkout/orders/order.ts'
import { addressFields } from '../../src/checkout/orders/order-form.ts'
import { asCsv, orderDetails } from '../../src/cli/order-text.ts'
import { newOrder } from '../store/new-order.ts'

const csvOf = async (order: ListedOrder) => (await Readable.from(asCsv([[order]])).toArray()).join('')

const rows = async (order: ListedOrder): Promise<Record<string, string>[]> =>
  parse(await csvOf(order), { columns: true })

t.test('an order becomes one row', async t => {
  t.equal(
    (
      await csvOf({
        ...newOrder(1),
        webhook: 'failed',
        option: 'ucp',
        platform: 'https://platform.example/profile.json'
      })
    ).replaceAll('\r\n', '\n'),
    `number,merchant,reference,placed_at,reported_at,currency,subtotal,delivery,total,items,delivery_method,email,phone,country,name,organization,address1,address2,district,city,state,postcode,sorting,webhook,language,delivery_id,gift_note,status,payment_status,payment_provider,payment_id,payment_amount,payment_refunded,payment_dispute,attribution,codes,option,platform
AAAA-0001,shop,order-1,2026-11-20T10:05:00.000Z,,GBP,89.95,4.50,94.45,"MUG:2; THROW:1",Standard,ada1@example.com,'+44 20 7946 1,GB,Ada Lovelace 1,,1 Quay Street,,,Whitby,,YO21 1AA,,failed,en-GB,standard,,,,,,,,,,,ucp,https://platform.example/profile.json
`
  )
})

t.test('every part of an address has a column, also those of few countries', async t => {
  const columns = Object.keys((await rows(newOrder(1)))[0] ?? {})
  const parts = new Set(['GB', 'US', 'KR', 'MC'].flatMap(country => addressFields(country).map(({ name }) => name)))
  t.equal(parts.size, 9)
  for (const part of parts) t.ok(columns.includes(part), part)
})

t.test('a gift note has a column, and a row for each of its lines', async t => {
  const { customer, ...order } = newOrder(1)
  const given = { ...order, customer: { ...(customer as Customer), giftNote: 'For mum\n=1\n"Ada"' } }
  t.match(await rows(given), [{ gift_note: 'For mum\n\'=1\n"Ada"' }])
  t.match(orderDetails(given, undefined), /\ncountry +GB\ngift note +For mum\n +=1\n +"Ada"\nwebhook/)
  t.match(orderData(given), { customer: { giftNote: given.customer.giftNote } })
})

t.test('cells are empty for an erased order, and without delivery methods, a webhook or a language', async t => {
  const { customer, delivery, language, ...bare } = newOrder(1)
  const shopper = { email: '', phone: '', country: '', name: '', postcode: '', language: '' }
  const empty = { ...shopper, delivery_method: '', delivery_id: '', webhook: '' }
  t.match(await rows(bare), [{ ...empty, delivery: '0.00', total: '94.45' }])
})

t.test('what came along with the cart has two columns, which a spreadsheet does not run, and two rows', async t => {
  const attribution = { utm_source: 'instagram', utm_campaign: 'Herbst & Ö', '=1+1': '=cmd()', 'x;': '-1;=2' }
  const order = newOrder(1, { attribution, codes: ['=SUM(A1)', '+1', 'TEN;-2'] })
  const [row] = await rows(order)
  const query = 'utm_source=instagram&utm_campaign=Herbst+%26+%C3%96&%3D1%2B1=%3Dcmd%28%29&x%3B=-1%3B%3D2'
  t.match(row, { attribution: query, codes: "'=SUM(A1);' +1; TEN;'-2", payment_dispute: '' })
  t.strictSame(Object.fromEntries(new URLSearchParams(query)), attribution, 'exactly')
  const shown = orderDetails(order, undefined)
  t.ok(shown.includes(`\nattribution  ${query}\ncodes        =SUM(A1); +1; TEN;-2\nwebhook      none\n`), shown)
  t.match(await rows(newOrder(1, { attribution: { '-a': '1' } })), [{ attribution: "'-a=1", codes: '' }])
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
t.test('what starts a formula is written behind an apostrophe, anything else as it is', async t => {
  for (const [reference, cell] of cells) t.equal((await rows(newOrder(1, { reference })))[0]?.reference, cell)
})
