// The pages below {publicUrl}{checkout.path}: POST with `token=` shows a checkout and GET /<token> shows it; POST to
// /<token> places the order and GET /<token>/complete confirms it. The token is the only way to find any of them;
// loading a page changes nothing.
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Catalogue } from '../catalogue/product.ts'
import type { Merchant } from '../config/merchant.ts'
import { problems, Refusal } from '../errors.ts'
import type { Words } from '../messages/words.ts'
import { deliveriesIn, placeOrder } from '../orders/place-order.ts'
import type { Store, StoredCheckout } from '../store/store.ts'
import { checkoutState } from './checkout-state.ts'
import { checkoutView, NO_PROGRESS, type Progress } from './checkout-view.ts'
import { confirmationView } from './confirmation-view.ts'
import { type PricedCart, priceCart } from './price-cart.ts'
import { problemView } from './problem-view.ts'
import { sendPage } from './send-page.ts'
import type { ShopFront } from './shop-front.ts'
import { checkoutTitle } from './titles.ts'

export type Showing = { merchant: Merchant; store: Store; catalogue: Catalogue; clock: () => Date; front: ShopFront }

const FORM_BODY_LIMIT = 64 * 1024

export async function checkoutPages(app: FastifyInstance, parts: Showing): Promise<void> {
  const { merchant } = parts
  const { path } = merchant.checkout
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: FORM_BODY_LIMIT })

  app.post<{ Body: Form }>(path, async (request, reply) =>
    showCheckout(reply, parts, await findCheckout(parts, request.body?.token))
  )
  app.get(path, async () => findCheckout(parts, undefined))
  app.get<{ Params: { token: string } }>(`${path}/:token`, async (request, reply) =>
    showCheckout(reply, parts, await findCheckout(parts, request.params.token))
  )
  app.post<{ Params: { token: string }; Body: Form }>(`${path}/:token`, async (request, reply) =>
    place(reply, parts, await findCheckout(parts, request.params.token), typedOf(request.body))
  )
  app.get<{ Params: { token: string } }>(`${path}/:token/complete`, async (request, reply) => {
    const order = await parts.store.findOrder(merchant.id, request.params.token)
    const { searchParams } = new URL(request.url, 'http://shop')
    if (!order || searchParams.get('order') !== order.number) {
      throw new Refusal('checkout-not-found', { detail: 'No order of this merchant has this token and number.' })
    }
    const words = wordsOf(reply, parts)
    const title = merchant.checkout.completeTitle
    const view = confirmationView(order, words, merchant)
    return sendPage(reply, parts.front, words, { template: 'confirmation', title, view, images: [] })
  })
}

/** A form as its parser gives it; a field that came twice is a list. */
type Form = Record<string, unknown> | undefined

/** What was typed: of a field that came twice, nothing. */
function typedOf(form: Form): Record<string, string> {
  const typed = Object.entries(form ?? {}).filter((field): field is [string, string] => typeof field[1] === 'string')
  return Object.fromEntries(typed)
}

/** The words for whoever asks. */
function wordsOf({ request }: FastifyReply, { front }: Showing): Words {
  return front.wordsFor(request.headers['accept-language'])
}

async function findCheckout({ merchant, store }: Showing, token: unknown): Promise<StoredCheckout> {
  const checkout = typeof token === 'string' ? await store.findCheckout(merchant.id, token) : undefined
  if (!checkout) throw new Refusal('checkout-not-found', { detail: 'No checkout of this merchant has this token.' })
  return checkout
}

function expired({ expiresAt }: StoredCheckout): Refusal {
  return new Refusal('checkout-expired', { detail: `The checkout expired at ${expiresAt}.` })
}

function superseded(): Refusal {
  return new Refusal('checkout-superseded', { detail: 'The same reference came again with another cart.' })
}

