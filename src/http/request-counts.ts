// How many requests each address has sent, for @fastify/rate-limit. Its own store goes by the time of day: after a clock was
// set back by a day, it would let no window end for a day.
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import { LRUCache } from 'lru-cache'

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
