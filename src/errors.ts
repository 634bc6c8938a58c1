// Every code that this server answers with, in one table: the status, a title for the engineer who reads problem+json or
// a log, and the messages for a shopper. Contract 7 leaves errors open; DECISIONS.md settles them.
import type { MessageName } from './messages/messages.ts'

/**
 * @param shopper the message that says what is wrong
 * @param next the message that says what to do
 * @param retryAfter when to send the request again, in seconds
 */
function row(status: number, title: string, shopper: MessageName, next: MessageName, retryAfter?: number) {
  return { status, title, shopper, next, retryAfter }
}

export const problems = {
  'malformed-request': row(400, 'The request could not be read as HTTP', 'bag-incomplete', 'tap-again'),
  'contract-broken': row(400, 'The request breaks the contract', 'bag-incomplete', 'tap-again'),
  'invalid-profile-url': row(400, "There is no usable address of the platform's profile", 'our-fault', 'wait'),
  'digest-mismatch': row(400, 'The body is not the one that was signed', 'our-fault', 'wait'),
  'algorithm-unsupported': row(400, 'The signature has an algorithm that is not supported', 'our-fault', 'wait'),
  'signature-missing': row(401, 'The request has to be signed', 'our-fault', 'wait'),
  'signature-invalid': row(401, 'The signature is wrong', 'our-fault', 'wait'),
  'key-not-found': row(401, "The signature's key is not in the platform's profile", 'our-fault', 'wait'),
  unauthorized: row(401, 'The caller has not proved who it is', 'our-fault', 'wait'),
  'profile-not-trusted': row(403, 'The merchant does not know the platform', 'our-fault', 'wait'),
  'not-found': row(404, 'Nothing is served at this address', 'nothing-here', 'go-again'),
  'checkout-not-found': row(404, 'No checkout has this token', 'no-checkout', 'go-again'),
  'transfer-unknown': row(404, 'No transfer has this reference', 'nothing-here', 'go-again'),
  // A web view that restores its page sends a GET where the app sent a POST.
  'method-not-allowed': row(405, 'This address does not take this method', 'not-shown-again', 'open-again'),
  'request-timeout': row(408, 'The request took too long to arrive', 'bag-slow', 'tap-again'),
  'cart-in-payment': row(409, 'The cart is being paid for', 'our-fault', 'wait'),
  'capabilities-incompatible': row(422, "The platform's profile does not list UCP carts", 'our-fault', 'wait'),
  'idempotency-conflict': row(409, 'The Idempotency-Key was used before with another request', 'our-fault', 'wait'),
  'order-placed': row(409, 'This checkout has been placed as an order', 'order-placed', 'ordered-once'),
  'reference-ordered': row(
    409,
    'An order has been placed under this reference, for another cart',
    'bag-ordered',
    'empty-bag'
  ),
  'order-differs': row(409, 'Another order is kept under this reference or number', 'our-fault', 'wait'),
  'checkout-superseded': row(
    409,
    'A newer cart with the same reference has replaced this checkout',
    'bag-changed',
    'see-newest'
  ),
  'checkout-expired': row(410, 'The checkout has expired', 'checkout-expired', 'start-afresh'),
  'too-many-lines': row(413, 'The cart has more lines than this merchant takes', 'bag-too-large', 'change-bag'),
  'body-too-large': row(413, 'The request body is too large', 'bag-too-large', 'change-bag'),
  'url-too-long': row(414, 'The URL is longer than 2,048 characters', 'bag-too-large', 'change-bag'),
  'media-type-unsupported': row(415, 'The Content-Type is not the one of this option', 'bag-incomplete', 'tap-again'),
  'profile-malformed': row(422, "The platform's profile cannot be read", 'our-fault', 'wait'),
  'version-unsupported': row(422, "The platform's version of the protocol is not supported", 'our-fault', 'wait'),
  'profile-unreachable': row(424, "The platform's profile cannot be fetched", 'our-fault', 'wait'),
  'cart-not-sellable': row(422, 'The cart cannot be sold', 'some-unsold', 'change-bag'),
  'headers-too-large': row(431, 'The request line and headers are larger than 64 KiB', 'bag-too-large', 'change-bag'),
  'too-many-requests': row(429, 'This address sends more requests than the server takes', 'not-now', 'wait'),
  'internal-error': row(500, 'The server failed', 'our-fault', 'wait'),
  'store-unavailable': row(503, 'The store cannot be reached at the moment', 'not-now', 'wait', 5),
  'destination-unusable': row(502, "The merchant's shop leads where this option cannot go", 'our-fault', 'wait'),
  'destination-unavailable': row(503, "The merchant's shop cannot take the cart at the moment", 'not-now', 'wait', 10),
  'order-not-placed': row(503, 'The order cannot be placed at the moment', 'order-not-placed', 'try-once', 5),
  'order-uncertain': row(
    503,
    'Whether the order was placed is unknown at the moment',
    'order-uncertain',
    'try-once',
    5
  ),
  'payment-returned': row(409, 'What was paid is for no order, and is sent back', 'payment-returned', 'money-back'),
  'payment-unknown': row(
    503,
    'The payment provider cannot be asked at the moment',
    'payment-unknown',
    'check-again',
    5
  ),
  overloaded: row(503, 'The server has too many requests at the moment', 'not-now', 'wait', 5)
}

/**
 * What is wrong with one field or one line, and the problem that it leads to. `shopper` is the message about the bag,
 * `item` the one about a line; `next` is what to do if only this is wrong, unless the problem's own `next` fits.
 */
