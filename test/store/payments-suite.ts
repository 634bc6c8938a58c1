// The behaviour of a store's payments as documented in src/checkout/orders/payment.ts, for every implementation.
import type { Test } from 'tap'
import type { StoredCheckout } from '../../src/checkout/checkout-store.ts'
import type { Order } from '../../src/checkout/orders/order.ts'
import type {
  BegunPayment,
  NewPayment,
  OpenRefund,
  Payment,
  PaymentKey,
  RefundFacts
} from '../../src/checkout/orders/payment.ts'
import { isLeft } from '../../src/checkout/orders/payment-rules.ts'
import type { ProviderState } from '../../src/integrations/payment/provider.ts'
import type { Store } from '../../src/store/store.ts'
import { newOrder } from './new-order.ts'
import { type CheckoutChanges, CREATED, closed, NO_RECORDS, newCheckout, type OpenStore } from './store-suite.ts'

const DUE = '2026-11-20T10:06:00.000Z'
const NOW = '2026-11-20T10:10:00.000Z'
const LEASE = '2026-11-20T10:11:00.000Z'
const LATER = '2026-11-20T10:30:00.000Z'
const EXPIRES = '2026-11-20T11:05:00.000Z'
const LONG_AFTER = '2099-01-01T00:00:00.000Z'
const OTHER = { items: [{ sku: 'LAMP', quantity: 1 }] }
const NOTIFIES = { notifiesWebhook: true }

export function newPayment(n: number, changes: Partial<Order> = {}, payment: Partial<NewPayment> = {}): NewPayment {
  const order = newOrder(n, changes)
  const secret = `secret-${n}`
  return { order, secret, provider: 'stripe', createdAt: order.placedAt, expiresAt: EXPIRES, dueAt: DUE, ...payment }
}

/** What the provider says of a payment of `newOrder`. */
export const facts = (state: ProviderState, changes = {}) => ({
  state,
  providerId: 'cs_1',
  currency: 'GBP',
  amount: 9445,
  ...(state === 'paid' && { transactionId: 'pi_1' }),
  ...changes
})

/** Names the first payment of `newOrder(n)`. */
export const keyOf = (n: number, merchantId = 'shop'): PaymentKey => {
  const { number, token, reference } = newOrder(n)
  return { id: `${number}-1`, merchantId, token, reference }
}

type Options = Parameters<Store['changePayment']>[3]

/** What the provider says has gone back of a payment. */
export const bookRefund = (
  store: Store,
  payment: PaymentKey,
  refundFacts: RefundFacts,
  now: string,
  { known, closes, ...options }: Options & { known?: RefundFacts; closes?: string } = {}
) =>
  store.changePayment(
    payment,
    { type: 'booked', refundFacts, ...(known && { known }), ...(closes !== undefined && { closes }) },
    now,
    options
  )

/** @returns whether it was begun */
export const beginRefund = async (store: Store, payment: PaymentKey, refund: OpenRefund, dueAt: string) =>
  !(await store.changePayment(payment, { type: 'refund-begun', refund, dueAt }, NOW)).isRefused

const endOpening = (store: Store, payment: PaymentKey) => store.changePayment(payment, { type: 'not-opened' }, NOW)

const setDue = (store: Store, payment: PaymentKey, dueAt: string) =>
  store.changePayment(payment, { type: 'postponed', dueAt }, NOW)

/** Sends back all that a payment has brought. */
export const refundWhole = (store: Store, payment: PaymentKey) => bookRefund(store, payment, { refunded: 9445 }, NOW)

const paymentOf = (begun: BegunPayment): Payment => (begun as { payment: Payment }).payment

/** Stores a checkout, and begins a payment of it. */
export async function begin(store: Store, n: number, changes: Partial<Order> = {}): Promise<Payment> {
  const payment = newPayment(n, changes)
  const { token, merchantId, reference } = payment.order
  await store.addCheckout(newCheckout(token, { merchantId, reference }))
  return paymentOf(await store.beginPayment(payment))
}

const PAGE = { providerId: 'cs_1', url: 'https://pay.example/cs_1', expiresAt: EXPIRES }

/** @returns whether its page is kept */
export const openPage = async (store: Store, payment: PaymentKey) =>
  !(await store.changePayment(payment, { type: 'opened', page: PAGE }, NOW)).isRefused

export async function opened(store: Store, n: number, changes: Partial<Order> = {}): Promise<Payment> {
  const payment = await begin(store, n, changes)
  await openPage(store, payment)
  return payment
}

/** Supersedes the checkout of `newOrder(n)`. */
const supersede = (store: Store, n: number, changes: CheckoutChanges = {}) =>
  store.addCheckout(newCheckout(`newer-${n}`, { reference: `order-${n}`, createdAt: NOW, ...OTHER, ...changes }))

/** `isNew`: its state is another. */
async function report(
  store: Store,
  payment: PaymentKey,
  said: ReturnType<typeof facts>,
  now = NOW,
  options: Options = NOTIFIES
) {
  const settled = await store.changePayment(payment, { type: 'reported', facts: said }, now, options)
  return { ...settled, isNew: settled.before.state !== settled.payment.state }
}

export const settle = (store: Store, payment: PaymentKey, state: ProviderState, changes = {}) =>
  report(store, payment, facts(state, changes))

const stateOf = async (store: Store, { merchantId, id }: Payment) => (await store.findPayment(merchantId, id))?.state

/** Whether it is due at a time; it is leased then. */
const leasedAt = async (store: Store, now: string, until = LONG_AFTER) =>
  (await store.leasePayment('shop', now, until))?.payment.id

/** The events of a merchant's messages that are due, each delivered. */
async function eventsOf(store: Store, now = NOW): Promise<string[]> {
  const events: string[] = []
  while (true) {
    const leased = await store.leaseMessage('shop', now, LONG_AFTER)
    if (!leased) return events
    events.push(
      `${leased.event} ${leased.order.number} ${leased.at ?? leased.order.placedAt} ${leased.order.payment?.status}`
    )
    await store.settleMessage(leased, { state: 'delivered', attempts: 0, dueAt: now, attemptedAt: now })
  }
}

