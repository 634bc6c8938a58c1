// The state of a checkout (DECISIONS.md, the table of states). Placed goes before superseded, superseded before expired.
import type { StoredCheckout } from './checkout-store.ts'

export type CheckoutState = 'open' | 'placed' | 'superseded' | 'expired'

export function checkoutState({ orderNumber, supersededAt, expiresAt }: StoredCheckout, now: Date): CheckoutState {
  if (orderNumber !== undefined) return 'placed'
  if (supersededAt !== undefined) return 'superseded'
  return expiresAt > now.toISOString() ? 'open' : 'expired'
}
