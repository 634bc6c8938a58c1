// Finds products by SKU or title in a catalogue of any size, in slices between which other requests are served.
import { setImmediate } from 'node:timers/promises'
import type { ListedCatalogue, Product } from './product.ts'

/** Products that are searched in one go, which takes well below a millisecond. */
const SLICE = 1000

/** How much of the search text is used, in characters: no SKU and few titles are longer. */
const MOST_TEXT = 128

/**
 * @param text words that occur in SKU and title, in any order and case; without any, everything matches
 * @returns the product with exactly this SKU, then others in the order of the feed, at most `limit`
 */
export async function findProducts(catalogue: ListedCatalogue, text: string, limit: number): Promise<Product[]> {
  const words = text.slice(0, MOST_TEXT).toLowerCase().split(/\s+/).filter(Boolean)
  const exact = catalogue.product(text)
  const found = exact ? [exact] : []
  let looked = 0
  for (const product of catalogue.products()) {
    if (found.length >= limit) break
    if (++looked % SLICE === 0) await setImmediate()
    if (product === exact) continue
    const searched = `${product.sku}\n${product.title}`.toLowerCase()
    if (words.every(word => searched.includes(word))) found.push(product)
  }
  return found
}
