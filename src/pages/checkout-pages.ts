// The pages below {publicUrl}{checkout.path}: POST with `token=` or GET /<token> shows a checkout, POST /<token> places
// the order or leads to the payment page, GET /<token>/paid is where the shopper comes back from there, GET /<token>/complete
// confirms it. Only the token leads to them. Loading one changes nothing, except that the payment provider's answer is stored.
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type CheckoutStore, checkoutState, type StoredCheckout } from '../checkout/checkout-store.ts'
import type { Order, OrderStore } from '../checkout/orders/order.ts'
import {
  enteredFields,
  enteredValues,
  type FormValues,
  type OrderForm,
  readEntry
} from '../checkout/orders/order-form.ts'
import type { PayOrderResult } from '../checkout/orders/pay-order.ts'
import { type PaymentStore, type RefundReason, standingNumber } from '../checkout/orders/payment.ts'
import { checkOrder, type FrozenOrder, isAsOrdered, placeOrder } from '../checkout/orders/place-order.ts'
import { type PricedCart, priceCart } from '../checkout/price-cart.ts'
import { type EnteredField, problems, Refusal } from '../errors.ts'
import type { PaymentGateway } from '../integrations/payment/provider-call.ts'
import type { Merchant, Shop } from '../merchant/merchant.ts'
import { toDecimal } from '../money.ts'
import type { Observer } from '../observer.ts'
import { confirmationView, type LineView, picturesOf } from './bag-view.ts'
import { checkoutPath, checkoutView, type FormState } from './checkout-view.ts'
import { ownAttempt, type PayingRequest, pay, withAttempt } from './paying.ts'
import { problemPage } from './problem-view.ts'
import { checkoutTitle, sendPage } from './send-page.ts'
import { type ShopperLanguage, withLang } from './shopper-language.ts'
import type { Storefront } from './storefront.ts'

/** Stable, with the number that apps read from it (REAL-APP.md 8 and 9). */
function confirmationPath(merchant: Merchant, token: string, orderNumber: string): string {
  return `${checkoutPath(merchant, token)}/complete?order=${orderNumber}`
}

export type PageShop = Shop<CheckoutStore & OrderStore & PaymentStore> & {
  storefront: Storefront
  orderForm: OrderForm
  observer: Observer
  /** Where orders are paid, if the merchant takes payment. */
  gateway?: PaymentGateway
  /** Scheme, host and port of this process, for a merchant whose publicUrl is only a path. */
  ownOrigin: () => string
}

type PageRequest = PageShop & ShopperLanguage & { reply: FastifyReply; now: Date }

const FORM_BODY_LIMIT = 64 * 1024

export async function checkoutPages(app: FastifyInstance, { shop }: { shop: PageShop }): Promise<void> {
  const { merchant, store, catalogue, clock, storefront } = shop
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  const form = { bodyLimit: FORM_BODY_LIMIT }

  app.post<{ Body: FormBody }>('', form, async ({ body }, reply) =>
    showCheckout(reply, shop, await findCheckout(shop, body?.token), clock())
  )
  app.get('', async () => findCheckout(shop, undefined))
  app.get<{ Params: { token: string } }>('/:token', async ({ params }, reply) =>
    showCheckout(reply, shop, await findCheckout(shop, params.token), clock())
  )
  app.post<{ Params: { token: string }; Body: FormBody }>('/:token', form, async ({ params, body }, reply) =>
    place(pageRequest(reply, shop, clock()), await findCheckout(shop, params.token), readValues(body))
  )
  if (shop.gateway) {
    const { gateway } = shop
    app.get<{ Params: { token: string } }>('/:token/paid', async ({ params }, reply) =>
      showPaid({ ...pageRequest(reply, shop, clock()), gateway }, await findCheckout(shop, params.token))
    )
  }
  app.get<{ Params: { token: string } }>('/:token/complete', async (request, reply) => {
    const order = await store.findOrder(merchant.id, request.params.token)
    const { searchParams } = new URL(request.url, 'http://shop')
    if (!order || searchParams.get('order') !== order.number) {
      throw new Refusal('checkout-not-found', { detail: 'No order of this merchant has this token and number.' })
    }
    const { translator } = storefront.languageFor(request)
    const checkoutAddress = checkoutPath(merchant, order.token)
    const view = confirmationView(order, translator, merchant, catalogue, checkoutAddress)
    const title = merchant.checkout.completeTitle
    const images = picturesOf(view.lines)
    const address = confirmationPath(merchant, order.token, order.number)
    return sendPage(reply, storefront, translator, { template: 'confirmation', title, view, images, address })
  })
}

