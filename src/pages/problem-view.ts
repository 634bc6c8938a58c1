// A refusal's content: problem+json (RFC 9457) for programs, a page for shoppers.
import {
  type Limit,
  mistakes,
  type Problem,
  type ProblemCode,
  problems,
  type RefusedLine,
  type ValidationError,
  type ValidationErrorCode
} from '../errors.ts'
import type { MessageName } from '../messages/messages.ts'
import type { Translator } from '../messages/translator.ts'
import { toDecimal } from '../money.ts'
import { enteredView, type LineContext, type LineView, lineView, picturesOf } from './bag-view.ts'
import type { Page } from './send-page.ts'
import type { Storefront } from './storefront.ts'

/** A phone would load each line's picture, and the way back to the app is above them. */
const MAX_LINES = 50

/** A cart has up to three for each line, and a phone would load them all. */
const MAX_DETAILS = 100

/** A server error shows the request id, which the log has too, and never its cause. */
function isServerFailure(code: ProblemCode): boolean {
  return problems[code].status >= 500
}

/** The body of `application/problem+json`. @param requestId empty if the log has no line of this request */
export function problemJson({ code, message, mistakes: found }: Problem, requestId: string) {
  const { status, title } = problems[code]
  return {
    type: `urn:problem-type:cart-transfer:${code}`,
    title,
    status,
    detail: message,
    ...(isServerFailure(code) && requestId !== '' && { instance: `urn:uuid:${requestId}` }),
    ...(found.length > 0 && { errors: found.map(mistakeData) })
  }
}

/** `limit` is units, or an amount in major units of the cart's currency. */
function mistakeData({ limit, ...mistake }: ValidationError) {
  if (!limit) return mistake
  return { ...mistake, limit: 'units' in limit ? limit.units : toDecimal(limit.minor, limit.currency) }
}

export function problemPage(
  problem: Problem,
  translator: Translator,
  requestId: string,
  storefront: Storefront,
  link?: { href: string; text: string }
): Page {
  const view = problemView(problem, translator, requestId, storefront)
  const images = picturesOf(view.lines)
  return { template: 'problem', title: view.heading, view: { ...view, ...(link && { link }) }, images }
}

export function problemView(
  { code, message, mistakes: found, bag, posted, entered }: Problem,
  translator: Translator,
  requestId: string,
  { merchant, catalogue }: Partial<Storefront> = {}
) {
  const { translate, translateCount } = translator
  const { shopper, next } = problems[code]
  const answers = found.map(answerTo)
  const items = found.filter(({ sku }) => sku !== undefined)
  // If all errors mean the same to a shopper, the page says that.
  const heading = onlyOne(answers.map(({ shopper }) => shopper)) ?? shopper
  const lines = [...bag.filter(({ mistake }) => mistake), ...bag.filter(({ mistake }) => !mistake)]
  // What a shopper can act on, apart from items, if the heading does not say it.
  const isRemark = ({ limit }: ValidationError, i: number) =>
    limit !== undefined || (found.length > 1 && answers[i]?.next === 'change-currency')
  const remarks = found.filter((mistake, i) => mistake.sku === undefined && isRemark(mistake, i))
  return {
    heading: translate(heading === 'some-unsold' && items.length === 1 ? 'one-unsold' : heading),
    // A form whose body was not read cannot be offered again.
    next: translate(nextStep(answers, items.length > 0) ?? (next === 'try-once' && !posted ? 'order-once' : next)),
    ...(posted && { posted }),
    entered: enteredView(entered, translator),
    // What the shopper asks for has been ordered; or it is our fault, or an order was wanted and not placed.
    ...(code === 'order-placed' && { sign: 'ordered' }),
    ...((isServerFailure(code) || code === 'checkout-expired') && { sign: 'failed' }),
    lines: lines.slice(0, MAX_LINES).map((line, i) => refusedLineView(line, i, catalogue, { merchant, translator })),
    ...(lines.length > MAX_LINES && { moreLines: translateCount('more-items', lines.length - MAX_LINES) }),
    remarks: remarks.map(({ code, limit }) => translateError(code, limit, translator)),
    // For the shop's engineers, in English.
    details: found.length > 0 ? found.slice(0, MAX_DETAILS) : [{ pointer: '', code, detail: message }],
    ...(found.length > MAX_DETAILS && { moreDetails: `and ${found.length - MAX_DETAILS} more` }),
    // The log has the cause, and the answer does not.
    ...(isServerFailure(code) && requestId !== '' && { requestId })
  }
}

/** What helps: another cart if items are to blame, another currency if that is; else what all errors share. */
function nextStep(answers: { next: MessageName }[], hasItems: boolean): MessageName | undefined {
  const steps = answers.map(({ next }) => next)
  const isCurrencyWrong = steps.includes('change-currency')
  if (hasItems) return isCurrencyWrong ? 'change-both' : ITEM_ANSWER.next
  return isCurrencyWrong ? 'change-currency' : onlyOne(steps)
}

function refusedLineView(
  { sku, quantity, mistake, limit }: RefusedLine,
  i: number,
  catalogue: Storefront['catalogue'],
  context: LineContext
): LineView {
  const view = lineView({ sku, quantity: quantity ?? 0 }, i, catalogue?.product(sku), context)
  view.isUncounted = true
  if (quantity === undefined) view.count = undefined
  if (mistake) view.problem = translateError(mistake, limit, context.translator)
  return view
}

/** Changing the cart helps, whether the contract or the catalogue refuses an item. */
const ITEM_ANSWER = problems['cart-not-sellable']

/** To a shopper, more units than the contract allows are the same as more than the merchant sells. */
function rowOf(code: ValidationErrorCode, limit: Limit | undefined) {
  return mistakes[code === 'quantity-invalid' && limit ? 'quantity-too-large' : code]
}

/** What the page would say if this error were the only one. */
function answerTo({ code, sku, limit }: ValidationError): { shopper: MessageName; next: MessageName } {
  const answer = rowOf(code, limit)
  if (sku === undefined) return { ...problems[answer.problem], ...answer }
  return 'item' in answer ? { ...ITEM_ANSWER, shopper: answer.shopper } : ITEM_ANSWER
}

function translateError(
  code: ValidationErrorCode,
  limit: Limit | undefined,
  { translate, number, money }: Translator
): string {
  const answer = rowOf(code, limit)
  const message = 'item' in answer ? answer.item : answer.shopper
  if (!limit) return translate(message)
  const bound = 'units' in limit ? number(limit.units) : money(limit.minor, limit.currency)
  return translate(message, { most: bound, least: bound })
}

function onlyOne<T>(all: T[]): T | undefined {
  const [first, ...others] = new Set(all)
  return others.length === 0 ? first : undefined
}
