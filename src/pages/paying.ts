// What the checkout pages ask of the payment provider. That it cannot be asked is logged here, and is no failure of ours.
import type { FastifyReply } from 'fastify'
import { currentPayment, type PayingShop, type PayOrderResult, payOrder } from '../orders/pay-order.ts'
import type { Payment, PaymentState } from '../orders/payment.ts'
import type { FrozenOrder } from '../orders/place-order.ts'
import { PaymentFailed } from '../payment/provider.ts'
import { checkoutPath } from './checkout-view.ts'
import { withLang } from './shopper-language.ts'

/** In the address by which a shopper comes back who has not paid: the token alone does not show what was typed. */
const PAYMENT = 'payment'

/** @returns the payment that a shopper comes back from, by the address of the page */
export function paymentIn(url: string): string | undefined {
  return new URL(url, 'http://shop').searchParams.get(PAYMENT) ?? undefined
}

export type PayingRequest = Omit<PayingShop, 'log'> & {
  reply: FastifyReply
  lang: string | undefined
  ownOrigin: () => string
}

function payingShop({ reply, ...shop }: PayingRequest): PayingShop {
  return { ...shop, log: reply.log }
}

/** @returns why the provider could not be asked; throws anything else */
function noteFailure({ merchant, reply }: PayingRequest, error: unknown): string {
  if (!(error instanceof PaymentFailed)) throw error
  reply.log.warn({ merchant: merchant.id, reason: error.message }, 'payment provider could not be asked')
  return error.message
}

/** `reason` if the provider could not be asked: the payment is then as it was last known. */
export type StartedPayment = { payment: Payment | undefined; reason?: string }

/** The payment that the shopper has begun, if any. */
export async function startedPayment(request: PayingRequest, token: string): Promise<StartedPayment> {
  try {
    return { payment: await currentPayment(payingShop(request), token) }
  } catch (error) {
    const reason = noteFailure(request, error)
    return { payment: await request.store.latestPayment(request.merchant.id, token), reason }
  }
}

/** In which nothing has been charged, and nothing can be. */
const UNPAID: (PaymentState | undefined)[] = [undefined, 'opening', 'ended']

/** Leads to where the order is paid. If that is not possible just now, it is unpaid, or, once it had a page, `unknown`. */
export async function pay(
  request: PayingRequest,
  order: FrozenOrder
): Promise<PayOrderResult | { outcome: 'unpaid' | 'unknown' }> {
  const { merchant, store, lang, ownOrigin } = request
  const addressOf = (path: string) => (merchant.origin ?? ownOrigin()) + withLang(path, lang)
  const page = checkoutPath(merchant, order.token)
  try {
    return await payOrder(payingShop(request), order, {
      paid: addressOf(`${page}/paid`),
      cancelled: id => addressOf(`${page}?${PAYMENT}=${id}`)
    })
  } catch (error) {
    noteFailure(request, error)
    const payment = await store.latestPayment(merchant.id, order.token)
    return { outcome: UNPAID.includes(payment?.state) ? 'unpaid' : 'unknown' }
  }
}
