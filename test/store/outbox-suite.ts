// The behaviour of the outbox as documented in src/store/store.ts; independent of any database.
import type { Test } from 'tap'
import type { LeasedMessage, OutboxMessage } from '../../src/checkout/webhook/outbox.ts'
import type { Store } from '../../src/store/store.ts'
import { newOrder, PLACED, place } from './new-order.ts'
import { closed, type OpenStore } from './store-suite.ts'

const BEFORE = '2026-11-20T10:04:59.999Z'
const NOW = '2026-11-20T10:06:00.000Z'
const LEASE = '2026-11-20T10:07:00.000Z'
const LATER = '2026-11-20T11:00:00.000Z'
const LATER_LEASE = '2026-11-20T11:01:00.000Z'
const FAILED: OutboxMessage = { state: 'failed', attempts: 10, dueAt: NOW, attemptedAt: NOW, problem: 'answered 500' }

export function outboxSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const fresh = closed(open)
  const another = closed(openAgain)
  const lease = async (store: Store, now = NOW, until = LEASE): Promise<LeasedMessage> =>
    (await store.leaseMessage('shop', now, until)) as LeasedMessage
  const numberOf = (leased: LeasedMessage | undefined) => leased?.order.number

  t.test(`${name}: an order leaves a message only if it notifies a webhook`, async t => {
    const store = await fresh(t)
    const { number } = await place(store, newOrder(1))
    const silent = await place(store, newOrder(2), false)
    t.strictSame(await store.findMessage(number), { state: 'pending', attempts: 0, dueAt: PLACED })
    t.equal(await store.findMessage(silent.number), undefined)
    t.equal(await store.findMessage('NONE'), undefined)
  })

  t.test(`${name}: an order placed again leaves no second message`, async t => {
    const store = await fresh(t)
    const order = await place(store, newOrder(1))
    t.match(await store.placeOrder({ ...order, number: 'BBBB-0001' }, { notifiesWebhook: true }), {
      outcome: 'repeated'
    })
    t.equal(await store.findMessage('BBBB-0001'), undefined)
  })

  t.test(`${name}: due messages are leased per merchant, oldest first, with their orders`, async t => {
    const store = await fresh(t)
    const second = await place(store, newOrder(1, { placedAt: '2026-11-20T10:05:30.000Z' }))
    const first = await place(store, newOrder(2))
    await place(store, newOrder(3, { merchantId: 'other' }))
    t.equal(await store.leaseMessage('shop', BEFORE, LEASE), undefined, 'nothing is due before it was placed')
    t.match(await lease(store, PLACED), { order: first, attempts: 0 })
    t.match(await lease(store), { order: second })
    t.equal(await lease(store), undefined, "only another merchant's is left")
  })

  t.test(`${name}: a leased message is leased again only after the lease has ended`, async t => {
    const store = await fresh(t)
    const { number } = await place(store, newOrder(1))
    const first = await lease(store)
    t.equal(await lease(store, '2026-11-20T10:06:59.999Z'), undefined)
    const second = await lease(store, LEASE, LATER)
    t.equal(numberOf(second), number)
    await store.settleMessage(first, FAILED)
    t.match(await store.findMessage(number), { state: 'pending' }, 'an expired lease settles nothing')
    await store.settleMessage(second, { state: 'delivered', attempts: 0, dueAt: LEASE, attemptedAt: LEASE })
    t.match(await store.findMessage(number), { state: 'delivered', attemptedAt: LEASE })
  })

  t.test(`${name}: two stores on one database never both lease a message`, async t => {
    const stores = [await fresh(t), await another(t)]
    for (let n = 0; n < 20; n++) await place(stores[0] as Store, newOrder(n))
    const leased = await Promise.all(
      Array.from({ length: 60 }, (_, i) => (stores[i % 2] as Store).leaseMessage('shop', NOW, LEASE))
    )
    const numbers = leased.flatMap(found => numberOf(found) ?? [])
    t.strictSame([numbers.length, new Set(numbers).size], [20, 20])
  })

  const settlements: [string, OutboxMessage, boolean][] = [
    ['delivered is never leased again', { state: 'delivered', attempts: 0, dueAt: NOW, attemptedAt: NOW }, false],
    ['failed is never leased again', FAILED, false],
    ['pending is leased when it is due', { ...FAILED, state: 'pending', attempts: 3, dueAt: LATER }, true],
    ['released is leased again', { state: 'pending', attempts: 0, dueAt: NOW }, true]
  ]
  for (const [what, message, isLeased] of settlements) {
    t.test(`${name}: ${what}`, async t => {
      const store = await fresh(t)
      const { number } = await place(store, newOrder(1))
      await store.settleMessage(await lease(store), message)
      t.strictSame(await store.findMessage(number), message)
      const again = await lease(store, LATER, LATER_LEASE)
      t.strictSame([numberOf(again), again?.attempts], isLeased ? [number, message.attempts] : [undefined, undefined])
    })
  }

  t.test(`${name}: an aborted attempt keeps the result of the one before`, async t => {
    const store = await fresh(t)
    const { number } = await place(store, newOrder(1))
    await store.settleMessage(await lease(store), { ...FAILED, state: 'pending', attempts: 1 })
    await store.settleMessage(await lease(store), { state: 'pending', attempts: 1, dueAt: LATER })
    t.strictSame(await store.findMessage(number), { ...FAILED, state: 'pending', attempts: 1, dueAt: LATER })
  })

  t.test(`${name}: what is due after a time can be made due at once, also if it is leased`, async t => {
    const store = await fresh(t)
    const numbers = []
    for (let n = 1; n <= 4; n++) numbers.push((await place(store, newOrder(n))).number)
    const nextYear = '2027-11-20T10:06:00.000Z'
    await lease(store, NOW, nextYear)
    await store.settleMessage(await lease(store), { ...FAILED, state: 'pending', dueAt: nextYear })
    await store.settleMessage(await lease(store), { ...FAILED, dueAt: nextYear })
    t.equal(await store.hastenMessages(nextYear, LATER), 0, 'nothing is due later than that')
    t.equal(await store.hastenMessages(LEASE, LATER), 2)
    const messages = await Promise.all(numbers.map(number => store.findMessage(number)))
    t.strictSame(messages.map(message => `${message?.state} ${message?.dueAt}`).sort(), [
      `failed ${nextYear}`,
      `pending ${PLACED}`,
      `pending ${LATER}`,
      `pending ${LATER}`
    ])
    const leased = []
    for (let n = 0; n < 4; n++) leased.push(numberOf(await lease(store, LATER, LATER_LEASE)))
    t.equal(leased.filter(Boolean).length, 3, 'all three are due')
  })

  t.test(`${name}: redelivering makes any message due again, and creates one for an order without`, async t => {
    const store = await fresh(t)
    const { number } = await place(store, newOrder(1))
    const silent = await place(store, newOrder(2), false)
    await store.settleMessage(await lease(store), FAILED)
    t.strictSame(
      [
        await store.redeliver(number, LATER),
        await store.redeliver(silent.number, LATER),
        await store.redeliver('NONE', LATER)
      ],
      [{ wasStopped: false }, { wasStopped: false }, undefined]
    )
    t.match(await store.findMessage(number), { state: 'pending', attempts: 0, dueAt: LATER })
    t.match(await store.findMessage(silent.number), { state: 'pending', attempts: 0, dueAt: LATER })
    t.equal(await store.findMessage('NONE'), undefined)
    const inFlight = await lease(store, LATER, LATER_LEASE)
    await store.redeliver(inFlight.order.number, LATER)
    await store.settleMessage(inFlight, FAILED)
    t.match(
      await store.findMessage(inFlight.order.number),
      { state: 'pending' },
      'the attempt in flight settles nothing'
    )
  })

  t.test(`${name}: failed messages are redelivered in batches, for one merchant or all`, async t => {
    const store = await fresh(t)
    for (let n = 0; n < 5; n++) {
      const { merchantId } = await place(store, newOrder(n, { merchantId: n < 3 ? 'shop' : 'other' }))
      const leased = await store.leaseMessage(merchantId, NOW, LEASE)
      await store.settleMessage(leased as LeasedMessage, FAILED)
    }
    await place(store, newOrder(5))
    t.match(await store.redeliverFailed(BEFORE, 10), { due: 0 }, 'messages that fail later are left alone')
    t.match(
      [
        await store.redeliverFailed(LATER, 2, 'shop'),
        await store.redeliverFailed(LATER, 2, 'shop'),
        await store.redeliverFailed(LATER, 2, 'shop'),
        await store.redeliverFailed(LATER, 10)
      ],
      [{ due: 2 }, { due: 1 }, { due: 0 }, { due: 2 }]
    )
    t.match(await store.findMessage(newOrder(4).number), { state: 'pending', attempts: 0, dueAt: LATER })
    t.match(await store.findMessage(newOrder(5).number), { dueAt: PLACED }, 'what nobody has tried is left alone')
  })

  t.test(`${name}: so are pending messages after a failed attempt, unless one is being tried`, async t => {
    const store = await fresh(t)
    const { number } = await place(store, newOrder(1))
    const retried: OutboxMessage = { ...FAILED, state: 'pending', attempts: 3, dueAt: LATER }
    await store.settleMessage(await lease(store), retried)
    t.match(await store.redeliverFailed(BEFORE, 10), { due: 0 }, 'it fails later')
    t.match(await store.redeliverFailed(LEASE, 10, 'other'), { due: 0 })
    t.match(await store.redeliverFailed(LEASE, 10), { due: 1 })
    t.match(await store.findMessage(number), { state: 'pending', attempts: 0, dueAt: LEASE })
    t.match(await store.redeliverFailed(LEASE, 10), { due: 0 }, 'it is due already')

    await store.settleMessage(await lease(store, LEASE, LATER), retried)
    const inFlight = await lease(store, LATER, LATER_LEASE)
    t.match(await store.redeliverFailed(LATER, 10), { due: 0 }, 'it is leased')
    await store.settleMessage(inFlight, { state: 'delivered', attempts: 4, dueAt: LATER, attemptedAt: LATER })
    t.match(await store.findMessage(number), { state: 'delivered' }, 'the attempt in flight settles it')
    t.match(await store.redeliverFailed(LATER, 10), { due: 0 })
  })

  t.test(`${name}: a merchant that is stopped gets no messages until it is resumed, or one is redelivered`, async t => {
    const store = await fresh(t)
    const { number } = await place(store, newOrder(1))
    const other = await place(store, newOrder(2, { merchantId: 'other' }))
    t.strictSame([await store.stopMessages('shop', NOW), await store.stopMessages('shop', LATER)], [true, false])
    t.equal(await lease(store), undefined)
    t.match(await store.leaseMessage('other', NOW, LEASE), { order: { number: other.number } })
    const stoppedAt = async () => {
      const listed = await store.listOrders({}, undefined, 10)
      return [
        (await store.findMessage(number))?.stoppedAt,
        ...listed.map(order => ('webhookStoppedAt' in order ? order.webhookStoppedAt : undefined))
      ]
    }
    t.strictSame(await stoppedAt(), [NOW, NOW, undefined])

    await store.resumeMessages('other')
    t.strictSame(await store.redeliver(other.number, NOW), { wasStopped: false })
    t.strictSame(await store.redeliverFailed(NOW, 1, 'other'), { due: 0, resumed: 0 })
    t.equal(await lease(store), undefined, 'what concerns another merchant resumes nothing')

    const resume = {
      resumeMessages: () => store.resumeMessages('shop'),
      redeliver: () => store.redeliver(number, NOW),
      redeliverFailed: () => store.redeliverFailed(NOW, 1),
      'redeliverFailed of the merchant': () => store.redeliverFailed(NOW, 1, 'shop')
    }
    for (const [way, work] of Object.entries(resume)) {
      await work()
      t.strictSame(await stoppedAt(), [undefined, undefined, undefined], way)
      const leased = await lease(store)
      t.equal(numberOf(leased), number, way)
      await store.settleMessage(leased, { state: 'pending', attempts: 0, dueAt: NOW })
      await store.stopMessages('shop', NOW)
    }
    t.match(await store.redeliverFailed(NOW, 1), { resumed: 1 })
    await store.stopMessages('shop', NOW)
    t.strictSame(await store.redeliver(number, NOW), { wasStopped: true })
    await store.settleMessage(await lease(store), FAILED)
    await store.stopMessages('shop', NOW)
    t.strictSame(await stoppedAt(), [undefined, undefined, undefined], 'what has failed waits for nothing')
  })

  t.test(`${name}: what is not delivered is counted, with the time since when the oldest is pending`, async t => {
    const store = await fresh(t)
    t.strictSame(await store.countUndelivered(), [])
    const counted = async () =>
      (await store.countUndelivered()).sort((a, b) => a.merchantId.localeCompare(b.merchantId))
    await place(store, newOrder(1))
    await place(store, newOrder(2, { placedAt: NOW }))
    await place(store, newOrder(3, { merchantId: 'other', placedAt: NOW }))
    await place(store, newOrder(4), false)
    const other = { merchantId: 'other', pending: 1, failed: 0, pendingSince: NOW }
    t.strictSame(await counted(), [other, { merchantId: 'shop', pending: 2, failed: 0, pendingSince: PLACED }])

    const first = await lease(store, NOW, LATER)
    await store.settleMessage(first, { ...FAILED, state: 'pending', attempts: 1, dueAt: LATER })
    t.match(
      await counted(),
      [other, { pending: 2, pendingSince: PLACED }],
      'neither a lease nor an attempt makes it newer'
    )
    await store.settleMessage(await lease(store), { state: 'delivered', attempts: 0, dueAt: NOW, attemptedAt: NOW })
    await store.settleMessage(await lease(store, LATER, LATER_LEASE), FAILED)
    t.strictSame(await counted(), [other, { merchantId: 'shop', pending: 0, failed: 1 }])

    await store.redeliverFailed(LATER, 1)
    const again = { merchantId: 'shop', pending: 1, failed: 0, pendingSince: LATER }
    t.strictSame(await counted(), [other, again], 'redelivered: pending since then')
    await store.redeliver(newOrder(2).number, LATER)
    await store.redeliver(newOrder(4).number, LATER)
    t.strictSame(await counted(), [other, { ...again, pending: 3 }])
  })
}
