// Gives every refusal its form: problem+json for programs, a page for shoppers. What an option or a page throws ends
// here, and so do Fastify's own errors.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problemView, toProblem } from './checkout/problem-view.ts'
import { sendPage } from './checkout/send-page.ts'
import type { ShopFront } from './checkout/shop-front.ts'
import type { Merchant } from './config/merchant.ts'
import { isWithin } from './config/public-url.ts'
import { problems, Refusal, StoreUnavailable } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The cart that was taken from this request, and whether it had come before. */
    accepted: { cart: import('./cart/cart.ts').Cart; isRepeat: boolean } | undefined
    /** Why this request was refused. */
    refusal: Refusal | undefined
  }
}

/** After how many seconds another try makes sense when the store is out of reach. */
const RETRY_AFTER = '5'

/** Whose address this is, and the form in which it refuses. */
export type Addressee = { merchant: Merchant | undefined; form: 'page' | 'problem+json' }

/**
 * Finds whom a request was for. The option decides the form on its own path, the checkout pages are pages; anywhere
 * else a client that asks for HTML gets a page.
 */
export function findAddressee(merchants: Merchant[], url: string, accept = ''): Addressee {
  const path = url.replace(/[?#].*/s, '')
  const merchant = merchants.find(({ path: own }) => isWithin(path, own))
  const isPage = merchant && isWithin(path, merchant.path + merchant.checkout.path)
  const isTransfer = merchant && path === merchant.path + merchant.transfer.path
  const wantsPage = merchant?.option.answer === 'page' || (!isTransfer && accept.includes('text/html'))
  return { merchant, form: isPage || wantsPage ? 'page' : 'problem+json' }
}

/** Any error as a refusal; what is not the client's fault is an internal error, whose cause stays in the log. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreUnavailable) {
    const detail = 'The store cannot be reached; nothing was taken. Try again in a few seconds.'
    return new Refusal('store-unavailable', { detail, headers: { 'Retry-After': RETRY_AFTER } })
  }
  const { statusCode: status = 500, message } = error as { statusCode?: number; message: string }
  if (status === 413) return new Refusal('body-too-large', { detail: message })
  if (status === 415) return new Refusal('media-type-unsupported', { detail: message })
  if (status === 403 || status === 404) return notFound()
  if (status >= 400 && status < 500) return new Refusal('malformed-request', { detail: message })
  return new Refusal('internal-error', { detail: 'The server failed; the log has the cause under this request id.' })
}

export function notFound(): Refusal {
  return new Refusal('not-found', { detail: 'Nothing is served at this address.' })
}

/** The front of each merchant, and the one where an address is no merchant's. */
export type RefusingParts = { fronts: (ShopFront & { merchant: Merchant })[]; bare: ShopFront }

/** Whose front answers a request, and in which form it refuses. */
export function findFront(
  { fronts, bare }: RefusingParts,
  url: string,
  accept?: string
): { front: ShopFront; form: Addressee['form'] } {
  const merchants = fronts.map(({ merchant }) => merchant)
  const { merchant, form } = findAddressee(merchants, url, accept)
  return { front: fronts.find(front => front.merchant === merchant) ?? bare, form }
}

/** Answers with a refusal, and notes it on the request for the log. */
export async function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: RefusingParts
): Promise<FastifyReply> {
  const refusal = toRefusal(error)
  request.refusal = refusal
  const { status } = problems[refusal.code]
  if (status >= 500) request.log.error({ err: error }, refusal.message)
  reply.code(status).headers(refusal.headers)

  const { front, form } = findFront(parts, request.url, request.headers.accept)
  if (form === 'page') {
    const words = front.wordsFor(request.headers['accept-language'])
    const view = problemView(refusal, words, request.id)
    return sendPage(reply, front, words, { template: 'problem', title: view.heading, view, images: [] })
  }
  reply.header('Cache-Control', 'no-store').type('application/problem+json')
  return reply.send(JSON.stringify(toProblem(refusal, request.id)))
}
