// The rules of payment: which state follows which, when an order is placed, and when money goes back. Pure: both stores read the
// facts under their locks, and run what is decided here.
import type { PaymentFacts, ProviderState } from '../../integrations/payment/provider.ts'
import type { Payment, PaymentState, RefundReason } from './payment.ts'

/** How many payments of one checkout may get a page within a time, in milliseconds: each costs a session at the provider. */
export const MAX_ATTEMPTS = 20
const ATTEMPTS_WITHIN = 60 * 60 * 1000

/** What there is of a checkout whose payment is to begin. */
export type BeginFacts = {
  /** Whether it can be ordered: neither superseded nor deleted. */
  isOpen: boolean
  /** Whether it has an order that stands: one whose payment has failed does not. */
  isOrdered: boolean
  /** Whether an earlier cart of its reference is being paid. */
  isHeld: boolean
  latest: Pick<Payment, 'state'> | undefined
  /** When the first of the last `MAX_ATTEMPTS` that got a page began, if there are as many. */
  earlierBegan: string | undefined
}

export type BeginDecision = 'placed' | 'held' | 'superseded' | 'live' | 'too-many' | 'begun'

export function decideBegin(facts: BeginFacts, now: string): BeginDecision {
  const { isOpen, isOrdered, isHeld, latest, earlierBegan } = facts
  if (isOrdered) return 'placed'
  if (isHeld) return 'held'
  if (!isOpen) return 'superseded'
  if (latest && isLive(latest)) return 'live'
  return isLastAttempt(earlierBegan, now) ? 'too-many' : 'begun'
}

/** Whether no further attempt may begin now. */
export function isLastAttempt(earlierBegan: string | undefined, now: string): boolean {
  return earlierBegan !== undefined && Date.parse(now) - Date.parse(earlierBegan) < ATTEMPTS_WITHIN
}

/** How far ahead a payment may be due, in milliseconds: longer than from one look of the sweep to the next. */
export const LONGEST_WAIT = 7 * 60 * 60 * 1000

/** Whether it can be paid, or is about to be. */
export function isLive({ state }: Pick<Payment, 'state'>): boolean {
  return state === 'opening' || state === 'open'
}

/** What there is of a payment's checkout when the provider says something of it. */
export type SettleFacts = {
  isOpen: boolean
  /** Whether its checkout has an order that stands: one whose payment has failed does not. */
  isOrdered: boolean
  /** Whether the order of its checkout was placed by this payment, and by no later one since. */
  isOwnOrder: boolean
  /** Whether a later attempt has begun. */
  isReplaced: boolean
  isNumberTaken: boolean
}

export type SettleDecision = {
  state: PaymentState
  reason: RefundReason | undefined
  /** Whether anything becomes known. */
  isNew: boolean
  /** Whether the frozen order is placed. */
  isPlaced: boolean
  /** Of an order that was placed before. */
  event: 'order.paid' | 'order.payment-failed' | undefined
  /** Whether the provider has to be asked again, or money sent back. */
  isDue: boolean
}

/** What a payment becomes by what the provider says; what is not listed changes nothing. */
const BEFORE_ORDER = { pending: 'pending', paid: 'paid', failed: 'ended', ended: 'ended' } as const
const CHANGES: Partial<Record<PaymentState, Partial<Record<ProviderState, PaymentState>>>> = {
  opening: BEFORE_ORDER,
  open: BEFORE_ORDER,
  ended: { pending: 'pending', paid: 'paid' },
  pending: { paid: 'paid', failed: 'failed' },
  failed: { paid: 'paid' },
  refunding: { failed: 'ended', ended: 'ended' }
}
const PLACED: PaymentState[] = ['pending', 'paid', 'failed']

export function decideSettle(
  before: Payment,
  said: Pick<PaymentFacts, 'state' | 'amount' | 'currency'>,
  checkout: SettleFacts
): SettleDecision {
  const isFollowUp = PLACED.includes(before.state)
  const isSame = said.amount === before.amount && said.currency === before.currency
  // Another amount does not pay an order that is placed already.
  const isNoPayment = isFollowUp && said.state === 'paid' && !isSame
  const next = isNoPayment ? before.state : (CHANGES[before.state]?.[said.state] ?? before.state)
  const isNew = next !== before.state
  const isMoney = isNew && (next === 'pending' || next === 'paid')
  const reason = isMoney ? whyRefunded(before, isSame, checkout) : undefined
  const state = reason ? 'refunding' : next
  const isEvent = isNew && isFollowUp && reason === undefined
  return {
    state,
    reason: isNew ? reason : before.reason,
    isNew,
    isPlaced: isMoney && !isFollowUp && reason === undefined,
    event: isEvent ? (state === 'paid' ? 'order.paid' : 'order.payment-failed') : undefined,
    // Nothing is left to ask about the others.
    isDue: state === 'refunding' || state === 'pending'
  }
}

/** Why money that has come, or is on its way, is for no order. */
function whyRefunded(
  { state, order }: Payment,
  isSame: boolean,
  { isOpen, isOrdered, isOwnOrder, isReplaced, isNumberTaken }: SettleFacts
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
