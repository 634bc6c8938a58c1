// The pages below {publicUrl}{checkout.path}: POST with `token=` or GET /<token> shows a checkout, POST /<token> places
// the order or leads to the payment page, GET /<token>/paid is where the shopper comes back from there, GET /<token>/complete
// confirms it. Only the token leads to them. Loading one changes nothing, except that the payment provider's answer is stored.
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { checkoutState, type StoredCheckout } from '../checkout/checkout-store.ts'
import type { Order } from '../checkout/orders/order.ts'
import {
  asksForLanguage,
  enteredFields,
  enteredValues,
  type FormBody,
  type FormValues,
  givenValues,
  readEntry,
  readValues
} from '../checkout/orders/order-form.ts'
import type { PayingContext, PayOrderResult } from '../checkout/orders/pay-order.ts'
import { type RefundReason, standingNumber } from '../checkout/orders/payment.ts'
import { checkOrder, isAsOrdered, type PendingOrder, placeOrder } from '../checkout/orders/place-order.ts'
import { type PricedCart, priceCart } from '../checkout/price-cart.ts'
import { type EnteredField, Problem, problems } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { toDecimal } from '../money.ts'
import { type LineView, picturesOf } from './bag-view.ts'
import { checkoutPath, checkoutView, type FormState } from './checkout-view.ts'
import { confirmationPath, showConfirmation } from './confirmation.ts'
import { givenBuyer, withBuyer } from './given-buyer.ts'
import { ownAttempt, pay, takesPayment, withAttempt } from './paying.ts'
import { problemPage } from './problem-view.ts'
import { checkoutTitle, sendPage } from './send-page.ts'
import { type ShopperLanguage, withLang } from './shopper-language.ts'
import type { PageContext } from './storefront.ts'

/** What belongs to one request for a page. */
type PageRequest = ShopperLanguage & { reply: FastifyReply; now: Date }

const FORM_BODY_LIMIT = 64 * 1024

export async function checkoutPages(app: FastifyInstance, { context }: { context: PageContext }): Promise<void> {
  const { clock } = context
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  const form = { bodyLimit: FORM_BODY_LIMIT }

  app.post<{ Body: FormBody }>('', form, async ({ body }, reply) =>
    showCheckout(context, reply, await findCheckout(context, reply, body?.token), clock())
  )
  app.get<{ Params: { token: string } }>('/:token', async ({ params }, reply) =>
    showCheckout(context, reply, await findCheckout(context, reply, params.token), clock())
  )
  app.post<{ Params: { token: string }; Body: FormBody }>('/:token', form, async ({ params, body }, reply) =>
    place(context, reply, await findCheckout(context, reply, params.token), readValues(body))
  )
  if (takesPayment(context)) {
    app.get<{ Params: { token: string } }>('/:token/paid', async ({ params }, reply) =>
      showPaid(context, reply, await findCheckout(context, reply, params.token))
    )
  }
  app.get<{ Params: { token: string } }>('/:token/complete', (request, reply) =>
    showConfirmation(context, reply, request.params.token)
  )
}

function pageRequest({ storefront }: PageContext, reply: FastifyReply, now: Date): PageRequest {
  return { ...storefront.languageFor(reply.request), reply, now }
}

async function findCheckout({ merchant, store }: PageContext, { request }: FastifyReply, token: unknown) {
  const checkout = typeof token === 'string' ? await store.findCheckout(merchant.id, token) : undefined
  if (!checkout) throw new Problem('checkout-not-found', { detail: 'No checkout of this merchant has this token.' })
  request.wayName = checkout.option
  return checkout
}

/** @param entered what the shopper has to enter again */
function closedProblem(
  state: 'expired' | 'superseded',
  merchant: Merchant,
  checkout: StoredCheckout,
  entered: EnteredField[] = []
): Problem {
  const parts = { address: checkoutPath(merchant, checkout.token), entered }
  if (state === 'expired') {
    return new Problem('checkout-expired', { detail: `The checkout expired at ${checkout.expiresAt}.`, ...parts })
  }
  return new Problem('checkout-superseded', { detail: 'The same reference came again with another cart.', ...parts })
}

/**
 * Answers with the page of a checkout in its present state.
 * It depends on the cart alone, unless the address has the secret of an attempt to pay for it.
 * @param known the cart at current prices, if it has been priced already
 * @throws Problem if it has expired, or if what was paid is refunded
 */
