// What a shopper agrees to pay: lines, prices and delivery. The form carries a digest of it, which reveals whether prices
// have changed between showing and placing, and on which lines.
import { hash } from 'node:crypto'
import type { Item } from '../cart/cart.ts'
import type { DeliveryMethod } from '../merchant/merchant.ts'

/** A line that can be sold, at its price per unit in minor units. */
export type QuotedLine = { item: Pick<Item, 'sku' | 'quantity'>; unitPrice: number }

export type Quote = { lines: QuotedLine[]; deliveries: Pick<DeliveryMethod, 'id' | 'price'>[] }

/** The length of the digest of the whole quote, and of the digest of each line that follows it. */
const WHOLE = 22
const LINE = 3

/** A digest of everything that costs something, followed by a few characters for each line. Labels are not part of it. */
export function quoteDigest({ lines, deliveries }: Quote): string {
  const prices = lines.map(({ item, unitPrice }) => [item.sku, item.quantity, unitPrice])
  const whole = digest([prices, deliveries.map(({ id, price }) => [id, price])])
  return whole.slice(0, WHOLE) + lines.map(lineDigest).join('')
}

/** Which lines have changed their price since this digest was made. */
export function changedLines(shown: string, { lines }: Pick<Quote, 'lines'>): boolean[] {
  return lines.map((line, i) => shown.slice(WHOLE + i * LINE, WHOLE + (i + 1) * LINE) !== lineDigest(line))
}

function lineDigest({ item, unitPrice }: QuotedLine): string {
  return digest([item.sku, unitPrice]).slice(0, LINE)
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url')
}
