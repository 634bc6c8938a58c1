// Caches the latest responses shown by a web view, so that the phone's frame can load them.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { WebResponse } from '../client/send-request.ts'

export type ResponseCache = {
  /** @returns its id, which cannot be guessed */
  add: (response: WebResponse) => string
  get: (id: string) => WebResponse | undefined
}

const MAX_RESPONSES = 50
const MAX_BYTES = 64 * 1024 * 1024
const LIFETIME = 10 * 60 * 1000

export function responseCache(clock: () => Date): ResponseCache {
  const cache = new LRUCache<string, WebResponse>({
    max: MAX_RESPONSES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }) => Math.max(body.length, 1),
    ttl: LIFETIME,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() }
  })
  return {
    add: response => {
      const id = randomBytes(16).toString('base64url')
      cache.set(id, response)
      return id
    },
    get: id => cache.get(id)
  }
}
