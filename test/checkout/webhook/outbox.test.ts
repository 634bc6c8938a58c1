// Every order arrives at least once, signed, whatever the receiver does. The failures are those of a real HTTP server. A
// message has what its schema and the README say, and nothing else.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import type { PaymentEvent } from '../../../src/checkout/orders/payment.ts'
import {
  deliverMessages,
  hastenMessages,
  orderMessage,
  readRetryAfter,
  retryDelay,
  type WebhookOptions
} from '../../../src/checkout/webhook/outbox.ts'
import { httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { noopObserver, untraced } from '../../../src/observer.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { SILENT } from '../../any-context.ts'
import { anyMerchant } from '../../any-merchant.ts'
import { newOrder, place } from '../../store/new-order.ts'
import { opened } from '../../store/payments-suite.ts'
import { until } from '../../until.ts'
import { OrderData, OrderPlaced } from '../orders/order-placed.ts'
import { type Answer, cut, hang, ok, openReceiver, type Received, SECRET, status } from './receiver.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A store, a receiver and a stopped clock. It starts at the real time, as the signature library checks it. */
async function setUp(t: Test) {
  const opened = openSqlite(join(t.testdir({}), 'test.sqlite'))
  const polls: string[] = []
  const store: Store = {
    ...opened,
    leaseMessage: async (merchantId, ...times) => {
      const leased = await opened.leaseMessage(merchantId, ...times)
      polls.push(merchantId)
      return leased
    }
  }
  const receiver = await openReceiver(t)
  let now = Date.now()
  const clock = () => new Date(now)
  const logs: Record<string, unknown>[] = []
  const log = (level: string) => (fields: object, msg: string) => void logs.push({ level, ...fields, msg })
  const stops: (() => Promise<void>)[] = []
  t.teardown(async () => {
    await Promise.all(stops.map(stop => stop()))
    await store.close()
  })
  return {
    store,
    receiver,
    logs,
    tick: (milliseconds: number) => {
      now += milliseconds
    },
    /** Places orders at the current time. @returns their numbers */
    order: (...numbers: number[]) =>
      Promise.all(
        numbers.map(async n => (await place(store, newOrder(n, { placedAt: clock().toISOString() }))).number)
      ),
    start: (changes?: Partial<WebhookOptions>) => {
      const stop = deliverMessages({
        store,
        merchants: [
          anyMerchant({ id: 'shop', webhook: receiver.webhook }),
          anyMerchant({ id: 'silent' }),
          anyMerchant({ id: 'idle', webhook: receiver.webhook })
        ],
        clock,
        logger: { info: log('info'), warn: log('warn'), error: log('error') } as WebhookOptions['logger'],
        fetch: httpFetch,
        observer: noopObserver,
        trace: untraced,
        random: () => 0,
        interval: 5,
        timeout: 5000,
        grace: 20,
        ...changes
      })
      stops.push(stop)
      return stop
    },
    /** Waits until a merchant was polled several more times; `idle` is polled with the others, and never has a message. */
    severalPolls: async (merchantId = 'shop') => {
      const before = polls.length
      await until('polls', () => polls.slice(before).filter(polled => polled === merchantId).length > 3)
    },
    stateOf: async (number: string) => (await store.findMessage(number))?.state,
    /** Waits until so many attempts have failed. @returns the message */
    failed: async (number: string, attempts = 1) => {
      await until('the failure', async () => (await store.findMessage(number))?.attempts === attempts)
      return store.findMessage(number)
    },
    delivered: (number: string) =>
      until('the delivery', async () => (await store.findMessage(number))?.state === 'delivered'),
    /** Waits until so many different orders have arrived. */
    arrive: (count: number) => until('the orders to arrive', () => new Set(receiver.arrived).size === count)
  }
}

/** Checks each body against the schema, and each signature with the library that a receiver would use. */
function checkReceived(t: Test, received: Received[]): void {
  for (const { method, headers, body } of received) {
    const message = new Webhook(SECRET).verify(body, headers as Record<string, string>) as OrderPlaced
    if (!Value.Check(OrderPlaced, message)) t.fail(`does not match the schema: ${body}`)
    t.match(
      [method, headers],
      ['POST', { 'content-type': 'application/json', 'webhook-id': `order_placed_${message.data.orderNumber}` }]
    )
  }
}

const range = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i)

