// The rules of payment, as tables: what begins, which state follows which, what is done then, and when money goes back.
import t from 'tap'
import {
  orderPaymentStatus,
  PAYMENT_STATES,
  type Payment,
  type PaymentEvent,
  type PaymentState
} from '../../../src/checkout/orders/payment.ts'
import {
  type BeginFacts,
  decideBegin,
  isLeft,
  isLive,
  nextPayment,
  type PaymentCheckout,
  type Transition
} from '../../../src/checkout/orders/payment-rules.ts'
import type { ProviderState } from '../../../src/integrations/payment/provider.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const DUE = '2026-11-20T12:01:00.000Z'
const LATER = '2026-11-20T13:00:00.000Z'

t.test('a payment begins for a bag that can be ordered, has none that can be paid, and not too often', async t => {
  const free: BeginFacts = { isOpen: true, isOrdered: false, latest: undefined, earlierBegan: undefined }
  const cases: [string, Partial<BeginFacts>, ReturnType<typeof decideBegin>][] = [
    ['nothing is in the way', {}, 'begun'],
    ['its order stands', { isOrdered: true, isOpen: false, latest: { state: 'paid' } }, 'placed'],
    ['it is superseded or gone', { isOpen: false }, 'superseded'],
    ['an earlier bag of its reference is being paid', { heldBy: 'AAAA-0001-1' }, 'held'],
    ['one is being opened', { latest: { state: 'opening' } }, 'live'],
    ['one can be paid', { latest: { state: 'open' } }, 'live'],
    ['the last one came to nothing', { latest: { state: 'ended' } }, 'begun'],
    ['the payment of its order has failed', { latest: { state: 'failed' } }, 'begun'],
    ['the money of the last one goes back', { latest: { state: 'refunding' } }, 'begun'],
    ['twenty have begun within an hour', { earlierBegan: '2026-11-20T11:00:00.001Z' }, 'too-many'],
    ['the first of twenty began an hour ago', { earlierBegan: '2026-11-20T11:00:00.000Z' }, 'begun']
  ]
  for (const [what, facts, decision] of cases) t.equal(decideBegin({ ...free, ...facts }, NOW), decision, what)
  t.strictSame(
    PAYMENT_STATES.filter(state => isLive({ state })),
    ['opening', 'open']
  )
})

/** As it is found in this state: what waits is due, and money for no order has a reason. */
const payment = (state: PaymentState, changes: Partial<Payment> = {}) =>
  ({
    state,
    currency: 'GBP',
    amount: 100,
    refunded: state === 'refunded' ? 100 : 0,
    createdAt: '2026-11-20T11:00:00.000Z',
    ...(['opening', 'open', 'ended'].includes(state) && { order: {} }),
    ...(['opening', 'open', 'pending', 'refunding'].includes(state) && { dueAt: DUE }),
    ...(state === 'refunding' && { reason: 'superseded' }),
    ...changes
  }) as Payment

/** A bag that can be ordered; once there is an order, it is that of the payment. */
const checkoutOf = (state: PaymentState): PaymentCheckout => {
  const isPlaced = ['pending', 'paid', 'failed', 'refunded'].includes(state)
  return {
    isOpen: !isPlaced,
    isOrdered: isPlaced && state !== 'failed',
    isOwnOrder: isPlaced,
    isReplaced: false,
    isNumberTaken: false
  }
}

const next = (before: Payment, event: PaymentEvent, facts: Partial<PaymentCheckout> = {}) =>
  nextPayment(before, event, { ...checkoutOf(before.state), ...facts }, NOW)

const said = (state: ProviderState, changes = {}): PaymentEvent => ({
  type: 'reported',
  facts: { state, providerId: 'cs_1', currency: 'GBP', amount: 100, ...changes }
})

const back = (refunded: number): PaymentEvent => ({ type: 'booked', refundFacts: { refunded } })

