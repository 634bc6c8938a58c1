// The products of a feed that were asked for lately, as objects: reading one from its record takes 1 µs, and what is
// remembered of a product, such as its line on a page, can be found by the object.
import type { Catalogue, Product } from './product.ts'

/** How many are kept: some 4 MB. */
const MAX_RECENT = 10_000

/** @param find always gives the same product for a SKU, or none */
export function recentProducts(find: Catalogue['product'], max = MAX_RECENT): Catalogue['product'] {
  const recent = new Map<string, Product>()
  return sku => {
    const known = recent.get(sku)
    if (known) return known
    const product = find(sku)
    if (!product) return undefined
    if (recent.size === max) recent.clear()
    // A SKU cut out of a request would keep all of it in memory.
    recent.set(product.sku, product)
    return product
  }
}
