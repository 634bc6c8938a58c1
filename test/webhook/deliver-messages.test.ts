// Every order arrives at least once, signed, whatever the receiver does: each failure here is a real one, of a real HTTP
// server.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Value } from '@sinclair/typebox/value'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type DeliveryOptions, deliverMessages } from '../../src/webhook/deliver-messages.ts'
import { OrderPlaced } from '../../src/webhook/order-placed.ts'
import { newOrder, place } from '../store/new-order.ts'
import { until } from '../until.ts'
import { type Answer, cut, hang, ok, openReceiver, type Received, type Receiver, SECRET, status } from './receiver.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Stand = {
  store: Store
  receiver: Receiver
  logs: Record<string, unknown>[]
  tick: (milliseconds: number) => void
  /** Places orders as of now, and gives back their numbers. */
  order: (...numbers: number[]) => Promise<string[]>
  start: (changes?: Partial<DeliveryOptions>) => () => Promise<void>
  stateOf: (number: string) => Promise<string | undefined>
}

/** A store, a receiver and a clock that starts at the true time, as the library checks it, and stands still. */
async function stand(t: Test): Promise<Stand> {
  const store = openSqlite(join(t.testdir({}), 'test.sqlite'))
  const receiver = await openReceiver(t)
  let now = Date.now()
  const clock = () => new Date(now)
  const logs: Record<string, unknown>[] = []
  const log = (fields: object, msg: string) => void logs.push({ ...fields, msg })
  const stops: (() => Promise<void>)[] = []
  t.teardown(async () => {
    await Promise.all(stops.map(stop => stop()))
    await store.close()
  })
  return {
    store,
    receiver,
    logs,
    tick: milliseconds => {
      now += milliseconds
    },
    order: (...numbers) =>
      Promise.all(
        numbers.map(async n => (await place(store, newOrder(n, { placedAt: clock().toISOString() }))).number)
      ),
    start: changes => {
      const stop = deliverMessages({
        store,
        merchants: [{ id: 'shop', webhook: receiver.webhook }, { id: 'silent' }],
        clock,
        logger: { info: log, error: log } as DeliveryOptions['logger'],
        fetch,
        random: () => 0,
        interval: 5,
        timeout: 5000,
        grace: 20,
        ...changes
      })
      stops.push(stop)
      return stop
    },
    stateOf: async number => (await store.findMessage(number))?.state
  }
}

/** Checks that each body matches the schema, and its signature by the library as a receiver does. */
function areGenuine(t: Test, received: Received[]): void {
  for (const { method, headers, body } of received) {
    const message = new Webhook(SECRET).verify(body, headers as Record<string, string>) as OrderPlaced
    if (!Value.Check(OrderPlaced, message)) t.fail(`not what the schema says: ${body}`)
    t.match(
      [method, headers],
      ['POST', { 'content-type': 'application/json', 'webhook-id': `order_placed_${message.data.orderNumber}` }]
    )
  }
}

const range = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i)

t.test('an order arrives once, signed, as the schema says', async t => {
  const { receiver, order, start, stateOf, logs, store } = await stand(t)
  const [number = ''] = await order(1)
  start()
  await until('it is delivered', async () => (await stateOf(number)) === 'delivered')
  areGenuine(t, receiver.received)
  t.equal(receiver.received.length, 1)
  t.match(JSON.parse(String(receiver.received[0]?.body)), {
    data: { orderNumber: number, customer: { country: 'GB' } }
  })
  t.match(await store.findMessage(number), { attempts: 0, attemptedAt: /Z$/, problem: undefined })
  t.strictSame(logs, [{ merchant: 'shop', order: number, outcome: 'delivered', msg: 'webhook' }])
  t.throws(() => new Webhook(SECRET).verify('{}', receiver.received[0]?.headers as Record<string, string>))
})

t.test('orders that come while it runs arrive too, and only those of merchants with a webhook', async t => {
  const { receiver, order, start, store, stateOf } = await stand(t)
  start()
  await order(...range(20))
  await place(store, newOrder(99, { merchantId: 'silent' }))
  await until('they arrive', () => receiver.arrived.length === 20)
  t.equal(new Set(receiver.arrived).size, 20)
  t.equal(await stateOf('AAAA-0099'), 'pending')
  areGenuine(t, receiver.received)
})

