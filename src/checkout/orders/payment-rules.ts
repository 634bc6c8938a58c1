// The rules of payment: what begins, which state follows which, when an order is placed, and when money goes back. Pure: the
// store reads the facts under its locks, asks here, and writes what is answered.
import { isDeepStrictEqual } from 'node:util'
import type { ProviderState } from '../../integrations/payment/provider.ts'
import type { Order } from './order.ts'
import {
  LIVE_STATES,
  type NewPayment,
  type OrderEvent,
  type Payment,
  type PaymentEvent,
  type PaymentState,
  type RefundReason,
  type ReportedFacts,
  WAITING_STATES
} from './payment.ts'
import type { PendingOrder } from './place-order.ts'
import { booksAfter, PAID_STATES } from './refund-rules.ts'

/** How many payments of one checkout may get a page within a time, in milliseconds: each costs a session at the provider. */
export const MAX_ATTEMPTS = 20
const ATTEMPTS_WITHIN = 60 * 60 * 1000

/** How soon the sweep asks for an open payment, in milliseconds; then after half of its age. */
const FIRST_LOOK = 60_000
const LAST_LOOK = 6 * 60 * 60 * 1000
/** How far ahead a payment may be due, in milliseconds: longer than from one look of the sweep to the next. */
export const LONGEST_WAIT = 7 * 60 * 60 * 1000

/** What there is of a checkout that is to be ordered. */
export type CheckoutFacts = {
  /** Whether it can be ordered: neither superseded nor deleted. */
  isOpen: boolean
  /** Whether it has an order that stands: one whose payment has failed does not. */
  isOrdered: boolean
  /** The payment of an earlier cart of its reference that can be paid, if there is one. */
  heldBy?: string
}

/** Why a checkout cannot be ordered; undefined if it can. */
export function whyNotOrdered({ isOpen, isOrdered, heldBy }: CheckoutFacts) {
  if (isOrdered) return 'placed'
  if (heldBy !== undefined) return 'held'
  return isOpen ? undefined : 'superseded'
}

export type BeginFacts = CheckoutFacts & {
  latest: Pick<Payment, 'state'> | undefined
  /** When the first of the last `MAX_ATTEMPTS` that got a page began, if there are as many. */
  earlierBegan: string | undefined
}

export type BeginDecision = 'placed' | 'held' | 'superseded' | 'live' | 'too-many' | 'begun'

export function decideBegin(facts: BeginFacts, now: string): BeginDecision {
  const { latest, earlierBegan } = facts
  const obstacle = whyNotOrdered(facts)
  if (obstacle) return obstacle
  if (latest && isLive(latest)) return 'live'
  return isLastAttempt(earlierBegan, now) ? 'too-many' : 'begun'
}

/** Whether no further attempt may begin now. */
export function isLastAttempt(earlierBegan: string | undefined, now: string): boolean {
  return earlierBegan !== undefined && Date.parse(now) - Date.parse(earlierBegan) < ATTEMPTS_WITHIN
}

/** The payment that begins. @param failedNumber the number of the checkout's order, if it has one: that keeps it */
export function newAttempt(given: NewPayment, latest: Payment | undefined, failedNumber: string | undefined): Payment {
  const { order, secret, provider, createdAt, expiresAt, dueAt } = given
  const { merchantId, token, reference, currency, total } = order
  const known = latest?.orderNumber === failedNumber ? undefined : latest?.orderNumber
  const number = known ?? order.number
  const attempt = (latest?.attempt ?? 0) + 1
  return {
    id: `${number}-${attempt}`,
    attempt,
    secret,
    merchantId,
    token,
    reference,
    orderNumber: number,
    currency,
    amount: total,
    provider,
    order: { ...order, number },
    state: 'opening',
    refunded: 0,
    createdAt,
    expiresAt,
    dueAt
  }
}

/** When the sweep asks for an open or pending payment again. */
export function nextPoll({ createdAt }: Payment, now: Date): string {
  const age = now.getTime() - Date.parse(createdAt)
  return new Date(now.getTime() + Math.min(Math.max(age / 2, FIRST_LOOK), LAST_LOOK)).toISOString()
}

/** Whether it can be paid, or is about to be. */
export function isLive({ state }: Pick<Payment, 'state'>): boolean {
  return LIVE_STATES.includes(state)
}

/** Whether a payment is for the same lines at the same prices, sent to the same place. */
export function isSameOrder({ order }: Payment, frozen: PendingOrder): boolean {
  const contentOf = ({ number, placedAt, ...content }: Partial<Order>) => JSON.parse(JSON.stringify(content))
  return order !== undefined && isDeepStrictEqual(contentOf(order), contentOf(frozen))
}

export function isSameBag({ order }: Payment, { lines, currency }: PendingOrder): boolean {
  const contentOf = ({ sku, quantity }: Order['lines'][number]) => [sku, quantity]
  return isDeepStrictEqual([order?.currency, order?.lines.map(contentOf)], [currency, lines.map(contentOf)])
}

/** Whether its shopper has come back from its page, and nobody has pressed the button since. */
export function isLeft({ returnedAt = '', pressedAt = '' }: Payment): boolean {
  return returnedAt > pressedAt
}

/**
 * What moves a payment: its page, what the provider says, and where its money is. `misdirected`: money that is for no order has
 * come, or come again. `sent-back`: all of it. `returned`: money of an order that had been sent back is there again.
 */
type Move = 'opened' | 'not-opened' | ProviderState | 'misdirected' | 'sent-back' | 'returned'

