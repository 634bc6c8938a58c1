// Probes: requests that a site may refuse in its own way. No response, or one about access or load, is not a refusal of
// what was sent, so nothing is judged by it.
import { CheckNotJudged, RequestUnanswered } from './verdict-errors.ts'

/** About who sends the request. */
const ACCESS_STATUSES = [401, 403, 407]

/** About when it is sent, from the site or a proxy in front of it. */
const LOAD_STATUSES = [408, 425, 429, 502, 503, 504]

/**
 * @param expected the status in the profile; if it is exactly this one, it counts like any other
 * @param hasAccess whether the site has just shown the same bag to the kit, which rules out a problem of access
 * @throws CheckNotJudged if the status says nothing about the request
 */
export function assertConclusive(status: number, expected: string, hasAccess = false): void {
  const isInconclusive = LOAD_STATUSES.includes(status) || (ACCESS_STATUSES.includes(status) && !hasAccess)
  if (isInconclusive && expected !== String(status)) {
    throw new CheckNotJudged(
      `The site answered ${status}, which is about access or load and not about what was sent. Run the kit with nothing in front of the site, and with --token-from or --secret-from if it asks who calls.`
    )
  }
}

/** Sends a probe. @throws CheckNotJudged if there is no response, or one that says nothing about the request */
export async function sendProbe<T extends { status: number }>(expected: string, send: () => Promise<T>): Promise<T> {
  const response = await send().catch(error => {
    throw error instanceof RequestUnanswered ? new CheckNotJudged(error.message) : error
  })
  assertConclusive(response.status, expected)
  return response
}
