// Sheds load: what cannot be answered soon is refused at once with 503, so that the rest is answered in time. Nothing has to
// be reset afterwards. (@fastify/under-pressure looks at the mean delay of the last interval: one long pause, such as the
// start itself, made it refuse whatever came next.)

import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import { DARK_LOGO_PATH, LOGO_PATH, PICTURES_PATH } from '../merchant/public-url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    isInProgress: boolean
  }
}

/** Requests that are worked on at a time, waiting for a commit included. Those still arriving do not count. */
export const MAX_IN_PROGRESS = 1000

/** How long a turn of the event loop may take, in milliseconds, before it takes no further requests. */
const MAX_TURN = 1000

/** How much of that must be CPU time of ours, in microseconds: time spent suspended is not load. */
const MIN_CPU = 500_000

/** The minute of RATE_LIMIT, in milliseconds. */
const WINDOW = 60_000

/** In seconds. */
const RETRY_AFTER = '5'

export type RateLimit = {
  /** How many requests a client's address may send in a minute. */
  requestsPerMinute: number
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[]
}

/** Applies to the routes that are registered on the scope afterwards. */
export const shedLoad = fp<{ limit?: RateLimit | undefined }>(addLimits, {
  name: 'shed-load',
  dependencies: ['refusals']
})

async function addLimits(app: FastifyInstance, { limit }: { limit?: RateLimit | undefined }): Promise<void> {
  let inProgress = 0
  const isTurnLong = turnWatch()

  app.decorateRequest('isInProgress', false)
  // Twice: before a body is read, and when it has been.
  app.addHook('onRequest', (_request, _reply, done) => {
    done(inProgress >= MAX_IN_PROGRESS || isTurnLong() ? overloaded() : undefined)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (inProgress >= MAX_IN_PROGRESS) return done(overloaded())
    request.isInProgress = true
    inProgress++
    done()
  })
  // Also when the client has gone away.
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.isInProgress) inProgress--
    request.isInProgress = false
    done(null, payload)
  })
  if (limit) {
    await app.register(import('@fastify/rate-limit'), {
      // Its own hooks would come after those of each route, and miss what they refuse.
      global: false,
      max: limit.requestsPerMinute,
      timeWindow: WINDOW,
      store: requestCounts(WINDOW),
      // A page has as many pictures as lines.
      allowList: ({ routeOptions: { url = '' } }) =>
        url.includes(`${PICTURES_PATH}/`) || url.endsWith(LOGO_PATH) || url.endsWith(DARK_LOGO_PATH),
      errorResponseBuilder: (_request, { max }) => {
        const detail = `This address has sent more than ${max} requests in a minute.`
        return new Refusal('too-many-requests', { detail })
      }
    })
    warnOfUnknownProxy(app)
    app.addHook('onRequest', app.rateLimit())
  }
}

/** Warns once if X-Forwarded-For comes from an address that is not trusted with it. */
function warnOfUnknownProxy(app: FastifyInstance): void {
  let isWarned = false
  app.addHook('onRequest', (request, _reply, done) => {
    // The first is the address of the connection; more follow only if that is trusted.
    if (!isWarned && request.headers['x-forwarded-for'] && !request.ips?.[1]) {
      isWarned = true
      app.log.warn('X-Forwarded-For from a proxy that TRUSTED_PROXIES does not name: all its shoppers count as one')
    }
    done()
  })
}

/** @returns a function that tells, when called for each request, whether the current turn has taken too long */
function turnWatch(): () => boolean {
  let turn: { began: number; cpu: NodeJS.CpuUsage } | undefined
  return () => {
    const now = performance.now()
    if (turn === undefined) {
      turn = { began: now, cpu: process.threadCpuUsage() }
      setImmediate(() => {
        turn = undefined
      })
    }
    if (now - turn.began <= MAX_TURN) return false
    const { user, system } = process.threadCpuUsage(turn.cpu)
    return user + system > MIN_CPU
  }
}

function overloaded(): Refusal {
  const detail = 'The server has too many requests at the moment; nothing was taken. Try again in a few seconds.'
  return new Refusal('overloaded', { detail, headers: { 'Retry-After': RETRY_AFTER } })
}

/** Addresses; the one that was heard of least lately is forgotten first. */
const MAX_ADDRESSES = 5000

/** @param window in milliseconds, from an address's first request */
export function requestCounts(window: number): FastifyRateLimitStoreCtor {
  class RequestCounts implements Pick<FastifyRateLimitStore, 'incr'> {
    /** Without a time that is remembered for a millisecond, for which each request would set a timer. */
    readonly #counts = new LRUCache<string, { current: number }>({ max: MAX_ADDRESSES, ttl: window, ttlResolution: 0 })

    incr(address: string, callback: (error: Error | null, result?: { current: number; ttl: number }) => void): void {
      const count = this.#counts.get(address) ?? { current: 0 }
      count.current++
      if (count.current === 1) this.#counts.set(address, count)
      callback(null, { current: count.current, ttl: this.#counts.getRemainingTTL(address) })
    }
  }
  // Routes with a limit of their own would need its other method.
  return RequestCounts as unknown as FastifyRateLimitStoreCtor
}