/** The path of the confirmation: stable, with the number that apps read from it (real-app.md 8 and 9). */
function confirmationPath(
  { path, checkout }: Merchant,
  { token, orderNumber }: Pick<StoredCheckout, 'token' | 'orderNumber'>
): string {
  return `${path}${checkout.path}/${token}/complete?order=${orderNumber}`
}

/**
 * Answers with the page of a checkout as it stands now.
 * @throws Refusal when it has expired
 */
export async function showCheckout(
  reply: FastifyReply,
  parts: Showing,
  checkout: StoredCheckout
): Promise<FastifyReply> {
  const { merchant, catalogue, clock, front } = parts
  const now = clock()
  const words = wordsOf(reply, parts)
  const state = checkoutState(checkout, now)
  if (state === 'expired') throw expired(checkout)
  if (state === 'superseded') {
    const view = problemView(superseded(), words, reply.request.id)
    return sendPage(reply, front, words, { template: 'problem', title: view.heading, view, images: [] })
  }
  if (state === 'placed') {
    const refusal = new Refusal('order-placed', { detail: `It is the order ${checkout.orderNumber}.` })
    const link = {
      href: confirmationPath(merchant, checkout),
      text: words.say('order', { number: String(checkout.orderNumber) })
    }
    const view = { ...problemView(refusal, words, reply.request.id), link }
    reply.code(problems['order-placed'].status)
    return sendPage(reply, front, words, { template: 'problem', title: view.heading, view, images: [] })
  }
  return sendCheckout(reply, parts, checkout, priceCart(checkout.cart, catalogue, now), NO_PROGRESS)
}

function sendCheckout(
  reply: FastifyReply,
  parts: Showing,
  checkout: StoredCheckout,
  priced: PricedCart,
  progress: Progress
): Promise<FastifyReply> {
  const words = wordsOf(reply, parts)
  const view = checkoutView(checkout, priced, parts.merchant, words, progress)
  const images = view.lines.flatMap(({ image }) => image ?? [])
  const isRefused = reply.statusCode >= 400
  const title = checkoutTitle(words, isRefused)
  return sendPage(reply, parts.front, words, { template: 'checkout', title, view: { ...view, isRefused }, images })
}

/** Places the order, or shows again what has to be looked at, with everything typed kept. */
async function place(
  reply: FastifyReply,
  parts: Showing,
  checkout: StoredCheckout,
  typed: Record<string, string>
): Promise<FastifyReply> {
  const { merchant, store, catalogue, clock } = parts
  const now = clock()
  const confirm = (orderNumber: string) =>
    reply
      .header('Cache-Control', 'private, no-cache')
      .redirect(confirmationPath(merchant, { token: checkout.token, orderNumber }), 303)

  const state = checkoutState(checkout, now)
  if (state === 'superseded') throw superseded()
  if (state === 'expired') throw expired(checkout)
  if (state === 'placed') return confirm(String(checkout.orderNumber))

  const { countries, delivery, webhook } = merchant
  // The merchant reads the order in the language of its own, whatever the shopper's is.
  const deliveries = deliveriesIn(delivery, checkout.cart.currency, parts.front.wordsFor(undefined))
  const isAnnounced = webhook !== undefined
  const attempt = await placeOrder({ store, catalogue, now, deliveries, countries, isAnnounced }, checkout, typed)
  switch (attempt.outcome) {
    case 'placed':
      return confirm(attempt.order.number)
    case 'superseded':
      throw superseded()
    case 'other-country':
      return sendCheckout(reply, parts, checkout, attempt.priced, { ...NO_PROGRESS, typed })
    case 'unsellable':
      return sendCheckout(reply.code(409), parts, checkout, attempt.priced, { ...NO_PROGRESS, typed })
    case 'changed':
      return sendCheckout(reply.code(409), parts, checkout, attempt.priced, {
        ...NO_PROGRESS,
        typed,
        changed: attempt.changed
      })
    case 'mistaken':
      return sendCheckout(reply.code(422), parts, checkout, attempt.priced, {
        ...NO_PROGRESS,
        typed,
        mistakes: attempt.mistakes
      })
  }
}
