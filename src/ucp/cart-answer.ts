// What a UCP cart is answered with: the priced cart, what cannot be sold, or why the request could not be served.
import type { Cart } from '../cart/cart.ts'
import { type Problem, summarize } from '../errors.ts'
import { CART, type UcpVersion } from './versions.ts'

/** Amounts in minor units; `image` is absolute. */
export type AnswerLine = { id: string; title: string; price: number; quantity: number; image?: string | undefined }

export type AnsweredCart = {
  id: string
  lines: AnswerLine[]
  currency: string
  continueUrl: string
  /** UTC, ISO 8601. */
  expiresAt: string
  /** Why it cannot be sold any more. */
  problem?: Problem | undefined
}

const subtotalAndTotal = (amount: number) => [
  { type: 'subtotal', amount },
  { type: 'total', amount }
]

const cartOnly = (version: UcpVersion) => ({ [CART]: [{ version }] })

export function cartAnswer(version: UcpVersion, cart: AnsweredCart): object {
  const { id, lines, currency, continueUrl, expiresAt, problem } = cart
  return {
    ucp: { version, capabilities: cartOnly(version) },
    id,
    line_items: lines.map(({ id, title, price, quantity, image }, at) => ({
      id: `li_${at + 1}`,
      item: { id, title, price, ...(image !== undefined && { image_url: image }) },
      quantity,
      totals: subtotalAndTotal(price * quantity)
    })),
    currency,
    totals: subtotalAndTotal(lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)),
    continue_url: continueUrl,
    expires_at: expiresAt,
    ...(problem && { messages: messagesOf(problem, true) })
  }
}

/** UCP's names for what we call otherwise. */
const CODES: Partial<Record<string, string>> = {
  'sku-unknown': 'item_unavailable',
  'price-missing': 'item_unavailable',
  'checkout-not-found': 'not_found',
  'reference-ordered': 'not_found'
}

const codeOf = (code: string) => CODES[code] ?? code.replaceAll('-', '_')

/** Refusals that are an answer to what was asked, and not a failure to serve it. */
const ANSWERED_REFUSALS = [
  'cart-not-sellable',
  'too-many-lines',
  'checkout-not-found',
  'reference-ordered',
  'cart-in-payment',
  'capabilities-incompatible'
]

/** Whether a refusal is answered with 200 and messages. */
export function isOutcome({ code, mistakes }: Problem): boolean {
  return (
    ANSWERED_REFUSALS.includes(code) ||
    (code === 'contract-broken' && mistakes.every(({ pointer }) => pointer[0] === '$'))
  )
}

/** @param continueUrl that of the cart, if there still is one */
export function outcomeAnswer(version: UcpVersion, problem: Problem, continueUrl?: string): object {
  const isNegotiated = problem.code !== 'capabilities-incompatible'
  return {
    ucp: { version, status: 'error', capabilities: isNegotiated ? cartOnly(version) : {} },
    messages: messagesOf(problem, continueUrl !== undefined),
    ...(continueUrl !== undefined && { continue_url: continueUrl })
  }
}

/** @param isCart whether there is a cart to go on with: otherwise UCP has failures as `unrecoverable`, but for one */
function messagesOf(problem: Problem, isCart: boolean): object[] {
  const severityOf = (code: string) => (isCart || code === 'quantity-unit-mismatch' ? 'recoverable' : 'unrecoverable')
  const { code, message, mistakes } = problem
  const messages = mistakes.map(({ code, pointer, detail }) => ({
    type: 'error',
    code: codeOf(code),
    // What cannot be sold is the whole line.
    path: problem.code === 'cart-not-sellable' ? pointer.replace(/\.item\.id$/, '') : pointer,
    content: detail,
    severity: severityOf(code)
  }))
  const only = { type: 'error', code: codeOf(code), content: message, severity: severityOf(code) }
  return messages.length > 0 ? messages : [only]
}

/** Why a request could not be served. */
export function protocolError({ code, message, mistakes: [first] }: Problem): { code: string; content: string } {
  return { code: codeOf(first?.code ?? code), content: message }
}

/** The cart that an answer has; undefined if it has none. */
export function answeredCart(body: string): Cart | undefined {
  const { id, currency, line_items: lines } = JSON.parse(body)
  if (id === undefined) return undefined
  const items = lines.map(({ item, quantity }: { item: { id: string }; quantity: number }) => ({
    sku: item.id,
    quantity
  }))
  return { reference: id, currency, items }
}

/** What an answer without a cart says is wrong, as the log has it. */
export function answeredReason(body: string): string {
  const { messages }: { messages: { code: string; path?: string; content: string }[] } = JSON.parse(body)
  return summarize(messages.map(({ code, path = code, content }) => ({ pointer: path, detail: content })))
}
