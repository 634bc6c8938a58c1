// Picks products from a demo merchant's feed by availability, so that the same stories work for every merchant.
import type { Availability, ListedCatalogue, Offer, Product } from '../../src/merchant/catalogue/product.ts'
import type { Bag, Change } from './story-shop.ts'

/** SKUs in feed order. */
export type Goods = { inStock: string[]; preorder: string; backorder: string; soldOut: string }

/** No demo merchant sells in it. */
export const OTHER_CURRENCY = 'CHF'

export function goodsOf(catalogue: ListedCatalogue, currency: string): Goods {
  const skus = (availability: Availability) =>
    [...catalogue.products()]
      .filter(product => product?.offers[currency]?.availability === availability)
      .map(product => String(product?.sku))
  const firstSku = (availability: Availability) => {
    const [sku] = skus(availability)
    if (sku === undefined) throw new Error(`the feed has no product that is ${availability}`)
    return sku
  }
  return {
    inStock: skus('in_stock'),
    preorder: firstSku('preorder'),
    backorder: firstSku('backorder'),
    soldOut: firstSku('out_of_stock')
  }
}

/** Two of one item, one of another, and a pre-order. */
export function typicalBag({ inStock: [first = '', , third = ''], preorder }: Goods): Bag {
  return [
    [first, 2],
    [third, 1],
    [preorder, 1]
  ]
}

/** Changes the offers, and removes any sale, whose price would apply instead. */
export const offering =
  (offer: Partial<Offer>): Change =>
  product => ({ ...product, offers: mapOffers(product, ({ sale: _, ...old }) => ({ ...old, ...offer })) })

/** On sale for half its price, in one of several colours and sizes. */
export const reduced: Change = product => ({
  ...product,
  variant: 'Indigo · M',
  offers: mapOffers(product, offer => ({ ...offer, sale: { price: Math.floor(offer.price / 2) } }))
})

export const soldOut = offering({ availability: 'out_of_stock' })

export const unpictured: Change = ({ image: _, ...product }) => product

export const removed: Change = () => undefined

/** Sold only in another currency. */
export const unpriced: Change = product => ({
  ...product,
  offers: { [OTHER_CURRENCY]: { availability: 'in_stock', price: 100 } }
})

function mapOffers({ offers }: Product, change: (offer: Offer) => Offer): Product['offers'] {
  return Object.fromEntries(Object.entries(offers).map(([currency, offer]) => [currency, change(offer)]))
}
