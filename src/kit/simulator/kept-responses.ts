// Keeps the latest responses that a web view was to show, so that the phone's frame can show them.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { WebResponse } from '../client/send-request.ts'

export type KeptResponses = {
  /** @returns the id under which it is found, which nobody can guess */
  keep: (response: WebResponse) => string
  find: (id: string) => WebResponse | undefined
}

const MAX_RESPONSES = 50
const MAX_BYTES = 64 * 1024 * 1024
const LIFETIME = 10 * 60 * 1000

export function keepResponses(clock: () => Date): KeptResponses {
  const kept = new LRUCache<string, WebResponse>({
    max: MAX_RESPONSES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }) => Math.max(body.length, 1),
    ttl: LIFETIME,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() }
  })
  return {
    keep: response => {
      const id = randomBytes(16).toString('base64url')
      kept.set(id, response)
      return id
    },
    find: id => kept.get(id)
  }
}
