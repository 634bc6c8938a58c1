// What a refusal says: to a program as problem+json (RFC 9457), to a shopper as a page.
import { mistakes, type ProblemCode, problems, type Refusal } from '../errors.ts'
import type { Words } from '../messages/words.ts'

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
  lines: { label: string; sku?: string; text: string }[]
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
  { say }: Pick<Words, 'say'>,
  requestId: string
): ProblemView {
  const { shopper, next } = problems[code]
  const kinds = new Set(found.map(({ code }) => code))
  const sentences = new Set(found.map(({ code }) => mistakes[code].shopper))
  // A currency is nobody's line: where it is all that is wrong, it is the heading.
  const isCurrencyAlone = kinds.size === 1 && kinds.has('currency-not-sold')
  const toBlame = code === 'cart-not-sellable' && !isCurrencyAlone ? found : []
  const [only] = sentences
  return {
    // When all mistakes come to the same thing for a shopper, that is what the page says.
    heading: say(toBlame.length === 0 && only !== undefined && sentences.size === 1 ? only : shopper),
    next: say(isCurrencyAlone ? mistakes['currency-not-sold'].next : next),
    lines: toBlame.map(({ code, sku, label }) => ({
      label: label ?? sku ?? '',
      ...(sku !== undefined && { sku }),
      text: say(mistakes[code].shopper)
    })),
    details: found.length > 0 ? found : [{ pointer: '', code, detail: message }],
    ...(isOwnFailure(code) && { requestId })
  }
}