const failures: [string, Answer, string][] = [
  ['answers 500', status(500), 'answered 500'],
  ['answers 404', status(404), 'answered 404'],
  ['redirects', status(307, { location: '/elsewhere' }), 'answered 307'],
  ['hangs', hang, 'no answer within 0.3 s'],
  ['hangs up', cut, 'no connection: UND_ERR_SOCKET']
]
for (const [what, answer, problem] of failures) {
  t.test(`a receiver that ${what} is asked again after five seconds, with the same id`, async t => {
    const { receiver, order, start, store, stateOf, tick, logs } = await stand(t)
    receiver.answer(answer)
    const [number = ''] = await order(1)
    start(answer === hang ? { timeout: 300 } : {})
    await until('it failed', async () => (await store.findMessage(number))?.attempts === 1)
    t.match(await store.findMessage(number), { state: 'pending', problem })
    t.match(logs, [{ outcome: 'refused', attempts: 1, problem }])
    receiver.answer(ok)
    tick(4999)
    await pause(30)
    t.equal(receiver.received.length, 1, 'not before, and not where it was sent on to')
    tick(1)
    await until('it is delivered', async () => (await stateOf(number)) === 'delivered')
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    t.strictSame(ids, [ids[0], ids[0]])
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    t.equal(Number(times[1]) - Number(times[0]), 5, 'each attempt says its own time')
    areGenuine(t, receiver.received)
    t.match(await store.findMessage(number), { attempts: 1, problem }, 'what was wrong stays known')
  })
}

t.test('a receiver that takes the head of an answer for an answer: what follows is not waited for', async t => {
  const { receiver, order, start, stateOf } = await stand(t)
  receiver.answer(response => {
    response.writeHead(200)
    response.write('it goes on')
  })
  const [number = ''] = await order(1)
  start()
  await until('it is delivered', async () => (await stateOf(number)) === 'delivered')
})

const strange: [string, Partial<DeliveryOptions>][] = [
  [
    'a port that fetch does not ask',
    { merchants: [{ id: 'shop', webhook: { url: 'http://127.0.0.1:1', secret: SECRET } }] }
  ],
  ['an error without a cause', { fetch: () => Promise.reject(new Error('ada1@example.com')) }]
]
for (const [what, changes] of strange) {
  t.test(`${what} is a failed attempt like any other, and its words are not kept`, async t => {
    const { order, start, store } = await stand(t)
    const [number = ''] = await order(1)
    start(changes)
    await until('it failed', async () => (await store.findMessage(number))?.attempts === 1)
    t.match(await store.findMessage(number), { state: 'pending', problem: 'no connection: unknown' })
  })
}

t.test('a receiver that is down for an hour loses nothing', async t => {
  const { receiver, order, start, store, tick } = await stand(t)
  await receiver.disappear()
  const numbers = await order(...range(10))
  start()
  for (const minutes of range(6)) {
    numbers.push(...(await order(100 + minutes)))
    await pause(20)
    tick(10 * MINUTE)
  }
  t.match(await store.findMessage(String(numbers[0])), { state: 'pending', problem: 'no connection: ECONNREFUSED' })
  await receiver.comeBack()
  tick(2 * HOUR)
  await until('all arrive', () => new Set(receiver.arrived).size === numbers.length)
  // At least once: a clock that leaps two hours outlives the lease of what is under way.
  t.strictSame([...new Set(receiver.arrived)].toSorted(), numbers.toSorted(), 'each, and nothing else')
  const signed = receiver.received.every(({ headers, body }) => {
    const time = new Date(Number(headers['webhook-timestamp']) * 1000)
    return new Webhook(SECRET).sign(String(headers['webhook-id']), time, body) === headers['webhook-signature']
  })
  t.ok(signed)
})

