// What is logged, counted and recorded of each transfer, whether or not the client waits for its answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cart } from '../cart/cart.ts'
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
export type TransferProgress = { cart?: Cart; isRepeat?: boolean; at?: Date; refusal?: Problem }

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
    const { cart, isRepeat, refusal, at = clock() } = request.transfer
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
    const isRecorded = refusal ? !isShed(refusal.code) : isRepeat && reference !== undefined
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

function unreadablePrices({ items, currency }: Cart): string[] {
  const prices = new Set(items.flatMap(({ price = [] }) => price))
  const unreadable = [...prices].filter(price => toMinor(price, currency) === undefined)
  return unreadable.slice(0, LOGGED_PRICES).map(price => price.slice(0, LOGGED_PRICE))
}
