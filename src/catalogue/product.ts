// What the merchant sells under a SKU, as one catalogue look-up gives it back.

/** Google's availability values, in its spelling. */
export type Availability = 'in_stock' | 'preorder' | 'backorder' | 'out_of_stock'

/** A sale price in minor units and the time in which it counts, in milliseconds since 1970; open where absent. */
export type Sale = { price: number; from?: number; until?: number }

/** What a product costs in one currency, in minor units, and whether it can be had. */
export type Offer = { availability: Availability; price: number; sale?: Sale }

export type Product = {
  sku: string
  title: string
  /** An absolute http(s) address, or a path below the merchant's publicUrl that begins with `/pictures/`. */
  image?: string
  /** By ISO 4217 code: rows of one id in several currencies are one product with several prices. */
  offers: Record<string, Offer>
}

/** Looks up what is sold under a SKU now, compared exactly. */
export type Catalogue = { product: (sku: string) => Product | undefined }

/** A catalogue that can be gone through too, for examples and searches: a hundred thousand products, perhaps. */
export type ListedCatalogue = Catalogue & { products: () => Iterable<Product> }

/** Whether a shopper can buy it: now, or as a pre-order or back-order. */
export function isSellable({ availability }: Offer): boolean {
  return availability !== 'out_of_stock'
}

/** What an offer costs at a time, in minor units. */
export function priceAt({ price, sale }: Offer, now: Date): number {
  if (!sale) return price
  const time = now.getTime()
  return time >= (sale.from ?? -Infinity) && time <= (sale.until ?? Infinity) ? sale.price : price
}
