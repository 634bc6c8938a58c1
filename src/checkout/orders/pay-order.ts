// Has an order paid: frozen before the provider hears of it, and placed only when the provider says that it is paid, or that the
// money is on its way. Whoever asks the provider first, a notification, the shopper who comes back or the sweep, settles it;
// whatever stops in between, the same form goes on with the same payment.
import { type PaymentFacts, PaymentFailed, type PaymentRequest } from '../../integrations/payment/provider.ts'
import type { PaymentGateway } from '../../integrations/payment/provider-call.ts'
import type { MerchantContext } from '../../merchant/merchant-context.ts'
import { toDecimal } from '../../money.ts'
import type { Observer } from '../../observer.ts'
import { newAttemptSecret, newOrderNumber, type Order } from './order.ts'
import type { ChangedPayment, Look, Payment, PaymentEvent, PaymentStore } from './payment.ts'
import { isLeft, isLive, isSameBag, isSameOrder } from './payment-rules.ts'
import type { PendingOrder } from './place-order.ts'

/** What payments need of a merchant that has its orders paid: the sweep and the commands have no more. */
export type PayingContext = Pick<MerchantContext<PaymentStore>, 'merchant' | 'store' | 'clock' | 'log' | 'observer'> & {
  gateway: PaymentGateway
}

export type PayOrderResult =
  /** The shopper pays at this address. */
  | { outcome: 'open'; url: string }
  | { outcome: 'placed'; order: Order }
  /** `held`: an earlier cart of the reference is being paid. `too-many`: too many payments have begun within an hour. */
  | { outcome: 'superseded' | 'held' | 'too-many' }

/** How long a payment may be without a page, in milliseconds, and how long its opening may take: more than a call. */
const OPENING = 60_000
const LONGEST_OPENING = 10_000
const PAUSE = 500
/** How often others may come in between. */
const MAX_TRIES = 5

/** How often the provider is asked about a payment for those who come back or press the button, in milliseconds. */
const REFRESH_INTERVAL = 5000

/** Where the shopper comes back to, by addresses of the attempt's own. */
type ReturnUrls = { paid: (payment: Payment) => string; cancelled: (payment: Payment) => string }

/** @throws PaymentFailed if it cannot be paid just now: nothing was charged */
export async function payOrder(
  context: PayingContext,
  frozen: PendingOrder,
  urls: ReturnUrls
): Promise<PayOrderResult> {
  const { merchant, store, gateway, log } = context
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    gateway.checkRoom()
    const now = context.clock()
    const begun = await store.beginPayment({
      order: { ...frozen, number: newOrderNumber() },
      secret: newAttemptSecret(),
      provider: gateway.provider,
      createdAt: now.toISOString(),
      expiresAt: later(now, Number(merchant.payment?.settings.expiresAfterMinutes) * 60_000),
      dueAt: later(now, OPENING)
    })
    if (begun.outcome === 'number-taken') continue
    if (begun.outcome === 'held') {
      const { payment: held } = begun
      // Its shopper has changed the bag, or sent the same one again after it had expired.
      const { payment } =
        isLeft(held) || isSameBag(held, frozen)
          ? await cancelPayment(context, held)
          : await refreshIfDue(context, held, 'press')
      if (isLive(payment)) return { outcome: 'held' }
      continue
    }
    if (!('payment' in begun)) return begun
    const { payment } = begun
    const isSame = isSameOrder(payment, frozen)
    if (payment.url !== undefined && isSame) {
      // It may be paid by now, or have expired.
      const { payment: current, order } = await refreshIfDue(context, payment, 'press')
      if (order) return { outcome: 'placed', order }
      if (current.state === 'open') return { outcome: 'open', url: payment.url }
      continue
    }
    if (!isSame) {
      if (begun.outcome === 'live' && begun.isLast) return { outcome: 'too-many' }
      // Of two that could be paid, the shopper might pay both.
      const { order, payment: current } = await cancelPayment(context, payment)
      if (order) return { outcome: 'placed', order }
      if (current.state === 'open') throw new PaymentFailed('it did not end the earlier payment')
      continue
    }
    if (begun.outcome === 'live' && (await isOpenedMeanwhile(context, payment))) continue
    const url = await openPage(context, payment, urls).catch(async error => {
      // The next try has a key of its own: the provider may answer this one with the same failure for a day.
      await changePayment(context, payment, { type: 'not-opened' })
      throw error
    })
    if (url === undefined) continue
    log.info({ ...about(payment), attempt: payment.attempt }, 'payment opened')
    return { outcome: 'open', url }
  }
  throw new PaymentFailed('other requests keep opening payments for the same bag')
}

