// Checkouts in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import { referenceKey } from '../../cart/cart.ts'
import type { CheckoutStore, NewCheckout, StoredCheckout } from '../../checkout/checkout-store.ts'
import { CHECKOUT_COLUMNS, checkoutFromRow, checkoutValues, serves, WHOLE_CHECKOUT } from '../checkout-rows.ts'
import type { Access } from './access.ts'
import { IS_NEWEST, NEWEST } from './newest-checkout.ts'

/** Finds and adds checkouts, inside a transaction of the caller's. */
export type CheckoutRows = {
  newest: (merchantId: string, reference: string) => StoredCheckout | undefined
  /** What `add` would find instead of adding this checkout. */
  existing: (checkout: NewCheckout) => StoredCheckout | undefined
  add: (checkout: NewCheckout) => StoredCheckout
}

export function checkoutRows(db: DatabaseSync): CheckoutRows {
  const selectNewest = db.prepare(`SELECT ${WHOLE_CHECKOUT} FROM checkouts WHERE ${IS_NEWEST}`)
  const supersede = db.prepare('UPDATE checkouts SET superseded_at = ? WHERE token = ?')
  const insert = db.prepare(
    `INSERT INTO checkouts (${CHECKOUT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT ${NEWEST} DO NOTHING`
  )

  const newest = (merchantId: string, reference: string): StoredCheckout | undefined => {
    const row = selectNewest.get(merchantId, referenceKey(reference))
    return row && checkoutFromRow(row)
  }
  /** @returns whether the reference had no checkout that is not superseded */
  const insertNew = (checkout: NewCheckout): boolean => insert.run(...checkoutValues(checkout)).changes === 1
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
  const selectByToken = db.prepare(`SELECT ${WHOLE_CHECKOUT} FROM checkouts WHERE token = ? AND merchant_id = ?`)
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
        const row = selectByToken.get(token, merchantId)
        return row && checkoutFromRow(row)
      }),
    deleteExpired: (merchantId, before, limit, recordsFrom) =>
      write(() => removeExpired(merchantId, before, limit, recordsFrom))
  }
}