export const mistakes = {
  'json-malformed': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'encoding-malformed': { problem: 'contract-broken', shopper: 'bag-incomplete', item: 'item-incomplete' },
  'field-missing': { problem: 'contract-broken', shopper: 'bag-incomplete', item: 'item-incomplete' },
  'field-type': { problem: 'contract-broken', shopper: 'bag-incomplete', item: 'item-incomplete' },
  'field-repeated': { problem: 'contract-broken', shopper: 'bag-incomplete', item: 'item-incomplete' },
  'items-empty': { problem: 'contract-broken', shopper: 'bag-empty', next: 'add-items' },
  'value-malformed': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'names-mixed': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'fields-unpaired': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'index-malformed': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'index-gap': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'quantity-unit-mismatch': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'sku-invalid': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'quantity-invalid': { problem: 'contract-broken', shopper: 'item-quantity' },
  'currency-invalid': { problem: 'contract-broken', shopper: 'currency-unsold', next: 'change-currency' },
  'reference-invalid': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'number-invalid': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'total-invalid': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'currency-not-sold': { problem: 'cart-not-sellable', shopper: 'currency-unsold', next: 'change-currency' },
  'sku-unknown': { problem: 'cart-not-sellable', shopper: 'item-unknown' },
  'out-of-stock': { problem: 'cart-not-sellable', shopper: 'item-sold-out' },
  'price-missing': { problem: 'cart-not-sellable', shopper: 'item-unpriced' },
  'quantity-too-large': { problem: 'cart-not-sellable', shopper: 'quantities-too-large', item: 'item-most' },
  'destination-differs': { problem: 'cart-not-sellable', shopper: 'some-unsold', item: 'item-quantity' },
  'total-too-large': { problem: 'cart-not-sellable', shopper: 'total-too-high', item: 'order-most' },
  'total-too-small': { problem: 'cart-not-sellable', shopper: 'total-too-low', item: 'order-least' },
  'total-inexact': { problem: 'cart-not-sellable', shopper: 'total-inexact' }
} as const satisfies Record<string, ValidationErrorRow>

type ValidationErrorRow = {
  problem: keyof typeof problems
  shopper: MessageName
  item?: MessageName
  next?: MessageName
}

export type ProblemCode = keyof typeof problems
export type ValidationErrorCode = keyof typeof mistakes

/** The most that is sold at once, or the least: units of an item, or an amount in minor units. Messages have it as `most` or `least`. */
export type Limit = { units: number } | { minor: number; currency: string }

/**
 * One mistake in what arrived. `pointer` is the place in the sender's terms: a JSON pointer as a URI fragment (option 1)
 * or the name of the form or query field (2A, 2B), or an entry of a link (`products[0]`).
 */
export type ValidationError = {
  pointer: string
  code: ValidationErrorCode
  detail: string
  sku?: string
  limit?: Limit
}

export type RefusedLine = {
  sku: string
  /** Absent if it could not be read. */
  quantity?: number
  mistake?: ValidationErrorCode
  limit?: Limit
}

/** `label` names the field. */
export type EnteredField = { label: MessageName; value: string }

type ProblemParts = {
  detail: string
  mistakes?: ValidationError[]
  /** What was in the bag, as far as it could be read, for the page. */
  bag?: RefusedLine[]
  headers?: Record<string, string>
  /** The path where GET gets the same page, if it is not that of the request: for links to it in other languages. */
  address?: string
  /** The cart's reference and number of lines, if they could be read: for the log. */
  reference?: string | undefined
  lines?: number
  /** What only the log may say. */
  reason?: string | undefined
  /** The fields of a form, for its page to send them again; no log has them. */
  posted?: [name: string, value: string][] | undefined
  /** What was entered in a form that cannot be sent again, for its page to show. */
  entered?: EnteredField[]
}

/** Thrown by any part of the server to refuse a request; `http/error-handler.ts` turns it into an answer. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly mistakes: ValidationError[] = []
  readonly bag: RefusedLine[] = []
  readonly headers: Record<string, string> = {}
  readonly address: string | undefined
  readonly reference: string | undefined
  readonly lines: number | undefined
  readonly reason: string | undefined
  readonly posted: ProblemParts['posted']
  readonly entered: EnteredField[] = []

  constructor(code: ProblemCode, { detail, ...parts }: ProblemParts) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    Object.assign(this, parts)
  }
}

export function notFound(): Problem {
  return new Problem('not-found', { detail: 'Nothing is served at this address.' })
}

/** Something that the operator can fix. The message says what and how, and is printed without a stack. */
export class OperatorError extends Error {}

/** The store is unavailable (locked, full, gone); another attempt may succeed. Answered with 503. */
export class StoreUnavailable extends OperatorError {}

/** The same, but what was to be stored may have been: the store has not said so. */
export class StoreUncertain extends StoreUnavailable {}

/** It is damaged, and stays so until a backup has been restored and the server started again. */
export class StoreDamaged extends StoreUnavailable {}

/** The mistakes of one stage all lead to the same problem. */
export function problemFrom(found: [ValidationError, ...ValidationError[]], parts: ProblemParts): Problem {
  return new Problem(mistakes[found[0].code].problem, { ...parts, mistakes: found })
}

/** How many mistakes a line of the log names; the answer has all of them. */
const LOGGED_MISTAKES = 5

/** For the log: each with its SKU, if that was read. */
export function summarize(found: Pick<ValidationError, 'pointer' | 'detail' | 'sku'>[]): string {
  const named = found.slice(0, LOGGED_MISTAKES).map(({ pointer, detail, sku }) => {
    const name = sku === undefined ? '' : JSON.stringify(sku)
    return `${pointer}${detail.includes(name) ? '' : ` of ${name}`}: ${detail}`
  })
  return [...named, ...(found.length > named.length ? [`and ${found.length - named.length} more`] : [])].join(' | ')
}

export function isAny<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0
}
