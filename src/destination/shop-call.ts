// Calls of a shop: its JSON read without quoting what is wrong, as an answer can hold a session, and long lists asked for in
// parts, as one bag must not become hundreds of requests at once.
import { ShopDown, ShopFailed } from './destination.ts'

type ShopCall = {
  headers?: Record<string, string>
  /** JSON to POST; without it, the call is a GET. */
  body?: string
  signal: AbortSignal
  /** A status other than 2xx whose JSON is read as well. */
  reads?: number
  /** What the operator could look for if a status is refused. */
  hints?: Record<number, string>
}

/** How much of an answer is read, in bytes: ten times that of the largest cart. */
const MAX_BYTES = 4 * 1024 * 1024

const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * Asks a shop for JSON. Redirects are not followed.
 * @throws ShopDown for 5xx, ShopFailed for any other status, and for what is not JSON or too much of it
 */
export async function callShop(
  fetch: typeof globalThis.fetch,
  url: string | URL,
  { headers, body, signal, reads, hints }: ShopCall
): Promise<{ status: number; headers: Headers; json: unknown }> {
  const sent = body === undefined ? {} : { method: 'POST', body }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { accept: 'application/json', 'user-agent': 'cart-transfer', ...type, ...headers }
  const response = await fetch(url, { ...sent, headers: all, redirect: 'manual', signal })
  const { status } = response
  if (!response.ok && status !== reads) {
    // The body is not read; cancelling it frees the connection.
    response.body?.cancel().catch(() => {})
    const Failure = status >= 500 ? ShopDown : ShopFailed
    const hint = REDIRECTS.includes(status) ? '; redirects are not followed' : (hints?.[status] ?? '')
    throw new Failure(`it answered ${status}${hint}`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new ShopFailed(`its answer has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  try {
    return { status, headers: response.headers, json: JSON.parse(Buffer.concat(chunks).toString()) }
  } catch {
    throw new ShopFailed(`it answered ${status} with something that is not JSON`)
  }
}

/** Requests of one bag that a shop gets at once. */
const AT_ONCE = 4

/** Asks about each part, and stops at the first failure. @returns the answers, in the order of the parts */
export async function askInTurns<Part, Answer>(parts: Part[], ask: (part: Part) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const some of batchesOf(parts, AT_ONCE)) answers.push(...(await Promise.all(some.map(ask))))
  return answers
}

/** Parts of a list that one request can ask for. */
export function batchesOf<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}
