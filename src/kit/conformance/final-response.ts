// What a transfer leads to, whether that is what was expected, and the errors that end a check otherwise.
import type { Cart } from '../../cart/cart.ts'
import type { PageAmount, PageLine } from '../browser/web-view.ts'
import { headerValue, responseText, type WebResponse } from '../client/send-request.ts'
import type { Step } from '../client/simulate-transfer.ts'

/** What happened to a request that should have been refused, the worst first. */
export const OUTCOMES = ['was accepted', 'was not refused', 'was refused, but not as expected'] as const

/** What one request of a check led to, for a report that compares. */
export type Finding = {
  /** What was special about the request, if the check sends several. */
  mistake?: string
  /** What was wrong, in a sentence; by default the message of the error. */
  problem?: string
  /** All that was sent and done until then, in order: curl commands, and what was done in a web view. */
  sent?: string[]
  /** By default, that the check's sentence is true. */
  expected?: string
  got: string
  outcome?: (typeof OUTCOMES)[number]
}

/** The sentence is not true of this site. The message says what was received and what was expected. */
export class CheckFailed extends Error {
  readonly findings: Finding[]
  readonly happened: string | undefined

  /** @param findings the same in parts */
  constructor(message: string, ...findings: Finding[]) {
    super(message)
    this.findings = findings.length > 0 ? findings : [{ got: message }]
  }
}

/** A request got no response: a failure if the request was valid. */
export class RequestUnanswered extends CheckFailed {
  override readonly happened = 'A request got no response'
}

export class PageUnusable extends CheckFailed {
  override readonly happened = 'The browser could not show the page'
}

export class CheckNotJudged extends Error {}

/** The profile has no entry for the check, which is not the site's fault. */
export class CheckSkipped extends Error {}

/** The last response of a transfer: the page, or the response to the platform if the app has no page to open. */
export type FinalResponse = {
  status: number
  isShown: boolean
  isHtml: boolean
  text: string
  /** The lines of the page, once they are as expected or the time for scripts to write them is over. */
  readLines: (isExpected: (lines: PageLine[]) => boolean) => Promise<PageLine[]>
  readAmounts: () => Promise<PageAmount[]>
  /** Takes a screenshot of the page for the report; absent if there is no page, or a screenshot of it already. */
  takeScreenshot?: (caption: string) => Promise<void>
}

/** What a transfer should lead to: a status and, if that is 2xx, a page with exactly these items. */
type Expectation = {
  status: string
  items: Cart['items']
  compareBy?: CompareBy
  /** Whether a page without lines is accepted too: a refusal with a success status. */
  allowsNoLines?: boolean
  /** Whether the site has just shown this bag to the kit, so that a 403 cannot be about access in general. */
  hasAccess?: boolean
  caption?: string
}

/** @throws CheckFailed unless it is as expected; CheckNotJudged if its status says nothing about the request */
export async function assertResponse(response: FinalResponse, expectation: Expectation): Promise<void> {
  const {
    status: expected,
    items,
    compareBy = 'lines',
    allowsNoLines,
    hasAccess,
    caption = 'as received'
  } = expectation
  const { status, isShown, text, readLines } = response
  assertConclusive(status, expected, { text, hasAccess })
  const fail = async (problem: string, comparison: Pick<Finding, 'expected' | 'got'>) => {
    const outcome = items.length === 0 && { outcome: await refusalOutcome(response) }
    await response.takeScreenshot?.(caption)
    return new CheckFailed(problem, { ...comparison, ...outcome })
  }
  if (!matchesStatus(status, expected)) {
    const problem = `The status is ${status}; expected ${expected}. The response says: ${excerpt(text)}`
    throw await fail(problem, { expected: `Status ${expected}`, got: `Status ${status}: ${excerpt(text)}` })
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

async function refusalOutcome({ status, readLines }: FinalResponse): Promise<NonNullable<Finding['outcome']>> {
  if (status >= 400) return 'was refused, but not as expected'
  return (await readLines(lines => lines.length > 0)).length > 0 ? 'was accepted' : 'was not refused'
}

/** Whether every line has to match as sent, or only the total units of each SKU. */
export type CompareBy = 'lines' | 'units'

/** @param expected a status such as `422`, or a class such as `4xx` */
export function matchesStatus(status: number, expected: string): boolean {
  return expected.endsWith('xx') ? String(status)[0] === expected[0] : String(status) === expected
}

/** How the lines of a page differ from these items, in a sentence and side by side; undefined if they match. */
export function lineMismatch(lines: PageLine[], items: Cart['items'], compareBy: CompareBy) {
  const wanted = items.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) }))
  const [expected, got] = [listOf(wanted), listOf(lines)]
  const message = `The page shows ${got}; expected ${expected}.`
  // A line with quantity 0 adds nothing to the units of a SKU, and is still a line that nobody sent.
  const wrong = lines.find(({ quantity }) => !/^0*[1-9]\d*$/.test(quantity))
  if (wrong) {
    const { sku, quantity } = wrong
    const reason = `The quantity of ${sku} is ${JSON.stringify(quantity)}, which is not a whole number of at least 1.`
    return { message: `${message} ${reason}`, expected, got: `${got}. ${reason}` }
  }
  return normalise(lines, compareBy) === normalise(wanted, compareBy) ? undefined : { message, expected, got }
}

