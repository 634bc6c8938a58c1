// Probes are requests that a site may refuse as it likes. An answer about the sender or the hour, or none at all, is no
// refusal of what was sent, so nothing is judged by it.
import { NotJudged, Silent } from './verdict-errors.ts'

/** Answers about who asks. */
const ACCESS = [401, 403, 407]

/** Answers about when it was asked, from the site or a proxy before it. */
const BUSY = [408, 425, 429, 502, 503, 504]

/**
 * @param expected what the profile names: a status that it names exactly is an answer like any other
 * @param knowsUs whether the site has just shown the same to us, so that it cannot be who asks
 * @throws NotJudged where a status tells nothing of the request
 */
export function mustTell(status: number, expected: string, knowsUs = false): void {
  const saysNothing = BUSY.includes(status) || (ACCESS.includes(status) && !knowsUs)
  if (saysNothing && expected !== String(status)) {
    throw new NotJudged(
      `The site answered ${status}, which is about who asks or when, and not about what was sent. Run the kit where nothing stands before the site.`
    )
  }
}

/** Sends a probe. @throws NotJudged where there is no answer, or one that tells nothing */
export async function probe<T extends { status: number }>(expected: string, send: () => Promise<T>): Promise<T> {
  const answer = await send().catch(error => {
    throw error instanceof Silent ? new NotJudged(error.message) : error
  })
  mustTell(answer.status, expected)
  return answer
}
