// Checkouts as rows, the same in both databases.
import { referenceKey } from '../cart/cart.ts'
import { isReusable, type NewCheckout, type StoredCheckout } from '../checkout/checkout-store.ts'
import type { DatabaseRow } from './database-row.ts'

/** A checkout with its state. The order of one in the merchant's own shop is what was reported under its reference. */
export const WHOLE_CHECKOUT = `token, merchant_id, transfer_option, cart, created_at, expires_at, handover,
  superseded_at, CASE
    WHEN handover IS NOT NULL THEN (SELECT number FROM reported_orders WHERE
      reported_orders.merchant_id = checkouts.merchant_id AND reported_orders.reference_key = checkouts.reference_key)
    WHEN is_ordered = 1 THEN (SELECT number FROM orders WHERE orders.token = checkouts.token)
  END AS number`

export const CHECKOUT_COLUMNS = `token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at,
  handover`

/** The values of CHECKOUT_COLUMNS. */
export function checkoutValues(checkout: NewCheckout): (string | null)[] {
  const { token, merchantId, option, cart, createdAt, expiresAt, handover } = checkout
  const leadsTo = handover === undefined ? null : JSON.stringify(handover)
  const key = referenceKey(cart.reference)
  return [token, merchantId, key, option, JSON.stringify(cart), createdAt, expiresAt, leadsTo]
}

/** A row of WHOLE_CHECKOUT. */
export function checkoutFromRow(row: DatabaseRow): StoredCheckout {
  return {
    token: String(row.token),
    merchantId: String(row.merchant_id),
    option: String(row.transfer_option),
    cart: JSON.parse(String(row.cart)),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(row.handover !== null && { handover: JSON.parse(String(row.handover)) }),
    ...(row.superseded_at !== null && { supersededAt: String(row.superseded_at) }),
    ...(row.number !== null && { orderNumber: String(row.number) })
  }
}

/** Whether what is stored takes the place of a new checkout of the same reference. */
export function serves(found: StoredCheckout, { cart, createdAt, handover }: NewCheckout): boolean {
  return found.orderNumber !== undefined || isReusable(found, cart, createdAt, handover !== undefined)
}