/**
 * Waits for another request that may be opening the payment, as a second tap meets the first: a provider may refuse two at once.
 * @throws PaymentFailed if that could not, or if too many wait
 */
async function isOpenedMeanwhile(
  { store, gateway, clock }: PayingContext,
  { merchantId, id, createdAt }: Payment
): Promise<boolean> {
  // A clock may be set back.
  while (Math.abs(clock().getTime() - Date.parse(createdAt)) < LONGEST_OPENING) {
    await gateway.pause(PAUSE)
    const current = await store.findPayment(merchantId, id)
    if (current?.state === 'ended') throw new PaymentFailed('another request has tried, and could not open it')
    if (current?.state !== 'opening') return true
  }
  return false
}

/** @returns the address of the page; undefined if the payment was ended meanwhile */
async function openPage(context: PayingContext, payment: Payment, urls: ReturnUrls): Promise<string | undefined> {
  const { gateway } = context
  const opened = await gateway.open(requestFor(payment, payment.order as Order, urls))
  // Without what no header may hold.
  const { protocol, host, href: url } = new URL(opened.url)
  const origin = `${protocol}//${host}`
  // The Content-Security-Policy of the form names these alone, and a browser would not go anywhere else.
  if (!gateway.pageOrigins.includes(origin)) throw new PaymentFailed(`its page is at ${origin}, which is not expected`)
  const { providerId } = opened
  const page = { providerId, url, expiresAt: opened.expiresAt.toISOString() }
  const { payment: current } = await changePayment(context, payment, { type: 'opened', page })
  // Sent twice at once, the form has opened one page.
  if (current.state === 'open') return url
  await gateway.cancel(providerId)
  return undefined
}

function requestFor(payment: Payment, order: Order, urls: ReturnUrls): PaymentRequest {
  const { id, merchantId, orderNumber, reference, currency, amount, expiresAt } = payment
  const { lines, delivery, customer, language } = order
  return {
    id,
    merchantId,
    orderNumber,
    reference,
    currency,
    total: amount,
    lines: lines.map(({ title, variant, quantity, unitPrice }) => ({
      title: variant === undefined ? title : `${title}, ${variant}`,
      quantity,
      unitPrice
    })),
    ...(delivery && { delivery }),
    email: String(customer?.email),
    language: String(language),
    paidUrl: urls.paid(payment),
    cancelledUrl: urls.cancelled(payment),
    expiresAt: new Date(expiresAt)
  }
}

/**
 * Asks the provider about a payment that has a page, and settles it.
 * @throws PaymentFailed if the provider does not answer
 */
export async function refreshPayment(context: PayingContext, payment: Payment): Promise<ChangedPayment> {
  return settlePayment(context, payment, await context.gateway.retrievePayment(String(payment.providerId)))
}

/**
 * Ends a payment, so that nobody can pay it any more, unless it has been paid.
 * @throws PaymentFailed if the provider does not answer
 */
export async function cancelPayment(
  context: PayingContext,
  payment: Payment
): Promise<Pick<ChangedPayment, 'payment' | 'order'>> {
  if (payment.providerId !== undefined) {
    return settlePayment(context, payment, await context.gateway.cancel(payment.providerId))
  }
  await changePayment(context, payment, { type: 'not-opened' })
  return { payment: { ...payment, state: 'ended' } }
}

/**
 * A payment as it is now, if it may have been paid meanwhile and was not asked for within five seconds.
 * @returns `isKnown`: whether the provider has said so, or has nothing more to say
 * @throws PaymentFailed as `refreshPayment`
 */
