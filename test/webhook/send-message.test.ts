// The message that tells a merchant about an order: its schema, the example in the README, and nothing else.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { OrderPlaced, orderPlaced, readRetryAfter, retryDelay } from '../../src/webhook/send-message.ts'
import { newOrder } from '../store/new-order.ts'

t.test('a complete order becomes a message with every field', t => {
  t.strictSame(orderPlaced(newOrder(1)), {
    type: 'order.placed',
    timestamp: '2026-11-20T10:05:00.000Z',
    data: {
      orderNumber: 'AAAA-0001',
      merchant: 'shop',
      reference: 'order-1',
      currency: 'GBP',
      lines: [
        {
          sku: 'MUG',
          title: 'Sea-glass mug',
          variant: 'Green · L',
          quantity: 2,
          unitPrice: '12.50',
          lineTotal: '25.00'
        },
        { sku: 'THROW', title: 'Herring throw', quantity: 1, unitPrice: '64.95', lineTotal: '64.95' }
      ],
      subTotal: '89.95',
      discount: '0.00',
      delivery: '4.50',
      total: '94.45',
      deliveryMethod: { id: 'standard', label: 'Standard' },
      customer: {
        email: 'ada1@example.com',
        phone: '+44 20 7946 1',
        country: 'GB',
        address: { name: 'Ada Lovelace 1', address1: '1 Quay Street', city: 'Whitby', postcode: 'YO21 1AA' }
      }
    }
  })
  t.end()
})

t.test('an order without delivery, or one that was erased, leaves out those fields', t => {
  const { delivery, customer, ...bare } = newOrder(1)
  const { data } = orderPlaced(bare)
  t.match(data, { delivery: '0.00', deliveryMethod: undefined, customer: undefined })
  t.ok(Value.Check(OrderPlaced, orderPlaced(bare)))
  t.end()
})

t.test('amounts have the digits of their currency', t => {
  const currencies = { JPY: ['9445', '0'], GBP: ['94.45', '0.00'], BHD: ['9.445', '0.000'] }
  for (const [currency, [total, discount]] of Object.entries(currencies)) {
    const message = orderPlaced(newOrder(1, { currency }))
    t.match(message.data, { currency, total, discount })
    t.ok(Value.Check(OrderPlaced, message))
  }
  t.end()
})

t.test('the README shows a complete message, and it matches the schema', t => {
  const readme = readFileSync(join(import.meta.dirname, '../../src/orders/README.md'), 'utf8')
  const [, shown = ''] = /```json\n(\{\s*"type": "order\.placed"[\s\S]*?)```/.exec(readme) ?? []
  const message: unknown = JSON.parse(shown)
  t.ok(Value.Check(OrderPlaced, message), [...Value.Errors(OrderPlaced, message)].map(({ path }) => path).join())
  const keys = (schema: TSchema): object =>
    Object.fromEntries(
      Object.entries((schema.properties ?? {}) as Record<string, TSchema>).map(([name, of]) => [
        name,
        keys(of.items ?? of)
      ])
    )
  const shownKeys = (value: unknown, like: object): object =>
    Object.fromEntries(
      Object.entries(value as object).map(([name, of]) => {
        const inner = like[name as keyof typeof like] ?? {}
        return [name, Object.keys(inner).length > 0 ? shownKeys(Array.isArray(of) ? of[0] : of, inner) : {}]
      })
    )
  t.strictSame(shownKeys(message, keys(OrderPlaced)), keys(OrderPlaced), 'every field of the schema, in order')
  t.end()
})

t.test('the delays are those that Standard Webhooks recommends, over three days', t => {
  const delays = Array.from({ length: 9 }, (_, i) => Number(retryDelay(i + 1, 0)) / 1000)
  t.strictSame(delays, [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  t.equal(retryDelay(10, 0), undefined)
  t.strictSame([retryDelay(1, 0.5), retryDelay(1, 1)], [5500, 6000], 'and up to a fifth more')
  t.end()
})

t.test('a receiver may ask for a longer delay, up to a day, but never a shorter one', t => {
  const [minute, day] = [60_000, 86_400_000]
  t.strictSame([retryDelay(1, 0, minute), retryDelay(2, 0, 1000)], [minute, 5 * minute])
  t.equal(retryDelay(1, 0, 99 * day), day)
  t.equal(retryDelay(10, 0, 60_000), undefined, 'nor for more attempts')
  t.end()
})

t.test('Retry-After is read as a delay', t => {
  const headers: [header: string | null, milliseconds: number][] = [
    [null, 0],
    ['120', 120_000],
    ['0', 0],
    ['Fri, 20 Nov 2026 10:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['soon', 0],
    ['', 0]
  ]
  const now = new Date('2026-11-20T10:00:00.000Z')
  for (const [header, milliseconds] of headers) t.equal(readRetryAfter(header, now), milliseconds, `${header}`)
  t.end()
})
