// Sheds load: what cannot be answered soon is refused at once with 503, so that the rest is answered in time.
// (@fastify/under-pressure judges by the mean delay of the last interval: after one long pause it refused what came next.)
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import { DARK_LOGO_PATH, LOGO_PATH, PICTURES_PATH } from '../merchant/merchant.ts'

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

/** The minute of RATE_LIMIT, from an address's first request, in milliseconds. */
const WINDOW = 60_000

/** Addresses that are counted; the one that was heard of least lately is forgotten first. */
const MAX_ADDRESSES = 5000

/** How many requests an address may send, and the proxies whose X-Forwarded-For is believed: addresses or networks. */
export type RateLimit = { requestsPerMinute: number; trustedProxies: string[] }

type LoadLimits = { limit?: RateLimit | undefined }

/** Applies to the routes that are registered on the scope afterwards. */
export const shedLoad = fp<LoadLimits>(addLimits, { name: 'shed-load', dependencies: ['refusals'] })

async function addLimits(app: FastifyInstance, { limit }: LoadLimits): Promise<void> {
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
      // Routes with a limit of their own would need its other method.
      store: RequestCounts as unknown as FastifyRateLimitStoreCtor,
      // A page has as many pictures as lines.
      allowList: ({ routeOptions: { url = '' } }) =>
        url.includes(`${PICTURES_PATH}/`) || url.endsWith(LOGO_PATH) || url.endsWith(DARK_LOGO_PATH),
      errorResponseBuilder: (_request, { max }) =>
        new Refusal('too-many-requests', { detail: `This address has sent more than ${max} requests in a minute.` })
    })
    warnOfUnknownProxy(app)
    app.addHook('onRequest', app.rateLimit())
  }
}

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
  return new Refusal('overloaded', { detail })
}

/** The plugin's own store goes by the time of day: a clock that is set back by a day would extend a minute by that. */
class RequestCounts implements Pick<FastifyRateLimitStore, 'incr'> {
  // Without a time that is remembered for a millisecond, for which each request would set a timer.
  readonly #counts = new LRUCache<string, { current: number }>({ max: MAX_ADDRESSES, ttl: WINDOW, ttlResolution: 0 })

  incr(address: string, callback: (error: Error | null, result?: { current: number; ttl: number }) => void): void {
    const count = this.#counts.get(address) ?? { current: 0 }
    count.current++
    if (count.current === 1) this.#counts.set(address, count)
    callback(null, { current: count.current, ttl: this.#counts.getRemainingTTL(address) })
  }
}
