// What the checkout pages ask of the payment provider. That it cannot be asked is logged here, and is no failure of ours.
import type { FastifyReply } from 'fastify'
import { lookIfDue, type PayingContext, type PayOrderResult, payOrder } from '../checkout/orders/pay-order.ts'
import type { Payment, PaymentState } from '../checkout/orders/payment.ts'
import type { FrozenOrder } from '../checkout/orders/place-order.ts'
import { PaymentFailed } from '../integrations/payment/provider.ts'
import { checkoutPath } from './checkout-view.ts'
import { withLang } from './shopper-language.ts'
import type { PageContext } from './storefront.ts'

/** In the addresses by which a shopper comes back: the secret of the attempt. The token alone shows nothing of any. */
const ATTEMPT = 'attempt'

/** The address by which the shopper of an attempt comes back. */
export function withAttempt(address: string, { secret }: Payment): string {
  return `${address}?${ATTEMPT}=${secret}`
}

/** The payment that a shopper comes back from. `isKnown`: whether the provider has just said what became of it. */
export type OwnAttempt = { payment: Payment; isKnown: boolean }

/** Whether the merchant has its orders paid. */
export function takesPayment(context: PageContext): context is PageContext & PayingContext {
  return context.gateway !== undefined
}

/** Throws anything but that the provider could not be asked. */
function noteFailure({ merchant }: PageContext, { log }: FastifyReply, error: unknown): void {
  if (!(error instanceof PaymentFailed)) throw error
  log.warn({ merchant: merchant.id, reason: error.message }, 'payment provider could not be asked')
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
    return await lookIfDue({ ...context, log: reply.log }, payment, 'return')
  } catch (error) {
    noteFailure(context, reply, error)
    // A notification may have come in between; what is open is not deleted.
    return { payment: (await store.findPayment(merchant.id, payment.id)) as Payment, isKnown: false }
  }
}

/** In which nothing has been charged, and nothing can be. */
const UNPAID: (PaymentState | undefined)[] = [undefined, 'opening', 'ended']

/**
 * Leads to where the order is paid. If that is not possible just now, it is unpaid, or, once it had a page, `unknown`. `busy`: the
 * same checkout has pressed its button twice already.
 */
export async function pay(
  context: PageContext & PayingContext,
  reply: FastifyReply,
  lang: string | undefined,
  order: FrozenOrder
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
    noteFailure(context, reply, error)
    const payment = await store.latestPayment(merchant.id, order.token)
    return { outcome: UNPAID.includes(payment?.state) ? 'unpaid' : 'unknown' }
  }
}
