// What a shopper agrees to pay: lines, prices and delivery. The form carries a digest of it, which reveals whether prices
// have changed between showing and placing, and what they were.
import { hash } from 'node:crypto'
import type { Item } from '../cart/cart.ts'
import type { DeliveryMethod } from '../merchant/merchant.ts'
import { MAX_PRICE } from '../money.ts'

/** A line that can be sold, at its price per unit in minor units. */
export type QuotedLine = { item: Pick<Item, 'sku' | 'quantity'>; unitPrice: number }

export type Quote = { lines: QuotedLine[]; deliveries: Pick<DeliveryMethod, 'id' | 'price'>[] }

/**
 * The prices that a shopper saw, in minor units, in the order of the quote: per unit of each line, and of each delivery
 * method. Undefined if the digest does not have as many that can be read.
 */
export type ShownPrices = { lines: number[] | undefined; deliveries: number[] | undefined }

/** The length of the digest of the whole quote, which the prices follow. */
const WHOLE = 22
const RADIX = 36
const BETWEEN = '-'
const DELIVERIES = '_'

/** A digest of everything that costs something, followed by the prices. Labels are not part of it. */
export function quoteDigest(quote: Quote): string {
  const lines = quote.lines.map(({ unitPrice }) => unitPrice)
  const deliveries = quote.deliveries.map(({ price }) => price)
  return wholeDigest(quote) + pricesText(lines) + DELIVERIES + pricesText(deliveries)
}

/** Whether this digest was made of the same quote. */
export function isDigestOf(digest: string, quote: Quote): boolean {
  return digest.slice(0, WHOLE) === wholeDigest(quote)
}

/** The prices in a digest. The form may claim any: they are only shown, to whoever sent them. */
export function shownPrices(digest: string, { lines, deliveries }: Quote): ShownPrices {
  const [lineText = '', deliveryText = ''] = digest.slice(WHOLE).split(DELIVERIES)
  return { lines: readPrices(lineText, lines.length), deliveries: readPrices(deliveryText, deliveries.length) }
}

function wholeDigest({ lines, deliveries }: Quote): string {
  const prices = lines.map(({ item, unitPrice }) => [item.sku, item.quantity, unitPrice])
  const text = JSON.stringify([prices, deliveries.map(({ id, price }) => [id, price])])
  return hash('sha256', text, 'base64url').slice(0, WHOLE)
}

function pricesText(prices: number[]): string {
  return prices.map(price => price.toString(RADIX)).join(BETWEEN)
}

function readPrices(text: string, count: number): number[] | undefined {
  const prices = text === '' ? [] : text.split(BETWEEN).map(readPrice)
  return prices.length === count && prices.every(price => price <= MAX_PRICE) ? prices : undefined
}

/** NaN if it is not a price as written by `pricesText`. */
function readPrice(text: string): number {
  return /^[0-9a-z]{1,6}$/.test(text) ? Number.parseInt(text, RADIX) : Number.NaN
}
