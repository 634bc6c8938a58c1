// What a transfer leads to, and whether that is what was expected.
import type { Cart } from '../../cart/cart.ts'
import type { PageAmount, PageLine } from '../browser/page-lines.ts'
import { type CompareBy, lineMismatch, matchesStatus } from './comparison.ts'
import { excerpt, truncate } from './detail-text.ts'
import { assertConclusive } from './probe.ts'
import { CheckFailed, type Finding } from './verdict-errors.ts'

/** The last response of a transfer: the page, or the response to the platform if the app has no page to open. */
export type FinalResponse = {
  status: number
  /** Whether the app shows it. */
  isShown: boolean
  /** Whether a browser would treat it as HTML. */
  isHtml: boolean
  text: string
  /** The lines of the page, once they are as expected or the time for scripts to write them is over. */
  readLines: (isExpected: (lines: PageLine[]) => boolean) => Promise<PageLine[]>
  /** The amounts that the profile has selectors for. */
  readAmounts: () => Promise<PageAmount[]>
  /** Takes a screenshot of the page for the report, if there is a page and no screenshot of it yet. */
  takeScreenshot: (caption: string) => Promise<void>
}

/** The caption of a page as it was answered. */
export const AS_RECEIVED = 'as received'

/** What a transfer should lead to: a status and, if that is 2xx, a page with exactly these items. */
export type Expectation = {
  status: string
  items: Cart['items']
  compareBy?: CompareBy
  /** Whether a page without lines is accepted too: a refusal with a success status. */
  allowsNoLines?: boolean
  /** Whether the site has just shown this bag to the kit, so that a 403 cannot be about access in general. */
  hasAccess?: boolean
  /** The caption of the screenshot of a page that is not as expected. */
  caption?: string
}

/**
 * @throws CheckFailed unless the response is as expected
 * @throws CheckNotJudged if its status says nothing about the request
 */
export async function assertResponse(
  response: FinalResponse,
  {
    status: expected,
    items,
    compareBy = 'lines',
    allowsNoLines = false,
    hasAccess = false,
    caption = AS_RECEIVED
  }: Expectation
): Promise<void> {
  const { status, isShown, text, readLines } = response
  assertConclusive(status, expected, hasAccess)
  const fail = async (problem: string, comparison: Pick<Finding, 'expected' | 'got'>) => {
    const outcome = items.length === 0 && { outcome: await refusalOutcome(response) }
    await response.takeScreenshot(caption)
    return new CheckFailed(problem, [{ ...comparison, ...outcome }])
  }
  if (!matchesStatus(status, expected)) {
    const problem = `The status is ${status}; expected ${expected}. The response says: ${excerpt(text)}`
    throw await fail(problem, compareStatus(response, expected))
  }
  const expectedItems = matchesStatus(status, '2xx') ? items : []
  if (!isShown && expectedItems.length > 0 && !allowsNoLines) {
    const got = `The response does not lead to a page: ${truncate(text)}`
    throw await fail(got, { expected: 'A page', got })
  }
  const mismatchOf = (lines: PageLine[]) => lineMismatch(lines, expectedItems, compareBy)
  // An empty page is conclusive only once scripts have had their time.
  const lines = await readLines(lines => lines.length > 0 && mismatchOf(lines) === undefined)
  const mismatch = allowsNoLines && lines.length === 0 ? undefined : mismatchOf(lines)
  if (mismatch !== undefined) {
    const { message, ...comparison } = mismatch
    throw await fail(message, comparison)
  }
}

/** What happened to a request that should have been refused. */
export async function refusalOutcome({ status, readLines }: FinalResponse): Promise<NonNullable<Finding['outcome']>> {
  if (status >= 400) return 'was refused, but not as expected'
  return (await readLines(lines => lines.length > 0)).length > 0 ? 'was accepted' : 'was not refused'
}

/** The status of a response and the one expected, side by side. */
export function compareStatus(
  { status, text }: Pick<FinalResponse, 'status' | 'text'>,
  expected: string
): Pick<Finding, 'expected' | 'got'> {
  return { expected: `Status ${expected}`, got: `Status ${status}: ${excerpt(text)}` }
}
