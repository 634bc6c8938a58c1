// What every request passes, whatever it is for, in the order in which the app registers it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { Refusal } from '../errors.ts'
import type { Observer } from '../observer.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's pattern with placeholders for the paths that merchants choose. */
    routeName?: string
  }
}

/** As nginx writes it in its log. */
const CLIENT_LEFT = 499

/** Tells an observer of every request: its route, its status and how long it took. First, so that a refused one counts. */
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
 * Names the routes that are registered on a scope from here on: thousands of merchants would have as many patterns.
 * @param name what to call the scope's prefix
 */
export function nameRoutes(scope: FastifyInstance, name: string): void {
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, routeName: name + route.url.slice(scope.prefix.length) }
  })
}

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

/** What is no page runs nothing, loads nothing and may not be framed; pages and pictures have their own policy. */
const NO_PAGE = "default-src 'none';frame-ancestors 'none'"

const HSTS = 'Strict-Transport-Security'
const HSTS_VALUE = 'max-age=31536000'

/** The headers of every answer. @param isSecure whether the server is reached by https only */
export function headersOfEvery(isSecure: boolean): Record<string, string> {
  return {
    'Content-Security-Policy': NO_PAGE,
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

/** Sets HSTS on every answer of a scope: for a merchant on a server that is not reached by https only. */
export function setHstsOfScope(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    setHsts(reply)
    done()
  })
}

export function setHsts(reply: FastifyReply): void {
  reply.header(HSTS, HSTS_VALUE)
}

/** Refuses requests whose host is ambiguous or missing (RFC 9112, section 3.2). */
export const requireOneHost = fp(
  async app => {
    app.addHook('onRequest', ({ raw: { rawHeaders, httpVersion } }, _reply, done) => {
      let hosts = 0
      for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i])) hosts++
      if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return done()
      const detail = hosts === 0 ? 'An HTTP/1.1 request needs a Host header.' : 'A request has one Host header.'
      done(new Refusal('malformed-request', { detail }))
    })
  },
  { name: 'one-host', dependencies: ['refusals', 'secure-answers'] }
)

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === 'host'
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

/** Reads the body, and cuts the connection if its chunks are tiny. To be called before the answer is sent. */
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
