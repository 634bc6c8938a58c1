// What a refusal says: to a program as problem+json (RFC 9457), to a shopper as a page.
import { type Mistake, mistakes, type ProblemCode, problems, type Refusal } from '../errors.ts'
import type { MessageName } from '../messages/messages.ts'
import type { LocalText, Translator } from '../messages/translator.ts'

/** The view model of the problem page. */
export type ProblemView = {
  heading: string
  next: string
  /** The lines that are to blame, in the shopper's words. */
  lines: { label?: LocalText; sku?: string; text: string }[]
  /** For the shop's engineers. */
  details: { pointer: string; code: string; detail: string }[]
  /** Says how many more there are, if there are; in English, like the details. */
  moreDetails?: string
  /** Where to go on, if not back to the app. */
  link?: { href: string; text: string }
  /** Shown if the log has the cause and the answer does not. */
  requestId?: string
}

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
    ...(found.length > 0 && { errors: found.map(({ label, ...error }) => error) })
  }
}

export function problemView(
  { code, message, mistakes: found }: Refusal,
  { say, read }: Pick<Translator, 'say' | 'read'>,
  requestId: string
): ProblemView {
  const { shopper, next } = problems[code]
  const answers = found.map(answerTo)
  const items = found.filter(({ sku }) => sku !== undefined)
  // A mistake in the currency belongs to no line; it is only listed together with items that are to blame.
  const toBlame = code === 'cart-not-sellable' && items.length > 0 ? found : items
  return {
    // If all mistakes mean the same to a shopper, that is what the page says.
    heading: say(onlyOne(answers.map(({ shopper }) => shopper)) ?? shopper),
    next: say(nextStep(answers, items.length > 0) ?? next),
    lines: toBlame.map(mistake => ({ ...nameOf(mistake, read), text: say(lineMessage(mistake)) })),
    details: found.length > 0 ? found.slice(0, MAX_DETAILS) : [{ pointer: '', code, detail: message }],
    ...(found.length > MAX_DETAILS && { moreDetails: `and ${found.length - MAX_DETAILS} more` }),
    ...(isServerFailure(code) && requestId !== '' && { requestId })
  }
}

/** What helps: another bag if items are to blame, in another currency if that is too; else what all mistakes share. */
function nextStep(answers: { next: MessageName }[], hasItems: boolean): MessageName | undefined {
  const steps = answers.map(({ next }) => next)
  if (!hasItems) return onlyOne(steps)
  return steps.includes('change-currency') ? 'change-both' : ITEM_ANSWER.next
}

/** The name of a line: its title and SKU, or only the SKU, or nothing. */
function nameOf({ label, sku }: Mistake, read: Translator['read']): { label?: LocalText; sku?: string } {
  if (sku === undefined) return {}
  return label === undefined ? { label: { text: sku, lang: undefined } } : { label: read(label), sku }
}

/** What is wrong with an item is remedied by changing the bag, whether the contract or the catalogue refuses it. */
const ITEM_ANSWER = problems['cart-not-sellable']

/** What the page would say if a mistake were the only one. */
function answerTo({ code, sku }: Mistake): { shopper: MessageName; next: MessageName } {
  const answer = mistakes[code]
  if (sku === undefined) return { ...problems[answer.problem], ...answer }
  return 'item' in answer ? { ...ITEM_ANSWER, shopper: answer.shopper } : ITEM_ANSWER
}

/** The message next to the name of a line. */
function lineMessage({ code }: Mistake): MessageName {
  const answer = mistakes[code]
  return 'item' in answer ? answer.item : answer.shopper
}

/** The value that all of them share, if they do. */
function onlyOne<T>(all: T[]): T | undefined {
  const [first, ...others] = new Set(all)
  return others.length === 0 ? first : undefined
}
