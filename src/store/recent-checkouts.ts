// What never changes of the checkouts that were found lately, as objects: reading one from its row takes 4 µs more than
// looking up its state, and what pages remember of a cart can be found by the object.
import type { NewCheckout } from '../checkout/checkout-store.ts'

/** How many lines all of them have together: some 3 MB. */
const MAX_LINES = 10_000

export type RecentCheckouts = {
  find: (token: string) => NewCheckout | undefined
  /** @returns the checkout */
  keep: (checkout: NewCheckout) => NewCheckout
}

export function recentCheckouts(maxLines = MAX_LINES): RecentCheckouts {
  const recent = new Map<string, NewCheckout>()
  let lines = 0
  return {
    find: token => recent.get(token),
    keep: checkout => {
      const { token, cart } = checkout
      if (lines + cart.items.length > maxLines) {
        recent.clear()
        lines = 0
      }
      lines += cart.items.length
      recent.set(token, checkout)
      return checkout
    }
  }
}