export function paymentsSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const fresh = closed(open)
  const another = closed(openAgain)

  t.test(`${name}: a payment that was begun is found with its frozen order`, async t => {
    const store = await fresh(t)
    const { order } = newPayment(1)
    const payment = await begin(store, 1)
    t.strictSame(payment, {
      id: 'AAAA-0001-1',
      attempt: 1,
      secret: 'secret-1',
      merchantId: 'shop',
      token: 'token-1',
      reference: 'order-1',
      orderNumber: 'AAAA-0001',
      currency: 'GBP',
      amount: 9445,
      provider: 'stripe',
      order,
      state: 'opening',
      refunded: 0,
      createdAt: order.placedAt,
      expiresAt: EXPIRES,
      dueAt: DUE
    })
    t.strictSame(await store.findPayment('shop', payment.id), payment)
    t.strictSame(await store.latestPayment('shop', 'token-1'), payment)
    t.strictSame(await store.findAttempt('shop', 'token-1', 'secret-1'), payment)
    t.strictSame(await store.paymentsOf({ orderNumber: 'AAAA-0001' }, 10), [payment])
    t.strictSame(await store.paymentsOf({ merchantId: 'shop', reference: 'order-1' }, 10), [payment])
    t.strictSame(await store.paymentsOf({ merchantId: 'other', reference: 'order-1' }, 10), [])
    t.equal(await store.findOrder('shop', 'token-1'), undefined, 'it is no order yet')
    for (const text of ['', 'nobody', 'a\0b']) {
      t.equal(await store.findPayment('shop', text), undefined)
      t.equal(await store.latestPayment('shop', text), undefined)
    }
    const others: [merchantId: string, token: string, secret: string][] = [
      ['other', 'token-1', 'secret-1'],
      ['shop', 'token-2', 'secret-1'],
      ['shop', 'token-1', 'secret-2'],
      ['shop', 'token-1', ''],
      ['shop', 'token-1', 'a\0b']
    ]
    for (const one of others) t.equal(await store.findAttempt(...one), undefined, `${one}`)
    t.equal(await store.findPayment('other', payment.id), undefined)
    t.equal(await store.latestPayment('other', 'token-1'), undefined)
  })

  t.test(`${name}: a checkout has one payment that can be paid, at most`, async t => {
    const store = await fresh(t)
    const first = await begin(store, 1)
    const other = newPayment(9, { token: 'token-1', reference: 'order-1', total: 1 })
    t.strictSame(await store.beginPayment(other), { outcome: 'live', payment: first, isLast: false })
    t.equal(await openPage(store, first), true)
    const open = {
      ...first,
      state: 'open',
      providerId: 'cs_1',
      url: 'https://pay.example/cs_1'
    }
    t.strictSame(await store.beginPayment(other), { outcome: 'live', payment: open, isLast: false })
    t.equal(await openPage(store, first), false, 'it is opened once')
    await settle(store, first, 'ended')
    const second = paymentOf(await store.beginPayment(other))
    t.match(second, {
      id: 'AAAA-0001-2',
      attempt: 2,
      orderNumber: 'AAAA-0001',
      amount: 1,
      order: { number: 'AAAA-0001' }
    })
    t.strictSame(await store.latestPayment('shop', 'token-1'), second)
    t.equal(await store.latestPayment('shop', 'token-9'), undefined)
    const all = await store.paymentsOf({ orderNumber: 'AAAA-0001' }, 10)
    t.strictSame(
      all.map(({ id }) => id),
      ['AAAA-0001-2', 'AAAA-0001-1']
    )
    t.equal((await store.paymentsOf({ reference: 'order-1' }, 1)).length, 1)
    t.strictSame(await store.paymentsOf({}, 10), all)
    t.strictSame(await store.paymentsOf({ state: 'opening' }, 10), [second])
  })

  t.test(`${name}: nothing is begun for a checkout that has an order, is superseded or unknown`, async t => {
    const store = await fresh(t)
    t.strictSame(await store.beginPayment(newPayment(1)), { outcome: 'superseded' })
    await store.addCheckout(newCheckout('token-1'))
    await store.addCheckout(newCheckout('token-2', OTHER))
    t.strictSame(await store.beginPayment(newPayment(1)), { outcome: 'superseded' })
    const order = newOrder(2, { reference: 'order-1' })
    await store.placeOrder(order)
    t.strictSame(await store.beginPayment(newPayment(3, { token: 'token-2' })), { outcome: 'placed', order })
    t.strictSame(await store.countPayments(), [])
  })

  t.test(`${name}: the number of a payment is taken, and so is that of an order`, async t => {
    const store = await fresh(t)
    const { orderNumber: number } = await begin(store, 1)
    await store.addCheckout(newCheckout('token-2', { reference: 'order-2' }))
    t.strictSame(await store.beginPayment(newPayment(2, { number })), { outcome: 'number-taken' })
    t.strictSame(await store.placeOrder(newOrder(2, { number })), { outcome: 'number-taken' })
    t.match(await store.placeOrder(newOrder(2)), { outcome: 'placed' })
    await store.addCheckout(newCheckout('token-3', { reference: 'order-3' }))
    t.strictSame(await store.beginPayment(newPayment(3, { number: newOrder(2).number })), { outcome: 'number-taken' })
    t.match(await store.beginPayment(newPayment(3)), { outcome: 'begun' })
    t.match(await store.placeOrder(newOrder(1)), { outcome: 'placed' }, 'its own checkout has it')
  })

  t.test(`${name}: what is paid is ordered as it was frozen, once`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    const settled = await settle(store, payment, 'paid')
    const order = {
      ...newOrder(1, { placedAt: NOW, secret: payment.secret }),
      payment: { status: 'paid', provider: 'stripe', id: 'pi_1', amount: 9445, refunded: 0 }
    }
    t.match(settled, { isNew: true, isPlaced: true, payment: { state: 'paid', transactionId: 'pi_1' } })
    t.strictSame(settled.order, order)
    t.strictSame(await store.findOrder('shop', 'token-1'), order)
    t.strictSame(await store.listOrders({}, undefined, 10), [{ ...order, option: '1', webhook: 'pending' }])
    t.match(await store.findCheckout('shop', 'token-1'), { orderNumber: 'AAAA-0001' })
    t.notOk('order' in settled.payment, 'its personal data is kept once')
    const before = settled.payment
    t.strictSame(await settle(store, payment, 'paid'), { ...settled, before, isNew: false, isPlaced: false })
    t.strictSame(await store.beginPayment(newPayment(2, { token: 'token-1' })), { outcome: 'placed', order })
    t.strictSame(await eventsOf(store), [`order.placed AAAA-0001 ${NOW} paid`])
    t.equal(await leasedAt(store, LONG_AFTER), undefined, 'nothing is left to ask')
  })

  t.test(`${name}: without a webhook, a paid order leaves no message`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    t.match(await report(store, payment, facts('pending'), NOW, {}), { isPlaced: true })
    t.match(await report(store, payment, facts('paid'), NOW, {}), { isNew: true, isPlaced: false })
    t.strictSame(await store.countUndelivered(), [])
  })

  t.test(`${name}: an order whose money is on its way is placed, and its message followed by another`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    const instructionsUrl = 'https://pay.example/voucher'
    const settled = await settle(store, payment, 'pending', { instructionsUrl })
    const pending = { status: 'pending', provider: 'stripe', id: 'cs_1', amount: 9445, refunded: 0, instructionsUrl }
    t.match(settled, { isNew: true, isPlaced: true, payment: { state: 'pending', instructionsUrl } })
    t.strictSame(settled.order?.payment, pending)
    t.match(await settle(store, payment, 'pending'), { isNew: false, order: { payment: pending } })
    t.equal(await leasedAt(store, NOW, LATER), payment.id, 'it is asked for again')
    t.match(await settle(store, payment, 'failed'), {
      isNew: true,
      isPlaced: false,
      order: { payment: { status: 'failed' } }
    })
    t.strictSame(await settle(store, payment, 'failed').then(({ isNew }) => isNew), false)
    t.strictSame(await eventsOf(store), [
      `order.placed AAAA-0001 ${NOW} failed`,
      `order.payment-failed AAAA-0001 ${NOW} failed`
    ])
    const paid = await report(store, payment, facts('paid'), LATER)
    t.match(paid, { isNew: true, isPlaced: false, order: { payment: { status: 'paid', id: 'pi_1' } } })
    t.notOk('instructionsUrl' in (paid.order?.payment ?? {}), 'nothing is left to do')
    t.strictSame(await eventsOf(store, LATER), [`order.paid AAAA-0001 ${LATER} paid`])
    t.match(await store.findMessage('AAAA-0001'), { state: 'delivered', attemptedAt: LATER }, 'the last counts')
  })

  const unchanged: [string, ProviderState[], ProviderState][] = [
    ['paid', ['paid'], 'failed'],
    ['paid', ['paid'], 'pending'],
    ['paid', ['paid'], 'ended'],
    ['paid', ['pending', 'paid'], 'open'],
    ['pending', ['pending'], 'open'],
    ['pending', ['pending'], 'ended'],
    ['failed', ['pending', 'failed'], 'pending'],
    ['failed', ['pending', 'failed'], 'ended'],
    ['open', [], 'open'],
    ['ended', ['ended'], 'ended'],
    ['ended', ['failed'], 'failed'],
    ['ended', ['ended'], 'open']
  ]
  t.test(`${name}: what comes late or again changes nothing`, async t => {
    const store = await fresh(t)
    for (const [n, [state, said, again]] of unchanged.entries()) {
      const payment = await opened(store, n)
      for (const one of said) t.match(await settle(store, payment, one), { isNew: true })
      const before = await store.findPayment('shop', payment.id)
      t.equal(before?.state, state, `${said} is ${state}`)
      t.match(await settle(store, payment, again), { isNew: false, isPlaced: false }, `${state}, then ${again}`)
      t.strictSame(await store.findPayment('shop', payment.id), before)
    }
  })

  t.test(`${name}: what has ended, but is paid after all, is ordered`, async t => {
    const store = await fresh(t)
    const unopened = await begin(store, 1)
    await endOpening(store, unopened)
    const cancelled = await opened(store, 2)
    t.match(await settle(store, cancelled, 'ended'), { isNew: true, payment: { state: 'ended' } })
    await endOpening(store, cancelled)
    t.strictSame([await stateOf(store, unopened), await stateOf(store, cancelled)], ['ended', 'ended'])
    t.match(await settle(store, unopened, 'pending'), {
      order: { payment: { id: 'cs_1' } },
      isPlaced: true,
      payment: { providerId: 'cs_1' }
    })
    t.equal(await leasedAt(store, NOW), unopened.id, 'and is asked for again')
    t.match(await settle(store, cancelled, 'paid'), { order: { number: 'AAAA-0002' }, isPlaced: true })
    const open = await opened(store, 3)
    await endOpening(store, open)
    t.equal(await stateOf(store, open), 'open', 'what has a page is not ended unasked')
  })

  t.test(`${name}: a notification may come before the page is known here`, async t => {
    const store = await fresh(t)
    const first = await begin(store, 1)
    t.match(await settle(store, first, 'open'), { isNew: false, payment: { state: 'opening', providerId: 'cs_1' } })
    t.match(await settle(store, first, 'paid'), { isPlaced: true, payment: { state: 'paid' } })
    t.equal(await openPage(store, first), false)
    t.equal(await stateOf(store, first), 'paid')
  })

  t.test(`${name}: another amount or currency is never an order`, async t => {
    const store = await fresh(t)
    const differing = [{ amount: 9444 }, { amount: undefined }, { currency: 'USD' }]
    for (const [n, changes] of differing.entries()) {
      const payment = await opened(store, n)
      for (const state of n === 0 ? (['pending', 'paid'] as const) : (['paid'] as const)) {
        const settled = await settle(store, payment, state, changes)
        t.match(settled, { isPlaced: false, payment: { state: 'refunding', reason: 'amount-differs' } })
        t.notOk('order' in settled)
      }
      t.match(await settle(store, payment, 'paid'), { isNew: false }, 'whatever it is later')
      t.equal(await store.findOrder('shop', payment.token), undefined)
      t.equal(await leasedAt(store, NOW), payment.id, 'it is to be sent back at once')
    }
    t.strictSame(await store.listOrders({}, undefined, 10), [])
    t.strictSame(await store.countUndelivered(), [])
  })

  t.test(`${name}: an order that is placed is not paid by another amount`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    await settle(store, payment, 'pending')
    for (const changes of [{ amount: 9444 }, { amount: undefined }, { currency: 'USD' }]) {
      t.match(await settle(store, payment, 'paid', changes), {
        isNew: false,
        order: { payment: { status: 'pending' } }
      })
    }
    t.match(await settle(store, payment, 'paid'), { isNew: true, order: { payment: { status: 'paid' } } })
  })

  t.test(`${name}: money for a superseded bag, or for one that is ordered or gone, is for no order`, async t => {
    const store = await fresh(t)
    const superseded = await opened(store, 1)
    await settle(store, superseded, 'ended')
    await supersede(store, 1)
    t.match(await settle(store, superseded, 'paid'), { payment: { state: 'refunding', reason: 'superseded' } })

    const late = await opened(store, 2)
    await settle(store, late, 'ended')
    const again = paymentOf(await store.beginPayment(newPayment(9, { token: 'token-2', reference: 'order-2' })))
    await settle(store, again, 'paid')
    t.match(await settle(store, late, 'paid'), { payment: { state: 'refunding', reason: 'ordered-twice' } })
    t.match(await store.findOrder('shop', 'token-2'), { number: 'AAAA-0002', payment: { status: 'paid' } })
    await refundWhole(store, late)
    t.match(
      await settle(store, late, 'paid'),
      { payment: { state: 'refunded' }, order: undefined },
      'of the other payment'
    )

    const replaced = await opened(store, 4)
    await settle(store, replaced, 'ended')
    await store.beginPayment(newPayment(8, { token: 'token-4', reference: 'order-4' }))
    t.match(await settle(store, replaced, 'paid'), { payment: { state: 'refunding', reason: 'replaced' } })

    const erased = await opened(store, 3)
    t.equal(await store.eraseOrder(erased.orderNumber), true)
    t.match(await settle(store, erased, 'paid'), { payment: { state: 'refunding', reason: 'checkout-gone' } })
    t.match(await store.listOrders({}, undefined, 10), [{ number: 'AAAA-0002' }])
  })

  t.test(`${name}: money is sent back, whole or in parts, once`, async t => {
    const store = await fresh(t)
    const wrong = await opened(store, 1)
    await settle(store, wrong, 'paid', { amount: 1 })
    t.match(await refundWhole(store, wrong), { before: { state: 'refunding' } })
    t.match(await refundWhole(store, wrong), { before: { state: 'refunded' } }, 'whoever comes second sees that it is')
    t.match(await store.findPayment('shop', wrong.id), { state: 'refunded', refunded: 9445, reason: 'amount-differs' })
    t.match(await settle(store, wrong, 'paid'), { isNew: false, order: undefined })
    t.equal(await leasedAt(store, LONG_AFTER), undefined)

    const payment = await opened(store, 2)
    await settle(store, payment, 'paid')
    await bookRefund(store, payment, { refunded: 445 }, NOW)
    t.match(await store.findOrder('shop', 'token-2'), { payment: { status: 'paid', refunded: 445 } })
    await refundWhole(store, payment)
    t.match(await store.findOrder('shop', 'token-2'), { payment: { status: 'refunded', refunded: 9445 } })
    t.match(await settle(store, payment, 'paid'), { isNew: false, order: { number: 'AAAA-0002' } })

    const failing = await opened(store, 3)
    await settle(store, failing, 'pending', { amount: 1 })
    t.match(await settle(store, failing, 'failed'), { isNew: true, payment: { state: 'ended' }, order: undefined })
    t.equal(await leasedAt(store, LONG_AFTER), undefined, 'nothing came that could be sent back')
    t.equal((await store.findPayment('shop', failing.id))?.reason, undefined)
    t.match(await settle(store, failing, 'paid'), { isPlaced: true, payment: { state: 'paid', reason: undefined } })
  })

  t.test(`${name}: payments are leased one by one, longest due first`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    const [store] = stores
    for (let n = 0; n < 10; n++) await begin(store, n)
    await begin(store, 10, { merchantId: 'other' })
    await setDue(store, keyOf(7), CREATED)
    await endOpening(store, keyOf(8))
    t.equal(await leasedAt(store, CREATED, LATER), 'AAAA-0007-1')
    t.equal(await leasedAt(store, CREATED), undefined)
    const leased = await Promise.all(
      Array.from({ length: 40 }, (_, i) => stores[i % 2 ? 1 : 0].leasePayment('shop', NOW, LEASE))
    )
    const ids = leased.flatMap(one => one?.payment.id ?? [])
    t.strictSame([ids.length, new Set(ids).size, ids.includes('AAAA-0008-1')], [8, 8, false])
    t.equal(await leasedAt(store, NOW), undefined)
    await setDue(store, keyOf(9), LONG_AFTER)
    t.equal(await leasedAt(store, NOW, LEASE), 'AAAA-0009-1', 'what a clock that was ahead has put off is due')
    t.match(await store.leasePayment('shop', LEASE, LATER), { payment: { state: 'opening' }, isClosed: false })
  })

  t.test(
    `${name}: a cart that comes while an earlier one is being paid waits, and takes over once that has ended`,
    async t => {
      const store = await fresh(t)
      const held = (n: number) =>
        store.beginPayment(newPayment(n + 50, { token: `newer-${n}`, reference: `order-${n}` }))
      const payment = await opened(store, 1)
      const newer = await supersede(store, 1)
      t.notOk('supersededAt' in newer)
      t.strictSame(await store.findCheckout('shop', 'newer-1'), newer, 'its page is shown')
      t.match(await supersede(store, 1, { token: 'again' }), { token: 'newer-1' }, 'sent again, it is the same')
      t.match(await store.newestCheckout('shop', 'order-1'), { token: 'token-1' })
      t.match(await held(1), { outcome: 'held', payment: { id: payment.id, state: 'open' } })
      t.strictSame(await store.placeOrder(newOrder(1, { token: 'newer-1' })), { outcome: 'held' })
      const hasLeft = async () => isLeft(paymentOf(await held(1)))
      t.equal(await hasLeft(), false)
      await store.claimRefresh(payment, 'return', NOW, CREATED)
      t.equal(await hasLeft(), true, 'its shopper has come back from its page')
      await store.claimRefresh(payment, 'press', LATER, CREATED)
      t.equal(await hasLeft(), false, 'somebody goes on with it')
      await settle(store, payment, 'ended')
      t.match(await held(1), { outcome: 'begun', payment: { token: 'newer-1', attempt: 1 } })
      t.match(await store.findCheckout('shop', 'token-1'), { supersededAt: newOrder(51).placedAt })
      t.match(await store.newestCheckout('shop', 'order-1'), { token: 'newer-1' })

      const paid = await opened(store, 2)
      await supersede(store, 2)
      await settle(store, paid, 'paid')
      t.match(await store.findCheckout('shop', 'newer-2'), { supersededAt: NOW })
      t.strictSame(await held(2), { outcome: 'superseded' })

      const other = await opened(store, 3)
      await supersede(store, 3)
      const third = { token: 'third', items: [{ sku: 'THROW', quantity: 1 }] }
      t.match(await supersede(store, 3, third), { token: 'third' })
      t.match(await store.findCheckout('shop', 'newer-3'), { supersededAt: NOW }, 'the last one sent waits')
      await settle(store, other, 'ended')
      t.match(await supersede(store, 3, { token: 'fourth', createdAt: LATER }), { token: 'fourth' })
      for (const token of ['token-3', 'third']) t.ok((await store.findCheckout('shop', token))?.supersededAt, token)
      t.match(await store.newestCheckout('shop', 'order-3'), { token: 'fourth' })
      t.match(await store.placeOrder(newOrder(9, { token: 'third', reference: 'order-3' })), { outcome: 'superseded' })
    }
  )

  t.test(
    `${name}: of two carts of a reference, the last one that was sent is ordered, whenever it is sent again`,
    async t => {
      const store = await fresh(t)
      const [first, second] = [await opened(store, 1), await opened(store, 2)]
      for (const n of [1, 2]) await supersede(store, n)
      const waiting = await store.waitingCheckout((await store.newestCheckout('shop', 'order-1')) as StoredCheckout)
      t.match(waiting, { token: 'newer-1' })
      await settle(store, first, 'ended')
      t.match(await supersede(store, 1, { token: 'again' }), { token: 'newer-1' }, 'it has one page')
      t.match(await store.newestCheckout('shop', 'order-1'), { token: 'newer-1' })
      t.match(await store.findCheckout('shop', 'token-1'), { supersededAt: NOW })

      t.match(await store.addCheckout(newCheckout('again', { reference: 'order-2' })), { token: 'token-2' })
      await settle(store, second, 'ended')
      t.match(await store.placeOrder(newOrder(52, { token: 'newer-2', reference: 'order-2' })), {
        outcome: 'superseded'
      })
      t.match(await store.placeOrder(newOrder(2)), { outcome: 'placed' })
    }
  )

  t.test(`${name}: a payment is closed once its bag is ordered, or leads to another shop`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 3)
    await store.placeOrder(newOrder(3))
    t.match(await store.leasePayment('shop', LATER, LONG_AFTER), { payment: { id: payment.id }, isClosed: true })
    const handover = { url: 'https://shop.example/checkout', httpMethod: 'GET' as const }
    await opened(store, 4)
    const { merchantId, cart, createdAt, token } = newCheckout('newer-4', { reference: 'order-4', createdAt: NOW })
    await store.beginHandoff({ key: token, merchantId, cart, createdAt }, CREATED)
    await store.finishHandoff(newCheckout(token, { reference: 'order-4', createdAt: NOW, handover }))
    t.match(await store.leasePayment('shop', LATER, LATER), { payment: { id: 'AAAA-0004-1' }, isClosed: true })
  })

  t.test(`${name}: an order whose payment has failed makes room for another of its bag`, async t => {
    const store = await fresh(t)
    const failed = await opened(store, 1)
    await settle(store, failed, 'pending')
    await settle(store, failed, 'failed')
    await eventsOf(store)
    const next = { token: 'token-1', reference: 'order-1', total: 9000, lines: [] }
    const again = paymentOf(await store.beginPayment(newPayment(2, next)))
    t.match(again, { id: 'AAAA-0002-2', orderNumber: 'AAAA-0002', amount: 9000 })
    await openPage(store, again)
    t.match(await store.leasePayment('shop', LATER, LATER), { payment: { id: again.id }, isClosed: false })
    t.match(await store.findOrder('shop', 'token-1'), { total: 9445, payment: { status: 'failed' } })
    const settled = await settle(store, again, 'paid', { amount: 9000, transactionId: 'pi_2' })
    t.match(settled, { isPlaced: true, order: { number: 'AAAA-0002', total: 9000, payment: { status: 'paid' } } })
    t.strictSame(await eventsOf(store), [`order.placed AAAA-0002 ${NOW} paid`])
    t.match(await settle(store, failed, 'paid'), {
      payment: { state: 'refunding', reason: 'replaced' },
      order: undefined
    })
    t.match(await store.listOrders({ reference: 'order-1' }, undefined, 10), [
      { number: 'AAAA-0001', total: 9445, payment: { status: 'failed' } },
      { number: 'AAAA-0002', total: 9000, payment: { status: 'paid' } }
    ])
    t.strictSame(await eventsOf(store), [], 'it has failed, and is told no more')
    t.match(await store.findOrder('shop', 'token-1'), { payment: { status: 'paid', id: 'pi_2' } })
    t.match(await store.beginPayment(newPayment(3, next)), { outcome: 'placed' })
    t.match(await store.referenceHistories(['shop'], ['order-1']), [[{ order: { number: 'AAAA-0002' } }]])

    const late = await opened(store, 4)
    await settle(store, late, 'pending')
    await settle(store, late, 'failed')
    const anew = newOrder(5, { token: 'token-4', reference: 'order-4' })
    t.match(await store.placeOrder({ ...anew, number: 'AAAA-0004' }), { outcome: 'number-taken' })
    t.match(await store.placeOrder(anew), { outcome: 'placed', order: { number: 'AAAA-0005' } })
    const taken = newPayment(6, { token: 'token-4', reference: 'order-4' })
    t.match(await store.beginPayment(taken), { outcome: 'placed' })
    t.notOk('payment' in ((await store.findOrder('shop', 'token-4')) ?? {}), 'by a shop that takes no payment any more')
  })

  t.test(`${name}: a new attempt clears what those before it held, and there are twenty an hour at most`, async t => {
    const store = await fresh(t)
    const frozen = async () => (await store.paymentsOf({}, 100)).filter(({ order }) => order).length
    const first = await opened(store, 1)
    await settle(store, first, 'ended')
    t.equal(await frozen(), 1, 'whoever comes back finds what they typed')
    const at = (minute: number) => new Date(Date.parse(newOrder(1).placedAt) + minute * 60_000).toISOString()
    const attempt = (minute: number) =>
      store.beginPayment(newPayment(1, {}, { createdAt: at(minute), secret: `secret-${minute}` }))
    const open = async (minute: number) => {
      const payment = paymentOf(await attempt(minute))
      await openPage(store, payment)
      await settle(store, payment, 'ended')
    }
    for (let n = 1; n < 20; n++) {
      await endOpening(store, paymentOf(await attempt(n)))
      await open(n)
      t.equal(await frozen(), 1)
    }
    t.strictSame(await attempt(59), { outcome: 'too-many' }, 'those that got no page do not count')
    await open(60)
    t.strictSame(await attempt(60), { outcome: 'too-many' })
    t.match(await attempt(61), { outcome: 'begun' })
  })

  t.test(
    `${name}: the provider is asked once in a while, whoever looks, and those who come back have a turn of their own`,
    async t => {
      const stores = [await fresh(t), await another(t)] as const
      const payment = await opened(stores[0], 1)
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, i) => stores[i % 2 ? 1 : 0].claimRefresh(payment, 'press', NOW, DUE))
      )
      t.equal(claims.filter(Boolean).length, 1)
      t.equal(await stores[0].claimRefresh(payment, 'return', NOW, DUE), true)
      t.equal(await stores[0].claimRefresh(payment, 'return', NOW, DUE), false)
      t.equal(await stores[0].claimRefresh(payment, 'press', LATER, NOW), true)
      t.equal(await stores[0].claimRefresh(payment, 'press', NOW, DUE), true, 'a clock that was ahead holds nobody up')
    }
  )

  t.test(`${name}: a payment that was begun goes on after a crash`, async t => {
    const store = await open(t)
    const payment = await begin(store, 1)
    await store.close()
    const next = await another(t)
    t.strictSame(await next.beginPayment(newPayment(2, { token: 'token-1' })), {
      outcome: 'live',
      payment,
      isLast: false
    })
    const leased = { payment: { ...payment, dueAt: LATER }, isClosed: false }
    t.strictSame(await next.leasePayment('shop', DUE, LATER), leased)
    t.equal(await openPage(next, payment), true)
    t.match(await settle(next, payment, 'paid'), { order: { number: payment.orderNumber } })
  })

  t.test(`${name}: of two tabs that pay at once, one begins, and both have its payment`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    for (let n = 0; n < 5; n++) {
      const [token, reference] = [`token-${n}`, `order-${n}`]
      await stores[0].addCheckout(newCheckout(token, { reference }))
      const begun = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          stores[i % 2 ? 1 : 0].beginPayment(newPayment(n * 10 + i, { token, reference }))
        )
      )
      t.strictSame(begun.map(({ outcome }) => outcome).sort(), ['begun', ...Array(7).fill('live')])
      t.equal(new Set(begun.map(one => paymentOf(one).id)).size, 1)
    }
  })

  t.test(`${name}: a notification and the shopper who comes back place one order`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    for (let n = 0; n < 5; n++) {
      const payment = await opened(stores[0], n)
      const settled = await Promise.all(
        Array.from({ length: 8 }, (_, i) => settle(stores[i % 2 ? 1 : 0], payment, 'paid'))
      )
      t.equal(settled.filter(({ isNew }) => isNew).length, 1)
      t.equal(settled.filter(({ isPlaced }) => isPlaced).length, 1)
      for (const { order } of settled) t.match(order, { number: payment.orderNumber, payment: { status: 'paid' } })
    }
    t.strictSame(await stores[0].countUndelivered(), [{ merchantId: 'shop', pending: 5, failed: 0, pendingSince: NOW }])
  })

  t.test(`${name}: of beginning to pay and another cart at once, the cart takes the place or waits`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    for (let n = 0; n < 10; n++) {
      const [token, reference] = [`token-${n}`, `order-${n}`]
      await stores[0].addCheckout(newCheckout(token, { reference }))
      const work = [() => stores[0].beginPayment(newPayment(n)), () => supersede(stores[1], n)]
      await Promise.all((n % 2 ? work : work.toReversed()).map(one => one()))
      const isBegun = (await stores[0].latestPayment('shop', token)) !== undefined
      t.equal((await stores[0].newestCheckout('shop', reference))?.token, isBegun ? token : `newer-${n}`)
      t.notOk((await stores[0].findCheckout('shop', `newer-${n}`))?.supersededAt)
      if (isBegun)
        t.match(await settle(stores[0], keyOf(n), 'paid'), {
          isPlaced: true
        })
    }
  })

  t.test(`${name}: a checkout is kept while its payment may bring money`, async t => {
    const store = await fresh(t)
    const states: [string, (payment: Payment) => Promise<unknown>][] = [
      ['opening', async () => {}],
      ['open', payment => openPage(store, payment)],
      ['pending', payment => settle(store, payment, 'pending')],
      ['paid', payment => settle(store, payment, 'paid')],
      ['failed', payment => settle(store, payment, 'pending').then(() => settle(store, payment, 'failed'))],
      ['refunding', payment => settle(store, payment, 'paid', { amount: 1 })],
      ['refunded', payment => settle(store, payment, 'paid', { amount: 1 }).then(() => refundWhole(store, payment))],
      ['ended', payment => settle(store, payment, 'ended')]
    ]
    const payments = []
    for (const [n, [state, work]] of states.entries()) {
      const payment = await begin(store, n)
      await work(payment)
      t.equal(await stateOf(store, payment), state)
      payments.push(payment)
    }
    t.equal(await store.deleteExpired('shop', LONG_AFTER, 100, NO_RECORDS), 2)
    const left = await Promise.all(payments.map(async ({ token }) => (await store.findCheckout('shop', token))?.token))
    t.strictSame(left.slice(-2), [undefined, undefined])
    t.equal(left.filter(Boolean).length, 6)
    const found = await Promise.all(payments.slice(-2).map(({ id }) => store.findPayment('shop', id)))
    t.match(found, [{ state: 'refunded', refunded: 9445, order: undefined }, undefined], 'without personal data')
    t.strictSame(await store.deleteExpired('shop', LONG_AFTER, 100, NO_RECORDS), 0)
  })

  t.test(`${name}: what shoppers typed is erased from payments that ended without an order`, async t => {
    const store = await fresh(t)
    const open = await opened(store, 1)
    const ended = []
    for (const n of [2, 3, 4]) ended.push(await opened(store, n))
    for (const payment of ended) await settle(store, payment, 'ended')
    const refunding = await opened(store, 5)
    await settle(store, refunding, 'paid', { amount: 1 })
    const other = await opened(store, 6, { merchantId: 'other' })
    await settle(store, other, 'ended')
    t.equal(await store.erasePayments('shop', EXPIRES, 10), 0, 'they have just ended')
    t.equal(await store.erasePayments('shop', LONG_AFTER, 3), 3)
    t.equal(await store.erasePayments('shop', LONG_AFTER, 3), 1)
    t.equal(await store.erasePayments('shop', LONG_AFTER, 3), 0)
    const kept = [open, ...ended, refunding, other].map(async ({ merchantId, id }) => {
      return (await store.findPayment(merchantId, id))?.order?.customer?.email
    })
    t.strictSame(await Promise.all(kept), ['ada1@example.com', ...Array(4).fill(undefined), 'ada6@example.com'])
    t.match(await store.findPayment('shop', refunding.id), { state: 'refunding', amount: 9445 })
    await store.purgeErased()
  })

  t.test(`${name}: an order is erased together with the payments that were to become it`, async t => {
    const store = await fresh(t)
    const first = await opened(store, 1)
    await settle(store, first, 'ended')
    const second = paymentOf(await store.beginPayment(newPayment(9, { token: 'token-1', reference: 'order-1' })))
    await settle(store, second, 'paid')
    const ended = await store.findPayment('shop', first.id)
    t.notOk(ended?.order, 'it is kept once')
    t.equal(await store.eraseOrder('AAAA-0001'), true)
    t.equal((await store.findOrder('shop', 'token-1'))?.customer, undefined)
    const { id, orderNumber } = await opened(store, 2)
    t.equal(await store.eraseOrder(orderNumber), true)
    t.equal((await store.findPayment('shop', id))?.order, undefined)
    t.equal(await store.eraseOrder(orderNumber), true, 'erasing again is fine')
    t.equal(await store.eraseOrder('NONE'), false)
  })

  t.test(`${name}: orders are listed by the state of their payment`, async t => {
    const store = await fresh(t)
    const [paid, pending, failed, refunded] = [
      await opened(store, 1),
      await opened(store, 2),
      await opened(store, 3),
      await opened(store, 4)
    ]
    await store.addCheckout(newCheckout('token-5', { reference: 'order-5' }))
    await store.placeOrder(newOrder(5))
    await store.keepReport({
      merchantId: 'shop',
      reference: 'r',
      number: '#1',
      currency: 'GBP',
      items: [],
      total: 1,
      reportedAt: NOW
    })
    await settle(store, paid, 'paid')
    for (const payment of [pending, failed]) await settle(store, payment, 'pending')
    await settle(store, failed, 'failed')
    await settle(store, refunded, 'paid')
    await refundWhole(store, refunded)
    for (const [n, payment] of (['paid', 'pending', 'failed', 'refunded'] as const).entries()) {
      const listed = await store.listOrders({ payment, merchantId: 'shop', reference: `order-${n + 1}` }, undefined, 10)
      t.match(listed, [{ number: `AAAA-000${n + 1}`, payment: { status: payment } }])
      t.equal((await store.listOrders({ payment }, undefined, 10)).length, 1)
    }
    t.equal((await store.listOrders({}, undefined, 10)).length, 6)
    t.notOk((await store.listOrders({ number: 'AAAA-0005' }, undefined, 10)).some(order => 'payment' in order))
  })

  t.test(`${name}: a reference has the payment of its order, or else one that was begun`, async t => {
    const store = await fresh(t)
    await settle(store, await opened(store, 1), 'paid')
    const superseded = await opened(store, 2)
    await settle(store, superseded, 'ended')
    await supersede(store, 2)
    await settle(store, superseded, 'paid')
    const ended = await opened(store, 3)
    await settle(store, ended, 'ended')
    const latest = newPayment(3, {}, { createdAt: LATER })
    await store.beginPayment(latest)
    await opened(store, 4, { merchantId: 'other' })
    await settle(store, await opened(store, 5), 'paid', { amount: 1 })
    await refundWhole(store, keyOf(5))
    await store.deleteExpired('shop', LONG_AFTER, 10, NO_RECORDS)
    const references = [1, 2, 3, 4, 5].map(n => `order-${n}`)
    const histories = await store.referenceHistories(['shop'], references)
    const paid = { state: 'paid', provider: 'stripe', id: 'pi_1' }
    t.strictSame(
      histories.map(([history]) => history?.payment),
      [
        paid,
        { ...paid, state: 'refunding', reason: 'superseded' },
        { state: 'opening', provider: 'stripe' },
        undefined,
        { ...paid, state: 'refunded', reason: 'amount-differs' }
      ]
    )
    t.match(histories[0], [{ order: { number: 'AAAA-0001' } }])
    t.match(await store.ordersAfter('shop', '', 10), [{ number: 'AAAA-0001', payment: paid }])
  })

  t.test(`${name}: payments are found by every condition, latest first`, async t => {
    const store = await fresh(t)
    for (const n of [1, 2, 3, 4]) {
      const payment = newPayment(
        n,
        { merchantId: n === 4 ? 'other' : 'shop' },
        { createdAt: `2026-11-20T10:0${n}:00.000Z` }
      )
      const { token, merchantId, reference } = payment.order
      await store.addCheckout(newCheckout(token, { merchantId, reference }))
      await store.beginPayment(payment)
    }
    for (const key of [keyOf(2), keyOf(4, 'other')]) await report(store, key, facts('paid', { amount: 1 }))
    const cases: [Parameters<Store['paymentsOf']>[0], number[]][] = [
      [{}, [4, 3, 2, 1]],
      [{ merchantId: 'shop' }, [3, 2, 1]],
      [{ state: 'opening' }, [3, 1]],
      [{ state: 'refunding' }, [4, 2]],
      [{ merchantId: 'shop', state: 'refunding' }, [2]],
      [{ reference: 'order-3', orderNumber: 'AAAA-0003' }, [3]],
      [{ reference: 'order-3', state: 'open' }, []]
    ]
    for (const [filter, numbers] of cases) {
      const found = await store.paymentsOf(filter, 10)
      t.strictSame(
        found.map(({ id }) => id),
        numbers.map(n => `AAAA-000${n}-1`),
        JSON.stringify(filter)
      )
    }
    t.match(await store.paymentsOf({}, 1), [{ id: 'AAAA-0004-1' }])
  })

  t.test(`${name}: the payments that somebody waits for are counted`, async t => {
    const store = await fresh(t)
    t.strictSame(await store.countPayments(), [])
    await begin(store, 1)
    await opened(store, 2, { placedAt: NOW })
    await opened(store, 3)
    await begin(store, 4, { merchantId: 'other' })
    await settle(store, await opened(store, 5), 'pending')
    await settle(store, await opened(store, 6), 'paid')
    await settle(store, await opened(store, 7), 'paid', { amount: 1 })
    await settle(store, await opened(store, 8), 'ended')
    const since = newOrder(1).placedAt
    const counts = await store.countPayments()
    t.strictSame(
      counts.sort((a, b) => (a.merchantId + a.state).localeCompare(b.merchantId + b.state)),
      [
        { merchantId: 'other', state: 'opening', payments: 1, since },
        { merchantId: 'shop', state: 'open', payments: 2, since },
        { merchantId: 'shop', state: 'opening', payments: 1, since },
        { merchantId: 'shop', state: 'pending', payments: 1, since },
        { merchantId: 'shop', state: 'refunding', payments: 1, since }
      ]
    )
  })

  t.test(`${name}: messages of one order wait for each other, and are redelivered together`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    const { orderNumber } = payment
    for (const [state, now] of [
      ['pending', NOW],
      ['failed', LEASE],
      ['paid', LATER]
    ] as const) {
      await report(store, payment, facts(state), now)
    }
    await report(store, await opened(store, 2), facts('paid'), LATER)
    const lease = () => store.leaseMessage('shop', LATER, LONG_AFTER)
    const webhooks = async () => {
      const listed = await store.listOrders({}, undefined, 10)
      const [found] = await store.listOrders({ number: orderNumber }, undefined, 10)
      t.equal(listed.length, 2)
      return [(await store.findMessage(orderNumber))?.state, found && 'webhook' in found ? found.webhook : undefined]
    }
    const placed = await lease()
    t.match(placed, {
      event: 'order.placed',
      order: { number: orderNumber, payment: { status: 'paid' } },
      at: undefined
    })
    t.match(await lease(), { order: { number: 'AAAA-0002' } }, 'other orders do not wait')
    t.equal(await lease(), undefined)
    t.strictSame(await store.countUndelivered(), [{ merchantId: 'shop', pending: 4, failed: 0, pendingSince: NOW }])
    if (!placed) return
    await store.settleMessage(placed, {
      state: 'pending',
      attempts: 1,
      dueAt: LONG_AFTER,
      attemptedAt: LATER,
      problem: 'x'
    })
    t.equal(await lease(), undefined, 'it is tried again before the next one')
    await store.redeliverFailed(LATER, 10)
    const again = await lease()
    t.match(again, { event: 'order.placed' })
    if (again) await store.settleMessage(again, { state: 'failed', attempts: 10, dueAt: LATER, attemptedAt: LATER })
    t.equal(await store.eraseOrders('shop', LONG_AFTER, 10), 0)
    t.strictSame(await webhooks(), ['failed', 'failed'])
    t.strictSame(await eventsOf(store, LATER), [
      `order.payment-failed AAAA-0001 ${LEASE} paid`,
      `order.paid AAAA-0001 ${LATER} paid`
    ])
    t.strictSame(await webhooks(), ['failed', 'failed'], 'the worst of them')
    t.match(await store.redeliver(orderNumber, LATER), { wasStopped: false })
    t.strictSame(await webhooks(), ['pending', 'pending'])
    t.strictSame(await eventsOf(store, LATER), [
      `order.placed AAAA-0001 ${NOW} paid`,
      `order.payment-failed AAAA-0001 ${LEASE} paid`,
      `order.paid AAAA-0001 ${LATER} paid`
    ])
    t.strictSame(await webhooks(), ['delivered', 'delivered'])
    t.equal(await store.eraseOrders('shop', LONG_AFTER, 10), 1)
  })

  t.test(`${name}: a payment has one open refund, which is finished once`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    const [store] = stores
    const payment = await opened(store, 1)
    const refund = (amount: number, before = 0) => ({ before, amount, key: `key-${before}-${amount}` })
    t.equal(await beginRefund(store, payment, refund(5), LATER), false, 'nothing is paid')
    await settle(store, payment, 'paid')
    const opening = Array.from({ length: 8 }, (_, i) =>
      beginRefund(stores[i % 2 ? 1 : 0], payment, refund(i + 1), LATER)
    )
    t.equal((await Promise.all(opening)).filter(Boolean).length, 1)
    const open = (await store.findPayment('shop', payment.id))?.refund
    t.match(open, { before: 0, key: /^key-0-\d$/ })
    t.equal(await leasedAt(store, NOW), undefined)
    t.match(await store.leasePayment('shop', LATER, LONG_AFTER), { payment: { state: 'paid', refund: open } })
    const { amount = 0, key = '' } = open ?? {}
    const finishing = Array.from({ length: 8 }, (_, i) =>
      bookRefund(stores[i % 2 ? 1 : 0], payment, { refunded: amount }, NOW, { ...NOTIFIES, closes: key })
    )
    const booked = await Promise.all(finishing)
    t.equal(booked.filter(({ before }) => before.refunded === 0).length, 1)
    for (const { payment } of booked) t.match(payment, { state: 'paid', refunded: amount, refund: undefined })
    t.equal(await leasedAt(store, LONG_AFTER), undefined, 'nothing is left to do')
    t.equal(await beginRefund(store, payment, refund(5), LATER), false, 'more has been sent back')
    t.equal(await beginRefund(store, payment, refund(5, amount), LATER), true)
    await bookRefund(store, payment, {}, NOW, { closes: key })
    t.match(await store.findPayment('shop', payment.id), { refund: refund(5, amount) }, 'another key closes nothing')
    const forNone = await opened(store, 2)
    await settle(store, forNone, 'paid', { amount: 1 })
    t.equal(await beginRefund(store, forNone, refund(5), LATER), false, 'money for no order goes back whole')
    t.strictSame(await eventsOf(store), [`order.placed AAAA-0001 ${NOW} paid`, `order.refunded AAAA-0001 ${NOW} paid`])
  })

  t.test(`${name}: what goes back, and a chargeback, is with the order, and one message for each change`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    await settle(store, payment, 'paid')
    t.strictSame(await eventsOf(store), [`order.placed AAAA-0001 ${NOW} paid`])
    const of = async () => (await store.findOrder('shop', 'token-1'))?.payment
    for (let n = 1; n <= 12; n++) {
      await bookRefund(store, payment, { refunded: n }, `2026-11-20T10:10:00.0${n + 10}Z`, NOTIFIES)
    }
    const at = (n: number, status = 'disputed') => `order.${status} AAAA-0001 2026-11-20T10:10:00.0${n + 10}Z paid`
    await bookRefund(store, payment, { dispute: 'open' }, '2026-11-20T10:10:00.023Z', NOTIFIES)
    const events = await eventsOf(store, LATER)
    t.strictSame(events, [...Array.from({ length: 12 }, (_, i) => at(i + 1, 'refunded')), at(13)], 'in their order')
    t.match(await of(), { status: 'paid', refunded: 12, dispute: 'open' })
    t.match(await store.findPayment('shop', payment.id), { dispute: 'open' })
    t.match(await store.listOrders({}, undefined, 10), [{ payment: { dispute: 'open' } }])
    const known = { refunded: 12, dispute: 'open' as const }
    t.match(await bookRefund(store, payment, { refunded: 5 }, LATER), { payment: { refunded: 12 } }, 'an old answer')
    await bookRefund(store, payment, { refunded: 9445, dispute: 'lost' }, LATER)
    t.match(await of(), { status: 'refunded', refunded: 9445, dispute: 'lost' })
    await bookRefund(store, payment, { refunded: 0 }, LATER, { known })
    t.match(await of(), { refunded: 9445 }, 'what was known is changed by now')
    await bookRefund(store, payment, { refunded: 5 }, LATER, { known: { refunded: 9445, dispute: 'lost' } })
    t.match(await of(), { status: 'paid', refunded: 5, dispute: 'lost' })
    t.strictSame(await eventsOf(store, LATER), [], 'without a webhook, nobody is told')
    t.equal(await leasedAt(store, LONG_AFTER), undefined)
  })

  t.test(`${name}: money for no order is due again once its refund has failed`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    await settle(store, payment, 'paid', { amount: 1 })
    await bookRefund(store, payment, { refunded: 9445 }, NOW, NOTIFIES)
    t.equal(await stateOf(store, payment), 'refunded')
    t.equal(await leasedAt(store, LONG_AFTER), undefined)
    await bookRefund(store, payment, { refunded: 0 }, NOW, { ...NOTIFIES, known: { refunded: 9445 } })
    t.equal(await stateOf(store, payment), 'refunding')
    t.equal(await leasedAt(store, NOW, LATER), payment.id)
    await bookRefund(store, payment, { refunded: 0 }, NOW, NOTIFIES)
    t.equal(await leasedAt(store, LATER), payment.id, 'and stays so')
    t.strictSame(await store.countUndelivered(), [])
  })
}
