// The payment of an order: what is kept of it, and the store interface. An order that has to be paid first is frozen in a payment,
// and becomes an order once the provider says that it is paid, or that the money is on its way.
import type { DisputeState, PaymentFacts } from '../../integrations/payment/provider.ts'
import type { Order, OrderPayment } from './order.ts'

/**
 * `opening`: frozen, and the provider is being asked for a page. `open`: the shopper may pay there. `ended`: nothing was paid, and
 * nothing can be any more. `pending`, `paid`, `failed`: its order is placed, and the money on its way, there, or will not come.
 * `refunding`: money that is for no order, to be sent back; `refunded`: it was, or all of a placed order's was.
 */
export const PAYMENT_STATES = [
  'opening',
  'open',
  'ended',
  'pending',
  'paid',
  'failed',
  'refunding',
  'refunded'
] as const
export type PaymentState = (typeof PAYMENT_STATES)[number]
/** In which it can be paid, or is about to be. */
export const LIVE_STATES: PaymentState[] = ['opening', 'open']
/** In which the provider has to be asked, sooner or later. */
export const WAITING_STATES: PaymentState[] = [...LIVE_STATES, 'pending', 'refunding']

/** Why money was sent back without an order. `replaced`: a later attempt had begun, maybe somebody else's. */
export type RefundReason =
  | 'amount-differs'
  | 'superseded'
  | 'ordered-twice'
  | 'replaced'
  | 'checkout-gone'
  | 'number-taken'

/** One attempt to have an order paid. Times are UTC, ISO 8601; amounts are integers in minor units. */
export type Payment = {
  /** `{orderNumber}-{attempt}`, as in `7KQM-3XH9-1`. */
  id: string
  attempt: number
  /** In the addresses by which its shopper comes back, and nowhere else: proof of having begun it. Its order gets it too. */
  secret: string
  merchantId: string
  token: string
  reference: string
  orderNumber: string
  currency: string
  amount: number
  provider: string
  /** The order as it was frozen; absent once it is placed, its personal data erased, or, after it ended, another attempt begun. */
  order?: Order | undefined
  /** The provider's name for it and its page; absent while it is opened. */
  providerId?: string
  url?: string
  transactionId?: string | undefined
  instructionsUrl?: string | undefined
  state: PaymentState
  reason?: RefundReason | undefined
  /** What has been sent back. */
  refunded: number
  /** What is being sent back. */
  refund?: OpenRefund | undefined
  dispute?: DisputeState | undefined
  createdAt: string
  /** Until when it can be paid. */
  expiresAt: string
  /** When the sweep looks at it, if there is anything to wait for. */
  dueAt?: string | undefined
  /** When the provider was last asked because its shopper came back, or because somebody pressed the button. */
  returnedAt?: string
  pressedAt?: string
}

/** Names a payment; its merchant and reference say in whose turn the store works on it. */
export type PaymentKey = Pick<Payment, 'id' | 'merchantId' | 'token' | 'reference'>

/**
 * A part of an order's payment, written down before the provider is asked to send it back. It is finished before another is
 * begun. `before`: what had been sent back before. `key`: of idempotency, for whoever finishes it.
 */
export type OpenRefund = { before: number; amount: number; key: string }

/** What happens to a payment, and what is said of it. */
export type PaymentEvent =
  /** The provider has opened a page for it. */
  | { type: 'opened'; page: { providerId: string; url: string; expiresAt: string } }
  /** It has no page, and the provider knows nothing of it that could be paid. */
  | { type: 'not-opened' }
  /** The sweep has looked, and will again. */
  | { type: 'postponed'; dueAt: string }
  /** What the provider says of it. */
  | { type: 'reported'; facts: ReportedFacts }
  /** A refund of an order is to be made; refused if one is open, or if more or less has been sent back by now than `before`. */
  | { type: 'refund-begun'; refund: OpenRefund; dueAt: string }
  /**
   * What the provider says has gone back. `known`: the books when it was asked. `closes`: the key of the open refund that is
   * finished.
   */
  | { type: 'booked'; refundFacts: RefundFacts; known?: RefundFacts; closes?: string }

export type ReportedFacts = Pick<
  PaymentFacts,
  'state' | 'providerId' | 'currency' | 'amount' | 'transactionId' | 'instructionsUrl'
>

/** What the merchant is told of an order after it was placed. */
export type OrderEvent = 'order.paid' | 'order.payment-failed' | 'order.refunded' | 'order.disputed'

