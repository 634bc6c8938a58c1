// The pages below {publicUrl}{checkout.path}: POST with `token=` shows a checkout, GET /<token> shows it. The token is
// the only way to find one; loading a page changes nothing.
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Catalogue } from '../catalogue/product.ts'
import type { Merchant } from '../config/merchant.ts'
import { Refusal } from '../errors.ts'
import type { Store, StoredCheckout } from '../store/store.ts'
import { checkoutState } from './checkout-state.ts'
import { checkoutView } from './checkout-view.ts'
import { priceCart } from './price-cart.ts'
import { problemView } from './problem-view.ts'
import { sendPage } from './send-page.ts'
import { CHECKOUT_TITLE } from './titles.ts'

export type Showing = { merchant: Merchant; store: Store; catalogue: Catalogue; clock: () => Date; css: string }

const TOKEN_BODY_LIMIT = 16 * 1024

export async function checkoutPages(app: FastifyInstance, parts: Showing): Promise<void> {
  const { merchant, store } = parts
  const { path } = merchant.checkout
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: TOKEN_BODY_LIMIT })

  app.post<{ Body: { token?: unknown } | undefined }>(path, async (request, reply) => show(reply, request.body?.token))
  app.get<{ Params: { token: string } }>(`${path}/:token`, async (request, reply) => show(reply, request.params.token))
  app.get(path, async (_request, reply) => show(reply, undefined))

  async function show(reply: FastifyReply, token: unknown): Promise<FastifyReply> {
    const checkout = typeof token === 'string' ? await store.findCheckout(merchant.id, token) : undefined
    if (!checkout) throw new Refusal('checkout-not-found', { detail: 'No checkout of this merchant has this token.' })
    return showCheckout(reply, parts, checkout)
  }
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
  const { merchant, catalogue, clock, css } = parts
  const now = clock()
  const state = checkoutState(checkout, now)
  if (state === 'expired') {
    throw new Refusal('checkout-expired', { detail: `The checkout expired at ${checkout.expiresAt}.` })
  }
  if (state === 'superseded') {
    const refusal = new Refusal('checkout-superseded', { detail: 'The same reference came again with another cart.' })
    const view = problemView(refusal, reply.request.id)
    return sendPage(reply, merchant, css, { template: 'problem', title: view.heading, view, images: [] })
  }
  const view = checkoutView(checkout.cart, priceCart(checkout.cart, catalogue, now), merchant)
  const images = view.lines.flatMap(({ image }) => image ?? [])
  return sendPage(reply, merchant, css, { template: 'checkout', title: CHECKOUT_TITLE, view, images })
}
