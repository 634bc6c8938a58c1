// A checkout as it is stored, and the store interface for checkouts.
import { type Cart, isSameCart } from '../cart/cart.ts'
import type { Description } from '../transfer/description.ts'

/** A cart under its token, the only way to find it. Times are UTC, ISO 8601, from the server's clock. */
export type StoredCheckout = {
  token: string
  merchantId: string
  /** The option by which the cart arrived. */
  option: string
  cart: Cart
  createdAt: string
  expiresAt: string
  /** When a newer checkout of the same reference replaced it. */
  supersededAt?: string
  /** The number of the order that was placed from it, or that the merchant's own shop has reported. */
  orderNumber?: string
  /** The request that opens it in the merchant's own shop; absent if its page is ours. */
  handover?: Description
}

export type NewCheckout = Omit<StoredCheckout, 'supersededAt' | 'orderNumber'>

/**
 * Whether a reference's newest checkout serves this cart too: same cart, leading to the same kind of page, and either
 * ordered or not yet expired.
 */
export function isReusable(newest: StoredCheckout, cart: Cart, now: string, leadsToShop = false): boolean {
  const isOpen = newest.orderNumber !== undefined || newest.expiresAt > now
  return isOpen && (newest.handover !== undefined) === leadsToShop && isSameCart(newest.cart, cart)
}

export type CheckoutStore = {
  /** The newest checkout of a merchant and reference; references are compared by `referenceKey`. */
  newestCheckout: (merchantId: string, reference: string) => Promise<StoredCheckout | undefined>
  /**
   * Stores a checkout and supersedes the previous one of the same merchant and reference, in one transaction. The
   * checkout is also the record of its transfer.
   *
   * Nothing is stored, and the existing checkout is returned, when it is reusable for the same cart at `createdAt`
   * (two transfers of one cart at the same moment get one token), or when it has an order, whatever the cart.
   * Resolves once the result is on disk.
   */
  addCheckout: (checkout: NewCheckout) => Promise<StoredCheckout>
  /** Finds a checkout by its token, for its own merchant only. */
  findCheckout: (merchantId: string, token: string) => Promise<StoredCheckout | undefined>
  /**
   * Deletes up to `limit` checkouts without an order that expired before a time. Those created since `recordsFrom` leave
   * a record of their transfer. @returns how many
   */
  deleteExpired: (merchantId: string, before: string, limit: number, recordsFrom: string) => Promise<number>
}