t.test('every state, by everything that happens: which follows, what is placed, told and looked at again', async t => {
  const page = { providerId: 'cs_1', url: 'https://pay.example', expiresAt: '' }
  const refund = { before: 0, amount: 10, key: 'k' }
  const events: PaymentEvent[] = [
    { type: 'opened', page },
    { type: 'not-opened' },
    said('open'),
    said('pending'),
    said('paid'),
    said('failed'),
    said('ended'),
    said('paid', { amount: 99 }),
    back(10),
    back(100),
    // Of which more had been sent back, as was known when the provider was asked.
    { type: 'booked', refundFacts: { refunded: 10 }, known: { refunded: 100 } },
    { type: 'refund-begun', refund, dueAt: DUE },
    { type: 'postponed', dueAt: LATER }
  ]
  // `-`: refused. `+`: the order is placed. `!`: the merchant is told. `now`, `due`, `later`: when it is looked at again.
  const table: Record<PaymentState, string[]> = {
    opening: [
      ...['open first', 'ended', 'opening due', 'pending+ now', 'paid+', 'ended', 'ended', 'refunding now'],
      ...['-', '-', '-', '-', 'opening later']
    ],
    open: [
      ...['-', '-', 'open due', 'pending+ now', 'paid+', 'ended', 'ended', 'refunding now'],
      ...['-', '-', '-', '-', 'open later']
    ],
    ended: [
      ...['-', '-', 'ended', 'pending+ now', 'paid+', 'ended', 'ended', 'refunding now'],
      ...['-', '-', '-', '-', 'ended']
    ],
    pending: [
      ...['-', '-', 'pending due', 'pending due', 'paid!', 'failed!', 'pending due', 'pending due'],
      ...['-', '-', '-', '-', 'pending later']
    ],
    paid: [
      ...['-', '-', 'paid', 'paid', 'paid', 'paid', 'paid', 'paid'],
      ...['paid!', 'refunded!', 'paid!', 'paid due', 'paid']
    ],
    failed: [
      ...['-', '-', 'failed', 'failed', 'paid!', 'failed', 'failed', 'failed'],
      ...['-', '-', '-', '-', 'failed']
    ],
    refunding: [
      ...['-', '-', 'refunding due', 'refunding due', 'refunding due', 'ended', 'ended', 'refunding due'],
      ...['refunding due', 'refunded', 'refunding due', '-', 'refunding later']
    ],
    refunded: [
      ...['-', '-', 'refunded', 'refunded', 'refunded', 'refunded', 'refunded', 'refunded'],
      ...['refunded', 'refunded', 'paid!', '-', 'refunded']
    ]
  }
  const dues = new Map([
    [NOW, 'now'],
    [DUE, 'due'],
    [LATER, 'later'],
    ['2026-11-20T11:01:00.000Z', 'first']
  ])
  const shown = (after: ReturnType<typeof next>) => {
    if (after === 'refused') return '-'
    const { state, dueAt } = after.payment
    const when = dueAt === undefined ? '' : ` ${dues.get(dueAt)}`
    return `${state}${after.isPlaced ? '+' : ''}${'!'.repeat(after.messages.length)}${when}`
  }
  t.strictSame(Object.keys(table).sort(), PAYMENT_STATES.toSorted())
  for (const before of PAYMENT_STATES) {
    for (const [n, event] of events.entries()) {
      t.equal(shown(next(payment(before), event)), table[before][n], `${before}: ${JSON.stringify(event)}`)
    }
  }
})

t.test('money that is for no order goes back, and the first reason is told', async t => {
  const cases: [reason: string | undefined, PaymentState, Partial<PaymentCheckout>, Partial<Payment>?][] = [
    ['amount-differs', 'open', { isOrdered: true }, { amount: 99 }],
    ['amount-differs', 'open', {}, { currency: 'USD' }],
    ['ordered-twice', 'open', { isOrdered: true, isOpen: false, isReplaced: true }],
    ['replaced', 'ended', { isReplaced: true, isOpen: false }, { order: undefined }],
    [undefined, 'open', { isReplaced: true }],
    ['checkout-gone', 'open', { isOpen: false }, { order: undefined }],
    ['superseded', 'open', { isOpen: false }],
    ['number-taken', 'open', { isNumberTaken: true }],
    ['replaced', 'pending', { isOwnOrder: false }],
    ['replaced', 'failed', { isOwnOrder: false }],
    [undefined, 'failed', { isOwnOrder: true }]
  ]
  for (const [why, before, facts, changes] of cases) {
    const after = next(payment(before, changes), said('paid'), facts) as Transition
    const { reason, state, dueAt } = after.payment
    const expected = [why, why ? 'refunding' : 'paid', why ? NOW : undefined]
    t.strictSame([reason, state, dueAt], expected, `${before}, ${why}`)
    if (why) t.match([after.isPlaced, after.messages], [false, []])
  }
  const refunding = payment('refunding')
  t.match(next(refunding, said('failed')), { payment: { reason: undefined } }, 'what never came need not go back')
  t.match(next(refunding, said('paid')), { payment: { reason: 'superseded' } })
  const refunded = payment('refunded', { reason: 'superseded' })
  const again = next(refunded, { type: 'booked', refundFacts: { refunded: 0 }, known: { refunded: 100 } })
  t.match(again, { payment: { state: 'refunding', dueAt: NOW }, messages: [] }, 'its refund has failed')
})