export async function showCheckout(
  context: PageContext,
  reply: FastifyReply,
  checkout: StoredCheckout,
  now: Date,
  known: { priced?: PricedCart | undefined } = {}
): Promise<FastifyReply> {
  const { merchant, catalogue, orderForm, observer } = context
  const request = pageRequest(context, reply, now)
  const state = checkoutState(checkout, now)
  observer.checkoutShown(merchant.id, state)
  const own = takesPayment(context) ? await ownAttempt(context, reply, checkout.token) : undefined
  const { payment, isKnown } = own ?? {}
  // Whatever has become of the cart, they are told about their money.
  if (payment?.reason !== undefined) throw returnedProblem(payment.reason, merchant, checkout.token)
  const number = payment && standingNumber(payment)
  if (number !== undefined) return sendPlaced(context, request, checkout, number)
  if (state === 'expired') throw closedProblem(state, merchant, checkout)
  if (state === 'superseded') return sendProblem(context, request, checkout, closedProblem(state, merchant, checkout))
  if (state === 'placed' && !(await hasFailed(context, checkout.token))) {
    return sendPlaced(context, request, checkout, String(checkout.orderNumber))
  }
  const { customer, delivery } = payment?.order ?? {}
  const priced = known.priced ?? priceCart(checkout.cart, catalogue, now)
  // Without a form, nobody has typed anything that would be lost.
  const buyer = priced.subtotal === undefined ? undefined : givenBuyer(reply.request, checkout.cart)
  const given = buyer ? givenValues(orderForm, buyer) : {}
  const form: FormState = {
    entry: readEntry(orderForm, customer ? enteredValues(customer, delivery) : given, checkout.cart.currency),
    ...(payment && { notice: isKnown ? 'not-charged' : 'check-again' })
  }
  return sendEntered(context, request, checkout, priced, form)
}

/** Whether the payment of a checkout's order has failed: the same cart can then be ordered again. */
async function hasFailed({ merchant, store, gateway }: PageContext, token: string): Promise<boolean> {
  return gateway !== undefined && (await store.findOrder(merchant.id, token))?.payment?.status === 'failed'
}

function sendPlaced(
  context: PageContext,
  request: PageRequest,
  checkout: StoredCheckout,
  number: string
): Promise<FastifyReply> {
  const { reply, lang, translator } = request
  const href = withLang(confirmationPath(context.merchant, checkout.token, number), lang)
  const problem = new Problem('order-placed', { detail: `It is the order ${number}.` })
  reply.code(problems['order-placed'].status)
  return sendProblem(context, request, checkout, problem, { href, text: translator.translate('order', { number }) })
}

function returnedProblem(reason: RefundReason, merchant: Merchant, token: string): Problem {
  const detail = `What was paid is for no order: ${reason}.`
  return new Problem('payment-returned', { detail, address: checkoutPath(merchant, token) })
}

/** Where a shopper comes back from paying: leads to the confirmation, or back to the checkout. */
async function showPaid(
  context: PageContext & PayingContext,
  reply: FastifyReply,
  checkout: StoredCheckout
): Promise<FastifyReply> {
  const { merchant, clock } = context
  const request = pageRequest(context, reply, clock())
  const { lang, translator } = request
  const address = checkoutPath(merchant, checkout.token)
  const { payment, isKnown } = (await ownAttempt(context, reply, checkout.token)) ?? {}
  if (payment?.reason !== undefined) throw returnedProblem(payment.reason, merchant, checkout.token)
  const number = payment ? standingNumber(payment) : checkout.orderNumber
  if (number !== undefined) {
    const confirmation = confirmationPath(merchant, checkout.token, number)
    return seeOther(reply, withLang(payment ? withAttempt(confirmation, payment) : confirmation, lang))
  }
  if (payment && !isKnown) {
    const detail = 'The payment provider cannot be asked; nothing is charged twice. Try again in a few seconds.'
    const link = {
      href: withLang(withAttempt(`${address}/paid`, payment), lang),
      text: translator.translate('try-again')
    }
    const { status, retryAfter } = problems['payment-unknown']
    reply.code(status).header('retry-after', retryAfter)
    return sendProblem(context, request, checkout, new Problem('payment-unknown', { detail }), link)
  }
  return seeOther(reply, withLang(payment ? withAttempt(address, payment) : address, lang))
}

function seeOther(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'private, no-cache').redirect(address, 303)
}

/** It needs nothing of extra.css. */
const isPlainLine = ({ image, warnings, struck }: LineView) =>
  image !== undefined && warnings.length === 0 && struck.every(({ saved }) => saved !== undefined)

