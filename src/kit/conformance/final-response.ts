// What a transfer leads to, and whether that is what was expected.
import type { Cart } from '../../cart/cart.ts'
import type { WebRequest } from '../../transfer/option.ts'
import type { PageLine } from '../browser/page-lines.ts'
import { type CompareBy, lineMismatch, matchesStatus } from './comparison.ts'
import { excerpt, quoteRequest, truncate } from './detail-text.ts'
import { assertConclusive } from './probe.ts'
import { CheckFailed } from './verdict-errors.ts'

/** The last response of a transfer: the page, or the response to the platform if the app has no page to open. */
export type FinalResponse = {
  request: WebRequest
  status: number
  /** Whether the app shows it. */
  isShown: boolean
  /** Whether a browser would treat it as HTML. */
  isHtml: boolean
  text: string
  /** The lines of the page, once they are as expected or the time for scripts to write them is over. */
  readLines: (isExpected: (lines: PageLine[]) => boolean) => Promise<PageLine[]>
}

/** What a transfer should lead to: a status and, if that is 2xx, a page with exactly these items. */
export type Expectation = {
  status: string
  items: Cart['items']
  compareBy?: CompareBy
  /** Whether a page without lines is accepted too: a refusal with a success status. */
  allowsNoLines?: boolean
  /** Whether the site has just shown this bag to the kit, so that a 403 cannot be about access in general. */
  hasAccess?: boolean
}

/**
 * @throws CheckFailed unless the response is as expected
 * @throws CheckNotJudged if its status says nothing about the request
 */
export async function assertResponse(
  { request, status, isShown, text, readLines }: FinalResponse,
  { status: expected, items, compareBy = 'lines', allowsNoLines = false, hasAccess = false }: Expectation
): Promise<void> {
  assertConclusive(status, expected, hasAccess)
  const fail = (problem: string) => new CheckFailed(`${quoteRequest(request)}\n${problem}`)
  if (!matchesStatus(status, expected)) {
    throw fail(`The status is ${status}; expected ${expected}. The response says: ${excerpt(text)}`)
  }
  const expectedItems = matchesStatus(status, '2xx') ? items : []
  if (!isShown && expectedItems.length > 0 && !allowsNoLines) {
    throw fail(`The response does not lead to a page: ${truncate(text)}`)
  }
  const mismatchOf = (lines: PageLine[]) => lineMismatch(lines, expectedItems, compareBy)
  // An empty page is conclusive only once scripts have had their time.
  const lines = await readLines(lines => lines.length > 0 && mismatchOf(lines) === undefined)
  const mismatch = allowsNoLines && lines.length === 0 ? undefined : mismatchOf(lines)
  if (mismatch !== undefined) throw fail(mismatch)
}