/** A parsed form; a field that was sent twice is a list. */
export type FormBody = Record<string, unknown> | undefined

/** The values entered; a field that was sent twice counts as empty. */
export function readValues(form: FormBody): FormValues {
  const values = Object.entries(form ?? {}).filter((field): field is [string, string] => typeof field[1] === 'string')
  return Object.fromEntries(values)
}

function pageRequest(reply: FastifyReply, shop: PageShop, now: Date): PageRequest {
  return { ...shop, ...shop.storefront.languageFor(reply.request), reply, now }
}

async function findCheckout({ merchant, store }: PageShop, token: unknown): Promise<StoredCheckout> {
  const checkout = typeof token === 'string' ? await store.findCheckout(merchant.id, token) : undefined
  if (!checkout) throw new Refusal('checkout-not-found', { detail: 'No checkout of this merchant has this token.' })
  return checkout
}

/** @param entered what the shopper has to enter again */
function closedRefusal(
  state: 'expired' | 'superseded',
  merchant: Merchant,
  checkout: StoredCheckout,
  entered: EnteredField[] = []
): Refusal {
  const parts = { address: checkoutPath(merchant, checkout.token), entered }
  if (state === 'expired') {
    return new Refusal('checkout-expired', { detail: `The checkout expired at ${checkout.expiresAt}.`, ...parts })
  }
  return new Refusal('checkout-superseded', { detail: 'The same reference came again with another cart.', ...parts })
}

/**
 * Answers with the page of a checkout in its present state.
 * It depends on the cart alone, unless the address has the secret of an attempt to pay for it.
 * @param known the cart at current prices, if it has been priced already
 * @throws Refusal if it has expired, or if what was paid is refunded
 */
export async function showCheckout(
  reply: FastifyReply,
  shop: PageShop,
  checkout: StoredCheckout,
  now: Date,
  known: { priced?: PricedCart | undefined } = {}
): Promise<FastifyReply> {
  const { merchant, catalogue, orderForm, gateway } = shop
  const request = pageRequest(reply, shop, now)
  const state = checkoutState(checkout, now)
  shop.observer.checkoutShown(merchant.id, state)
  const own = gateway && (await ownAttempt({ ...request, gateway }, checkout.token))
  const { payment, isKnown } = own ?? {}
  // Whatever has become of the cart, they are told about their money.
  if (payment?.reason !== undefined) throw returnedRefusal(payment.reason, merchant, checkout.token)
  const number = payment && standingNumber(payment)
  if (number !== undefined) return sendPlaced(request, checkout, number)
  if (state === 'expired') throw closedRefusal(state, merchant, checkout)
  if (state === 'superseded') return sendProblem(request, checkout, closedRefusal(state, merchant, checkout))
  if (state === 'placed' && !(await hasFailed(shop, checkout.token))) {
    return sendPlaced(request, checkout, String(checkout.orderNumber))
  }
  const { customer, delivery } = payment?.order ?? {}
  const form: Omit<FormState, 'now'> = {
    entry: readEntry(orderForm, customer ? enteredValues(customer, delivery) : {}, checkout.cart.currency),
    ...(payment && { notice: isKnown ? 'not-charged' : 'check-again' })
  }
  return sendEntered(request, checkout, known.priced ?? priceCart(checkout.cart, catalogue, now), form)
}

/** Whether the payment of a checkout's order has failed: the same cart can then be ordered again. */
async function hasFailed({ merchant, store, gateway }: PageShop, token: string): Promise<boolean> {
  return gateway !== undefined && (await store.findOrder(merchant.id, token))?.payment?.status === 'failed'
}

function sendPlaced(request: PageRequest, checkout: StoredCheckout, number: string): Promise<FastifyReply> {
  const { merchant, reply, lang, translator } = request
  const href = withLang(confirmationPath(merchant, checkout.token, number), lang)
  const refusal = new Refusal('order-placed', { detail: `It is the order ${number}.` })
  reply.code(problems['order-placed'].status)
  return sendProblem(request, checkout, refusal, { href, text: translator.say('order', { number }) })
}

function returnedRefusal(reason: RefundReason, merchant: Merchant, token: string): Refusal {
  const detail = `What was paid is for no order: ${reason}.`
  return new Refusal('payment-returned', { detail, address: checkoutPath(merchant, token) })
}