t.test('an order arrives once, signed and matching the schema', async t => {
  const { receiver, order, start, logs, store, delivered } = await setUp(t)
  const [number = ''] = await order(1)
  start()
  await delivered(number)
  checkReceived(t, receiver.received)
  t.equal(receiver.received.length, 1)
  t.match(JSON.parse(String(receiver.received[0]?.body)), {
    data: { orderNumber: number, customer: { country: 'GB' } }
  })
  t.match(await store.findMessage(number), { attempts: 0, attemptedAt: /Z$/, problem: undefined })
  const sent = { merchant: 'shop', order: number, event: 'order.placed', outcome: 'delivered' }
  t.strictSame(logs, [{ level: 'info', ...sent, msg: 'webhook' }])
  t.throws(() => new Webhook(SECRET).verify('{}', receiver.received[0]?.headers as Record<string, string>))
})

t.test('orders placed while the worker runs arrive too, but only those of merchants with a webhook', async t => {
  const { receiver, order, start, store, stateOf, arrive } = await setUp(t)
  start()
  await order(...range(20))
  await place(store, newOrder(99, { merchantId: 'silent' }))
  await arrive(20)
  t.equal(new Set(receiver.arrived).size, 20)
  t.equal(await stateOf('AAAA-0099'), 'pending')
  checkReceived(t, receiver.received)
})

const failures: [string, Answer, string][] = [
  ['answers 500', status(500), 'answered 500'],
  ['answers 404', status(404), 'answered 404'],
  ['redirects', status(307, { location: '/elsewhere' }), 'answered 307'],
  ['hangs', hang, 'no answer within 0.3 s'],
  ['hangs up', cut, 'no connection: ECONNRESET']
]
for (const [what, answer, problem] of failures) {
  t.test(`a receiver that ${what} is retried after five seconds, with the same id`, async t => {
    const { receiver, order, start, store, tick, logs, severalPolls, failed, delivered } = await setUp(t)
    receiver.answer(answer)
    const [number = ''] = await order(1)
    start(answer === hang ? { timeout: 300 } : {})
    const message = await failed(number)
    t.match(message, { state: 'pending', problem })
    t.match(logs, [{ level: 'warn', outcome: 'refused', attempts: 1, problem }])
    t.notMatch(JSON.stringify([message, logs]), /ada1|Lovelace|Quay|7946|that nobody keeps|whsec/, 'nothing private')
    receiver.answer(ok)
    tick(4999)
    await severalPolls()
    t.equal(receiver.received.length, 1, 'no earlier, and the redirect is not followed')
    tick(1)
    await delivered(number)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    t.strictSame(ids, [ids[0], ids[0]])
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    t.equal(Number(times[1]) - Number(times[0]), 5, 'each attempt has its own timestamp')
    checkReceived(t, receiver.received)
    t.match(await store.findMessage(number), { attempts: 1, problem }, 'the problem is kept')
  })
}

t.test('the head of a response is enough: its body is not waited for', async t => {
  const { receiver, order, start, delivered } = await setUp(t)
  receiver.answer(response => {
    response.writeHead(200)
    response.write('it goes on')
  })
  const [number = ''] = await order(1)
  start()
  await delivered(number)
})

t.test('an error without a cause is a failed attempt like any other, and its message is not stored', async t => {
  const { order, start, failed } = await setUp(t)
  const [number = ''] = await order(1)
  start({ fetch: () => Promise.reject(new Error('ada1@example.com')) })
  t.match(await failed(number), { state: 'pending', problem: 'no connection: unknown' })
})

