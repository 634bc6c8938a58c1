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
  /** Who sends it by UCP. A cart that was refused when it first came has no reference there, as its sender knows none. */
  caller?: LoggedCaller
  /** Of the cart that is to be replaced, or cancelled, as it was asked for. */
  reference?: string | undefined
  /** What an answer that is given again said was wrong. */
  answered?: string | undefined
  /** It takes a cart back: it is logged, and is no transfer. */
  isCancellation?: boolean
}

export type LoggedCaller = { platform?: string; idempotencyKey?: string }

/**
 * As the log has them. The query of an address, and a key that is no UUID, may say anything about anybody: the former is
 * left out, of the latter it has a digest.
 * @param profile the address of the platform's profile, as it says it
 */
export function loggedCaller(profile: string | undefined, key: string | undefined): LoggedCaller {
  const { origin, pathname } = (profile && URL.parse(profile)) || {}
  const isPlain = key !== undefined && (isUuid(key) || isHyphenatedUuid(key))
  return {
    ...(origin && { platform: `${origin}${pathname}` }),
    ...(key !== undefined && { idempotencyKey: isPlain ? key : `sha256:${hash('sha256', key).slice(0, 16)}` })
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
    const { cart, isRepeat, refusal, at = clock(), caller, answered, isCancellation } = request.transfer
    const { reference = cart?.reference ?? (caller ? undefined : refusal?.reference) } = request.transfer
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
        ...caller,
        reference,
        lines: refusal?.lines ?? cart?.items.length,
        outcome,
        status: reply.statusCode,
        ...(isAborted && { aborted: true }),
        ...(problem !== undefined && { problem, mistakes }),
        reason: refusal ? reasonOf(refusal, caller) : answered,
        ...(unreadable.length > 0 && { unreadablePrices: unreadable }),
        durationMs: Math.round(reply.elapsedTime * 10) / 10
      }
      if (isCancellation) request.log.info(line, 'cancellation')
      else request.log.info(line, 'transfer')
    }
    if (isCancellation) return
    observer.transferred({ merchant: id, ...result, duration: reply.elapsedTime })
    // The checkout of an accepted cart is its record; what was refused for its load writes none.
    const isRecorded = refusal ? !isShed(refusal.code) : isRepeat && reference !== undefined
    if (isRecorded && transfer.keepRecordsDays > 0) {
      // What is refused by UCP changes no cart, and says nothing of one.
      const about = refusal && caller ? undefined : reference
      const record = { merchantId: id, reference: about, ...result, at: at.toISOString() }
      store.addTransfer(record).catch(error => app.logSharedFailure('transfer not recorded', error))
    }
  }
}

/** So that a wrong line can be looked up, a wrong clock told from a wrong secret, and a slow shop from a dead one. */
function reasonOf({ code, message, reason, mistakes }: Problem, caller: LoggedCaller | undefined): string | undefined {
  if (code === 'unauthorized') return message
  return reason ?? (mistakes.length > 0 ? summarize(mistakes) : caller && message)
}

function unreadablePrices({ items, currency }: Cart): string[] {
  const prices = new Set(items.flatMap(({ price = [] }) => price))
  const unreadable = [...prices].filter(price => toMinor(price, currency) === undefined)
  return unreadable.slice(0, LOGGED_PRICES).map(price => price.slice(0, LOGGED_PRICE))
}
