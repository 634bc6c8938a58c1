// Carts on their way into a merchant's own shop, in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import { isSameCart, referenceKey } from '../../cart/cart.ts'
import { type HandoverStore, isReusable } from '../../checkout/checkout-store.ts'
import type { Access } from './access.ts'
import type { CheckoutRows } from './sqlite-checkouts.ts'

export function sqliteHandovers(db: DatabaseSync, { write }: Access, { newest, add }: CheckoutRows): HandoverStore {
  const select = db.prepare(
    'SELECT attempt, cart, created_at FROM handovers WHERE merchant_id = ? AND reference_key = ?'
  )
  const insert = db.prepare(
    `INSERT INTO handovers (merchant_id, reference_key, attempt, cart, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (merchant_id, reference_key) DO UPDATE SET attempt = excluded.attempt, cart = excluded.cart,
     created_at = excluded.created_at`
  )
  const isStored = db.prepare('SELECT 1 FROM checkouts WHERE token = ?')
  const remove = db.prepare('DELETE FROM handovers WHERE merchant_id = ? AND reference_key = ? AND attempt = ?')
  const removeOld = db.prepare(
    `DELETE FROM handovers WHERE attempt IN
     (SELECT attempt FROM handovers WHERE merchant_id = ? AND created_at < ? LIMIT ?)`
  )
  const selectReported = db.prepare('SELECT 1 FROM reported_orders WHERE merchant_id = ? AND reference_key = ?')
  return {
    beginHandover: ({ key, merchantId, cart, createdAt }, reusableFrom) =>
      write(() => {
        const known = select.get(merchantId, referenceKey(cart.reference))
        const isSame =
          known && String(known.created_at) >= reusableFrom && isSameCart(JSON.parse(String(known.cart)), cart)
        if (isSame) return String(known.attempt)
        if (selectReported.get(merchantId, referenceKey(cart.reference))) return undefined
        insert.run(merchantId, referenceKey(cart.reference), key, JSON.stringify(cart), createdAt)
        return key
      }),
    finishHandover: checkout =>
      write(() => {
        const { token, merchantId, cart, createdAt } = checkout
        if (remove.run(merchantId, referenceKey(cart.reference), token).changes > 0) return add(checkout)
        const existing = newest(merchantId, cart.reference)
        // The same cart, sent twice at once, was faster.
        if (existing && isReusable(existing, cart, createdAt, true)) return existing
        const other = select.get(merchantId, referenceKey(cart.reference))
        const isReplaced =
          isStored.get(token) !== undefined ||
          (other !== undefined && !isSameCart(JSON.parse(String(other.cart)), cart)) ||
          (existing !== undefined && existing.createdAt >= createdAt)
        // Otherwise the same cart, sent twice at once, was refused the first time.
        return isReplaced ? undefined : add(checkout)
      }),
    endHandover: ({ merchantId, cart, key }) =>
      write(() => void remove.run(merchantId, referenceKey(cart.reference), key)),
    deleteHandovers: (merchantId, before, limit) =>
      write(() => Number(removeOld.run(merchantId, before, limit).changes))
  }
}
