// The store interface for carts on their way into a merchant's own shop.
import type { Cart } from '../cart/cart.ts'
import type { NewCheckout, StoredCheckout } from './checkout-store.ts'

/** An attempt to hand a cart over. Its key is what the shop knows it by, and becomes the token of its checkout. */
export type HandoverAttempt = { key: string; merchantId: string; cart: Cart; createdAt: string }

export type HandoverStore = {
  /**
   * Stores an attempt before the shop hears of it, in place of any other of the same merchant and reference. An attempt
   * with the same cart that failed since `reusableFrom` goes on instead. Resolves once it is on disk.
   * @returns the key to use; undefined if an order has been reported under the reference, and nothing is stored
   */
  beginHandover: (attempt: HandoverAttempt, reusableFrom: string) => Promise<string | undefined>
  /**
   * Stores the checkout that an attempt has led to, as `addCheckout` does, and ends the attempt; its token is the key.
   * That the attempt has ended does not matter: the same cart, sent twice at once, may be refused first and then sold.
   * @returns the checkout itself if it was stored; undefined if another cart has taken the attempt's place by now, and nothing is stored
   */
  finishHandover: (checkout: NewCheckout) => Promise<StoredCheckout | undefined>
  /** Ends an attempt that the shop has refused. */
  endHandover: (attempt: HandoverAttempt) => Promise<void>
  /** Deletes the attempts that failed before a time and were not repeated. @returns how many */
  deleteHandovers: (merchantId: string, before: string, limit: number) => Promise<number>
}
