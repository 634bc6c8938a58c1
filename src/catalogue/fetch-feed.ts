// Asks an address for its feed, unless it is the one that is known already.
import { limitBytes } from './feed-bytes.ts'

export type FeedAddress = {
  url: string
  /** User and password, with a colon between them; sent to the origin of `url` only. */
  credentials?: string
  /** How long a whole answer may take, in milliseconds. */
  timeout: number
  /** In bytes, after Content-Encoding is undone. */
  maxBytes: number
}

export type Validators = { etag?: string; lastModified?: string }

export type FetchedFeed = { validators: Validators; body: AsyncIterable<Uint8Array> }

const MAX_REDIRECTS = 5

/**
 * @returns undefined if the feed has not changed since
 * @throws with a reason that holds neither credentials nor a query; from `body`, FeedError if it is too large
 */
export async function fetchFeed(
  { url, credentials, timeout, maxBytes }: FeedAddress,
  known: Validators,
  aborted: AbortSignal
): Promise<FetchedFeed | undefined> {
  const first = new URL(url)
  const timedOut = AbortSignal.timeout(timeout)
  const signal = AbortSignal.any([timedOut, aborted])
  const explain = (error: unknown) => {
    if (timedOut.aborted) return new Error(`not fetched within ${timeout / 1000} s`)
    const { cause } = error as { cause?: { code?: string; message: string } }
    return new Error(`the connection failed: ${cause?.code ?? cause?.message ?? 'unknown'}`)
  }
  const request = (target: URL) => {
    const headers = new Headers({ 'user-agent': 'cart-transfer' })
    if (credentials !== undefined && target.origin === first.origin) {
      headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
    }
    if (known.etag !== undefined) headers.set('if-none-match', known.etag)
    if (known.lastModified !== undefined) headers.set('if-modified-since', known.lastModified)
    return fetch(target, { headers, redirect: 'manual', signal }).catch(error => {
      throw explain(error)
    })
  }
  let response = await request(first)
  for (let redirects = 0; isRedirect(response); redirects++) {
    await response.body?.cancel()
    if (redirects === MAX_REDIRECTS) throw new Error(`redirected more than ${MAX_REDIRECTS} times`)
    response = await request(redirectTarget(response))
  }
  const { status, headers, body } = response
  if (status === 200 && body) {
    const [etag, lastModified] = ['etag', 'last-modified'].map(name => headers.get(name))
    const validators = { ...(etag && { etag }), ...(lastModified && { lastModified }) }
    return { validators, body: limitBytes(withReasons(body, explain), maxBytes) }
  }
  await body?.cancel()
  if (status === 304 && Object.keys(known).length > 0) return undefined
  throw new Error(`answered ${status}${status === 401 ? ': set catalogue.credentialsVariable' : ''}`)
}

function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/** Nobody on the way may see or change what is asked for by https. */
export function redirectTarget({ url, headers }: Pick<Response, 'url' | 'headers'>): URL {
  const target = URL.parse(String(headers.get('location')), url)
  const isSafe = target?.protocol === 'https:' || (target?.protocol === 'http:' && url.startsWith('http:'))
  if (!target || !isSafe) throw new Error('redirected to an address without https')
  return target
}

async function* withReasons(
  body: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => Error
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw explain(error)
  }
}
