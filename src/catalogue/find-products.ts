// Finds products in a catalogue of any size: by SKU, title or variant, or the first that can be bought.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Cart } from '../cart/cart.ts'
import { isSellable, type ListedCatalogue, type Offer, type Product } from './product.ts'

/** Products that are searched between two pauses. */
const SLICE = 1000

/** In characters; what is longer is cut. */
const MAX_TEXT = 128

/**
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

type Sellable = { product: Product; offer: Offer }

/** The first `enough` products that can be bought, in the first of the currencies in which any can. */
export function findSellable(products: Iterable<Product>, currencies: string[], enough: number) {
  const found = currencies.map(currency => ({ currency, sellable: [] as Sellable[] }))
  for (const product of products) {
    for (const { currency, sellable } of found) {
      const offer = product.offers[currency]
      if (offer && isSellable(offer) && sellable.length < enough) sellable.push({ product, offer })
    }
    if (found[0]?.sellable.length === enough) break
  }
  return found.find(({ sellable }) => sellable.length > 0) ?? { currency: String(currencies[0]), sellable: [] }
}

export const PLACEHOLDER_SKU = 'YOUR-SKU'

/** A cart for a merchant whose products are not known here. */
export function placeholderCart(currencies: string[]): Cart {
  return { reference: newReference(), currency: String(currencies[0]), items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }] }
}

/** A cart of up to two products, within a merchant's limits; undefined if nothing can be bought. */
export function exampleCart(
  products: Iterable<Product>,
  currencies: string[],
  { maxItems, maxQuantity }: { maxItems: number; maxQuantity: number }
): Cart | undefined {
  const { currency, sellable } = findSellable(products, currencies, Math.min(2, maxItems))
  const items = sellable.map(({ product: { sku } }, i) => ({ sku, quantity: Math.min(i + 1, maxQuantity) }))
  return items.length > 0 ? { reference: newReference(), currency, items } : undefined
}

/** A UUID in the form that every option accepts. */
function newReference(): string {
  return randomUUID().replaceAll('-', '')
}
