// What the server keeps, and what it asks of whoever keeps it. SQLite is one implementation (`sqlite.ts`); the
// behaviour that each must show is a test suite (`test/store/store-suite.ts`).
import { type Cart, isSameCart } from '../cart/cart.ts'

/** A cart as it was stored, under the token that alone finds it. Times are UTC, ISO 8601, from the server's clock. */
export type StoredCheckout = {
  token: string
  merchantId: string
  /** The option by which the cart came. */
  option: string
  cart: Cart
  createdAt: string
  expiresAt: string
  /** When a newer checkout of the same reference took its place. */
  supersededAt?: string
}

/** Whether a reference's newest checkout answers this cart too: it has not expired and holds the same cart. */
export function answersAgain(newest: StoredCheckout, cart: Cart, now: string): boolean {
  return newest.expiresAt > now && isSameCart(newest.cart, cart)
}

export type NewCheckout = Omit<StoredCheckout, 'supersededAt'>

export type Store = {
  /** The newest checkout of a merchant and reference; references are compared as `referenceKey` says. */
  newestCheckout: (merchantId: string, reference: string) => Promise<StoredCheckout | undefined>
  /**
   * Keeps a checkout and marks the one before it of the same merchant and reference as superseded, both or neither.
   * When the newest one still stands (not expired at `createdAt`) and holds the same cart, nothing is added and that
   * one is given back: two transfers of one cart at the same moment get one token.
   * The promise resolves only when the result is on disk.
   */
  addCheckout: (checkout: NewCheckout) => Promise<StoredCheckout>
  /** Finds a checkout by its token, for its own merchant alone. */
  findCheckout: (merchantId: string, token: string) => Promise<StoredCheckout | undefined>
  /** Deletes up to `limit` checkouts of a merchant that expired before a time, and says how many. */
  deleteExpired: (merchantId: string, before: string, limit: number) => Promise<number>
  /** Resolves when the store can answer. */
  ping: () => Promise<void>
  /** Finishes what was asked for, then lets go of the file or connection. */
  close: () => Promise<void>
}