t.test('after ten attempts a message has failed, and stays for redeliver', async t => {
  const { receiver, order, start, store, tick } = await stand(t)
  receiver.answer(status(503))
  const [number = ''] = await order(1)
  start()
  for (const attempts of range(10, 1)) {
    await until('it failed', async () => (await store.findMessage(number))?.attempts === attempts)
    tick(24 * HOUR)
  }
  t.match(await store.findMessage(number), { state: 'failed', attempts: 10 })
  receiver.answer(ok)
  tick(24 * HOUR)
  await pause(30)
  t.equal(receiver.received.length, 10)
  await store.redeliver(number, new Date(0).toISOString())
  await until('it arrives', () => receiver.arrived.length === 1)
})

t.test('Retry-After puts the next attempt off', async t => {
  const { receiver, order, start, store } = await stand(t)
  receiver.answer(status(429, { 'retry-after': '3600' }))
  const [number = ''] = await order(1)
  start()
  await until('it failed', async () => (await store.findMessage(number))?.attempts === 1)
  const message = await store.findMessage(number)
  t.equal(Date.parse(String(message?.dueAt)) - Date.parse(String(message?.attemptedAt)), HOUR)
})

t.test('410 fails at once and stops the merchant until the next start; what waits goes on waiting', async t => {
  const { receiver, order, start, stateOf, logs, tick } = await stand(t)
  receiver.answer(status(410))
  const [first = ''] = await order(1)
  start()
  await until('it failed', async () => (await stateOf(first)) === 'failed')
  await until('it is said', () => logs.length === 2)
  t.match(logs[1], { merchant: 'shop', msg: /410 Gone/ })
  receiver.answer(ok)
  tick(1)
  const [second = ''] = await order(2)
  tick(24 * HOUR)
  await pause(30)
  t.strictSame([receiver.received.length, await stateOf(second)], [1, 'pending'])
  start()
  await until('it arrives', () => receiver.arrived.includes(second))
})

t.test('when many are told 410 at once, it is said once', async t => {
  const { receiver, order, start, logs } = await stand(t)
  const waiting: (() => void)[] = []
  receiver.answer(response => void waiting.push(() => response.writeHead(410).end()))
  await order(1, 2, 3)
  start()
  await until('all are under way', () => waiting.length === 3)
  for (const go of waiting) go()
  await until('all are told', () => logs.filter(({ outcome }) => outcome === 'refused').length === 3)
  t.equal(logs.filter(({ msg }) => /Gone/.test(String(msg))).length, 1)
})

t.test('an order that was erased sends nothing personal', async t => {
  const { receiver, order, start, store } = await stand(t)
  const [number = ''] = await order(1)
  await store.eraseOrder(number)
  start()
  await until('it arrives', () => receiver.arrived.length === 1)
  areGenuine(t, receiver.received)
  t.notMatch(receiver.received[0]?.body, /ada1|Lovelace|Quay|customer/)
})

t.test('a few are under way at once, never more, and a receiver that hangs holds up no other merchant', async t => {
  const { receiver, order, start, store } = await stand(t)
  const other = await openReceiver(t)
  let most = 0
  let underWay = 0
  receiver.answer(async response => {
    most = Math.max(most, ++underWay)
    await pause(20)
    underWay--
    ok(response, receiver.received[0] as Received)
  })
  await order(...range(20))
  other.answer(hang)
  await place(store, newOrder(99, { merchantId: 'other' }))
  start({
    merchants: [
      { id: 'other', webhook: other.webhook },
      { id: 'shop', webhook: receiver.webhook }
    ]
  })
  await until('all arrive', () => receiver.arrived.length === 20)
  t.equal(most, 4)
})

t.test('two servers on one database send nothing twice', async t => {
  const { receiver, order, start } = await stand(t)
  await order(...range(40))
  start()
  start()
  await until('all arrive', () => new Set(receiver.arrived).size === 40)
  t.equal(receiver.received.length, 40)
})

