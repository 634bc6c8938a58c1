// What a shopper agrees to pay: lines, prices and delivery. The form carries a digest of it, which reveals whether prices
// have changed between showing and placing, and on which lines.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Item } from '../cart/cart.ts'
import type { DeliveryMethod } from '../merchant/merchant.ts'

/** A line that can be sold, at its price per unit in minor units. */
export type QuotedLine = { item: Pick<Item, 'sku' | 'quantity'>; unitPrice: number }

export type Quote = { lines: QuotedLine[]; deliveries: Pick<DeliveryMethod, 'id' | 'price'>[] }

/** The length of the digest of the whole quote, and of the checksum of each line that follows it. */
const WHOLE = 22
const LINE = 3

/** A digest of everything that costs something, followed by a few characters for each line. Labels are not part of it. */
export function quoteDigest(quote: Quote): string {
  return wholeDigest(quote) + quote.lines.map(lineChecksum).join('')
}

/** Whether this digest was made of the same quote. */
export function isDigestOf(digest: string, quote: Quote): boolean {
  return digest.slice(0, WHOLE) === wholeDigest(quote)
}

/** Which lines have changed their price since this digest was made. */
export function changedLines(shown: string, { lines }: Pick<Quote, 'lines'>): boolean[] {
  return lines.map((line, i) => shown.slice(WHOLE + i * LINE, WHOLE + (i + 1) * LINE) !== lineChecksum(line))
}

function wholeDigest({ lines, deliveries }: Quote): string {
  const prices = lines.map(({ item, unitPrice }) => [item.sku, item.quantity, unitPrice])
  const text = JSON.stringify([prices, deliveries.map(({ id, price }) => [id, price])])
  return hash('sha256', text, 'base64url').slice(0, WHOLE)
}

/** Only marks lines, so it need not be hard to forge. */
function lineChecksum({ item, unitPrice }: QuotedLine): string {
  return (crc32(`${unitPrice} ${item.sku}`) % 36 ** LINE).toString(36).padStart(LINE, '0')
}