t.test('a receiver that is down for an hour loses nothing', async t => {
  const { receiver, order, start, store, tick, severalPolls, arrive } = await setUp(t)
  await receiver.disappear()
  const numbers = await order(...range(10))
  start()
  for (const minutes of range(6)) {
    numbers.push(...(await order(100 + minutes)))
    await severalPolls()
    tick(10 * MINUTE)
  }
  t.match(await store.findMessage(String(numbers[0])), { state: 'pending', problem: 'no connection: ECONNREFUSED' })
  await receiver.comeBack()
  tick(2 * HOUR)
  await arrive(numbers.length)
  // At least once: a clock that jumps two hours outlasts the leases of attempts in flight.
  t.strictSame([...new Set(receiver.arrived)].toSorted(), numbers.toSorted(), 'each order, and nothing else')
  const signed = receiver.received.every(({ headers, body }) => {
    const time = new Date(Number(headers['webhook-timestamp']) * 1000)
    return new Webhook(SECRET).sign(String(headers['webhook-id']), time, body) === headers['webhook-signature']
  })
  t.ok(signed)
})

t.test('after ten attempts a message has failed, and can be redelivered', async t => {
  const { receiver, order, start, store, tick, severalPolls, failed, arrive } = await setUp(t)
  receiver.answer(status(503))
  const [number = ''] = await order(1)
  start()
  for (const attempts of range(10, 1)) {
    await failed(number, attempts)
    tick(24 * HOUR)
  }
  t.match(await store.findMessage(number), { state: 'failed', attempts: 10 })
  receiver.answer(ok)
  tick(24 * HOUR)
  await severalPolls()
  t.equal(receiver.received.length, 10)
  await store.redeliver(number, new Date(0).toISOString())
  await arrive(1)
})

t.test('Retry-After postpones the next attempt', async t => {
  const { receiver, order, start, failed } = await setUp(t)
  receiver.answer(status(429, { 'retry-after': '3600' }))
  const [number = ''] = await order(1)
  start()
  const message = await failed(number)
  t.equal(Date.parse(String(message?.dueAt)) - Date.parse(String(message?.attemptedAt)), HOUR)
})

t.test(
  '410 fails at once and stops deliveries to the merchant until a redelivery or the next start; pending messages stay',
  async t => {
    const { receiver, order, start, store, stateOf, logs, tick, severalPolls } = await setUp(t)
    receiver.answer(status(410))
    const [first = ''] = await order(1)
    start()
    await until('the failure', async () => (await stateOf(first)) === 'failed')
    await until('the log line', () => logs.length === 2)
    t.match(logs[0], { level: 'error', merchant: 'shop', msg: /410 Gone/ })
    receiver.answer(ok)
    tick(1)
    const [second = ''] = await order(2)
    tick(24 * HOUR)
    await severalPolls('idle')
    t.strictSame([receiver.received.length, await stateOf(second)], [1, 'pending'])
    t.strictSame(await store.redeliver(first, new Date(0).toISOString()), { wasStopped: true })
    await until('both to arrive', () => [first, second].every(number => receiver.arrived.includes(number)))

    receiver.answer(status(410))
    const [third = ''] = await order(3)
    await until('the failure', async () => (await stateOf(third)) === 'failed')
    receiver.answer(ok)
    const [fourth = ''] = await order(4)
    start()
    await until('the order to arrive', () => receiver.arrived.includes(fourth))
  }
)

t.test('several 410s at once are logged once', async t => {
  const { receiver, order, start, logs } = await setUp(t)
  const waiting: (() => void)[] = []
  receiver.answer(response => void waiting.push(() => response.writeHead(410).end()))
  await order(1, 2, 3)
  start()
  await until('all attempts to be in flight', () => waiting.length === 3)
  for (const go of waiting) go()
  await until('all refusals', () => logs.filter(({ outcome }) => outcome === 'refused').length === 3)
  t.equal(logs.filter(({ msg }) => /Gone/.test(String(msg))).length, 1)
})

t.test('the message of an erased order has no personal data', async t => {
  const { receiver, order, start, store, arrive } = await setUp(t)
  const [number = ''] = await order(1)
  await store.eraseOrder(number)
  start()
  await arrive(1)
  checkReceived(t, receiver.received)
  t.notMatch(receiver.received[0]?.body, /ada1|Lovelace|Quay|customer/)
})