t.test('another amount pays no order that is placed already', async t => {
  for (const before of ['pending', 'failed'] as const) {
    for (const changes of [{ amount: 99 }, { currency: 'USD' }]) {
      t.match(next(payment(before, changes), said('paid')), { payment: { state: before }, messages: [] })
    }
  }
})

t.test('what the merchant is told of an order', async t => {
  const cases: [Payment, PaymentEvent, string[]][] = [
    [payment('pending'), said('paid'), ['order.paid']],
    [payment('pending'), said('failed'), ['order.payment-failed']],
    [payment('paid'), back(10), ['order.refunded']],
    [payment('paid'), { type: 'booked', refundFacts: { dispute: 'open' } }, ['order.disputed']],
    [
      payment('paid'),
      { type: 'booked', refundFacts: { refunded: 100, dispute: 'lost' } },
      ['order.refunded', 'order.disputed']
    ],
    [payment('refunding'), back(100), []]
  ]
  for (const [before, event, messages] of cases) t.strictSame((next(before, event) as Transition).messages, messages)
  t.equal(orderPaymentStatus('paid', false), 'paid')
  t.equal(orderPaymentStatus('refunding', true), 'failed')
})

t.test('a refund is begun once the last one is finished, and from what the books say', async t => {
  const begin = (changes: Partial<Payment>) =>
    next(payment('paid', changes), { type: 'refund-begun', refund: { before: 10, amount: 5, key: 'k' }, dueAt: DUE })
  t.equal(begin({ refunded: 0 }), 'refused')
  t.equal(begin({ refunded: 10, refund: { before: 10, amount: 1, key: 'other' } }), 'refused')
  const { payment: begun } = begin({ refunded: 10 }) as Transition
  t.match(begun, { refund: { key: 'k' }, dueAt: DUE })
  const book = (closes?: string) =>
    next(begun, { type: 'booked', refundFacts: { refunded: 15 }, ...(closes !== undefined && { closes }) })
  for (const other of [book(), book('other')]) t.match(other, { payment: { refund: { key: 'k' }, dueAt: DUE } })
  t.match(book('k'), { payment: { refunded: 15, refund: undefined, dueAt: undefined } })
})

t.test('what the provider says of a payment is kept with it', async t => {
  const voucher = 'https://pay.example/voucher'
  const facts = { providerId: 'cs_2', transactionId: 'pi_1', instructionsUrl: voucher }
  const after = (state: ProviderState, before: Payment) => (next(before, said(state, facts)) as Transition).payment
  const pending = after('pending', payment('open', { providerId: 'cs_1' }))
  t.match(pending, { providerId: 'cs_1', transactionId: 'pi_1', instructionsUrl: voucher, order: undefined })
  t.match(next(pending, said('pending')), { payment: { transactionId: 'pi_1', instructionsUrl: voucher } })
  t.match(after('paid', pending), { instructionsUrl: undefined })
  t.match(after('open', payment('opening')), { providerId: 'cs_2', instructionsUrl: undefined, order: {} })
})

t.test('who has come back from the page has left it, until somebody presses the button', async t => {
  t.strictSame(
    [{}, { returnedAt: NOW }, { returnedAt: NOW, pressedAt: LATER }].map(looks => isLeft(payment('open', looks))),
    [false, true, false]
  )
})
