// What every request passes, whatever it is for, in the order in which the app registers it.
import type { ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { Problem } from '../errors.ts'
import { PICTURES_PATH, THEME_PATHS } from '../merchant/merchant.ts'
import type { Observer, Tracing } from '../observer.ts'
import { isShed } from './error-handler.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's pattern with placeholders for the paths that merchants choose. */
    routeName?: string
    /** Whether the route is only for who proves it by a secret. */
    isAuthenticating?: boolean
  }
  interface FastifyRequest {
    /** Of an authenticating route whose requests are limited: whether this one has proved who sends it. */
    isAuthenticated: boolean | undefined
    /** While it is in progress: what its bag takes, if that is a large one. */
    inProgress: { memory: number } | undefined
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
export const traceRequests = fp<Tracing>(
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
      done(new Problem('malformed-request', { detail }))
    })
  },
  { name: 'one-host', dependencies: ['refusals', 'secure-answers'] }
)

/** How often a header was sent: of several, `headers` has only one. @param name in lower case */
export function countHeaders(rawHeaders: string[], name: string): number {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.length === name.length && text.toLowerCase() === name)
    .length
}

/** Requests that are worked on at a time, waiting for a commit included. Those still arriving do not count. */
export const MAX_IN_PROGRESS = 1000

/** What a bag in progress takes for each byte of its body: its text, its cart, and what is sent to a shop are kept, too. */
const MEMORY_OF_BYTE = 5

/** How long a turn of the event loop may take, in milliseconds, before it takes no further requests. */
const MAX_TURN = 1000

/** How much of that must be CPU time of ours, in microseconds: time spent suspended is not load. */
const MIN_CPU = 500_000

/** The minute of RATE_LIMIT, from an address's first request, in milliseconds. */
const WINDOW = 60_000

/** Addresses that are counted; the one that was heard of least lately is forgotten first. */
const MAX_ADDRESSES = 5000

/** How many requests an address may send, and the proxies whose X-Forwarded-For is believed: addresses or networks. */
export type RateLimit = { requestsPerMinute: number; trustedProxies: string[] }

/**
 * Refuses at once, with 503, what cannot be answered soon, so that the rest is answered in time. (@fastify/under-pressure
 * goes by the mean delay of the last interval: after one long pause it refused what came next.)
 */
export const shedLoad = fp<{ bodyMemory: number; limit?: RateLimit | undefined }>(
  async (app, { bodyMemory, limit }) => {
    let inProgress = 0
    let memory = 0
    const isTurnLong = turnWatch()

    app.decorateRequest('inProgress', undefined)
    app.decorateRequest('isAuthenticated', undefined)
    // Twice: before a body is read, and when it has been.
    app.addHook('onRequest', (_request, _reply, done) => {
      done(inProgress >= MAX_IN_PROGRESS || isTurnLong() ? overloaded() : undefined)
    })
    app.addHook('preHandler', (request, _reply, done) => {
      const taken = Buffer.isBuffer(request.body) ? request.body.length * MEMORY_OF_BYTE : 0
      // There is always room for a small one of each request in progress.
      const large = taken > bodyMemory / MAX_IN_PROGRESS ? taken : 0
      if (inProgress >= MAX_IN_PROGRESS) return done(overloaded())
      if (large > 0 && memory + large > bodyMemory) return done(overloaded('large requests'))
      request.inProgress = { memory: large }
      inProgress++
      memory += large
      done()
    })
    // Also when the client has gone away.
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (request.inProgress) {
        inProgress--
        memory -= request.inProgress.memory
      }
      request.inProgress = undefined
      done(null, payload)
    })
    if (limit) {
      await app.register(import('@fastify/rate-limit'), {
        // Its own hooks would come after those of each route, and miss what they refuse.
        global: false,
        max: limit.requestsPerMinute,
        timeWindow: WINDOW,
        // Routes with a limit of their own would need its other method.
        store: RequestCounts as unknown as FastifyRateLimitStoreCtor,
        // A page has as many pictures as lines.
        allowList: ({ routeOptions: { url = '' } }) =>
          url.includes(`${PICTURES_PATH}/`) || Object.values(THEME_PATHS).some(path => url.endsWith(path)),
        errorResponseBuilder: (_request, { max }) =>
          new Problem('too-many-requests', { detail: `This address has sent more than ${max} requests in a minute.` })
      })
      readForwarded(app)
      limitRequests(app)
    }
  },
  { name: 'shed-load', dependencies: ['refusals'] }
)

/**
 * Counts all requests but those that are authenticated: the servers of a platform share few addresses. An address that is over
 * the limit is refused before anything of a request is checked, so that nobody can go on guessing a secret.
 */
function limitRequests(app: FastifyInstance): void {
  const countOrRefuse = app.rateLimit()
  const count = app.createRateLimit()
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isAuthenticating) {
      const found = await count(request, { increment: false })
      if ('remaining' in found && found.remaining > 0) {
        request.isAuthenticated = false
        return
      }
    }
    await countOrRefuse.call(app, request, reply)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const isShedNow = request.problem !== undefined && isShed(request.problem)
    if (request.isAuthenticated !== false || isShedNow) return done(null, payload)
    count(request).then(() => done(null, payload), done)
  })
}

/** An entry of X-Forwarded-For without its port, which some proxies add. All that is no address counts as one. */
function addressIn(entry: string): string {
  const address = entry.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3')
  return isIP(address) ? address : 'unknown'
}

function readForwarded(app: FastifyInstance): void {
  let isWarned = false
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, ips } = request
    const forwarded = headers['x-forwarded-for']
    if (forwarded) headers['x-forwarded-for'] = String(forwarded).split(',').map(addressIn).join(', ')
    // The first is the address of the connection; more follow only if that is trusted.
    if (!isWarned && forwarded && !ips?.[1]) {
      isWarned = true
      app.log.warn('X-Forwarded-For from a proxy that TRUSTED_PROXIES does not name: all its shoppers count as one')
    }
    done()
  })
}

/** @returns a function that tells, for each request, whether the turn, with what is rendered at its end, has taken too long */
function turnWatch(): () => boolean {
  let turn: { began: number; cpu: NodeJS.CpuUsage } | undefined
  return () => {
    const now = performance.now()
    if (turn === undefined) {
      turn = { began: now, cpu: process.threadCpuUsage() }
      setImmediate(() =>
        setImmediate(() => {
          turn = undefined
        })
      )
    }
    if (now - turn.began <= MAX_TURN) return false
    const { user, system } = process.threadCpuUsage(turn.cpu)
    return user + system > MIN_CPU
  }
}

/** @param what there is too much of: large requests are beyond BODY_MEMORY_MB */
export function overloaded(what = 'requests'): Problem {
  const detail = `The server has too many ${what} at the moment; nothing was taken. Try again in a few seconds.`
  return new Problem('overloaded', { detail })
}

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/** The plugin's own store goes by the time of day: a clock that is set back by a day would extend a minute by that. */
class RequestCounts {
  // Without a time that is remembered for a millisecond, for which each request would set a timer.
  readonly #counts = new LRUCache<string, { current: number }>({ max: MAX_ADDRESSES, ttl: WINDOW, ttlResolution: 0 })

  incr(address: string, callback: Counted): void {
    const count = this.#counts.get(address) ?? { current: 0 }
    count.current++
    if (count.current === 1) this.#counts.set(address, count)
    this.read(address, callback)
  }

  read(address: string, callback: Counted): void {
    const { current } = this.#counts.get(address) ?? { current: 0 }
    callback(null, { current, ttl: this.#counts.getRemainingTTL(address) })
  }
}