/** Which state follows which. A move that is not listed changes none. */
const NEXT: Record<PaymentState, Partial<Record<Move, PaymentState>>> = {
  opening: {
    opened: 'open',
    'not-opened': 'ended',
    pending: 'pending',
    paid: 'paid',
    misdirected: 'refunding',
    failed: 'ended',
    ended: 'ended'
  },
  open: { pending: 'pending', paid: 'paid', misdirected: 'refunding', failed: 'ended', ended: 'ended' },
  ended: { pending: 'pending', paid: 'paid', misdirected: 'refunding' },
  pending: { paid: 'paid', misdirected: 'refunding', failed: 'failed' },
  paid: { 'sent-back': 'refunded' },
  failed: { paid: 'paid', misdirected: 'refunding' },
  refunding: { failed: 'ended', ended: 'ended', 'sent-back': 'refunded' },
  refunded: { returned: 'paid', misdirected: 'refunding' }
}

/** What there is of a payment's checkout when something happens to it. */
export type PaymentCheckout = Pick<CheckoutFacts, 'isOpen' | 'isOrdered'> & {
  /** Whether the order of its checkout was placed by this payment, and by no later one since. */
  isOwnOrder: boolean
  /** Whether a later attempt has begun. */
  isReplaced: boolean
  isNumberTaken: boolean
}

export type Transition = {
  /** As it is afterwards. */
  payment: Payment
  /** Whether the frozen order is placed. */
  isPlaced: boolean
  /** What the merchant is told of an order that was placed before. */
  messages: OrderEvent[]
}

/** What becomes of a payment by what happens to it. @returns `refused` if nothing does */
export function nextPayment(
  before: Payment,
  event: PaymentEvent,
  checkout: PaymentCheckout,
  now: string
): Transition | 'refused' {
  const next = NEXT[before.state]
  switch (event.type) {
    case 'opened': {
      const dueAt = nextPoll(before, new Date(before.createdAt))
      return next.opened ? changed({ ...before, ...event.page, state: next.opened, dueAt }) : 'refused'
    }
    case 'not-opened':
      return next['not-opened'] ? changed({ ...before, state: next['not-opened'] }) : 'refused'
    case 'postponed':
      return changed({ ...before, dueAt: event.dueAt })
    case 'reported':
      return afterReport(before, event.facts, checkout, now)
    case 'refund-begun': {
      const { refund, dueAt } = event
      const isFree = before.state === 'paid' && !before.reason && !before.refund && before.refunded === refund.before
      return isFree ? changed({ ...before, refund, dueAt }) : 'refused'
    }
    case 'booked':
      return PAID_STATES.includes(before.state) ? afterBooking(before, event, now) : 'refused'
  }
}

function changed(payment: Payment, isPlaced = false, messages: OrderEvent[] = []): Transition {
  const isWaiting = WAITING_STATES.includes(payment.state) || payment.refund !== undefined
  return { payment: { ...payment, dueAt: isWaiting ? payment.dueAt : undefined }, isPlaced, messages }
}

const PLACED: PaymentState[] = ['pending', 'paid', 'failed']

function afterReport(before: Payment, said: ReportedFacts, checkout: PaymentCheckout, now: string): Transition {
  const isFollowUp = PLACED.includes(before.state)
  const isSame = said.amount === before.amount && said.currency === before.currency
  // Another amount does not pay an order that is placed already.
  const isNoPayment = isFollowUp && said.state === 'paid' && !isSame
  const next = isNoPayment ? undefined : NEXT[before.state][said.state]
  const isMoney = next === 'pending' || next === 'paid'
  const reason = isMoney ? whyRefunded(before, isSame, checkout) : undefined
  const state = (reason ? NEXT[before.state].misdirected : next) ?? before.state
  const isPlaced = isMoney && !isFollowUp && !reason
  const payment: Payment = {
    ...before,
    state,
    reason: next ? reason : before.reason,
    order: isPlaced ? undefined : before.order,
    providerId: before.providerId ?? said.providerId,
    transactionId: said.transactionId ?? before.transactionId,
    instructionsUrl: state === 'pending' ? (said.instructionsUrl ?? before.instructionsUrl) : undefined,
    dueAt: next ? now : before.dueAt
  }
  const isTold = next && isFollowUp && !reason
  return changed(payment, isPlaced, isTold ? [state === 'paid' ? 'order.paid' : 'order.payment-failed'] : [])
}

function afterBooking(
  before: Payment,
  { refundFacts, known, closes }: Extract<PaymentEvent, { type: 'booked' }>,
  now: string
): Transition {
  const { refunded, dispute } = booksAfter(before, refundFacts, known)
  const move = refunded >= before.amount ? 'sent-back' : before.reason ? 'misdirected' : 'returned'
  const state = NEXT[before.state][move] ?? before.state
  const payment: Payment = {
    ...before,
    state,
    refunded,
    dispute,
    refund: before.refund?.key === closes ? undefined : before.refund,
    // Its refund has failed.
    dueAt: state === 'refunding' && before.state === 'refunded' ? now : before.dueAt
  }
  if (before.reason) return changed(payment)
  return changed(payment, false, [
    ...(refunded === before.refunded ? [] : (['order.refunded'] as const)),
    ...(dispute === before.dispute ? [] : (['order.disputed'] as const))
  ])
}

/** Why money that has come, or is on its way, is for no order. */
function whyRefunded(
  { state, order }: Payment,
  isSame: boolean,
  { isOpen, isOrdered, isOwnOrder, isReplaced, isNumberTaken }: PaymentCheckout
): RefundReason | undefined {
  if (PLACED.includes(state)) return isOwnOrder ? undefined : 'replaced'
  if (!isSame) return 'amount-differs'
  if (isOrdered) return 'ordered-twice'
  // Somebody else may have begun the later one.
  if (state === 'ended' && isReplaced) return 'replaced'
  if (!order) return 'checkout-gone'
  if (!isOpen) return 'superseded'
  return isNumberTaken ? 'number-taken' : undefined
}
