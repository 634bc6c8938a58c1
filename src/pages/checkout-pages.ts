// The pages below {publicUrl}{checkout.path}: POST with `token=` or GET /<token> shows a checkout, POST /<token> places
// the order, GET /<token>/complete confirms it. Only the token leads to any of them, and loading one changes nothing.
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type CheckoutStore, checkoutState, type StoredCheckout } from '../checkout/checkout-store.ts'
import { type PricedCart, priceCart } from '../checkout/price-cart.ts'
import { type EnteredField, problems, Refusal } from '../errors.ts'
import type { Merchant, Shop } from '../merchant/merchant.ts'
import { toDecimal } from '../money.ts'
import type { Observer } from '../observer.ts'
import type { Order, OrderStore } from '../orders/order.ts'
import { enteredFields, type FormValues, type OrderForm, readEntry } from '../orders/order-form.ts'
import { isAsOrdered, placeOrder } from '../orders/place-order.ts'
import { confirmationView, type LineView, picturesOf } from './bag-view.ts'
import { checkoutView, type FormState } from './checkout-view.ts'
import { problemPage } from './problem-view.ts'
import { checkoutTitle, sendPage } from './send-page.ts'
import { type ShopperLanguage, withLang } from './shopper-language.ts'
import type { Storefront } from './storefront.ts'

/** In the address of a confirmation: what was sent is not what had been ordered before. */
const UNCHANGED = 'unchanged'

function checkoutPath({ path, checkout }: Merchant, token: string): string {
  return `${path}${checkout.path}/${token}`
}

/** Stable, with the number that apps read from it (REAL-APP.md 8 and 9). */
function confirmationPath(merchant: Merchant, token: string, orderNumber: string, isUnchanged = false): string {
  return `${checkoutPath(merchant, token)}/complete?order=${orderNumber}${isUnchanged ? `&${UNCHANGED}=1` : ''}`
}

export type PageShop = Shop<CheckoutStore & OrderStore> & {
  storefront: Storefront
  orderForm: OrderForm
  observer: Observer
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
  app.get<{ Params: { token: string } }>('/:token/complete', async (request, reply) => {
    const order = await store.findOrder(merchant.id, request.params.token)
    const { searchParams } = new URL(request.url, 'http://shop')
    if (!order || searchParams.get('order') !== order.number) {
      throw new Refusal('checkout-not-found', { detail: 'No order of this merchant has this token and number.' })
    }
    const { translator } = storefront.languageFor(request)
    const isUnchanged = searchParams.has(UNCHANGED)
    const view = confirmationView(order, translator, merchant, catalogue, { isUnchanged })
    const title = merchant.checkout.completeTitle
    const images = picturesOf(view.lines)
    const address = confirmationPath(merchant, order.token, order.number, isUnchanged)
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
 * @param known the cart at the prices of now, if it has been priced already
 * @throws Refusal if it has expired
 */
export async function showCheckout(
  reply: FastifyReply,
  shop: PageShop,
  checkout: StoredCheckout,
  now: Date,
  known?: PricedCart
): Promise<FastifyReply> {
  const { merchant, catalogue, orderForm } = shop
  const request = pageRequest(reply, shop, now)
  const state = checkoutState(checkout, now)
  shop.observer.checkoutShown(merchant.id, state)
  if (state === 'expired') throw closedRefusal(state, merchant, checkout)
  if (state === 'superseded') return sendProblem(request, checkout, closedRefusal(state, merchant, checkout))
  if (state === 'placed') {
    const number = String(checkout.orderNumber)
    const href = withLang(confirmationPath(merchant, checkout.token, number), request.lang)
    const refusal = new Refusal('order-placed', { detail: `It is the order ${number}.` })
    reply.code(problems['order-placed'].status)
    return sendProblem(request, checkout, refusal, { href, text: request.translator.say('order', { number }) })
  }
  const entry = readEntry(orderForm, {}, checkout.cart.currency)
  return sendEntered(request, checkout, known ?? priceCart(checkout.cart, catalogue, now), { entry })
}

/** It needs nothing of extra.css. */
const isPlainLine = ({ image, warnings, struck }: LineView) =>
  image !== undefined && warnings.length + struck.length === 0

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
    !listsLanguages &&
    lines.every(isPlainLine)
  return sendPage(reply, storefront, translator, {
    template: 'checkout',
    sheet: isPlain ? 'checkout' : 'extra',
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

/** Places the order, or shows the page again with what has to be checked and everything that was entered. */
async function place(request: PageRequest, checkout: StoredCheckout, values: FormValues): Promise<FastifyReply> {
  const { reply, merchant, store, orderForm, observer, translator, lang, now } = request
  const { token, cart } = checkout
  const entry = readEntry(orderForm, values, cart.currency)
  const show = (priced: PricedCart, form: Omit<FormState, 'entry' | 'now'> = {}) =>
    sendEntered(request, checkout, priced, { ...form, entry })
  const confirm = (order: Order) => {
    const address = confirmationPath(merchant, token, order.number, !isAsOrdered(entry, order))
    return reply.header('cache-control', 'private, no-cache').redirect(withLang(address, lang), 303)
  }

  const state = checkoutState(checkout, now)
  const entered = enteredFields(entry)
  if (state === 'superseded' || state === 'expired') throw closedRefusal(state, merchant, checkout, entered)
  if (state === 'placed') return confirm((await store.findOrder(merchant.id, token)) as Order)

  const result = await placeOrder(request, checkout, entry, translator.locale, now)
  if (result.outcome === 'superseded') throw closedRefusal(result.outcome, merchant, checkout, entered)
  if (result.outcome === 'placed') {
    if (!result.isRepeat) {
      const { number, reference, total, currency } = result.order
      const about = { order: number, reference, total: toDecimal(total, currency), currency }
      reply.log.info({ merchant: merchant.id, ...about }, 'order')
      observer.ordered(merchant.id, 'placed')
    }
    return confirm(result.order)
  }
  if (result.outcome === 'shown-again') return show(result.priced, result)
  reply.code(result.outcome === 'mistaken' ? 422 : 409)
  return show(result.priced, { ...result, isRefused: true })
}