export async function refreshIfDue(
  context: PayingContext,
  payment: Payment,
  look: Look
): Promise<Pick<ChangedPayment, 'payment' | 'order'> & { isKnown: boolean }> {
  if (payment.state !== 'open') return { payment, isKnown: true }
  const now = context.clock()
  const isClaimed = await context.store.claimRefresh(payment, look, now.toISOString(), later(now, -REFRESH_INTERVAL))
  if (isClaimed) return { ...(await refreshPayment(context, payment)), isKnown: true }
  if (look === 'press') return { payment, isKnown: false }
  // Who comes back twice at once, as a web view may load a page again, waits for what the first one learns.
  const current = await context.gateway.admit(payment.id, async () => {
    await context.gateway.pause(PAUSE)
    return context.store.findPayment(payment.merchantId, payment.id)
  })
  return { payment: current ?? payment, isKnown: current !== undefined && current.state !== 'open' }
}

/**
 * Looks at the payment that a notification is about, and settles it.
 * @param name of the payment or its money @returns it, if it is ours @throws PaymentFailed as `refreshPayment`
 */
export async function notePayment(
  context: PayingContext,
  name: string
): Promise<{ payment: Payment; facts: PaymentFacts } | undefined> {
  const { merchant, store, gateway, log } = context
  const facts = await gateway.retrievePayment(name)
  // The account may have other shops and other systems, whose payments are not ours.
  if (facts?.id === undefined || facts.merchantId !== merchant.id) return undefined
  const payment = await store.findPayment(merchant.id, facts.id)
  if (!payment) {
    const { id, state } = facts
    if (state !== 'ended') log.error({ merchant: merchant.id, payment: id, state }, 'payment not on record')
    return undefined
  }
  // Anybody with access to the account can put our metadata on a payment of theirs.
  const isOurs = (payment.providerId ?? facts.providerId) === facts.providerId
  if (isOurs) return { payment: (await settlePayment(context, payment, facts)).payment, facts }
  log.error({ ...about(payment), state: facts.state }, 'another payment of the account claims to be this one; ignored')
  return undefined
}

/** Keeps what has happened to a payment. */
export function changePayment(
  { merchant, store, clock }: PayingContext,
  payment: Payment,
  event: PaymentEvent
): Promise<ChangedPayment> {
  return store.changePayment(payment, event, clock().toISOString(), { notifiesWebhook: merchant.webhook !== undefined })
}

/** @param facts undefined if the provider does not know it: the merchant may have changed to another account */
async function settlePayment(
  context: PayingContext,
  payment: Payment,
  facts: PaymentFacts | undefined
): Promise<ChangedPayment> {
  const { merchant, log, observer } = context
  if (facts && facts.id !== payment.id) {
    throw new PaymentFailed(`what it calls ${payment.providerId} is another payment`)
  }
  if (!facts) log.error(about(payment), 'payment unknown to the provider')
  const { currency, amount, providerId = '' } = payment
  const known = facts ?? { state: 'ended', providerId, currency, amount }
  const settled = await changePayment(context, payment, { type: 'reported', facts: known })
  const { before, payment: after, isPlaced } = settled
  const isNew = after.state !== before.state
  if (!isNew && known.state === 'paid' && (after.state === 'pending' || after.state === 'failed')) {
    log.error({ ...about(after), ...cameIn(known) }, 'paid amount differs from order total')
  }
  if (!isNew) return settled
  observer.paymentSettled(merchant.id, after.state as Parameters<Observer['paymentSettled']>[1])
  if (isPlaced) observer.ordered(merchant.id, 'placed')
  const { state, reason, transactionId } = after
  const result = { ...about(after), state, transaction: transactionId }
  if (state !== 'refunding') log.info(result, isPlaced ? 'order' : 'payment')
  else log.error({ ...result, reason, ...cameIn(known) }, 'payment has no order; refunding')
  return settled
}

function cameIn({ amount, currency }: Pick<PaymentFacts, 'amount' | 'currency'>) {
  return amount === undefined ? {} : { came: `${toDecimal(amount, currency)} ${currency}` }
}

/** What a line of the log says of a payment. */
export function about({ merchantId, id, orderNumber, reference, amount, currency }: Payment) {
  return {
    merchant: merchantId,
    payment: id,
    order: orderNumber,
    reference,
    total: toDecimal(amount, currency),
    currency
  }
}

function later(from: Date, milliseconds: number): string {
  return new Date(from.getTime() + milliseconds).toISOString()
}