t.test(
  'at most four attempts are in flight per merchant, and a receiver that hangs blocks no other merchant',
  async t => {
    const { receiver, order, start, store, severalPolls, arrive } = await setUp(t)
    const other = await openReceiver(t)
    let max = 0
    let inFlight = 0
    receiver.answer(async response => {
      max = Math.max(max, ++inFlight)
      await severalPolls('idle')
      inFlight--
      ok(response, receiver.received[0] as Received)
    })
    await order(...range(20))
    other.answer(hang)
    await place(store, newOrder(99, { merchantId: 'other' }))
    start({
      merchants: [
        anyMerchant({ id: 'other', webhook: other.webhook }),
        anyMerchant({ id: 'shop', webhook: receiver.webhook }),
        anyMerchant({ id: 'idle', webhook: receiver.webhook })
      ]
    })
    await arrive(20)
    t.equal(max, 4)
  }
)

t.test('two servers on one database send nothing twice', async t => {
  const { receiver, order, start, arrive } = await setUp(t)
  await order(...range(40))
  start()
  start()
  await arrive(40)
  t.equal(receiver.received.length, 40)
})

t.test('stopping completes attempts in flight and starts no new ones', async t => {
  const { receiver, order, start, stateOf, severalPolls } = await setUp(t)
  const answered = Promise.withResolvers<void>()
  receiver.answer(async (response, received) => {
    await answered.promise
    ok(response, received)
  })
  const numbers = await order(...range(6))
  const stop = start({ grace: 5000, timeout: 5000 })
  await until('four attempts to be in flight', () => receiver.received.length === 4)
  const stopped = stop()
  answered.resolve()
  await stopped
  const states = await Promise.all(numbers.map(stateOf))
  t.strictSame(states.toSorted(), ['delivered', 'delivered', 'delivered', 'delivered', 'pending', 'pending'])
  start({ merchants: [anyMerchant({ id: 'idle', webhook: receiver.webhook })] })
  await severalPolls('idle')
  t.equal(receiver.received.length, 4)
})

t.test('stopping aborts attempts that take too long; the next start sends them at once', async t => {
  const { receiver, order, start, store, arrive } = await setUp(t)
  receiver.answer(hang)
  const [number = ''] = await order(1)
  const stop = start({ timeout: 60_000 })
  await until('the attempt to be in flight', () => receiver.received.length === 1)
  await stop()
  t.match(await store.findMessage(number), { state: 'pending', attempts: 0, problem: undefined })
  receiver.answer(ok)
  start()
  await arrive(1)
})

t.test('stopping between a lease and its attempt sends nothing and releases the message', async t => {
  const { receiver, order, start, store } = await setUp(t)
  const [number = ''] = await order(1)
  const leased = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const slow: Store = {
    ...store,
    leaseMessage: async (...args) => {
      const found = await store.leaseMessage(...args)
      leased.resolve()
      await go.promise
      return found
    }
  }
  const stop = start({ store: slow })
  await leased.promise
  const stopped = stop()
  go.resolve()
  await stopped
  t.strictSame(receiver.received, [])
  const message = await store.findMessage(number)
  t.match(message, { state: 'pending', attempts: 0 })
  t.ok(String(message?.dueAt) <= new Date().toISOString())
})

t.test('the messages of a server that dies are sent after their lease ends', async t => {
  const { receiver, order, start, store, tick, severalPolls, arrive } = await setUp(t)
  await order(1)
  const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
  t.ok(await store.leaseMessage('shop', at(0), at(MINUTE)), 'leased by the server that died')
  start()
  await severalPolls()
  t.equal(receiver.received.length, 0)
  tick(MINUTE + 1000)
  await arrive(1)
})

t.test('an unavailable store is logged, and polled again', async t => {
  const { order, start, store, logs, arrive } = await setUp(t)
  await order(1)
  let isBroken = true
  const flaky: Store = {
    ...store,
    leaseMessage: (...args) => (isBroken ? Promise.reject(new Error('out of reach')) : store.leaseMessage(...args))
  }
  start({ store: flaky })
  await until('the log line', () => logs.length > 0)
  t.match(logs[0], { merchant: 'shop', err: { message: 'out of reach' } })
  isBroken = false
  await arrive(1)
})

