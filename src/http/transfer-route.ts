// The transfer endpoint of a merchant: whatever the option, its URL or body is limited here, its sender authenticated, its
// result logged and recorded, also if the client does not wait for its answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cart } from '../cart/cart.ts'
import type { HandoverStore, TokenSource, TransferStore } from '../checkout/checkout-store.ts'
import { handOver } from '../checkout/hand-over.ts'
import { openCheckout } from '../checkout/open-checkout.ts'
import type { OwnShop } from '../destination/shop-call.ts'
import { type Redirect, redirectTo } from '../destination/shop-page.ts'
import { Refusal } from '../errors.ts'
import { toMinor } from '../money.ts'
import type { ObservedTransfer, Trace } from '../observer.ts'
import type { ReportedOrderStore } from '../orders/reported-order.ts'
import { type PageShop, showCheckout } from '../pages/checkout-pages.ts'
import type { Description } from '../transfer/description.ts'
import { maxBody } from '../transfer/limits.ts'
import { MAX_URL } from '../transfer/option.ts'
import { acceptBody, refuseContentEncoding, requireAuthentication } from './admit-request.ts'
import { handleErrors, isShed } from './error-handler.ts'
import { whenClosed } from './every-request.ts'

export type MerchantShop = PageShop & {
  store: TransferStore & HandoverStore & ReportedOrderStore
  newToken: TokenSource
  /** If bags lead there instead of to our page. */
  ownShop?: OwnShop
  /** Scheme, host and port of this process, for a merchant whose publicUrl is only a path. */
  ownOrigin: () => string
  trace: Trace
}

type TransferResult = Omit<ObservedTransfer, 'merchant' | 'duration'>

type TransferProgress = { cart?: Cart; isRepeat?: boolean; at?: Date; refusal?: Refusal }

declare module 'fastify' {
  interface FastifyRequest {
    transfer: TransferProgress | undefined
  }
}

/** How much of a price that could not be read is logged, in characters. */
const LOGGED_PRICE = 40

export async function transferRoute(app: FastifyInstance, { shop }: { shop: MerchantShop }): Promise<void> {
  const { merchant, clock, ownShop, ownOrigin, trace } = shop
  const { option, transfer, checkout, authentication } = merchant
  const origin = () => merchant.origin ?? ownOrigin()
  const checkRoute = (description: Description) => {
    // A description takes everything.
    if (option.answer === 'page') redirectTo(description, origin())
  }

  recordTransfers(app, shop)
  if (authentication) {
    const secrets = authentication.secrets.map(({ value }) => value)
    requireAuthentication(app, authentication.type, secrets, clock)
  }
  refuseContentEncoding(app)
  if (option.encoding === 'query') {
    app.get('', { exposeHeadRoute: false }, (request, reply) => {
      const [, query = ''] = request.url.split(/\?(.*)/s)
      return answer(request, reply, Buffer.from(query))
    })
    app.addHook('onRequest', ({ url }, _reply, done) => done(longUrlRefusal(origin().length + url.length)))
  } else {
    const route = acceptBody(app, option.encoding, maxBody(transfer.maxItems))
    app.post<{ Body: Buffer }>('', route, (request, reply) => answer(request, reply, request.body))
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, sent: Buffer): Promise<FastifyReply> {
    const warn = (details: object, message: string) => request.log.warn(details, message)
    const cart = option.read(sent, { maxItems: transfer.maxItems, settings: transfer, warn })
    request.transfer = { cart }
    if (ownShop) refuseLoop(request)
    const opened = ownShop
      ? await trace('hand over', () => handOver({ ...shop, ownShop, checkRoute }, cart))
      : await trace('open checkout', () => openCheckout(shop, cart))
    const { isRepeat, at, priced } = opened
    request.transfer = { cart, isRepeat, at }
    const { token, handover } = opened.checkout
    if (option.answer === 'description') {
      const link = { token, url: origin() + merchant.path + checkout.path, at }
      return reply.header('cache-control', 'no-store').send(handover ?? option.describe(link, transfer))
    }
    if (handover) return redirectToShop(reply, redirectTo(handover, origin()))
    return showCheckout(reply, shop, opened.checkout, at, priced)
  }
}

