// Reads the JSON that a shop answers with. What is wrong is named without quoting it: an answer can hold a session.
import { ShopDown, ShopFailed } from './shop-errors.ts'

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
