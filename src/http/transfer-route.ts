// The transfer endpoint of a way in: whatever the option, its URL or body is limited here, its sender authenticated, its
// result logged and recorded, also if the client does not wait for its answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cart } from '../cart/cart.ts'
import type { HandoffStore, TransferStore } from '../checkout/checkout-store.ts'
import { handOff, openCheckout } from '../checkout/open-checkout.ts'
import type { ReportedOrderStore } from '../checkout/orders/reported-order.ts'
import { Problem, summarize } from '../errors.ts'
import { HOP_HEADER } from '../integrations/destination/shop-call.ts'
import { type Redirect, redirectTo, withPageParameters } from '../integrations/destination/shop-page.ts'
import type { Way } from '../merchant/merchant.ts'
import { toMinor } from '../money.ts'
import { showCheckout } from '../pages/checkout-pages.ts'
import { withBuyer } from '../pages/given-buyer.ts'
import type { PageContext } from '../pages/storefront.ts'
import type { ReconcileStore } from '../reconcile/compare-lists.ts'
import { isAttribution } from '../transfer/attribution.ts'
import { readWithHints } from '../transfer/field-hints.ts'
import { transferOptions } from '../transfer/index.ts'
import { asksForPage, MAX_URL, maxBody } from '../transfer/option.ts'
import { acceptBody, refuseContentEncoding, requireAuthentication } from './admit-request.ts'
import { handleErrors, isShed } from './error-handler.ts'
import { whenClosed } from './every-request.ts'

/** All of a merchant, as its routes get it. */
export type RouteContext = PageContext & {
  store: TransferStore & HandoffStore & ReportedOrderStore & Pick<ReconcileStore, 'referenceHistories'>
}

type WayContext = RouteContext & { way: Way }

type TransferProgress = { cart?: Cart; isRepeat?: boolean; at?: Date; refusal?: Problem }

declare module 'fastify' {
  interface FastifyRequest {
    transfer: TransferProgress | undefined
  }
}

/** How many prices that could not be read a line of the log has, and how much of each, in characters. */
const LOGGED_PRICES = 3
const LOGGED_PRICE = 40

const UNREAD = "The merchant's shop takes no large carts now; this one was not read. Try again in a few seconds."

export async function transferRoute(app: FastifyInstance, { context }: { context: WayContext }): Promise<void> {
  const { merchant, way, clock, origin, ownShop, trace } = context
  const { option, transfer, authentication } = way
  const checkoutUrl = () => origin() + merchant.path + merchant.checkout.path

  recordTransfers(app, context)
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
  const queryIn = (url: string) => url.split(/\?(.*)/s)[1] ?? ''
  if (option.encoding === 'query') {
    get('', queryIn)
  } else if (option.encoding === 'path') {
    // By its slashes, as its other characters may be escaped.
    const slashes = app.prefix.split('/').length
    get('/*', url => url.split('/').slice(slashes).join('/'))
    // Without a slash it has no items either.
    get('', url => `?${queryIn(url)}`)
  } else {
    const route = acceptBody(app, [option.encoding], maxBody(transfer.maxItems))
    app.post<{ Body: Buffer }>('', route, (request, reply) => answer(request, reply, request.body))
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, sent: Buffer): Promise<FastifyReply> {
    const reason = ownShop?.reasonNotToRead(sent.length)
    if (reason) throw new Problem('destination-unavailable', { detail: UNREAD, reason })
    const warn = (details: object, message: string) => request.log.warn(details, message)
    const readContext = { maxItems: transfer.maxItems, settings: transfer, warn }
    const cart = readWithHints(option, transferOptions, sent, readContext)
    request.transfer = { cart }
    if (ownShop) refuseLoop(request)
    const opened = ownShop
      ? await trace('hand over', () => handOff(context, ownShop, cart))
      : await trace('open checkout', () => openCheckout(context, cart))
    const { isRepeat, at, priced } = opened
    request.transfer = { cart, isRepeat, at }
    const { token, handover: shopPage } = opened.checkout
    // Not kept with the page: it is personal. Other names could mean something to a shop, as `add-to-cart` does.
    const passedOn = Object.entries(cart.attribution ?? {}).filter(([name]) => isAttribution(name, transfer))
    const handover = shopPage && withPageParameters(shopPage, passedOn)
    if (option.answer === 'description') {
      const link = { token, url: checkoutUrl(), at }
      return reply.header('cache-control', 'no-store').send(handover ?? option.describe(link, transfer))
    }
    if (handover) return redirect(reply, redirectTo(handover, origin()))
    if (option.answer === 'page') return showCheckout(context, reply, opened.checkout, at, { priced })
    // Who sends a bag again has not proved to be its buyer.
    const address = withBuyer(`${checkoutUrl()}/${token}`, isRepeat ? undefined : opened.checkout.cart.buyer)
    const query = option.passOn(sent, transfer)
    const isPassedOn = query !== '' && address.length + query.length < MAX_URL
    const passing = `${address}${address.includes('?') ? '&' : '?'}${query}`
    return redirect(reply, { location: isPassedOn ? passing : address, setCookies: [] })
  }
}