function longUrlRefusal(length: number): Refusal | undefined {
  if (length <= MAX_URL) return undefined
  const limit = `the contract allows ${MAX_URL} (section 8). Options 1 and 2A take larger bags.`
  return new Refusal('url-too-long', { detail: `The URL has ${length} characters; ${limit}` })
}

/** One line in the log and one record for each transfer. */
function recordTransfers(app: FastifyInstance, shop: MerchantShop): void {
  const { store, clock, observer, storefront, catalogue } = shop
  const { id, option, transfer } = shop.merchant
  app.decorateRequest('transfer', undefined)
  // Fastify's onResponse is not called if the client leaves. Before onSend, the result of the transfer is not known.
  app.addHook('onSend', (request, reply, payload, done) => {
    whenClosed(reply.raw, isSent => finish(request, reply, !isSent))
    done(null, payload)
  })
  const form = option.answer === 'page' ? 'page' : 'problem+json'
  const note = (refusal: Refusal, request: FastifyRequest) => {
    request.transfer = { ...request.transfer, refusal }
    return refusal
  }
  handleErrors(app, storefront, () => form, note, catalogue)

  function finish(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void {
    // Set by the answer, and by every refusal.
    const progress = request.transfer as TransferProgress
    const { cart, isRepeat, refusal, at = clock() } = progress
    const reference = cart?.reference ?? refusal?.reference
    const result: TransferResult = {
      option: option.name,
      outcome: refusal ? 'refused' : isRepeat ? 'repeated' : 'accepted',
      problem: refusal?.code,
      mistakes: refusal ? [...new Set(refusal.mistakes.map(({ code }) => code))] : []
    }
    observer.transferred({ merchant: id, ...result, duration: reply.elapsedTime })
    if (result.problem !== 'too-many-requests') {
      const line = lineOf(result, progress, reply, isAborted)
      request.log.info({ merchant: id, option: option.name, reference, ...line }, 'transfer')
    }
    // The checkout of an accepted cart is its record; what was refused for its load writes none.
    const isRecorded = result.outcome !== 'accepted' && !(refusal && isShed(refusal.code))
    if (isRecorded && transfer.keepRecordsDays > 0) {
      const record = { merchantId: id, reference, ...result, at: at.toISOString() }
      store.addTransfer(record).catch(error => app.logSharedFailure('transfer not recorded', error))
    }
  }
}

/** What a destination sends that leads to this server itself would go round and round. */
function refuseLoop({ headers }: FastifyRequest): void {
  if (headers['user-agent'] !== 'cart-transfer') return
  const detail = 'The cart was handed over by this server itself.'
  throw new Refusal('destination-unusable', { detail, reason: 'checkout.destination leads back to this server' })
}

/** Leads the web view into the merchant's own shop, which learns nothing of where it comes from. */
function redirectToShop(reply: FastifyReply, { location, setCookies }: Redirect): FastifyReply {
  for (const cookie of setCookies) reply.header('set-cookie', cookie)
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(location, 303)
}

/** What a line of the log says of a transfer: no token, no client address and nothing about a person. */
function lineOf(
  { outcome, problem, mistakes }: TransferResult,
  { cart, refusal }: TransferProgress,
  { statusCode: status, elapsedTime }: FastifyReply,
  isAborted: boolean
) {
  const unreadable = cart && !refusal ? unreadablePrices(cart) : []
  return {
    lines: refusal?.lines ?? cart?.items.length,
    outcome,
    status,
    ...(isAborted && { aborted: true }),
    ...(problem !== undefined && { problem, mistakes }),
    // A wrong clock can be told from a wrong secret, and a slow shop from a dead one.
    reason: problem === 'unauthorized' ? refusal?.message : refusal?.reason,
    ...(unreadable.length > 0 && { unreadablePrices: unreadable }),
    durationMs: Math.round(elapsedTime * 10) / 10
  }
}

function unreadablePrices({ items, currency }: Cart): string[] {
  return items.flatMap(({ price }) =>
    price !== undefined && toMinor(price, currency) === undefined ? price.slice(0, LOGGED_PRICE) : []
  )
}
