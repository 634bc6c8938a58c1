// Every code that this server answers with, in one table: the status, a title for the engineer who reads
// problem+json or a log, and the words for a shopper. Contract 7 leaves errors open; `decisions.md` settles them.

const AGAIN = 'Go back to the app and tap checkout again. Your bag is still there.'
const CHANGE_BAG = 'Go back to the app, change your bag and tap checkout again.'
const WAIT = 'Please wait a moment, then go back to the app and tap checkout again. Your bag is still there.'

const UNREADABLE = 'Your bag did not arrive complete'
const UNSOLD = 'Some of your bag cannot be bought right now'
const NOTHING_HERE = 'There is nothing at this address'

/** What is wrong with a request or a checkout as a whole: the answer's status and its first words. */
export const problems = {
  'malformed-request': {
    status: 400,
    title: 'The request could not be read as HTTP',
    shopper: UNREADABLE,
    next: AGAIN
  },
  'contract-broken': { status: 400, title: 'The request breaks the contract', shopper: UNREADABLE, next: AGAIN },
  'not-found': { status: 404, title: 'Nothing is served at this address', shopper: NOTHING_HERE, next: AGAIN },
  'checkout-not-found': {
    status: 404,
    title: 'No checkout has this token',
    shopper: 'There is no checkout at this address',
    next: AGAIN
  },
  'method-not-allowed': {
    status: 405,
    title: 'This address does not take this method',
    shopper: NOTHING_HERE,
    next: AGAIN
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    shopper: 'Your bag took too long to arrive',
    next: AGAIN
  },
  'order-placed': {
    status: 409,
    title: 'This checkout has been placed as an order',
    shopper: 'You have already placed this order',
    next: 'Nothing is ordered twice: your order stands as you placed it. You can go back to the app.'
  },
  'reference-ordered': {
    status: 409,
    title: 'An order has been placed under this reference, for another cart',
    shopper: 'This bag has already been ordered',
    next: 'Go back to the app, empty your bag and start a new one.'
  },
  'checkout-superseded': {
    status: 409,
    title: 'A newer cart with the same reference has replaced this checkout',
    shopper: 'Your bag has changed',
    next: 'This page shows an older bag. Go back to the app and tap checkout to see the newest one.'
  },
  'checkout-expired': {
    status: 410,
    title: 'The checkout has expired',
    shopper: 'This checkout has expired',
    next: AGAIN
  },
  'too-many-lines': {
    status: 413,
    title: 'The cart has more lines than this merchant takes',
    shopper: 'Your bag holds more items than this page can take',
    next: CHANGE_BAG
  },
  'body-too-large': {
    status: 413,
    title: 'The request body is too large',
    shopper: 'Your bag holds more than this page can take',
    next: CHANGE_BAG
  },
  'url-too-long': {
    status: 414,
    title: 'The URL is longer than 2,048 characters',
    shopper: 'Your bag holds more items than this page can take',
    next: CHANGE_BAG
  },
  'media-type-unsupported': {
    status: 415,
    title: 'The Content-Type is not the one of this option',
    shopper: UNREADABLE,
    next: AGAIN
  },
  'cart-not-sellable': { status: 422, title: 'The cart cannot be sold', shopper: UNSOLD, next: CHANGE_BAG },
  'headers-too-large': {
    status: 431,
    title: 'The request line and headers are larger than 64 KiB',
    shopper: 'Your bag holds more items than this page can take',
    next: CHANGE_BAG
  },
  'internal-error': {
    status: 500,
    title: 'The server failed',
    shopper: 'Something went wrong on our side',
    next: WAIT
  },
  'store-unavailable': {
    status: 503,
    title: 'The store cannot be reached at the moment',
    shopper: 'We cannot take your bag at this moment',
    next: WAIT
  }
} as const

/** What is wrong with one field or one line, and which answer it leads to. */
export const mistakes = {
  'json-malformed': { problem: 'contract-broken', shopper: UNREADABLE },
  'encoding-malformed': { problem: 'contract-broken', shopper: UNREADABLE },
  'field-missing': { problem: 'contract-broken', shopper: UNREADABLE },
  'field-type': { problem: 'contract-broken', shopper: UNREADABLE },
  'field-repeated': { problem: 'contract-broken', shopper: UNREADABLE },
  'items-empty': { problem: 'contract-broken', shopper: 'Your bag arrived empty' },
  'names-mixed': { problem: 'contract-broken', shopper: UNREADABLE },
  'fields-unpaired': { problem: 'contract-broken', shopper: UNREADABLE },
  'index-malformed': { problem: 'contract-broken', shopper: UNREADABLE },
  'index-gap': { problem: 'contract-broken', shopper: UNREADABLE },
  'sku-invalid': { problem: 'contract-broken', shopper: UNREADABLE },
  'quantity-invalid': { problem: 'contract-broken', shopper: 'The quantity of an item could not be read' },
  'currency-invalid': { problem: 'contract-broken', shopper: UNREADABLE },
  'reference-invalid': { problem: 'contract-broken', shopper: UNREADABLE },
  'currency-not-sold': { problem: 'cart-not-sellable', shopper: 'We do not sell in the currency of your bag' },
  'sku-unknown': { problem: 'cart-not-sellable', shopper: 'We could not find this item' },
  'out-of-stock': { problem: 'cart-not-sellable', shopper: 'This item is out of stock' },
  'price-missing': { problem: 'cart-not-sellable', shopper: 'This item has no price in the currency of your bag' }
} as const

export type ProblemCode = keyof typeof problems
export type MistakeCode = keyof typeof mistakes

/**
 * One mistake in what arrived. `pointer` is the place in the sender's own terms: a JSON pointer as a URI fragment
 * (option 1) or the name of the form or query field (2A, 2B). `label` is how a shopper knows the line.
 */
export type Mistake = { pointer: string; code: MistakeCode; detail: string; sku?: string; label?: string }

type RefusalParts = {
  detail: string
  mistakes?: Mistake[]
  headers?: Record<string, string>
  /** The cart's reference and number of lines, where they could be read: for the log. */
  reference?: string | undefined
  lines?: number
}

/** The one error by which any part of the server refuses a request: caught in `app.ts`, which gives it its form. */
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

/** The store cannot do its work now (locked, full, gone); another try may succeed. Answered with 503. */
export class StoreUnavailable extends Error {}

/** The refusal of a cart with mistakes; what they lead to stands in the table, and those of one stage lead to one. */
export function refusalOf(found: [Mistake, ...Mistake[]], parts: Omit<RefusalParts, 'mistakes'>): Refusal {
  return new Refusal(mistakes[found[0].code].problem, { ...parts, mistakes: found })
}

/** Whether a list has anything in it, in the form that `refusalOf` takes. */
export function isAny<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0
}
