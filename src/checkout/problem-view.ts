// What a refusal says: to a program as problem+json (RFC 9457), to a shopper as a page.
import { type Mistake, mistakes, type ProblemCode, problems, type Refusal } from '../errors.ts'
import type { MessageName } from '../messages/messages.ts'
import type { Said, Words } from '../messages/words.ts'

/** The body of `application/problem+json`. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance?: string
  errors?: { pointer: string; code: string; detail: string; sku?: string }[]
}

/** What the problem page prints. */
export type ProblemView = {
  heading: string
  next: string
  /** The lines that are to blame, in the shopper's words. */
  lines: { label?: Said; sku?: string; text: string }[]
  /** For the shop's engineers. */
  details: { pointer: string; code: string; detail: string }[]
  /** Where to go on, if not back to the app. */
  link?: { href: string; text: string }
  /** Shown where the log has the cause and the answer does not. */
  requestId?: string
}

/** A server's own failure shows the request id that the log has, and never its cause. */
function isOwnFailure(code: ProblemCode): boolean {
  return problems[code].status >= 500
}

export function toProblem({ code, message, mistakes: found }: Refusal, requestId: string): Problem {
  const { status, title } = problems[code]
  return {
    type: `urn:problem-type:cart-transfer:${code}`,
    title,
    status,
    detail: message,
    ...(isOwnFailure(code) && { instance: `urn:uuid:${requestId}` }),
    ...(found.length > 0 && {
      errors: found.map(({ pointer, code, detail, sku }) => ({
        pointer,
        code,
        detail,
        ...(sku !== undefined && { sku })
      }))
    })
  }
}

export function problemView(
  { code, message, mistakes: found }: Refusal,
  { say, read }: Pick<Words, 'say' | 'read'>,
  requestId: string
): ProblemView {
  const { shopper, next } = problems[code]
  const answers = found.map(answerTo)
  const items = found.filter(({ sku }) => sku !== undefined)
  // A currency is nobody's line: it has one only beside items that are to blame.
  const toBlame = code === 'cart-not-sellable' && items.length > 0 ? found : items
  return {
    // When all mistakes come to the same thing for a shopper, that is what the page says.
    heading: say(onlyOne(answers.map(({ shopper }) => shopper)) ?? shopper),
    next: say(stepFrom(answers, items.length > 0) ?? next),
    lines: toBlame.map(mistake => ({
      ...named(mistake, read),
      text: say(sentenceFor(mistake))
    })),
    details: found.length > 0 ? found : [{ pointer: '', code, detail: message }],
    ...(isOwnFailure(code) && { requestId })
  }
}

/** What helps: another bag, where items are to blame, in another currency, where that is too; else what all come to. */
function stepFrom(answers: { next: MessageName }[], isOfItems: boolean): MessageName | undefined {
  const steps = answers.map(({ next }) => next)
  if (!isOfItems) return onlyOne(steps)
  return steps.includes('change-currency') ? 'change-both' : OF_ITEMS.next
}

/** How a line is called: by its title, with the SKU beside it; by the SKU alone; not at all. */
function named({ label, sku }: Mistake, read: Words['read']): { label?: Said; sku?: string } {
  if (sku === undefined) return {}
  return label === undefined ? { label: { text: sku, lang: undefined } } : { label: read(label), sku }
}

/** What is wrong with an item is mended by changing the bag, whether the contract or the catalogue refuses it. */
const OF_ITEMS = problems['cart-not-sellable']

/** What a page would say if a mistake were the only one. */
function answerTo({ code, sku }: Mistake): { shopper: MessageName; next: MessageName } {
  const answer = mistakes[code]
  if (sku === undefined) return { ...problems[answer.problem], ...answer }
  return 'item' in answer ? { ...OF_ITEMS, shopper: answer.shopper } : OF_ITEMS
}

/** What is said of a mistake where its line is named. */
function sentenceFor({ code }: Mistake): MessageName {
  const answer = mistakes[code]
  return 'item' in answer ? answer.item : answer.shopper
}

/** What all of them are, if they are all the same. */
function onlyOne<T>(all: T[]): T | undefined {
  const [first, ...others] = new Set(all)
  return others.length === 0 ? first : undefined
}
