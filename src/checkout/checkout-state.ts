// The state of a checkout (DECISIONS.md, the table of states). Placed takes precedence over superseded, and superseded
// over expired.
import type { StoredCheckout } from './checkout-store.ts'

export function checkoutState({ orderNumber, supersededAt, expiresAt }: StoredCheckout, now: Date) {
  if (orderNumber !== undefined) return 'placed'
  if (supersededAt !== undefined) return 'superseded'
  return expiresAt > now.toISOString() ? 'open' : 'expired'
}
