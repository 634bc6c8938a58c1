// What every request passes, whatever it is for, in the order in which the app registers it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { Refusal } from '../errors.ts'
import type { Observer } from '../observer.ts'
import type { Tracing } from '../tracing/open-tracing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's pattern with placeholders for the paths that merchants choose. */
    routeName?: string
  }
}

/** As nginx writes it in its log. */
const CLIENT_LEFT = 499

/** First, so that a refused request counts. */
export const observeRequests = fp<{ observer: Observer }>(
  async (app, { observer }) => {
    app.addHook('onRequest', (request, reply, done) => {
      observer.requestBegan()
      whenClosed(reply.raw, isSent => {
        const { problem } = request
        if (problem) observer.refused(problem)
        const { config } = request.routeOptions
        observer.requestEnded({
          method: request.method,
          route: config.routeName ?? config.url ?? request.otherRoute ?? 'none',
          status: isSent ? reply.statusCode : CLIENT_LEFT,
          duration: reply.elapsedTime
        })
      })
      done()
    })
  },
  { name: 'observe-requests', dependencies: ['refusals'] }
)

/**
 * Calls back once, when a response has been sent or its client has left, even if that was earlier: Fastify's onResponse is
 * not called if the client leaves.
 */
export function whenClosed(response: ServerResponse, callback: (isSent: boolean) => void): void {
  let isSent = false
  response.once('finish', () => {
    isSent = true
  })
  if (response.destroyed) callback(false)
  else response.once('close', () => callback(isSent))
}

/** Traces the requests of a scope: whatever they lead to is a part of their spans, what other hooks do included. */
export const traceRequests = fp<Pick<Tracing, 'beginRequest'>>(
  async (app, { beginRequest }) => {
    app.addHook('onRequest', (request, reply, done) => {
      const { raw, method, headers, routeOptions } = request
      const span = beginRequest({ method, route: routeOptions.url, headers })
      whenClosed(reply.raw, isSent => span.end(isSent ? reply.statusCode : undefined, request.problem))
      // Bodies are read, and answers end, in turns of their own.
      span.run([raw, reply.raw], done)
    })
  },
  { name: 'trace-requests', dependencies: ['refusals'] }
)

const HSTS = 'Strict-Transport-Security'
const HSTS_VALUE = 'max-age=31536000'

/** @param isSecure whether the server is reached by https only */
export function headersOfEvery(isSecure: boolean): Record<string, string> {
  return {
    // Pages and pictures have their own.
    'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
    ...(isSecure && { [HSTS]: HSTS_VALUE }),
    'X-Content-Type-Options': 'nosniff'
  }
}

export const secureEveryAnswer = fp<{ isSecure: boolean }>(
  async (app, { isSecure }) => {
    const headers = headersOfEvery(isSecure)
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers)
      done()
    })
  },
  { name: 'secure-answers' }
)

/** For a merchant with https on a server where others have none. */
export function setHsts(reply: FastifyReply): void {
  reply.header(HSTS, HSTS_VALUE)
}

/** Refuses requests whose host is ambiguous or missing (RFC 9112, section 3.2). */
export const requireOneHost = fp(
  async app => {
    app.addHook('onRequest', ({ raw: { rawHeaders, httpVersion } }, _reply, done) => {
      const hosts = countHeaders(rawHeaders, 'host')
      if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return done()
      const detail = hosts === 0 ? 'An HTTP/1.1 request needs a Host header.' : 'A request has one Host header.'
      done(new Refusal('malformed-request', { detail }))
    })
  },
  { name: 'one-host', dependencies: ['refusals', 'secure-answers'] }
)

/** How often a header was sent: of several, `headers` has only one. @param name in lower case */
export function countHeaders(rawHeaders: string[], name: string): number {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.length === name.length && text.toLowerCase() === name)
    .length
}

/** Chunks that any body may have, and how large those of a body with more are on average, in bytes. */
const FREE_CHUNKS = 1000
const MIN_AVERAGE = 16

/** Cuts off bodies in tiny chunks: Node calls for each, so that 64 kB of them hold the loop as long as nine of the largest bags. */
export const cutTinyChunks = fp(
  async app => {
    app.addHook('preParsing', (request, _reply, payload, done) => {
      watchChunks(app, request.raw)
      done(null, payload)
    })
    // A request that is answered before its body was read: Node would read the rest by itself.
    app.addHook('onSend', (request, _reply, payload, done) => {
      watchChunks(app, request.raw)
      done(null, payload)
    })
  },
  { name: 'tiny-chunks', dependencies: ['refusals'] }
)

/** To be called before the answer is sent. */
export function watchChunks(app: FastifyInstance, request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined || request.complete) return
  let chunks = 0
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    chunks++
    bytes += chunk.length
    if (chunks <= FREE_CHUNKS || bytes >= chunks * MIN_AVERAGE || request.destroyed) return
    request.destroy()
    app.logSharedFailure('connection cut: a body in tiny chunks')
  })
}
