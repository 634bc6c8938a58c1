// What has become of a checkout (decisions.md, the table of states). Superseded goes before expired.
import type { StoredCheckout } from '../store/store.ts'

export type CheckoutState = 'open' | 'superseded' | 'expired'

export function checkoutState({ supersededAt, expiresAt }: StoredCheckout, now: Date): CheckoutState {
  if (supersededAt !== undefined) return 'superseded'
  return expiresAt > now.toISOString() ? 'open' : 'expired'
}
