// The transfer endpoint of a merchant: whatever the option, its URL or body is limited here, its sender authenticated, its
// result logged and recorded, also if the client does not wait for its answer.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Cart } from '../cart/cart.ts'
import type { HandoverStore, TransferRecord, TransferStore } from '../checkout/checkout-store.ts'
import { handOver } from '../checkout/hand-over.ts'
import { openCheckout } from '../checkout/open-checkout.ts'
import type { OwnShop } from '../destination/circuit-breaker.ts'
import { type Redirect, redirectTo } from '../destination/handover.ts'
import { type MistakeCode, type ProblemCode, Refusal } from '../errors.ts'
import { toMinor } from '../money.ts'
import type { Trace } from '../observer.ts'
import type { ReportedOrderStore } from '../orders/reported-order.ts'
import { type PageShop, showCheckout } from '../pages/checkout-pages.ts'
import type { Description } from '../transfer/description.ts'
import { maxBody } from '../transfer/limits.ts'
import { MAX_URL } from '../transfer/option.ts'
import { acceptBody, refuseContentEncoding, requireAuthentication } from './admit-request.ts'
import { isShed, sendRefusal, toRefusal } from './error-handler.ts'
import { whenClosed } from './every-request.ts'

export type MerchantShop = PageShop & {
  store: TransferStore & HandoverStore & ReportedOrderStore
  /** The merchant's own shop, if bags lead there instead of to our page. */
  ownShop?: OwnShop
  /** Scheme, host and port of this process, for a merchant whose publicUrl is only a path. */
  ownOrigin: () => string
  trace: Trace
}

type TransferProgress = { cart?: Cart; isRepeat?: boolean; at?: Date; refusal?: Refusal }

declare module 'fastify' {
  interface FastifyRequest {
    transfer: TransferProgress | undefined
  }
}

/** How much of a price that could not be read is logged, in characters. */
const LOGGED_PRICE = 40

/** A request goes to the option to be read, its cart to the checkout, and the checkout to its page. */
export async function transferRoute(app: FastifyInstance, { shop }: { shop: MerchantShop }): Promise<void> {
  const { merchant, clock, ownShop, ownOrigin, trace } = shop
  const { option, transfer, checkout, authentication } = merchant
  const origin = () => merchant.origin ?? ownOrigin()
  const checkRoute = (description: Description) => {
    // A description takes everything.
    if (option.answer === 'page') redirectTo(description, origin())
  }

  recordTransfers(app, shop)
  if (authentication) requireAuthentication(app, authentication, clock)
  refuseContentEncoding(app)
  if (option.encoding === 'query') {
    const refuseLong = refuseLongUrl(origin)
    app.get('', { exposeHeadRoute: false, onRequest: refuseLong }, (request, reply) =>
      answer(request, reply, queryOf(request.url))
    )
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

/** Refuses a URL that is longer than the contract allows for a cart in a query (section 8). */
function refuseLongUrl(origin: () => string): onRequestHookHandler {
  return (request, _reply, done) => {
    const length = origin().length + request.url.length
    if (length <= MAX_URL) return done()
    const limit = `the contract allows ${MAX_URL} (section 8). Options 1 and 2A take larger bags.`
    done(new Refusal('url-too-long', { detail: `The URL has ${length} characters; ${limit}` }))
  }
}

/** The bytes of the query of a URL. */
function queryOf(url: string): Buffer {
  const start = url.indexOf('?')
  return Buffer.from(start === -1 ? '' : url.slice(start + 1))
}

/** One line in the log and one record for each transfer, with its result or its refusal. */
function recordTransfers(
  app: FastifyInstance,
  { merchant, store, clock, observer, storefront, catalogue }: MerchantShop
): void {
  const { option, transfer } = merchant
  app.decorateRequest('transfer', undefined)
  // Fastify's onResponse is not called if the client leaves. Before onSend, the result of the transfer is not known.
  app.addHook('onSend', (request, reply, payload, done) => {
    whenClosed(reply.raw, isSent => finish(request, reply, !isSent))
    done(null, payload)
  })
  function finish(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void {
    // Set by the answer, and by every refusal.
    const { cart, isRepeat, refusal, at = clock() } = request.transfer as TransferProgress
    const result: TransferResult = {
      merchant: merchant.id,
      option: option.name,
      reference: cart?.reference ?? refusal?.reference,
      outcome: refusal ? 'refused' : isRepeat ? 'repeated' : 'accepted',
      problem: refusal?.code,
      mistakes: refusal ? [...new Set(refusal.mistakes.map(({ code }) => code))] : []
    }
    const { merchant: id, option: name, outcome, problem, mistakes } = result
    observer.transferred({ merchant: id, option: name, outcome, problem, mistakes, duration: reply.elapsedTime })
    if (refusal?.code !== 'too-many-requests') logTransfer(result, request, reply, isAborted)
    // The checkout of an accepted cart is its record; what was refused for its load writes none.
    const isRecorded = outcome !== 'accepted' && !(refusal && isShed(refusal.code))
    if (isRecorded && transfer.keepRecordsDays > 0) {
      // Nobody waits for this: the answer has been sent, or the client has left.
      store.addTransfer(toRecord(result, at)).catch(error => app.logSharedFailure('transfer not recorded', error))
    }
  }
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error)
    request.transfer = { ...request.transfer, refusal }
    const form = option.answer === 'page' ? 'page' : 'problem+json'
    return sendRefusal(refusal, error, request, reply, storefront, form, catalogue)
  })
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

type TransferResult = Pick<TransferRecord, 'option' | 'outcome'> & {
  merchant: string
  reference: string | undefined
  problem: ProblemCode | undefined
  mistakes: MistakeCode[]
}

function toRecord({ merchant, reference, problem, ...rest }: TransferResult, at: Date): TransferRecord {
  return {
    merchantId: merchant,
    ...(reference !== undefined && { reference }),
    ...(problem !== undefined && { problem }),
    ...rest,
    at: at.toISOString()
  }
}

/** One line per transfer. It holds no token, no client address and nothing about a person. */
function logTransfer(
  { merchant, reference, option, outcome, problem, mistakes }: TransferResult,
  request: FastifyRequest,
  { statusCode: status, elapsedTime: duration }: FastifyReply,
  isAborted: boolean
): void {
  const { cart, refusal } = request.transfer as TransferProgress
  const unreadable = cart && !refusal ? unreadablePrices(cart) : []
  // A wrong clock can be told from a wrong secret, and a slow shop from a dead one.
  const reason = problem === 'unauthorized' ? refusal?.message : refusal?.reason
  request.log.info(
    {
      merchant,
      option,
      reference,
      lines: refusal?.lines ?? cart?.items.length,
      outcome,
      status,
      ...(isAborted && { aborted: true }),
      ...(problem !== undefined && { problem, mistakes }),
      reason,
      ...(unreadable.length > 0 && { unreadablePrices: unreadable }),
      durationMs: Math.round(duration * 10) / 10
    },
    'transfer'
  )
}

function unreadablePrices({ items, currency }: Cart): string[] {
  return items.flatMap(({ price }) =>
    price !== undefined && toMinor(price, currency) === undefined ? price.slice(0, LOGGED_PRICE) : []
  )
}