t.test('a stop finishes what is under way and begins nothing new', async t => {
  const { receiver, order, start, stateOf } = await stand(t)
  const answered = Promise.withResolvers<void>()
  receiver.answer(async (response, received) => {
    await answered.promise
    ok(response, received)
  })
  const numbers = await order(...range(6))
  const stop = start({ grace: 5000, timeout: 5000 })
  await until('four are under way', () => receiver.received.length === 4)
  const stopped = stop()
  answered.resolve()
  await stopped
  const states = await Promise.all(numbers.map(stateOf))
  t.strictSame(states.toSorted(), ['delivered', 'delivered', 'delivered', 'delivered', 'pending', 'pending'])
  await pause(20)
  t.equal(receiver.received.length, 4)
})

t.test('a stop lets go of what takes too long: the next start sends it at once', async t => {
  const { receiver, order, start, store } = await stand(t)
  receiver.answer(hang)
  const [number = ''] = await order(1)
  const stop = start({ timeout: 60_000 })
  await until('it is under way', () => receiver.received.length === 1)
  await stop()
  t.match(await store.findMessage(number), { state: 'pending', attempts: 0, problem: undefined })
  receiver.answer(ok)
  start()
  await until('it arrives', () => receiver.arrived.length === 1)
})

t.test('a stop between a lease and its attempt sends nothing and releases it', async t => {
  const { receiver, order, start, store } = await stand(t)
  const [number = ''] = await order(1)
  const leased = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const slow: Store = {
    ...store,
    leaseMessage: async (...asked) => {
      const found = await store.leaseMessage(...asked)
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

t.test('a server that dies leaves its messages to whoever comes after the lease', async t => {
  const { receiver, order, start, store, tick } = await stand(t)
  await order(1)
  const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
  t.ok(await store.leaseMessage('shop', at(0), at(MINUTE)), 'it had begun')
  start()
  await pause(30)
  t.equal(receiver.received.length, 0)
  tick(MINUTE + 1000)
  await until('it arrives', () => receiver.arrived.length === 1)
})

t.test('nothing is lost over a restart, store and all', async t => {
  const file = join(t.testdir({}), 'test.sqlite')
  const receiver = await openReceiver(t)
  receiver.answer(status(500))
  const first = openSqlite(file)
  const numbers = range(5).map(n => newOrder(n).number)
  for (const n of range(5)) await place(first, newOrder(n))
  let now = Date.now()
  const parts = {
    merchants: [{ id: 'shop', webhook: receiver.webhook }],
    clock: () => new Date(now),
    logger: { info: () => {}, error: () => {} } as unknown as DeliveryOptions['logger'],
    fetch,
    random: () => 0,
    interval: 5
  }
  const before = deliverMessages({ ...parts, store: first })
  await until('it tried', () => receiver.received.length >= 3)
  await before()
  await first.close()
  receiver.answer(ok)
  const second = openSqlite(file)
  now += 5000
  const after = deliverMessages({ ...parts, store: second })
  t.teardown(async () => {
    await after()
    await second.close()
  })
  await until('all arrive', () => receiver.arrived.length === 5)
  t.strictSame(receiver.arrived.toSorted(), numbers)
})

t.test('a store that is out of reach is logged, and asked again', async t => {
  const { receiver, order, start, store, logs } = await stand(t)
  await order(1)
  let isBroken = true
  const flaky: Store = {
    ...store,
    leaseMessage: (...asked) => (isBroken ? Promise.reject(new Error('out of reach')) : store.leaseMessage(...asked))
  }
  start({ store: flaky })
  await until('it is logged', () => logs.length > 0)
  t.match(logs[0], { merchant: 'shop', err: { message: 'out of reach' } })
  isBroken = false
  await until('it arrives', () => receiver.arrived.length === 1)
})

t.test('nothing about a person stands in the log or the outbox', async t => {
  const { receiver, order, start, store, logs, stateOf } = await stand(t)
  receiver.answer(status(500))
  const [number = ''] = await order(1)
  start()
  await until('it failed', async () => (await store.findMessage(number))?.attempts === 1)
  t.notMatch(JSON.stringify([logs, await store.findMessage(number)]), /ada1|Lovelace|Quay|7946|that nobody keeps|whsec/)
  t.equal(await stateOf(number), 'pending')
})
