// Checkouts in SQLite.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { referenceKey } from '../../cart/reference.ts'
import { type CheckoutStore, isReusable, type NewCheckout, type StoredCheckout } from '../../checkout/checkout-store.ts'
import type { Access } from './access.ts'
import { recentCheckouts } from './recent-checkouts.ts'

type Row = Record<string, SQLOutputValue>

/** What of a checkout never changes. */
function newFromRow(row: Row): NewCheckout {
  return {
    token: String(row.token),
    merchantId: String(row.merchant_id),
    option: String(row.transfer_option),
    cart: JSON.parse(String(row.cart)),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(row.handover !== null && { handover: JSON.parse(String(row.handover)) })
  }
}

/** @param state what of it may have changed */
function withState(checkout: NewCheckout, state: Row): StoredCheckout {
  const { superseded_at: supersededAt, number } = state
  return {
    ...checkout,
    ...(supersededAt !== null && { supersededAt: String(supersededAt) }),
    ...(number !== null && { orderNumber: String(number) })
  }
}

/** The order of a checkout in the merchant's own shop is the one that was reported under its reference. */
const STATE = `superseded_at, CASE
    WHEN handover IS NOT NULL THEN (SELECT number FROM reported_orders WHERE
      reported_orders.merchant_id = checkouts.merchant_id AND reported_orders.reference_key = checkouts.reference_key)
    WHEN is_ordered = 1 THEN (SELECT number FROM orders WHERE orders.token = checkouts.token)
  END AS number`
const WHOLE = `token, merchant_id, transfer_option, cart, created_at, expires_at, handover, ${STATE}`

/** Finds and adds checkouts, inside a transaction of the caller's. */
export type CheckoutRows = {
  newest: (merchantId: string, reference: string) => StoredCheckout | undefined
  /** What `add` would find instead of adding this checkout. */
  existing: (checkout: NewCheckout) => StoredCheckout | undefined
  add: (checkout: NewCheckout) => StoredCheckout
}

export function checkoutRows(db: DatabaseSync): CheckoutRows {
  const selectNewest = db.prepare(
    `SELECT ${WHOLE} FROM checkouts WHERE merchant_id = ? AND reference_key = ? AND superseded_at IS NULL`
  )
  const supersede = db.prepare('UPDATE checkouts SET superseded_at = ? WHERE token = ?')
  const insert = db.prepare(
    `INSERT INTO checkouts (token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at, handover)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (merchant_id, reference_key) WHERE superseded_at IS NULL DO NOTHING`
  )

  const newest = (merchantId: string, reference: string): StoredCheckout | undefined => {
    const row = selectNewest.get(merchantId, referenceKey(reference))
    return row && withState(newFromRow(row), row)
  }
  /** @returns whether the reference had no checkout that is not superseded */
  const insertNew = (checkout: NewCheckout): boolean => {
    const { token, merchantId, option, cart, createdAt, expiresAt, handover } = checkout
    const key = referenceKey(cart.reference)
    const leadsTo = handover === undefined ? null : JSON.stringify(handover)
    return insert.run(token, merchantId, key, option, JSON.stringify(cart), createdAt, expiresAt, leadsTo).changes === 1
  }
  const serves = (found: StoredCheckout, { cart, createdAt, handover }: NewCheckout): boolean =>
    found.orderNumber !== undefined || isReusable(found, cart, createdAt, handover !== undefined)
  const existing = (checkout: NewCheckout): StoredCheckout | undefined => {
    const found = newest(checkout.merchantId, checkout.cart.reference)
    return found && serves(found, checkout) ? found : undefined
  }
  const add = (checkout: NewCheckout): StoredCheckout => {
    // As for nearly every cart, so that the reference need not be looked up.
    if (insertNew(checkout)) return checkout
    const found = newest(checkout.merchantId, checkout.cart.reference) as StoredCheckout
    if (serves(found, checkout)) return found
    supersede.run(checkout.createdAt, found.token)
    insertNew(checkout)
    return checkout
  }
  return { newest, existing, add }
}

export function sqliteCheckouts(
  db: DatabaseSync,
  { read, readDurable, write }: Access,
  { newest, existing, add }: CheckoutRows
): CheckoutStore {
  const selectByToken = db.prepare(`SELECT ${WHOLE} FROM checkouts WHERE token = ? AND merchant_id = ?`)
  const selectState = db.prepare(`SELECT ${STATE} FROM checkouts WHERE token = ? AND merchant_id = ?`)
  const recent = recentCheckouts()
  const expired = `SELECT token FROM checkouts WHERE merchant_id = ? AND expires_at < ? AND is_ordered = 0
     ORDER BY expires_at LIMIT ?`
  const recordExpired = db.prepare(
    `INSERT INTO transfers (merchant_id, reference_key, reference, transfer_option, outcome, mistakes, transferred_at)
     SELECT merchant_id, reference_key, nullif(cart ->> 'reference', reference_key), transfer_option, 'accepted', '[]',
     created_at FROM checkouts WHERE token IN (${expired}) AND created_at >= ?`
  )
  const deleteBatch = db.prepare(`DELETE FROM checkouts WHERE token IN (${expired})`)

  const removeExpired = (merchantId: string, before: string, limit: number, recordsFrom: string): number => {
    recordExpired.run(merchantId, before, limit, recordsFrom)
    return Number(deleteBatch.run(merchantId, before, limit).changes)
  }
  return {
    newestCheckout: (merchantId, reference) => readDurable(() => newest(merchantId, reference)),
    // A bag that was sent again waits for no other process.
    addCheckout: checkout =>
      write(
        () => add(checkout),
        () => existing(checkout)
      ),
    findCheckout: (merchantId, token) =>
      read(() => {
        const known = recent.find(token)
        const row = (known ? selectState : selectByToken).get(token, merchantId)
        return row && withState(known ?? recent.keep(newFromRow(row)), row)
      }),
    deleteExpired: (merchantId, before, limit, recordsFrom) =>
      write(() => removeExpired(merchantId, before, limit, recordsFrom))
  }
}
