// The pages in the phone's frame: the latest responses, kept so that the frame can load them, and pages of a merchant's own
// shop made fit for it. The frame has the simulator's origin, so such a page must not run anything there, and what it loads
// by relative addresses is at the shop.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { headerValue, type WebResponse } from '../client/send-request.ts'

const MAX_RESPONSES = 50
const MAX_BYTES = 64 * 1024 * 1024
const LIFETIME = 10 * 60 * 1000

export function responseCache(clock: () => Date) {
  const cache = new LRUCache<string, WebResponse>({
    max: MAX_RESPONSES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }) => Math.max(body.length, 1),
    ttl: LIFETIME,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() }
  })
  return {
    /** @returns its id, which cannot be guessed */
    add: (response: WebResponse): string => {
      const id = randomBytes(16).toString('base64url')
      cache.set(id, response)
      return id
    },
    get: (id: string): WebResponse | undefined => cache.get(id)
  }
}

/** The sandbox of the phone's frame, also for anyone who opens the page outside it. */
const POLICY = [
  'sandbox allow-forms allow-same-origin',
  "default-src http: https: data: 'unsafe-inline'",
  "script-src 'none'",
  "frame-src 'none'",
  "form-action 'none'"
].join('; ')

/** Where a document's own content begins: after its head's tag, else after its type. */
const BEGINNING = /^.*?<head\b[^>]*>|^\s*<!doctype[^>]*>|^/is

/** The same page without the shop's headers but those about its content, and with the address that it is relative to. */
export function framedPage(response: WebResponse): WebResponse {
  const { url, headers, body } = response
  const kept = headers.filter(({ name }) => /^content-(type|language)$/i.test(name))
  const added = [
    { name: 'content-security-policy', value: POLICY },
    { name: 'cache-control', value: 'no-store' }
  ]
  const isHtml = /^text\/html/i.test(headerValue(headers, 'content-type') ?? '')
  return { ...response, headers: [...kept, ...added], body: isHtml ? withBase(body, url) : body }
}

/** Works on bytes, whatever the encoding: the tag is ASCII, and so is the text that marks its place. */
function withBase(body: Uint8Array, url: string): Uint8Array {
  const text = Buffer.from(body).toString('latin1')
  const base = `<base href="${new URL(url).href.replaceAll('&', '&amp;').replaceAll('"', '%22')}">`
  return Buffer.from(
    text.replace(BEGINNING, found => found + base),
    'latin1'
  )
}
