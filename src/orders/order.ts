// An order: a checkout that the shopper placed, with its prices as they were then. One per merchant and reference.

/** A line as it was sold. Amounts are integers in minor units of the order's currency. */
export type OrderLine = { sku: string; title: string; quantity: number; unitPrice: number; lineTotal: number }

/** The delivery method that was chosen, at its price then, in minor units. */
export type OrderDelivery = { id: string; label: string; price: number }

/** What the shopper typed. `address` holds the fields of the country, by the names of `address-fields.ts`. */
export type Customer = {
  email: string
  phone?: string
  country: string
  address: Record<string, string>
}

export type Order = {
  number: string
  merchantId: string
  /** The token of the checkout it was placed from. */
  token: string
  /** The reference as the platform sent it. */
  reference: string
  currency: string
  lines: OrderLine[]
  subtotal: number
  delivery?: OrderDelivery
  total: number
  /** Absent once it has been erased. */
  customer?: Customer
  /** UTC, ISO 8601. */
  placedAt: string
}
