// What can be bought of a catalogue, as lines that somebody would type.
import { randomUUID } from 'node:crypto'
import type { Cart } from '../cart/cart.ts'
import { isSellable, type Product, priceAt } from '../catalogue/product.ts'
import { toDecimal } from '../money.ts'

/** What a merchant sells. */
export type Sold = { products: Iterable<Product>; currencies: string[]; now: Date }

/** A line as somebody would type it; `title` is for the eye alone. */
export type PresetLine = { sku: string; quantity: string; price?: string; title?: string }

/**
 * Lines of products that can be bought, in the first currency in which any can.
 * @param enough so many lines; where there are as many in the first currency the rest is not looked at
 * @param mostLookedAt so many products
 */
export function findSellable(
  { products, currencies, now }: Sold,
  enough: number,
  mostLookedAt = Number.POSITIVE_INFINITY
): { currency: string; lines: PresetLine[] } {
  const found = currencies.map(currency => ({ currency, lines: [] as PresetLine[] }))
  let looked = 0
  for (const { sku, title, offers } of products) {
    if (++looked > mostLookedAt) break
    for (const { currency, lines } of found) {
      const offer = offers[currency]
      if (offer && isSellable(offer) && lines.length < enough) {
        lines.push({ sku, title, quantity: '1', price: toDecimal(priceAt(offer, now), currency) })
      }
    }
    if (found[0]?.lines.length === enough) break
  }
  return found.find(({ lines }) => lines.length > 0) ?? { currency: String(currencies[0]), lines: [] }
}

/** A cart of up to two products; undefined where nothing can be bought. */
export function exampleCart(sold: Sold): Cart | undefined {
  const { currency, lines } = findSellable(sold, 2)
  const items = lines.map(({ sku }, i) => ({ sku, quantity: i + 1 }))
  return items.length > 0 ? { reference: randomUUID().replaceAll('-', ''), currency, items } : undefined
}
