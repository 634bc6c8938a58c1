// The payment of an order: what is kept of it, and the store interface. An order that has to be paid first is frozen in a payment,
// and becomes an order once the provider says that it is paid, or that the money is on its way.
import type { DisputeState, PaymentFacts } from '../../integrations/payment/provider.ts'
import type { Order } from './order.ts'

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
  /** In the addresses by which its shopper comes back, and nowhere else: proof of having begun it. */
  secret: string
  merchantId: string
  token: string
  reference: string
  orderNumber: string
  currency: string
  amount: number
  provider: string
  /** The order as it was frozen; absent once it is placed, its personal data erased, or, after it ended, another attempt begun. */
  order?: Order
  /** The provider's name for it and its page; absent while it is opened. */
  providerId?: string
  url?: string
  transactionId?: string
  instructionsUrl?: string
  state: PaymentState
  reason?: RefundReason
  /** What has been sent back. */
  refunded: number
  /** What is being sent back. */
  refund?: OpenRefund
  dispute?: DisputeState
  createdAt: string
  /** Until when it can be paid. */
  expiresAt: string
}

/** Names a payment; its merchant and reference say in whose turn the store works on it. */
export type PaymentKey = Pick<Payment, 'id' | 'merchantId' | 'token' | 'reference'>

/**
 * A part of an order's payment, written down before the provider is asked to send it back. It is finished before another is
 * begun. `before`: what had been sent back before. `key`: of idempotency, for whoever finishes it.
 */
export type OpenRefund = { before: number; amount: number; key: string }

/** What has been sent back in all, as the books count it, and the chargeback; what is absent is as before. */
export type SentBack = Partial<Record<'refunded', number | undefined> & Record<'dispute', DisputeState | undefined>>

/** The number of the order that was placed with a payment, if one was and its payment has not failed. */
export function standingNumber(payment: Payment): string | undefined {
  return payment.state === 'failed' ? undefined : placedNumber(payment)
}

/** The number of the order that was placed with a payment, if one was. */
export function placedNumber({ state, reason, orderNumber }: Payment): string | undefined {
  return reason === undefined && !['opening', 'open', 'ended'].includes(state) ? orderNumber : undefined
}

/** The number is the one that the order had in an earlier attempt, if there was one, and that is not of a failed order. */
export type NewPayment = Pick<Payment, 'secret' | 'provider' | 'createdAt' | 'expiresAt'> & {
  order: Order
  dueAt: string
}

export type BegunPayment =
  /**
   * `begun`: a new attempt. `live`: the checkout has one that is opening or open, whatever is in it; `isLast` if no other may
   * take its place yet. `held`: an earlier cart of the reference has one, and goes first; `isLeft` if its shopper has come back
   * from its page, and nobody has pressed the button since.
   */
  | { outcome: 'begun'; payment: Payment }
  | { outcome: 'held'; payment: Payment; isLeft: boolean }
  | { outcome: 'live'; payment: Payment; isLast: boolean }
  | { outcome: 'placed'; order: Order }
  | { outcome: 'superseded' }
  | { outcome: 'number-taken' }
  | { outcome: 'too-many' }

/** `isNew`: this call has changed what is known; `isPlaced`: it has placed the order. The order is the one of this payment, if it has one. */
export type SettledPayment = { payment: Payment; order?: Order; isNew: boolean; isPlaced: boolean }

/** Why the provider is asked: a shopper comes back from paying, whom nobody else holds up, or somebody presses the button. */
export type Look = 'return' | 'press'

/** `isClosed`: its bag has been superseded, or ordered. */
export type LeasedPayment = { payment: Payment; isClosed: boolean }

/** Numbers are upper case. */
export type PaymentFilter = Partial<Record<'merchantId' | 'orderNumber' | 'reference' | 'state', string | undefined>>

export type PaymentStore = {
  /**
   * Freezes an order in a new payment, unless `decideBegin` says otherwise, and erases what the ended ones of its checkout had
   * frozen. Resolves once it is on disk.
   */
  beginPayment: (payment: NewPayment) => Promise<BegunPayment>
  /** Stores the page of a payment that is opening. @returns false if it is not opening any more */
  paymentOpened: (
    payment: PaymentKey,
    opened: { providerId: string; url: string; expiresAt: string },
    dueAt: string
  ) => Promise<boolean>
  /** The latest attempt of a checkout. */
  latestPayment: (merchantId: string, token: string) => Promise<Payment | undefined>
  findPayment: (merchantId: string, id: string) => Promise<Payment | undefined>
  /** The attempt at a checkout that has this secret. */
  findAttempt: (merchantId: string, token: string, secret: string) => Promise<Payment | undefined>
  /** @returns whether the provider may be asked now: for this kind of look it was not since a time */
  claimLook: (payment: PaymentKey, look: Look, now: string, since: string) => Promise<boolean>
  /**
   * Takes note of what the provider says, as `decideSettle` does. What places an order or changes its payment adds a message to
   * the outbox if `notifiesWebhook`. Resolves once it is on disk.
   */
  settlePayment: (
    payment: PaymentKey,
    facts: Pick<PaymentFacts, 'state' | 'providerId' | 'currency' | 'amount' | 'transactionId' | 'instructionsUrl'>,
    now: string,
    options?: { notifiesWebhook?: boolean }
  ) => Promise<SettledPayment>
  /** Ends a payment that has no page yet, of which the provider knows nothing that could be paid. */
  endOpening: (payment: PaymentKey) => Promise<void>
  /**
   * Opens a refund of an order's payment, unless it has one, or more or less has been sent back by now than `before`. Resolves
   * once it is on disk. @returns false if it was not opened
   */
  openRefund: (payment: PaymentKey, refund: OpenRefund, dueAt: string) => Promise<boolean>
  /**
   * Takes note of what has been sent back, or taken back by the shopper's bank, as `bookedAfter` decides; what changes a placed
   * order's payment adds `order.refunded` or `order.disputed` to the outbox. Resolves once it is on disk.
   * @param options `closes`: the key of the open refund that is finished. @returns the payment as it was, and as it is
   */
  bookRefunds: (
    payment: PaymentKey,
    said: SentBack,
    now: string,
    options?: { notifiesWebhook?: boolean; known?: SentBack; closes?: string }
  ) => Promise<{ before: Payment; payment: Payment }>
  /** Leases the merchant's payment that is longest due until a time. */
  leasePayment: (merchantId: string, now: string, until: string) => Promise<LeasedPayment | undefined>
  /** When to look at it again; never, if undefined. */
  setPaymentDue: (payment: PaymentKey, dueAt: string | undefined) => Promise<void>
  /** Up to `limit` payments, latest first. Every condition has to be met. */
  paymentsOf: (by: PaymentFilter, limit: number) => Promise<Payment[]>
  /** Erases what shoppers typed from up to `limit` payments without an order that ended before a time. @returns how many */
  erasePayments: (merchantId: string, before: string, limit: number) => Promise<number>
  countPayments: () => Promise<PaymentCount[]>
}

/** `since`: when the longest of them began. Only states that somebody waits for: opening, open, pending, refunding. */
export type PaymentCount = { merchantId: string; state: PaymentState; payments: number; since: string }
