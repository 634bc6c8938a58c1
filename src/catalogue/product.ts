/** Google's availability values, as Google spells them. */
export const AVAILABILITIES = ['in_stock', 'preorder', 'backorder', 'out_of_stock'] as const

export type Availability = (typeof AVAILABILITIES)[number]

export type LaterAvailability = 'preorder' | 'backorder'

/** A sale price in minor units and its period, in milliseconds since 1970; an absent end is open. */
export type Sale = { price: number; from?: number; until?: number }

/** The price of a product in one currency, in minor units, and whether it is available. */
export type Offer = { availability: Availability; price: number; sale?: Sale }

export type Product = {
  sku: string
  title: string
  /** Which of several it is, such as its colour and size: `Indigo · M`. */
  variant?: string
  /** An absolute http(s) address, or a path below the merchant's publicUrl that begins with `/pictures/`. */
  image?: string
  /** By ISO 4217 code: rows of one id in several currencies are one product with several prices. */
  offers: Record<string, Offer>
}

/** SKUs are compared exactly. */
export type Catalogue = { product: (sku: string) => Product | undefined }

export type ListedCatalogue = Catalogue & { products: () => Iterable<Product> }

export function isSellable({ availability }: Offer): boolean {
  return availability !== 'out_of_stock'
}

export function shipsLater(availability: Availability): availability is LaterAvailability {
  return availability === 'preorder' || availability === 'backorder'
}

/** The price of an offer at a time, in minor units. */
export function priceAt({ price, sale }: Offer, now: Date): number {
  if (!sale) return price
  const time = now.getTime()
  return time >= (sale.from ?? -Infinity) && time <= (sale.until ?? Infinity) ? sale.price : price
}
