// Finds products in a catalogue of any size: by SKU, title or variant, or the first that can be bought, to try a merchant with.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Cart } from '../cart/cart.ts'
import { isSellable, type ListedCatalogue, type Offer, type Product } from './product.ts'

/** Products that are searched between two pauses, in well below a millisecond. */
const SLICE = 1000

/** How much of the search text is used, in characters: no SKU and few titles are longer. */
const MAX_TEXT = 128

/**
 * Searches in slices, between which other requests are served.
 * @param text words that occur in SKU, title and variant, in any order and case; without any, everything matches
 * @returns the product with exactly this SKU, then others in the order of the feed, at most `limit`
 */
export async function findProducts(catalogue: ListedCatalogue, text: string, limit: number): Promise<Product[]> {
  const words = text.slice(0, MAX_TEXT).toLowerCase().split(/\s+/).filter(Boolean)
  const exact = catalogue.product(text)
  const found = exact ? [exact] : []
  let searched = 0
  for (const product of catalogue.products()) {
    if (found.length >= limit) break
    if (++searched % SLICE === 0) await setImmediate()
    if (product.sku === exact?.sku) continue
    const content = [product.sku, product.title, product.variant].join('\n').toLowerCase()
    if (words.every(word => content.includes(word))) found.push(product)
  }
  return found
}

/** What a merchant may sell, and in which currencies. */
export type Assortment = { products: Iterable<Product>; currencies: string[] }

export type Sellable = { product: Product; offer: Offer }

/**
 * Products that can be bought, in the first currency in which any can.
 * @param enough the search ends once the first currency has this many
 * @param maxSearched the maximum number of products to search
 */
export function findSellable(
  { products, currencies }: Assortment,
  enough: number,
  maxSearched = Number.POSITIVE_INFINITY
): { currency: string; sellable: Sellable[] } {
  const found = currencies.map(currency => ({ currency, sellable: [] as Sellable[] }))
  let searched = 0
  for (const product of products) {
    if (++searched > maxSearched) break
    for (const { currency, sellable } of found) {
      const offer = product.offers[currency]
      if (offer && isSellable(offer) && sellable.length < enough) sellable.push({ product, offer })
    }
    if (found[0]?.sellable.length === enough) break
  }
  return found.find(({ sellable }) => sellable.length > 0) ?? { currency: String(currencies[0]), sellable: [] }
}

/** Stands for what only the shop knows. */
export const PLACEHOLDER_SKU = 'YOUR-SKU'

/** A cart for a merchant whose products are not known here. */
export function placeholderCart(currencies: string[]): Cart {
  return { reference: newReference(), currency: String(currencies[0]), items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }] }
}

/**
 * A cart of up to two products; undefined if nothing can be bought.
 * @param limits the most lines, and the most units of a line
 * @param maxSearched the maximum number of products to search
 */
export function exampleCart(
  assortment: Assortment,
  { maxItems, maxQuantity }: { maxItems: number; maxQuantity: number },
  maxSearched?: number
): Cart | undefined {
  const { currency, sellable } = findSellable(assortment, Math.min(2, maxItems), maxSearched)
  const items = sellable.map(({ product: { sku } }, i) => ({ sku, quantity: Math.min(i + 1, maxQuantity) }))
  return items.length > 0 ? { reference: newReference(), currency, items } : undefined
}

/** A UUID as every option accepts it. */
function newReference(): string {
  return randomUUID().replaceAll('-', '')
}
