// Failures that many requests have in common, such as a full disk: one line in the log a second instead of one for each.
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Logs the first at once, then one line a second with the number of requests that met the same failure.
     * @param err the cause; without one it is the clients' doing, and a warning
     */
    logSharedFailure: (message: string, err?: unknown) => void
  }
}

/** In milliseconds. */
const INTERVAL = 1000

export function logSharedFailures(app: FastifyInstance): void {
  /** By message and cause: another cause is another failure. */
  const flushes = new Map<string, { count: number; flush: () => void }>()

  app.decorate('logSharedFailure', (message: string, err?: unknown) => {
    const key = `${message} ${err instanceof Error ? err.message : ''}`
    const known = flushes.get(key)
    if (known) {
      known.count++
      return
    }
    const level = err === undefined ? 'warn' : 'error'
    app.log[level]({ err, requests: 1 }, message)
    const failure = {
      count: 0,
      flush: () => {
        if (failure.count === 0) {
          clearInterval(timer)
          flushes.delete(key)
          return
        }
        app.log[level]({ requests: failure.count }, message)
        failure.count = 0
      }
    }
    const timer = setInterval(failure.flush, INTERVAL).unref()
    flushes.set(key, failure)
  })
  app.addHook('onClose', async () => {
    for (const { flush } of flushes.values()) flush()
  })
}
