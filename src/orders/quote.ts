// What a shopper agrees to: lines, prices and delivery. The form carries a digest of it, so that a price that changed
// between showing and placing is noticed, and the lines that changed are known.
import { createHash } from 'node:crypto'

/** A delivery method at its price in the cart's currency, in minor units. */
export type DeliveryMethod = { id: string; label: string; price: number }

/** A line that can be sold, at its price per unit in minor units. */
export type QuotedLine = { sku: string; quantity: number; unitPrice: number }

export type Quote = { lines: QuotedLine[]; deliveries: Pick<DeliveryMethod, 'id' | 'price'>[] }

const WHOLE = 22
const LINE = 3

/** A digest of everything that costs something, in whatever language it is named, and behind it a few characters for each line. */
export function digestOf({ lines, deliveries }: Quote): string {
  const charged = deliveries.map(({ id, price }) => [id, price])
  const whole = hash([lines.map(({ sku, quantity, unitPrice }) => [sku, quantity, unitPrice]), charged])
  return whole.slice(0, WHOLE) + lines.map(lineDigest).join('')
}

/** Whether each line costs what it did when this digest was made. */
export function unchangedLines(digest: string, { lines }: Quote): boolean[] {
  return lines.map((line, i) => digest.slice(WHOLE + i * LINE, WHOLE + (i + 1) * LINE) === lineDigest(line))
}

function lineDigest({ sku, unitPrice }: QuotedLine): string {
  return hash([sku, unitPrice]).slice(0, LINE)
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}