type ComparedLine = Pick<PageLine, 'sku' | 'quantity'>

/** The same text for the same lines in any order; by units, for the same units of each SKU. */
function normalise(lines: ComparedLine[], compareBy: CompareBy): string {
  const groups = compareBy === 'lines' ? lines.map(line => [line]) : Map.groupBy(lines, ({ sku }) => sku).values()
  const sums = Array.from(groups, of => [of[0]?.sku, of.reduce((sum, { quantity }) => sum + Number(quantity), 0)])
  return JSON.stringify(sums.map(sum => sum.join(' ')).sort())
}

function listOf(lines: ComparedLine[]): string {
  if (lines.length === 0) return 'no lines'
  const text = lines.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', ')
  // Of lists that begin alike, the numbers of lines tell that some were lost.
  return text.length > MAX_LENGTH ? `${lines.length} lines: ${truncate(text)}` : text
}

/** About who sends the request. */
const ACCESS_STATUSES = [401, 403, 407]

/** About when it is sent, from the site or a proxy in front of it. */
const LOAD_STATUSES = [408, 425, 429, 502, 503, 504]

const OTHER_PROFILE = 'Give "platform" the address of a profile that the site lists, or can fetch.'
const OTHER_KEY = 'The key in --signing-key-from has to be the one that the profile at "platform" has under this kid.'

/** What to do about UCP's refusals of who calls. */
const REFUSED_PLATFORMS = new Map<unknown, string>([
  ['invalid_profile_url', OTHER_PROFILE],
  ['profile_unreachable', OTHER_PROFILE],
  ['profile_malformed', OTHER_PROFILE],
  ['profile_not_trusted', OTHER_PROFILE],
  ['version_unsupported', OTHER_PROFILE],
  ['signature_missing', 'Give --signing-key-from, and in "platform" the address of the profile that has the key.'],
  [
    'signature_invalid',
    `${OTHER_KEY} A signature is also wrong if "url" has another host than the site goes by, or if a clock is.`
  ],
  ['key_not_found', OTHER_KEY],
  ['algorithm_unsupported', OTHER_KEY]
])

const RUN_OTHERWISE =
  'Run the kit with nothing in front of the site and, if it asks who calls, with --token-from, --api-key-from, --secret-from or --signing-key-from.'

type Answered = {
  /** What the response says. */
  text?: string
  hasAccess?: boolean | undefined
}

/** @throws CheckNotJudged if the response says nothing about the request, and its status is not exactly the expected one */
export function assertConclusive(
  status: number,
  expected: string,
  { text = '', hasAccess = false }: Answered = {}
): void {
  if (expected === String(status)) return
  const remedy = status >= 400 ? REFUSED_PLATFORMS.get(errorCodeIn(text)) : undefined
  const isInconclusive = LOAD_STATUSES.includes(status) || (ACCESS_STATUSES.includes(status) && !hasAccess)
  if (!remedy && !isInconclusive) return
  const answer = text && !text.trimStart().startsWith('<') ? `${status}: ${excerpt(text)}` : String(status)
  throw new CheckNotJudged(
    `The site answered ${answer}\nThat is about access or load, and not about what was sent. ${remedy ?? RUN_OTHERWISE}`
  )
}

/** The code of an error of UCP's, if it is one. */
function errorCodeIn(text: string): unknown {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}

/** Sends a probe. @throws CheckNotJudged if there is no response, or one that says nothing about the request */
export async function sendProbe<T extends { status: number; text?: string }>(
  expected: string,
  send: () => Promise<T>
): Promise<T> {
  const response = await send().catch(error => {
    throw error instanceof RequestUnanswered ? new CheckNotJudged(error.message) : error
  })
  assertConclusive(response.status, expected, response)
  return response
}

const readNothing = async () => []

/** The response of a transfer that led to no page: the app shows nothing of it. */
export function refusedTransfer(response: WebResponse): FinalResponse {
  return {
    status: response.status,
    isShown: false,
    // Without a Content-Type, a browser may sniff HTML.
    isHtml: /^(text\/html|application\/xhtml|$)/i.test(headerValue(response.headers, 'content-type') ?? ''),
    text: responseText(response),
    readLines: readNothing,
    readAmounts: readNothing
  }
}

/** @throws RequestUnanswered if the last request got no response */
export function lastResponse(steps: Step[]): WebResponse {
  const responses = steps.flatMap(step => (step.step === 'answer' ? step.answer : []))
  const requests = steps.filter(({ step }) => step === 'request')
  const response = responses.at(-1)
  if (response && responses.length === requests.length) return response
  const got = steps.flatMap(step => (step.step === 'failure' ? step.says : [])).join(' ')
  throw new RequestUnanswered(got, { expected: 'A response', got })
}

/** How much of a response is quoted, in characters. */
const MAX_LENGTH = 400

export function excerpt(text: string): string {
  return truncate(text.replace(/\s+/g, ' ').trim())
}

export function truncate(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (${text.length} characters)` : text
}
