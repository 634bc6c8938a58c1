// Finds products by SKU, title or variant in a catalogue of any size, in slices between which other requests are served.
import { setImmediate } from 'node:timers/promises'
import type { ListedCatalogue, Product } from './product.ts'

/** Products that are searched between two pauses, in well below a millisecond. */
const SLICE = 1000

/** How much of the search text is used, in characters: no SKU and few titles are longer. */
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
