// An order: a checkout that the shopper placed, at the prices of that moment. One per merchant and reference.
import type { LaterAvailability } from '../catalogue/product.ts'
import type { OrderedDelivery } from '../merchant/merchant.ts'

/** A line as it was sold. Amounts are integers in minor units of the order's currency. */
export type OrderLine = {
  sku: string
  title: string
  /** As the product had it: `Indigo · M`. */
  variant?: string
  /** If it was sold to be sent later. */
  availability?: LaterAvailability
  quantity: number
  unitPrice: number
  lineTotal: number
}

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
  /** The token of the checkout that it was placed from. */
  token: string
  /** The reference as the platform sent it. */
  reference: string
  currency: string
  lines: OrderLine[]
  subtotal: number
  delivery?: OrderedDelivery
  total: number
  /** Absent once it has been erased. */
  customer?: Customer
  /** UTC, ISO 8601. */
  placedAt: string
}
