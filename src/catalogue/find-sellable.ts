// The first products of a catalogue that can be bought, to try a merchant with.
import { isSellable, type Offer, type Product } from './product.ts'

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