function sendEntered(
  { storefront, merchant }: PageContext,
  request: PageRequest,
  checkout: StoredCheckout,
  priced: PricedCart,
  form: FormState
): Promise<FastifyReply> {
  const { reply, translator } = request
  const given = givenBuyer(reply.request, checkout.cart)
  const view = checkoutView(checkout, priced, merchant, request, { ...form, given })
  const { lines, isRefused } = view
  const images = picturesOf(lines)
  const isPlain =
    view.form?.mistakes.length === 0 &&
    !view.form.countryNote &&
    !isRefused &&
    view.notice === undefined &&
    lines.every(isPlainLine)
  return sendPage(reply, storefront, translator, {
    template: 'checkout',
    sheet: isPlain ? (lines.some(({ struck }) => struck.length > 0) ? 'sale' : 'checkout') : 'extra',
    title: checkoutTitle(translator, isRefused),
    view,
    images,
    address: withBuyer(checkoutPath(merchant, checkout.token), given)
  })
}

function sendProblem(
  { storefront, merchant }: PageContext,
  { reply, translator }: PageRequest,
  { token }: StoredCheckout,
  problem: Problem,
  link?: { href: string; text: string }
): Promise<FastifyReply> {
  const page = problemPage(problem, translator, reply.request.id, storefront, link)
  return sendPage(reply, storefront, translator, { ...page, address: checkoutPath(merchant, token) })
}

/** Places the order, or shows the page again with its errors and everything that was entered. */
async function place(
  context: PageContext,
  reply: FastifyReply,
  checkout: StoredCheckout,
  values: FormValues
): Promise<FastifyReply> {
  const { merchant, orderForm, clock } = context
  const request = pageRequest(context, reply, clock())
  const { translator, lang, now } = request
  const { token, cart } = checkout
  const entry = readEntry(orderForm, values, cart.currency)
  const show = (priced: PricedCart, form: Partial<FormState> = {}) =>
    sendEntered(context, request, checkout, priced, { ...form, entry })
  const confirm = (order: Order) => {
    // If details differ, it may be somebody else's order.
    if (!isAsOrdered(entry, order)) return sendPlaced(context, request, checkout, order.number)
    const address = confirmationPath(merchant, token, order.number)
    // Who asks for another language has proved nothing.
    return seeOther(reply, withLang(asksForLanguage(entry) ? address : withAttempt(address, order), lang))
  }

  const state = checkoutState(checkout, now)
  const entered = enteredFields(entry)
  if (state === 'superseded' || state === 'expired') throw closedProblem(state, merchant, checkout, entered)
  if (state === 'placed' && !(await hasFailed(context, token))) {
    const order = await context.store.findOrder(merchant.id, token)
    // The merchant's own shop, to which carts led before, has reported it.
    return order ? confirm(order) : sendPlaced(context, request, checkout, String(checkout.orderNumber))
  }

  const { priced, ...checked } = checkOrder(context, checkout, entry, translator.locale, now)
  if (checked.outcome === 'shown-again') return show(priced, checked)
  if (checked.outcome !== 'ready') {
    reply.code(checked.outcome === 'mistaken' || checked.outcome === 'unpayable' ? 422 : 409)
    return show(priced, { ...checked, isRefused: true })
  }
  const { order } = checked
  const isPaid = takesPayment(context) && order.total > 0
  const result = await (isPaid ? pay(context, reply, lang, order, entered) : placeNow(context, reply, order))
  if (result.outcome === 'superseded') throw closedProblem(result.outcome, merchant, checkout, entered)
  if (result.outcome === 'placed') return confirm(result.order)
  if (result.outcome === 'open') return seeOther(reply, result.url)
  const [status, notice] = UNPAYABLE[result.outcome]
  reply.code(status)
  return show(priced, { notice, isRefused: true })
}

/** Why a shopper cannot pay just now. */
const UNPAYABLE = {
  unpaid: [503, 'payment-unavailable'],
  unknown: [503, 'check-again'],
  busy: [429, 'check-again'],
  'too-many': [429, 'payment-too-often'],
  held: [409, 'payment-held']
} as const

async function placeNow(context: PageContext, { log }: FastifyReply, order: PendingOrder): Promise<PayOrderResult> {
  const placed = await placeOrder(context, order)
  if (placed.outcome === 'placed' && !placed.isRepeat) {
    const { merchantId, number, reference, total, currency } = placed.order
    const about = { order: number, reference, total: toDecimal(total, currency), currency }
    log.info({ merchant: merchantId, ...about }, 'order')
    context.observer.ordered(merchantId, 'placed')
  }
  return placed
}