/** What has been sent back in all, as the books count it, and the chargeback; what is absent is as before. */
export type RefundFacts = Partial<Record<'refunded', number | undefined> & Record<'dispute', DisputeState | undefined>>

/** The number of the order that was placed with a payment, if one was and its payment has not failed. */
export function standingNumber(payment: Payment): string | undefined {
  return payment.state === 'failed' ? undefined : placedNumber(payment)
}

/** The number of the order that was placed with a payment, if one was. */
export function placedNumber({ state, reason, orderNumber }: Payment): string | undefined {
  return reason === undefined && state !== 'ended' && !LIVE_STATES.includes(state) ? orderNumber : undefined
}

/** What an order's payment is for the order. @param hasReason whether its money came too late for it */
export function orderPaymentStatus(state: PaymentState, hasReason: boolean): OrderPayment['status'] {
  return hasReason ? 'failed' : (state as OrderPayment['status'])
}

/** The number is the one that the order had in an earlier attempt, if there was one, and that is not of a failed order. */
export type NewPayment = Pick<Payment, 'secret' | 'provider' | 'createdAt' | 'expiresAt'> & {
  order: Order
  dueAt: string
}

export type BegunPayment =
  /**
   * `begun`: a new attempt. `live`: the checkout has one that is opening or open, whatever is in it; `isLast` if no other may
   * take its place yet. `held`: an earlier cart of the reference has one, and goes first.
   */
  | { outcome: 'begun'; payment: Payment }
  | { outcome: 'held'; payment: Payment }
  | { outcome: 'live'; payment: Payment; isLast: boolean }
  | { outcome: 'placed'; order: Order }
  | { outcome: 'superseded' }
  | { outcome: 'number-taken' }
  | { outcome: 'too-many' }

/** As it was, and as it is. `order`: the one of this payment, if it has one; `isPlaced`: it has just been placed. */
export type ChangedPayment = {
  before: Payment
  payment: Payment
  order?: Order | undefined
  isPlaced: boolean
  isRefused: boolean
}

/** Why the provider is asked: a shopper comes back from paying, whom nobody else holds up, or somebody presses the button. */
export type Look = 'return' | 'press'

/** `isClosed`: its bag cannot be ordered any more: it has been superseded, or ordered. */
export type LeasedPayment = { payment: Payment; isClosed: boolean }

/** Numbers are upper case. */
export type PaymentFilter = Partial<Record<'merchantId' | 'orderNumber' | 'reference' | 'state', string | undefined>>

export type PaymentStore = {
  /**
   * Freezes an order in a new payment, unless `decideBegin` says otherwise, and erases what the ended ones of its checkout had
   * frozen. Resolves once it is on disk.
   */
  beginPayment: (payment: NewPayment) => Promise<BegunPayment>
  /**
   * Changes a payment as `nextPayment` decides, with its order. What places an order or changes its payment adds messages to the
   * outbox if `notifiesWebhook`. Resolves once it is on disk.
   */
  changePayment: (
    payment: PaymentKey,
    event: PaymentEvent,
    now: string,
    options?: { notifiesWebhook?: boolean }
  ) => Promise<ChangedPayment>
  /** The latest attempt of a checkout. */
  latestPayment: (merchantId: string, token: string) => Promise<Payment | undefined>
  findPayment: (merchantId: string, id: string) => Promise<Payment | undefined>
  /** The attempt at a checkout that has this secret. */
  findAttempt: (merchantId: string, token: string, secret: string) => Promise<Payment | undefined>
  /** @returns whether the provider may be asked now: for this kind of look it was not since a time */
  claimRefresh: (payment: PaymentKey, look: Look, now: string, since: string) => Promise<boolean>
  /** Leases the merchant's payment that is longest due until a time. */
  leasePayment: (merchantId: string, now: string, until: string) => Promise<LeasedPayment | undefined>
  /** Up to `limit` payments, latest first. Every condition has to be met. */
  paymentsOf: (by: PaymentFilter, limit: number) => Promise<Payment[]>
  /** Erases what shoppers typed from up to `limit` payments without an order that ended before a time. @returns how many */
  erasePayments: (merchantId: string, before: string, limit: number) => Promise<number>
  countPayments: () => Promise<PaymentCount[]>
}

/** `since`: when the longest of them began. Only states that somebody waits for: opening, open, pending, refunding. */
export type PaymentCount = { merchantId: string; state: PaymentState; payments: number; since: string }
