// Calls of a shop: its JSON read without quoting what is wrong, as an answer can hold a session, and long lists asked for in
// parts, as one bag must not become hundreds of requests at once.
import { ShopDown, ShopFailed } from './destination.ts'

/** How much of an answer is read, in bytes: of the largest cart, it has a tenth of that. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * @param allowed the statuses of an answer that says something; by default every 2xx
 * @throws ShopDown for 5xx, ShopFailed for any other status, and for what is not JSON or too much of it
 */
export async function readJsonAnswer(response: Response, allowed?: number[]): Promise<unknown> {
  const { status, ok, body } = response
  if (!(allowed?.includes(status) ?? ok)) throw unexpectedStatus(response)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new ShopFailed(`its answer has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new ShopFailed(`it answered ${status} with something that is not JSON`)
  }
}

const REDIRECTS = [301, 302, 303, 307, 308]

/** @param hint what the operator could look for */
export function unexpectedStatus({ status, body }: Response, hint = ''): ShopFailed {
  // It is not read; cancelling it frees the connection.
  body?.cancel().catch(() => {})
  const Failure = status >= 500 ? ShopDown : ShopFailed
  return new Failure(`it answered ${status}${REDIRECTS.includes(status) ? '; redirects are not followed' : hint}`)
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
