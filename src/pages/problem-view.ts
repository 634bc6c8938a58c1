// What a refusal says: to a program as problem+json (RFC 9457), to a shopper as a page.
import type { Catalogue } from '../catalogue/product.ts'
import {
  type Limit,
  type Mistake,
  type MistakeCode,
  mistakes,
  type ProblemCode,
  problems,
  type Refusal,
  type RefusedLine
} from '../errors.ts'
import type { MessageName } from '../messages/messages.ts'
import type { Translator } from '../messages/translator.ts'
import { type LineMerchant, type LineView, lineView, markFar, picturesOf } from './line-view.ts'
import type { Page } from './send-page.ts'

/** The view model of the problem page. */
export type ProblemView = {
  heading: string
  next: string
  /** Whether all is well: what the shopper asks for has been ordered. */
  isOrdered?: true
  /** What was in the bag, as far as that is known: the lines to blame first. */
  lines: LineView[]
  /** Says how many more there are, if there are. */
  moreLines?: string
  /** What is wrong with the bag, besides its lines. */
  remarks: string[]
  /** For the shop's engineers. */
  details: { pointer: string; code: string; detail: string }[]
  /** Says how many more there are, if there are; in English, like the details. */
  moreDetails?: string
  /** Where to go on, if not back to the app. */
  link?: { href: string; text: string }
  /** Shown if the log has the cause and the answer does not. */
  requestId?: string
}

/** The most lines of a page: a phone would load each with its picture, and the way back to the app is above them. */
const MAX_LINES = 50

/** The most details of a page. A bag has up to three for each of its lines, and a phone would load them all. */
const MAX_DETAILS = 100

/** A failure of the server shows the request id that the log has, and never its cause. */
function isServerFailure(code: ProblemCode): boolean {
  return problems[code].status >= 500
}

/** The body of `application/problem+json`. @param requestId empty if the log has no line of this request */
export function toProblem({ code, message, mistakes: found }: Refusal, requestId: string) {
  const { status, title } = problems[code]
  return {
    type: `urn:problem-type:cart-transfer:${code}`,
    title,
    status,
    detail: message,
    ...(isServerFailure(code) && requestId !== '' && { instance: `urn:uuid:${requestId}` }),
    ...(found.length > 0 && { errors: found.map(({ limit: _, ...mistake }) => mistake) })
  }
}

/** Whose refusal it is; no merchant, if an address belongs to none. The catalogue knows what was in the bag. */
type RefusingShop = { merchant?: LineMerchant | undefined; catalogue?: Catalogue | undefined }

/** The page of a refusal. @param link where to go on */
export function problemPage(
  refusal: Refusal,
  translator: Translator,
  requestId: string,
  shop: RefusingShop = {},
  link?: ProblemView['link']
): Page {
  const view = problemView(refusal, translator, requestId, shop)
  const images = picturesOf(view.lines)
  return { template: 'problem', title: view.heading, view: { ...view, ...(link && { link }) }, images }
}

export function problemView(
  { code, message, mistakes: found, bag }: Refusal,
  translator: Translator,
  requestId: string,
  { merchant = { path: '' }, catalogue }: RefusingShop = {}
): ProblemView {
  const { say, sayCount } = translator
  const { shopper, next } = problems[code]
  const answers = found.map(answerTo)
  const items = found.filter(({ sku }) => sku !== undefined)
  const lines = [...bag.filter(({ mistake }) => mistake), ...bag.filter(({ mistake }) => !mistake)]
  // What a shopper can do something about, besides items, and does not read in the heading: a limit, or a wrong currency
  // beside other mistakes.
  const isRemark = ({ limit }: Mistake, i: number) =>
    limit !== undefined || (found.length > 1 && answers[i]?.next === 'change-currency')
  const remarks = found.filter((mistake, i) => mistake.sku === undefined && isRemark(mistake, i))
  return {
    // If all mistakes mean the same to a shopper, that is what the page says.
    heading: say(onlyOne(answers.map(({ shopper }) => shopper)) ?? shopper),
    next: say(nextStep(answers, items.length > 0) ?? next),
    ...(code === 'order-placed' && { isOrdered: true }),
    lines: markFar(lines.slice(0, MAX_LINES).map(line => refusedLineView(line, catalogue, merchant, translator))),
    ...(lines.length > MAX_LINES && { moreLines: sayCount('more-items', lines.length - MAX_LINES) }),
    remarks: remarks.map(({ code, limit }) => sayLimit(lineMessage(code), limit, translator)),
    details: found.length > 0 ? found.slice(0, MAX_DETAILS) : [{ pointer: '', code, detail: message }],
    ...(found.length > MAX_DETAILS && { moreDetails: `and ${found.length - MAX_DETAILS} more` }),
    ...(isServerFailure(code) && requestId !== '' && { requestId })
  }
}

/** What helps: another bag if items are to blame, another currency if that is; else what all mistakes share. */
function nextStep(answers: { next: MessageName }[], hasItems: boolean): MessageName | undefined {
  const steps = answers.map(({ next }) => next)
  const isCurrencyWrong = steps.includes('change-currency')
  if (hasItems) return isCurrencyWrong ? 'change-both' : ITEM_ANSWER.next
  return isCurrencyWrong ? 'change-currency' : onlyOne(steps)
}

function refusedLineView(
  { sku, quantity, mistake, limit }: RefusedLine,
  catalogue: Catalogue | undefined,
  merchant: LineMerchant,
  translator: Translator
): LineView {
  const { count, ...view } = lineView({ sku, quantity: quantity ?? 0 }, catalogue?.product(sku), merchant, translator)
  return {
    ...view,
    isUncounted: true,
    ...(quantity !== undefined && { count }),
    ...(mistake && { problem: sayLimit(lineMessage(mistake), limit, translator) })
  }
}

/** What is wrong with an item is remedied by changing the bag, whether the contract or the catalogue refuses it. */
const ITEM_ANSWER = problems['cart-not-sellable']

/** What the page would say if a mistake were the only one. */
function answerTo({ code, sku }: Mistake): { shopper: MessageName; next: MessageName } {
  const answer = mistakes[code]
  if (sku === undefined) return { ...problems[answer.problem], ...answer }
  return 'item' in answer ? { ...ITEM_ANSWER, shopper: answer.shopper } : ITEM_ANSWER
}

/** The message on a line. */
function lineMessage(code: MistakeCode): MessageName {
  const answer = mistakes[code]
  return 'item' in answer ? answer.item : answer.shopper
}

/** A message, with the limit that it may name. */
function sayLimit(message: MessageName, limit: Limit | undefined, { say, number, money }: Translator): string {
  if (!limit) return say(message)
  return say(message, { most: 'units' in limit ? number(limit.units) : money(limit.minor, limit.currency) })
}

/** The value that all of them share, if they do. */
function onlyOne<T>(all: T[]): T | undefined {
  const [first, ...others] = new Set(all)
  return others.length === 0 ? first : undefined
}