/** Where a shopper comes back from paying: leads to the confirmation, or back to the checkout. */
async function showPaid(request: PageRequest & PayingRequest, checkout: StoredCheckout): Promise<FastifyReply> {
  const { merchant, reply, lang, translator } = request
  const address = checkoutPath(merchant, checkout.token)
  const { payment, isKnown } = (await ownAttempt(request, checkout.token)) ?? {}
  if (payment?.reason !== undefined) throw returnedRefusal(payment.reason, merchant, checkout.token)
  const number = payment ? standingNumber(payment) : checkout.orderNumber
  if (number !== undefined) return seeOther(reply, withLang(confirmationPath(merchant, checkout.token, number), lang))
  if (payment && !isKnown) {
    const detail = 'The payment provider cannot be asked; nothing is charged twice. Try again in a few seconds.'
    const link = { href: withLang(withAttempt(`${address}/paid`, payment), lang), text: translator.say('try-again') }
    const { status, retryAfter } = problems['payment-unknown']
    reply.code(status).header('retry-after', retryAfter)
    return sendProblem(request, checkout, new Refusal('payment-unknown', { detail }), link)
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
  { reply, storefront, translator, merchant, lang, listsLanguages, now }: PageRequest,
  checkout: StoredCheckout,
  priced: PricedCart,
  form: Omit<FormState, 'now'>
): Promise<FastifyReply> {
  const view = checkoutView(checkout, priced, merchant, translator, { ...form, lang, now })
  const { lines, isRefused } = view
  const images = picturesOf(lines)
  const isPlain =
    view.form?.mistakes.length === 0 &&
    !view.form.countryNote &&
    !isRefused &&
    view.notice === undefined &&
    !listsLanguages &&
    lines.every(isPlainLine)
  return sendPage(reply, storefront, translator, {
    template: 'checkout',
    sheet: isPlain ? (lines.some(({ struck }) => struck.length > 0) ? 'sale' : 'checkout') : 'extra',
    title: checkoutTitle(translator, isRefused),
    view,
    images,
    address: checkoutPath(merchant, checkout.token),
    listsLanguages
  })
}

function sendProblem(
  { reply, storefront, translator, merchant }: PageRequest,
  { token }: StoredCheckout,
  refusal: Refusal,
  link?: { href: string; text: string }
): Promise<FastifyReply> {
  const page = problemPage(refusal, translator, reply.request.id, storefront, link)
  return sendPage(reply, storefront, translator, { ...page, address: checkoutPath(merchant, token) })
}

/** Places the order, or shows the page again with its errors and everything that was entered. */
async function place(request: PageRequest, checkout: StoredCheckout, values: FormValues): Promise<FastifyReply> {
  const { reply, merchant, store, orderForm, translator, lang, now } = request
  const { token, cart } = checkout
  const entry = readEntry(orderForm, values, cart.currency)
  const show = (priced: PricedCart, form: Omit<FormState, 'entry' | 'now'> = {}) =>
    sendEntered(request, checkout, priced, { ...form, entry })
  // If details differ, it may be somebody else's order.
  const confirm = (order: Order) =>
    isAsOrdered(entry, order)
      ? seeOther(reply, withLang(confirmationPath(merchant, token, order.number), lang))
      : sendPlaced(request, checkout, order.number)

  const state = checkoutState(checkout, now)
  const entered = enteredFields(entry)
  if (state === 'superseded' || state === 'expired') throw closedRefusal(state, merchant, checkout, entered)
  if (state === 'placed' && !(await hasFailed(request, token))) {
    return confirm((await store.findOrder(merchant.id, token)) as Order)
  }

  const { priced, ...checked } = checkOrder(request, checkout, entry, translator.locale, now)
  if (checked.outcome === 'shown-again') return show(priced, checked)
  if (checked.outcome !== 'ready') {
    reply.code(checked.outcome === 'mistaken' || checked.outcome === 'unpayable' ? 422 : 409)
    return show(priced, { ...checked, isRefused: true })
  }
  const { gateway } = request
  const isPaid = gateway && checked.order.total > 0
  const result = await (isPaid ? pay({ ...request, gateway }, checked.order) : placeNow(request, checked.order))
  if (result.outcome === 'superseded') throw closedRefusal(result.outcome, merchant, checkout, entered)
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

async function placeNow(request: PageRequest, order: FrozenOrder): Promise<PayOrderResult> {
  const placed = await placeOrder(request, order)
  if (placed.outcome === 'placed' && !placed.isRepeat) {
    const { merchantId, number, reference, total, currency } = placed.order
    const about = { order: number, reference, total: toDecimal(total, currency), currency }
    request.reply.log.info({ merchant: merchantId, ...about }, 'order')
    request.observer.ordered(merchantId, 'placed')
  }
  return placed
}
