// What the checkout pages ask the payment provider. If it cannot be reached that is logged here, and is not our failure.
import type { FastifyReply } from 'fastify'
import { type PayingContext, type PayOrderResult, payOrder, refreshIfDue } from '../checkout/orders/pay-order.ts'
import type { Payment, PaymentState } from '../checkout/orders/payment.ts'
import type { PendingOrder } from '../checkout/orders/place-order.ts'
import { type EnteredField, type Problem, problemFrom } from '../errors.ts'
import { PaymentFailed } from '../integrations/payment/provider.ts'
import { checkoutPath } from './checkout-view.ts'
import { withLang, withParameter } from './shopper-language.ts'
import type { PageContext } from './storefront.ts'

/** The parameter with the secret of an order, or of an attempt to pay for one, which the token alone does not show. */
export const ATTEMPT = 'attempt'

/** The address by which an attempt's shopper comes back, or sees the order. An order's secret is absent once it was used. */
export function withAttempt(address: string, { secret }: { secret?: string }): string {
  return withParameter(address, ATTEMPT, secret)
}

/** The payment that a shopper comes back from. `isKnown`: whether the provider has just said what became of it. */
export type OwnAttempt = { payment: Payment; isKnown: boolean }

/** Whether the merchant has its orders paid. */
export function takesPayment(context: PageContext): context is PageContext & PayingContext {
  return context.gateway !== undefined
}

/** Rethrows any error, except that the provider could not be reached. */
function noteFailure({ merchant }: PageContext, { log }: FastifyReply, error: unknown): PaymentFailed {
  if (!(error instanceof PaymentFailed)) throw error
  log.warn({ merchant: merchant.id, reason: error.message }, 'payment provider could not be asked')
  return error
}

/** @returns undefined unless the address has the secret of an attempt to pay for this checkout */
export async function ownAttempt(
  context: PageContext & PayingContext,
  reply: FastifyReply,
  token: string
): Promise<OwnAttempt | undefined> {
  const { store, merchant } = context
  const secret = new URL(reply.request.url, 'http://shop').searchParams.get(ATTEMPT)
  const payment = secret === null ? undefined : await store.findAttempt(merchant.id, token, secret)
  if (!payment) return undefined
  try {
    return await refreshIfDue({ ...context, log: reply.log }, payment, 'return')
  } catch (error) {
    noteFailure(context, reply, error)
    // A notification may have arrived in between; an open payment is not deleted.
    return { payment: (await store.findPayment(merchant.id, payment.id)) as Payment, isKnown: false }
  }
}

/** Only another cart helps. */
function refusedAmount(breaks: 'least' | 'most', parts: { address: string; entered: EnteredField[] }): Problem {
  const code = breaks === 'least' ? 'total-too-small' : 'total-too-large'
  const detail = `The payment provider does not take so ${breaks === 'least' ? 'small' : 'large'} an amount.`
  return problemFrom([{ pointer: '', code, detail }], { detail, ...parts })
}

/** States in which nothing has been or can be charged. */
const UNPAID: (PaymentState | undefined)[] = [undefined, 'opening', 'ended']

/**
 * Redirects to the payment page. If that is not possible just now, the order is unpaid or, once it has had a page, `unknown`.
 * `busy`: two requests of the same checkout are already beginning a payment.
 * @param entered for the page that says that nobody can pay so much or so little
 * @throws Problem `cart-not-sellable` if that is what the provider says
 */
export async function pay(
  context: PageContext & PayingContext,
  reply: FastifyReply,
  lang: string | undefined,
  order: PendingOrder,
  entered: EnteredField[]
): Promise<PayOrderResult | { outcome: 'unpaid' | 'unknown' | 'busy' }> {
  const { merchant, store, gateway, origin } = context
  const addressOf = (path: string) => origin() + withLang(path, lang)
  const page = checkoutPath(merchant, order.token)
  const urls = {
    paid: (payment: Payment) => addressOf(withAttempt(`${page}/paid`, payment)),
    cancelled: (payment: Payment) => addressOf(withAttempt(page, payment))
  }
  try {
    const result = await gateway.admit(order.token, () => payOrder({ ...context, log: reply.log }, order, urls))
    return result ?? { outcome: 'busy' }
  } catch (error) {
    const { breaks } = noteFailure(context, reply, error)
    if (breaks) throw refusedAmount(breaks, { address: page, entered })
    const payment = await store.latestPayment(merchant.id, order.token)
    return { outcome: UNPAID.includes(payment?.state) ? 'unpaid' : 'unknown' }
  }
}
