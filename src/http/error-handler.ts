// Turns every error, whoever throws it, into an answer: problem+json for programs, a page for shoppers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type FormBody, readValues } from '../checkout/orders/order-form.ts'
import { notFound, Problem, type ProblemCode, problems, StoreUnavailable, StoreUncertain } from '../errors.ts'
import { problemJson, problemPage } from '../pages/problem-view.ts'
import { sendPage } from '../pages/send-page.ts'
import { repeatableAddress } from '../pages/shopper-language.ts'
import type { Storefront } from '../pages/storefront.ts'

declare module 'fastify' {
  interface FastifyRequest {
    problem: ProblemCode | undefined
  }
  interface FastifyInstance {
    /**
     * Logs a failure that many requests have in common, such as a full disk: the first at once, then one line a second with
     * the number of requests that met it.
     * @param err the cause; without one it is the clients' doing, and a warning
     */
    logSharedFailure: (message: string, err?: unknown) => void
  }
}

/** A function gives the JSON of another form. */
export type ProblemForm = 'page' | 'problem+json' | ((refusal: Problem, reply: FastifyReply) => string)

/** Answers what no scope of its own does, and what all need for that. */
export const refusals = fp<{ storefront: Storefront }>(
  async (app, { storefront }) => {
    app.decorateRequest('problem', undefined)
    app.decorateRequest('wayName', undefined)
    logSharedFailures(app)
    handleErrors(app, storefront, formByAccept)
  },
  { name: 'refusals' }
)

/** Answers every error of a scope. @param adapt takes note of a refusal, or says it in the terms of the request */
export function handleErrors(
  app: FastifyInstance,
  storefront: Storefront,
  formOf: (request: FastifyRequest) => ProblemForm,
  adapt = (refusal: Problem, _request: FastifyRequest, _error: unknown) => refusal
): void {
  app.setErrorHandler((error, request, reply) =>
    answerProblem(adapt(toProblem(error, request), request, error), error, request, reply, storefront, formOf(request))
  )
}

/** Fields that are offered to be sent again: our forms have fewer, and a page is much longer than what was posted. */
const MAX_POSTED = 50

/** Whoever presses "Buy now" wants to know whether something has been ordered, and to keep what was typed. */
export function aboutOrder(refusal: Problem, { method, params, body }: FastifyRequest, error: unknown): Problem {
  const isOrder = method === 'POST' && (params as { token?: string }).token !== undefined
  if (!isOrder || !isShared(refusal.code)) return refusal
  const code = error instanceof StoreUncertain ? 'order-uncertain' : 'order-not-placed'
  const fields = Object.entries(readValues(body as FormBody))
  const isOurs = fields.length > 0 && fields.length <= MAX_POSTED
  return new Problem(code, { detail: refusal.message, posted: isOurs ? fields : undefined })
}

export function formByAccept({ headers }: Pick<FastifyRequest, 'headers'>): 'page' | 'problem+json' {
  return headers.accept?.includes('text/html') ? 'page' : 'problem+json'
}

/** Any error as a refusal. What is not the client's fault is an internal error; only the log has its cause. */
export function toProblem(error: unknown, request: { routeOptions: { bodyLimit?: number | undefined } }): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreUnavailable) {
    const isUncertain = error instanceof StoreUncertain
    const uncertain = 'whether anything was taken is unknown, and a repeat takes it only once'
    const result = isUncertain ? uncertain : 'nothing was taken'
    const detail = `The store cannot be reached; ${result}. Try again in a few seconds.`
    return new Problem('store-unavailable', { detail })
  }
  const { statusCode: status = 500, message } = error as { statusCode?: number; message: string }
  if (status === 413) {
    const detail = `The body may have at most ${request.routeOptions.bodyLimit} bytes; this one has more.`
    return new Problem('body-too-large', { detail })
  }
  if (status === 415) return new Problem('media-type-unsupported', { detail: message })
  if (status === 403 || status === 404) return notFound()
  if (status >= 400 && status < 500) return new Problem('malformed-request', { detail: message })
  return new Problem('internal-error', { detail: 'The server failed; the log has the cause under this request id.' })
}

export function isShed(code: ProblemCode): boolean {
  return code === 'overloaded' || code === 'too-many-requests'
}

/** Whether many requests of a moment meet this problem, which says nothing about the request itself. */
function isShared(code: ProblemCode): boolean {
  return isShed(code) || ['store-unavailable', 'order-not-placed', 'order-uncertain'].includes(code)
}

/** @param cause the error, for the log */
export async function answerProblem(
  refusal: Problem,
  cause: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  storefront: Storefront,
  form: ProblemForm
): Promise<FastifyReply> {
  const { status, title, retryAfter } = problems[refusal.code]
  request.problem = refusal.code
  if (isShared(refusal.code)) request.server.logSharedFailure(title, cause)
  // What the log may say of a shop is in the line of the transfer.
  else if (status >= 500 && refusal.reason === undefined) request.log.error({ err: cause }, refusal.message)
  reply.code(status).headers(refusal.headers)
  if (retryAfter !== undefined && !reply.hasHeader('Retry-After')) reply.header('Retry-After', retryAfter)
  // The log has a line of each transfer, and otherwise one of all requests that met a shared failure.
  const requestId = isShared(refusal.code) && request.transfer === undefined ? '' : request.id
  if (form === 'page') {
    const { merchant } = storefront
    const { translator } = storefront.languageFor(request)
    const page = problemPage(refusal, translator, requestId, storefront)
    const address = refusal.address ?? (merchant && repeatableAddress(merchant, request))
    return sendPage(reply, storefront, translator, { ...page, address })
  }
  const isOwn = typeof form === 'function'
  reply.header('cache-control', 'no-store').type(isOwn ? 'application/json' : 'application/problem+json')
  return reply.send(isOwn ? form(refusal, reply) : JSON.stringify(problemJson(refusal, requestId)))
}

function logSharedFailures(app: FastifyInstance): void {
  /** By message and cause: another cause is another failure. */
  const failures = new Map<string, { level: 'warn' | 'error'; message: string; requests: number }>()
  const flush = () => {
    for (const [key, failure] of failures) {
      const { level, message, requests } = failure
      if (requests === 0) failures.delete(key)
      else app.log[level]({ requests }, message)
      failure.requests = 0
    }
  }
  const timer = setInterval(flush, 1000).unref()
  app.decorate('logSharedFailure', (message: string, err?: unknown) => {
    const key = `${message} ${err instanceof Error ? err.message : ''}`
    const known = failures.get(key)
    if (known) known.requests++
    else {
      const level = err === undefined ? 'warn' : 'error'
      app.log[level]({ err, requests: 1 }, message)
      failures.set(key, { level, message, requests: 0 })
    }
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    flush()
  })
}
