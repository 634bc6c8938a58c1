// Every code that this server answers with, in one table: the status, a title for the engineer who reads problem+json or
// a log, and the messages for a shopper. Contract 7 leaves errors open; DECISIONS.md settles them.
import type { MessageName } from './messages/messages.ts'

/** What is wrong with a request or a checkout as a whole: the status of the answer, and what it says. */
export const problems = {
  'malformed-request': {
    status: 400,
    title: 'The request could not be read as HTTP',
    shopper: 'bag-incomplete',
    next: 'tap-again'
  },
  'contract-broken': {
    status: 400,
    title: 'The request breaks the contract',
    shopper: 'bag-incomplete',
    next: 'tap-again'
  },
  'not-found': { status: 404, title: 'Nothing is served at this address', shopper: 'nothing-here', next: 'go-again' },
  'checkout-not-found': {
    status: 404,
    title: 'No checkout has this token',
    shopper: 'no-checkout',
    next: 'go-again'
  },
  'method-not-allowed': {
    status: 405,
    title: 'This address does not take this method',
    shopper: 'nothing-here',
    next: 'go-again'
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    shopper: 'bag-slow',
    next: 'tap-again'
  },
  'order-placed': {
    status: 409,
    title: 'This checkout has been placed as an order',
    shopper: 'order-placed',
    next: 'ordered-once'
  },
  'reference-ordered': {
    status: 409,
    title: 'An order has been placed under this reference, for another cart',
    shopper: 'bag-ordered',
    next: 'empty-bag'
  },
  'checkout-superseded': {
    status: 409,
    title: 'A newer cart with the same reference has replaced this checkout',
    shopper: 'bag-changed',
    next: 'see-newest'
  },
  'checkout-expired': {
    status: 410,
    title: 'The checkout has expired',
    shopper: 'checkout-expired',
    next: 'start-afresh'
  },
  'too-many-lines': {
    status: 413,
    title: 'The cart has more lines than this merchant takes',
    shopper: 'bag-too-large',
    next: 'change-bag'
  },
  'body-too-large': {
    status: 413,
    title: 'The request body is too large',
    shopper: 'bag-too-large',
    next: 'change-bag'
  },
  'url-too-long': {
    status: 414,
    title: 'The URL is longer than 2,048 characters',
    shopper: 'bag-too-large',
    next: 'change-bag'
  },
  'media-type-unsupported': {
    status: 415,
    title: 'The Content-Type is not the one of this option',
    shopper: 'bag-incomplete',
    next: 'tap-again'
  },
  'cart-not-sellable': { status: 422, title: 'The cart cannot be sold', shopper: 'some-unsold', next: 'change-bag' },
  'headers-too-large': {
    status: 431,
    title: 'The request line and headers are larger than 64 KiB',
    shopper: 'bag-too-large',
    next: 'change-bag'
  },
  'internal-error': {
    status: 500,
    title: 'The server failed',
    shopper: 'our-fault',
    next: 'wait'
  },
  'store-unavailable': {
    status: 503,
    title: 'The store cannot be reached at the moment',
    shopper: 'not-now',
    next: 'wait'
  }
} as const satisfies Record<string, { status: number; title: string; shopper: MessageName; next: MessageName }>

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
  'items-empty': { problem: 'contract-broken', shopper: 'bag-empty', next: 'go-again' },
  'names-mixed': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'fields-unpaired': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'index-malformed': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'index-gap': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'sku-invalid': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'quantity-invalid': { problem: 'contract-broken', shopper: 'item-quantity' },
  'currency-invalid': { problem: 'contract-broken', shopper: 'currency-unsold', next: 'change-currency' },
  'reference-invalid': { problem: 'contract-broken', shopper: 'bag-incomplete' },
  'currency-not-sold': { problem: 'cart-not-sellable', shopper: 'currency-unsold', next: 'change-currency' },
  'sku-unknown': { problem: 'cart-not-sellable', shopper: 'item-unknown' },
  'out-of-stock': { problem: 'cart-not-sellable', shopper: 'item-sold-out' },
  'price-missing': { problem: 'cart-not-sellable', shopper: 'item-unpriced' }
} as const satisfies Record<string, MistakeAnswer>

type MistakeAnswer = {
  problem: keyof typeof problems
  shopper: MessageName
  item?: MessageName
  next?: MessageName
}

export type ProblemCode = keyof typeof problems
export type MistakeCode = keyof typeof mistakes

/**
 * One mistake in what arrived. `pointer` is the place in the sender's terms: a JSON pointer as a URI fragment (option 1)
 * or the name of the form or query field (2A, 2B). `label` is the title by which a shopper knows the line.
 */
export type Mistake = { pointer: string; code: MistakeCode; detail: string; sku?: string; label?: string }

type RefusalParts = {
  detail: string
  mistakes?: Mistake[]
  headers?: Record<string, string>
  /** The cart's reference and number of lines, if they could be read: for the log. */
  reference?: string | undefined
  lines?: number
}

/** The error by which any part of the server refuses a request; `http/error-handler.ts` turns it into an answer. */
export class Refusal extends Error {
  readonly code: ProblemCode
  readonly mistakes: Mistake[]
  readonly headers: Record<string, string>
  readonly reference: string | undefined
  readonly lines: number | undefined

  constructor(code: ProblemCode, parts: RefusalParts) {
    super(parts.detail)
    this.name = 'Refusal'
    this.code = code
    this.mistakes = parts.mistakes ?? []
    this.headers = parts.headers ?? {}
    this.reference = parts.reference
    this.lines = parts.lines
  }
}

export function notFound(): Refusal {
  return new Refusal('not-found', { detail: 'Nothing is served at this address.' })
}

/**
 * Something that the operator can put right. The message says what and how, and is printed without a stack.
 */
export class OperatorError extends Error {}

/** The store cannot do its work now (locked, full, gone); another attempt may succeed. Answered with 503. */
export class StoreUnavailable extends OperatorError {}

/** The refusal of a cart with mistakes. The mistakes of one stage all lead to the same problem. */
export function refusalOf(found: [Mistake, ...Mistake[]], parts: Omit<RefusalParts, 'mistakes'>): Refusal {
  return new Refusal(mistakes[found[0].code].problem, { ...parts, mistakes: found })
}

/** Whether a list has any elements, as `refusalOf` requires. */
export function isAny<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0
}
