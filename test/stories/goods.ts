// What of a demo merchant's feed serves which purpose, by its availability: the stories are the same for every merchant.
import type { Availability, ListedCatalogue, Offer, Product } from '../../src/catalogue/product.ts'
import type { Bag, Change } from './shop.ts'

/** SKUs, in the order of the feed. */
export type Goods = { inStock: string[]; preorder: string; backorder: string; soldOut: string }

/** Sold by nobody here. */
export const OTHER_CURRENCY = 'CHF'

export function goodsOf(catalogue: ListedCatalogue, currency: string): Goods {
  const skus = (wanted: Availability) =>
    [...catalogue.products()].filter(({ offers }) => offers[currency]?.availability === wanted).map(({ sku }) => sku)
  const one = (wanted: Availability) => {
    const [sku] = skus(wanted)
    if (sku === undefined) throw new Error(`the feed has nothing that is ${wanted}`)
    return sku
  }
  return {
    inStock: skus('in_stock'),
    preorder: one('preorder'),
    backorder: one('backorder'),
    soldOut: one('out_of_stock')
  }
}

/** A bag like others: two of one thing, another, and a pre-order. */
export function usualBag({ inStock: [first = '', , third = ''], preorder }: Goods): Bag {
  return [
    [first, 2],
    [third, 1],
    [preorder, 1]
  ]
}

/** Another offer, and no sale, whose price would count instead. */
export const offering =
  (offer: Partial<Offer>): Change =>
  product => ({ ...product, offers: mapOffers(product, ({ sale: _, ...old }) => ({ ...old, ...offer })) })

export const soldOut = offering({ availability: 'out_of_stock' })

export const gone: Change = () => undefined

/** Sold, but in another currency alone. */
export const unpriced: Change = product => ({
  ...product,
  offers: { [OTHER_CURRENCY]: { availability: 'in_stock', price: 100 } }
})

function mapOffers({ offers }: Product, change: (offer: Offer) => Offer): Product['offers'] {
  return Object.fromEntries(Object.entries(offers).map(([currency, offer]) => [currency, change(offer)]))
}
