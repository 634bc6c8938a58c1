// The rules of payment, as tables: what begins, what follows from what the provider says, and when money goes back.
import t from 'tap'
import { PAYMENT_STATES, type Payment, type PaymentState } from '../../../src/checkout/orders/payment.ts'
import {
  type BeginFacts,
  decideBegin,
  decideSettle,
  isLive,
  type SettleFacts
} from '../../../src/checkout/orders/payment-rules.ts'
import type { ProviderState } from '../../../src/integrations/payment/provider.ts'

const NOW = '2026-11-20T12:00:00.000Z'

t.test('a payment begins for a bag that can be ordered, has none that can be paid, and not too often', async t => {
  const free: BeginFacts = { isOpen: true, isOrdered: false, isHeld: false, latest: undefined, earlierBegan: undefined }
  const cases: [string, Partial<BeginFacts>, ReturnType<typeof decideBegin>][] = [
    ['nothing is in the way', {}, 'begun'],
    ['its order stands', { isOrdered: true, isOpen: false, latest: { state: 'paid' } }, 'placed'],
    ['it is superseded or gone', { isOpen: false }, 'superseded'],
    ['an earlier bag of its reference is being paid', { isHeld: true }, 'held'],
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

const payment = (state: PaymentState) =>
  ({
    state,
    currency: 'GBP',
    amount: 100,
    order: {},
    ...(state === 'refunding' && { reason: 'superseded' })
  }) as Payment

/** A bag that can be ordered; once there is an order, it is that of the payment. */
const checkoutOf = (state: PaymentState): SettleFacts => {
  const isPlaced = ['pending', 'paid', 'failed', 'refunded'].includes(state)
  return {
    isOpen: !isPlaced,
    isOrdered: isPlaced && state !== 'failed',
    isOwnOrder: isPlaced,
    isReplaced: false,
    isNumberTaken: false
  }
}

const decide = (
  before: PaymentState,
  said: ProviderState,
  facts: Partial<SettleFacts> = {},
  changes: Partial<Payment> = {}
) => {
  const is = { state: said, currency: 'GBP', amount: 100 }
  return decideSettle({ ...payment(before), ...changes }, is, { ...checkoutOf(before), ...facts })
}

t.test('which state follows which by what the provider says, and which of them places the order', async t => {
  const ORDER = ['pending', 'paid']
  // Before, then after it says: open, pending, paid, failed, ended. `+` places the order.
  const table: [PaymentState, ...after: string[]][] = [
    ['opening', 'opening', 'pending+', 'paid+', 'ended', 'ended'],
    ['open', 'open', 'pending+', 'paid+', 'ended', 'ended'],
    ['ended', 'ended', 'pending+', 'paid+', 'ended', 'ended'],
    ['pending', 'pending', 'pending', 'paid', 'failed', 'pending'],
    ['paid', 'paid', 'paid', 'paid', 'paid', 'paid'],
    ['failed', 'failed', 'failed', 'paid', 'failed', 'failed'],
    ['refunding', 'refunding', 'refunding', 'refunding', 'ended', 'ended'],
    ['refunded', 'refunded', 'refunded', 'refunded', 'refunded', 'refunded']
  ]
  const said: ProviderState[] = ['open', 'pending', 'paid', 'failed', 'ended']
  t.equal(table.length, PAYMENT_STATES.length)
  for (const [before, ...after] of table) {
    for (const [n, says] of said.entries()) {
      const { state, isNew, isPlaced, event, isDue } = decide(before, says)
      const what = `${before}, then ${says}`
      t.equal(`${state}${isPlaced ? '+' : ''}`, after[n], what)
      t.equal(isNew, state !== before, what)
      t.equal(isDue, state === 'pending' || state === 'refunding', what)
      const follows = isNew && ORDER.concat('failed').includes(before)
      t.equal(event, follows ? (state === 'paid' ? 'order.paid' : 'order.payment-failed') : undefined, what)
    }
  }
})

t.test('money that is for no order goes back, and the first reason is told', async t => {
  const cases: [reason: string | undefined, PaymentState, Partial<SettleFacts>, Partial<Payment>?][] = [
    ['amount-differs', 'open', { isOrdered: true }, { amount: 99 }],
    ['amount-differs', 'open', {}, { currency: 'USD' }],
    ['ordered-twice', 'open', { isOrdered: true, isOpen: false, isReplaced: true }],
    ['replaced', 'ended', { isReplaced: true, isOpen: false }, { order: undefined as never }],
    [undefined, 'open', { isReplaced: true }],
    ['checkout-gone', 'open', { isOpen: false }, { order: undefined as never }],
    ['superseded', 'open', { isOpen: false }],
    ['number-taken', 'open', { isNumberTaken: true }],
    ['replaced', 'failed', { isOwnOrder: false }],
    [undefined, 'failed', { isOwnOrder: true }]
  ]
  for (const [why, before, facts, changes] of cases) {
    const { state, reason, isPlaced, isDue } = decide(before, 'paid', facts, changes)
    t.strictSame([reason, state, isDue], [why, why ? 'refunding' : 'paid', why !== undefined], `${before}, ${why}`)
    if (why) t.notOk(isPlaced)
  }
  t.match(decide('refunding', 'failed'), { state: 'ended', reason: undefined }, 'what never came need not go back')
  t.match(decide('refunding', 'paid'), { state: 'refunding', reason: 'superseded' })
})

t.test('another amount pays no order that is placed already', async t => {
  for (const before of ['pending', 'failed'] as const) {
    for (const changes of [{ amount: 99 }, { currency: 'USD' }]) {
      t.match(decide(before, 'paid', {}, changes), { state: before, isNew: false, event: undefined })
    }
  }
})