t.test('what is due later than any retry is due now, and the log says how many', async t => {
  const now = new Date('2026-11-20T10:00:00.000Z')
  const logged: unknown[] = []
  for (const messages of [0, 3]) {
    const store = {
      hastenMessages: async (...asked: unknown[]) => {
        t.strictSame(asked, ['2026-11-21T14:48:00.000Z', now.toISOString()], 'after a day and a fifth')
        return messages
      }
    }
    await hastenMessages(store, now, { ...SILENT, warn: (...line: unknown[]) => void logged.push(line) })
  }
  t.strictSame(logged, [[{ messages: 3 }, 'webhooks rescheduled after clock skew']])
})

t.test(
  'what becomes of money that was on its way, or goes back, is told in messages of their own, one after the other',
  async t => {
    const { store, receiver, start, failed, delivered, tick } = await setUp(t)
    const payment = await opened(store, 1)
    const { orderNumber, currency, amount } = payment
    const change = (event: PaymentEvent, now: string) =>
      store.changePayment(payment, event, now, { notifiesWebhook: true })
    const settle = (state: 'pending' | 'failed' | 'paid', now: string) =>
      change({ type: 'reported', facts: { state, providerId: 'cs_1', currency, amount } }, now)
    await settle('pending', '2026-11-20T10:05:00.000Z')
    await settle('failed', '2026-11-21T10:05:00.000Z')
    await settle('paid', '2026-11-22T10:05:00.000Z')
    const back = (refunded: number, now: string) => change({ type: 'booked', refundFacts: { refunded } }, now)
    await back(500, '2026-11-23T10:05:00.000Z')
    await back(amount, '2026-11-24T10:05:00.000Z')
    receiver.answer(status(503))
    start()
    await failed(orderNumber)
    receiver.answer(ok)
    tick(MINUTE)
    await delivered(orderNumber)
    const messages = receiver.received.map(({ headers, body }) => {
      const { type, timestamp, data } = new Webhook(SECRET).verify(
        body,
        headers as Record<string, string>
      ) as OrderPlaced
      t.ok(Value.Check(OrderData, data))
      return [headers['webhook-id'], type, timestamp, data.payment?.status]
    })
    const placed = [`order_placed_${orderNumber}`, 'order.placed', '2026-11-20T10:05:00.000Z', 'refunded']
    const refunded = (at: string) => [
      `order_refunded_${Date.parse(at)}_${orderNumber}`,
      'order.refunded',
      at,
      'refunded'
    ]
    t.strictSame(messages, [
      placed,
      placed,
      [
        `order_payment_failed_${Date.parse('2026-11-21T10:05:00.000Z')}_${orderNumber}`,
        'order.payment-failed',
        '2026-11-21T10:05:00.000Z',
        'refunded'
      ],
      [
        `order_paid_${Date.parse('2026-11-22T10:05:00.000Z')}_${orderNumber}`,
        'order.paid',
        '2026-11-22T10:05:00.000Z',
        'refunded'
      ],
      refunded('2026-11-23T10:05:00.000Z'),
      refunded('2026-11-24T10:05:00.000Z')
    ])
  }
)

t.test('a complete order becomes a message with every field', t => {
  t.strictSame(orderMessage(newOrder(1)), {
    type: 'order.placed',
    timestamp: '2026-11-20T10:05:00.000Z',
    data: {
      orderNumber: 'AAAA-0001',
      merchant: 'shop',
      reference: 'order-1',
      language: 'en-GB',
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

t.test('an order without delivery, from before languages were kept, or that was erased leaves out those fields', t => {
  const { delivery, language, customer, ...bare } = newOrder(1)
  const { data } = orderMessage(bare)
  t.match(data, { delivery: '0.00', deliveryMethod: undefined, customer: undefined })
  t.notOk('language' in data)
  t.ok(Value.Check(OrderPlaced, orderMessage(bare)))
  t.end()
})

t.test('amounts have the digits of their currency', t => {
  const currencies = { JPY: ['9445', '0'], GBP: ['94.45', '0.00'], BHD: ['9.445', '0.000'] }
  for (const [currency, [total, discount]] of Object.entries(currencies)) {
    const message = orderMessage(newOrder(1, { currency }))
    t.match(message.data, { currency, total, discount })
    t.ok(Value.Check(OrderPlaced, message))
  }
  t.end()
})

t.test('the README shows a complete message, and it matches the schema', t => {
  const readme = readFileSync(join(import.meta.dirname, '../../../src/checkout/orders/README.md'), 'utf8')
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