/** Where it leads, nothing is learnt of where the shopper comes from. */
function redirect(reply: FastifyReply, { location, setCookies }: Redirect): FastifyReply {
  for (const cookie of setCookies) reply.header('set-cookie', cookie)
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(location, 303)
}

function longUrlProblem(length: number): Problem | undefined {
  if (length <= MAX_URL) return undefined
  const limit = `the contract allows ${MAX_URL} (section 8). Options 1 and 2A take larger bags.`
  return new Problem('url-too-long', { detail: `The URL has ${length} characters; ${limit}` })
}

/** One line in the log and one record for each transfer. */
function recordTransfers(app: FastifyInstance, context: WayContext): void {
  const { merchant, way, store, clock, observer, storefront } = context
  const { id } = merchant
  const { name: option, transfer } = way
  app.decorateRequest('transfer', undefined)
  // Fastify's onResponse is not called if the client leaves. Before onSend, the result of the transfer is not known.
  app.addHook('onSend', (request, reply, payload, done) => {
    whenClosed(reply.raw, isSent => finish(request, reply, !isSent))
    done(null, payload)
  })
  const form = asksForPage(way.option) ? 'page' : 'problem+json'
  const note = (refusal: Problem, request: FastifyRequest) => {
    request.transfer = { ...request.transfer, refusal }
    return refusal
  }
  handleErrors(app, storefront, () => form, note)

  function finish(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void {
    // Set by the answer, and by every refusal.
    const { cart, isRepeat, refusal, at = clock() } = request.transfer as TransferProgress
    const reference = cart?.reference ?? refusal?.reference
    const problem = refusal?.code
    const outcome = refusal ? 'refused' : isRepeat ? 'repeated' : 'accepted'
    const mistakes = refusal ? [...new Set(refusal.mistakes.map(({ code }) => code))] : []
    const result = { option, outcome, problem, mistakes } as const
    observer.transferred({ merchant: id, ...result, duration: reply.elapsedTime })
    if (problem !== 'too-many-requests') {
      const unreadable = cart && !refusal ? unreadablePrices(cart) : []
      // No token, no client address and nothing about a person.
      const line = {
        merchant: id,
        option,
        reference,
        lines: refusal?.lines ?? cart?.items.length,
        outcome,
        status: reply.statusCode,
        ...(isAborted && { aborted: true }),
        ...(problem !== undefined && { problem, mistakes }),
        reason: refusal && reasonOf(refusal),
        ...(unreadable.length > 0 && { unreadablePrices: unreadable }),
        durationMs: Math.round(reply.elapsedTime * 10) / 10
      }
      request.log.info(line, 'transfer')
    }
    // The checkout of an accepted cart is its record; what was refused for its load writes none.
    const isRecorded = outcome !== 'accepted' && !(refusal && isShed(refusal.code))
    if (isRecorded && transfer.keepRecordsDays > 0) {
      const record = { merchantId: id, reference, ...result, at: at.toISOString() }
      store.addTransfer(record).catch(error => app.logSharedFailure('transfer not recorded', error))
    }
  }
}

/** So that a wrong line can be looked up, a wrong clock told from a wrong secret, and a slow shop from a dead one. */
function reasonOf({ code, message, reason, mistakes }: Problem): string | undefined {
  if (code === 'unauthorized') return message
  return reason ?? (mistakes.length > 0 ? summarize(mistakes) : undefined)
}

/** What a destination sends that leads to this server itself would go round and round. */
function refuseLoop({ headers }: FastifyRequest): void {
  if (headers['user-agent'] !== 'cart-transfer' && headers[HOP_HEADER] === undefined) return
  const detail = 'The cart was handed over by this server itself.'
  throw new Problem('destination-unusable', { detail, reason: 'checkout.destination leads back to this server' })
}

function unreadablePrices({ items, currency }: Cart): string[] {
  const prices = new Set(items.flatMap(({ price = [] }) => price))
  const unreadable = [...prices].filter(price => toMinor(price, currency) === undefined)
  return unreadable.slice(0, LOGGED_PRICES).map(price => price.slice(0, LOGGED_PRICE))
}
