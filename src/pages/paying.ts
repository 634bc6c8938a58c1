// What the checkout pages ask of the payment provider. That it cannot be asked is logged here, and is no failure of ours.
import type { FastifyReply } from 'fastify'
import { lookIfDue, type PayingShop, type PayOrderResult, payOrder } from '../checkout/orders/pay-order.ts'
import type { Payment, PaymentState } from '../checkout/orders/payment.ts'
import type { FrozenOrder } from '../checkout/orders/place-order.ts'
import { PaymentFailed } from '../integrations/payment/provider.ts'
import { checkoutPath } from './checkout-view.ts'
import { withLang } from './shopper-language.ts'

/** In the addresses by which a shopper comes back: the secret of the attempt. The token alone shows nothing of any. */
const ATTEMPT = 'attempt'

/** The address by which the shopper of an attempt comes back. */
export function withAttempt(address: string, { secret }: Pick<Payment, 'secret'>): string {
  return `${address}?${ATTEMPT}=${secret}`
}

/** The payment that a shopper comes back from. `isKnown`: whether the provider has just said what became of it. */
export type OwnAttempt = { payment: Payment; isKnown: boolean }

export type PayingRequest = Omit<PayingShop, 'log'> & {
  reply: FastifyReply
  lang: string | undefined
  ownOrigin: () => string
}

function payingShop({ reply, ...shop }: PayingRequest): PayingShop {
  return { ...shop, log: reply.log }
}

/** Throws anything but that the provider could not be asked. */
function noteFailure({ merchant, reply }: PayingRequest, error: unknown): void {
  if (!(error instanceof PaymentFailed)) throw error
  reply.log.warn({ merchant: merchant.id, reason: error.message }, 'payment provider could not be asked')
}

/** @returns undefined unless the address has the secret of an attempt to pay for this checkout */
export async function ownAttempt(request: PayingRequest, token: string): Promise<OwnAttempt | undefined> {
  const { store, merchant, reply } = request
  const secret = new URL(reply.request.url, 'http://shop').searchParams.get(ATTEMPT)
  const payment = secret === null ? undefined : await store.findAttempt(merchant.id, token, secret)
  if (!payment) return undefined
  try {
    return await lookIfDue(payingShop(request), payment, 'return')
  } catch (error) {
    noteFailure(request, error)
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
  request: PayingRequest,
  order: FrozenOrder
): Promise<PayOrderResult | { outcome: 'unpaid' | 'unknown' | 'busy' }> {
  const { merchant, store, gateway, lang, ownOrigin } = request
  const addressOf = (path: string) => (merchant.origin ?? ownOrigin()) + withLang(path, lang)
  const page = checkoutPath(merchant, order.token)
  const urls = {
    paid: (payment: Payment) => addressOf(withAttempt(`${page}/paid`, payment)),
    cancelled: (payment: Payment) => addressOf(withAttempt(page, payment))
  }
  try {
    const result = await gateway.admit(order.token, () => payOrder(payingShop(request), order, urls))
    return result ?? { outcome: 'busy' }
  } catch (error) {
    noteFailure(request, error)
    const payment = await store.latestPayment(merchant.id, order.token)
    return { outcome: UNPAID.includes(payment?.state) ? 'unpaid' : 'unknown' }
  }
}
