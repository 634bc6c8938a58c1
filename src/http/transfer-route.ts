// The transfer endpoint of a way in: whatever the option, its URL or body is limited here, its sender authenticated, its
// result logged and recorded, also if the client does not wait for its answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cart } from '../cart/cart.ts'
import { handOff, openCheckout } from '../checkout/open-checkout.ts'
import { Problem } from '../errors.ts'
import { HOP_HEADER } from '../integrations/destination/shop-call.ts'
import { type Redirect, redirectTo, withPageParameters } from '../integrations/destination/shop-page.ts'
import { showCheckout } from '../pages/checkout-pages.ts'
import { withBuyer } from '../pages/given-buyer.ts'
import { type AttributionSettings, isAttribution } from '../transfer/attribution.ts'
import type { Description } from '../transfer/description.ts'
import { readWithHints } from '../transfer/field-hints.ts'
import { transferOptions } from '../transfer/index.ts'
import { asksForPage, MAX_URL, maxBody, type RedirectOption } from '../transfer/option.ts'
import { acceptBody, refuseContentEncoding, refuseUnread, requireAuthentication } from './admit-request.ts'
import { recordTransfers, type WayContext } from './transfer-record.ts'

export async function transferRoute(app: FastifyInstance, { context }: { context: WayContext }): Promise<void> {
  const { merchant, way, clock, origin, ownShop, trace } = context
  const { option, transfer, authentication } = way
  const { maxItems, maxQuantity } = transfer
  const checkoutUrl = () => origin() + merchant.path + merchant.checkout.path

  recordTransfers(app, context, asksForPage(option) ? 'page' : 'problem+json')
  if (authentication) {
    const secrets = authentication.secrets.map(({ value }) => value)
    requireAuthentication(app, authentication.type, secrets, clock)
  }
  refuseContentEncoding(app)
  // Node limits any URL; the contract does where the page itself is the answer.
  if (option.encoding === 'query' && option.answer === 'page') {
    app.addHook('onRequest', ({ url }, _reply, done) => done(longUrlProblem(origin().length + url.length)))
  }
  const get = (path: string, sentIn: (url: string) => string) =>
    app.get(path, { exposeHeadRoute: false }, (request, reply) =>
      answer(request, reply, Buffer.from(sentIn(request.url)))
    )
  if (option.encoding === 'query') {
    get('', queryIn)
  } else if (option.encoding === 'path') {
    // By its slashes, as its other characters may be escaped.
    const slashes = app.prefix.split('/').length
    get('/*', url => url.split('/').slice(slashes).join('/'))
    // Without a slash it has no items either.
    get('', url => `?${queryIn(url)}`)
  } else {
    const route = acceptBody(app, [option.encoding], maxBody(maxItems))
    app.post<{ Body: Buffer }>('', route, (request, reply) => answer(request, reply, request.body))
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, sent: Buffer): Promise<FastifyReply> {
    refuseUnread(ownShop, sent.length)
    const warn = (details: object, message: string) => request.log.warn(details, message)
    const readContext = { maxItems, maxQuantity, settings: transfer, warn }
    const cart = readWithHints(option, transferOptions, sent, readContext)
    request.transfer = { cart }
    if (ownShop) refuseLoop(request)
    const opened = ownShop
      ? await trace('hand over', () => handOff(context, ownShop, cart))
      : await trace('open checkout', () => openCheckout(context, cart))
    const { isRepeat, at, priced } = opened
    request.transfer = { cart, isRepeat, at }
    const { token, handover: shopPage } = opened.checkout
    const handover = shopPage && withAttributionOf(cart, shopPage, transfer)
    if (option.answer === 'description') {
      const link = { token, url: checkoutUrl(), at }
      return reply.header('cache-control', 'no-store').send(handover ?? option.describe(link, transfer))
    }
    if (handover) return redirectShopper(reply, redirectTo(handover, origin()))
    if (option.answer === 'page') return showCheckout(context, reply, opened.checkout, at, { priced })
    // Who sends a bag again has not proved to be its buyer.
    const address = withBuyer(`${checkoutUrl()}/${token}`, isRepeat ? undefined : opened.checkout.cart.buyer)
    const query = (option as RedirectOption).passOn(sent, transfer)
    const isPassedOn = query !== '' && address.length + query.length < MAX_URL
    const passing = `${address}${address.includes('?') ? '&' : '?'}${query}`
    return redirectShopper(reply, { location: isPassedOn ? passing : address, setCookies: [] })
  }
}

/**
 * A shop's page, which is told where the shopper came from. It is not kept with that: it is personal. Names beyond the known
 * could mean something to a shop, as `add-to-cart` does.
 */
export function withAttributionOf(
  { attribution = {} }: Cart,
  page: Description,
  settings: AttributionSettings
): Description {
  const passedOn = Object.entries(attribution).filter(([name]) => isAttribution(name, settings))
  return withPageParameters(page, passedOn)
}

export function queryIn(url: string): string {
  return url.split(/\?(.*)/s)[1] ?? ''
}

/** Where it leads, nothing is learnt of where the shopper comes from. */
export function redirectShopper(reply: FastifyReply, { location, setCookies }: Redirect): FastifyReply {
  for (const cookie of setCookies) reply.header('set-cookie', cookie)
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(location, 303)
}

function longUrlProblem(length: number): Problem | undefined {
  if (length <= MAX_URL) return undefined
  const limit = `the contract allows ${MAX_URL} (section 8). Options 1 and 2A take larger bags.`
  return new Problem('url-too-long', { detail: `The URL has ${length} characters; ${limit}` })
}

/** What a destination sends that leads to this server itself would go round and round. */
function refuseLoop({ headers }: FastifyRequest): void {
  if (headers['user-agent'] !== 'cart-transfer' && headers[HOP_HEADER] === undefined) return
  const detail = 'The cart was handed over by this server itself.'
  throw new Problem('destination-unusable', { detail, reason: 'checkout.destination leads back to this server' })
}
