// What is logged, counted and recorded of each transfer, whether or not the client waits for its answer.
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Cart, isHyphenatedUuid, isUuid } from '../cart/cart.ts'
import type { HandoffStore, TransferStore } from '../checkout/checkout-store.ts'
import type { AnswerStore } from '../checkout/kept-answer.ts'
import type { ReportedOrderStore } from '../checkout/orders/reported-order.ts'
import { type Problem, summarize } from '../errors.ts'
import type { Fetch } from '../integrations/outgoing/http-client.ts'
import type { Way } from '../merchant/merchant.ts'
import { toMinor } from '../money.ts'
import type { PageContext } from '../pages/storefront.ts'
import type { ReconcileStore } from '../reconcile/compare-lists.ts'
import { handleErrors, isShed, type ProblemForm } from './error-handler.ts'
import { whenClosed } from './every-request.ts'

/** All of a merchant, as its routes get it. */
export type RouteContext = PageContext & {
  fetch: Fetch
  store: TransferStore & HandoffStore & AnswerStore & ReportedOrderStore & Pick<ReconcileStore, 'referenceHistories'>
}

/** The same, for one of its ways in. */
export type WayContext = RouteContext & { way: Way }

/** What is known of a transfer by the time of its answer. */
export type TransferProgress = {
  cart?: Cart
  isRepeat?: boolean
  at?: Date
  refusal?: Problem
  /** By UCP, what was asked for. */
  call?: LoggedCall
  /** What an answer that is given again said was wrong. */
  answered?: string | undefined
}

/** `reference` is that of the cart to be replaced or cancelled: a new one that is refused has none that its sender knows. */
export type LoggedCall = { isCancellation: boolean; platform?: string; idempotencyKey?: string; reference?: string }

/** How much of the address of a profile the log has, in characters. */
const LOGGED_PROFILE = 200

/**
 * As the log has it. The query of an address, and a key that is no UUID, may say anything about anybody: the former is
 * left out, of the latter it has a digest.
 * @param profile the address of the platform's profile, as it says it
 */
export function loggedCall(
  isCancellation: boolean,
  { profile, key, id = '' }: { profile?: string | undefined; key?: string | undefined; id?: string | undefined }
): LoggedCall {
  const url = profile === undefined ? null : URL.parse(profile)
  const isPlain = key !== undefined && (isUuid(key) || isHyphenatedUuid(key))
  return {
    isCancellation,
    ...(url && /^https?:$/.test(url.protocol) && { platform: `${url.origin}${url.pathname}`.slice(0, LOGGED_PROFILE) }),
    ...(key !== undefined && { idempotencyKey: isPlain ? key : `sha256:${hash('sha256', key).slice(0, 16)}` }),
    ...(isUuid(id) && { reference: id })
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    transfer: TransferProgress | undefined
  }
}

/** How many prices that could not be read a line of the log has, and how much of each, in characters. */
const LOGGED_PRICES = 3
const LOGGED_PRICE = 40

/** One line in the log and one record for each transfer. @param form of its refusals */
export function recordTransfers(app: FastifyInstance, context: WayContext, form: ProblemForm): void {
  const { merchant, way, store, clock, observer, storefront } = context
  const { id } = merchant
  const { name: option, transfer } = way
  app.decorateRequest('transfer', undefined)
  // Fastify's onResponse is not called if the client leaves. Before onSend, the result of the transfer is not known.
  app.addHook('onSend', (request, reply, payload, done) => {
    whenClosed(reply.raw, isSent => finish(request, reply, !isSent))
    done(null, payload)
  })
  const note = (refusal: Problem, request: FastifyRequest) => {
    request.transfer = { ...request.transfer, refusal }
    return refusal
  }
  handleErrors(app, storefront, () => form, note)

  function finish(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void {
    // Set by the answer, and by every refusal, unless what was asked for is no transfer.
    if (!request.transfer) return
    const { cart, isRepeat, refusal, at = clock(), call, answered } = request.transfer
    const { isCancellation = false, ...asked } = call ?? {}
    const reference = cart?.reference ?? (call ?? refusal)?.reference
    const problem = refusal?.code
    const outcome = refusal ? 'refused' : isRepeat ? 'repeated' : 'accepted'
    const mistakes = refusal ? [...new Set(refusal.mistakes.map(({ code }) => code))] : []
    const result = { option, outcome, problem, mistakes } as const
    if (problem !== 'too-many-requests') {
      const unreadable = cart && !refusal ? unreadablePrices(cart) : []
      // No token, no client address and nothing about a person.
      const line = {
        merchant: id,
        option,
        ...asked,
        reference,
        lines: refusal?.lines ?? cart?.items.length,
        outcome,
        status: reply.statusCode,
        ...(isAborted && { aborted: true }),
        ...(problem !== undefined && { problem, mistakes }),
        reason: refusal ? reasonOf(refusal) : answered,
        ...(unreadable.length > 0 && { unreadablePrices: unreadable }),
        durationMs: Math.round(reply.elapsedTime * 10) / 10
      }
      if (isCancellation) request.log.info(line, 'cancellation')
      else request.log.info(line, 'transfer')
    }
    if (isCancellation) return
    observer.transferred({ merchant: id, ...result, duration: reply.elapsedTime })
    // The checkout of an accepted cart is its record; what was refused for its load writes none. Of UCP, refusals are counted:
    // they change no cart, and one whose answer is given again may have been cancelled since.
    const isRecorded = refusal ? !isShed(refusal.code) : isRepeat && !call
    if (isRecorded && transfer.keepRecordsDays > 0) {
      const record = { merchantId: id, reference: call ? undefined : reference, ...result, at: at.toISOString() }
      store.addTransfer(record).catch(error => app.logSharedFailure('transfer not recorded', error))
    }
  }
}

/** So that a wrong line can be looked up, a wrong clock told from a wrong secret, and a slow shop from a dead one. */
function reasonOf({ message, reason, mistakes }: Problem): string {
  return reason ?? (mistakes.length > 0 ? summarize(mistakes) : message)
}

function unreadablePrices({ items, currency }: Cart): string[] {
  const prices = new Set(items.flatMap(({ price = [] }) => price))
  const unreadable = [...prices].filter(price => toMinor(price, currency) === undefined)
  return unreadable.slice(0, LOGGED_PRICES).map(price => price.slice(0, LOGGED_PRICE))
}
