// Reported orders in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import { referenceKey } from '../../cart/cart.ts'
import type { KeptReport, ReportedOrder, ReportedOrderStore } from '../../orders/reported-order.ts'
import {
  findOrdered,
  REPORTED_ORDER_COLUMNS,
  reportedOrderFromRow,
  reportedOrderValues
} from '../reported-order-rows.ts'
import type { Access } from './access.ts'
import { IS_NEWEST } from './newest-checkout.ts'

export function sqliteReportedOrders(db: DatabaseSync, { write }: Access): ReportedOrderStore {
  const selectByReference = db.prepare('SELECT * FROM reported_orders WHERE merchant_id = ? AND reference_key = ?')
  const selectByNumber = db.prepare('SELECT * FROM reported_orders WHERE merchant_id = ? AND number = ?')
  const selectPlaced = db.prepare('SELECT number FROM orders WHERE merchant_id = ? AND reference_key = ?')
  const selectArrival = db.prepare(
    `SELECT coalesce(
       (SELECT created_at FROM checkouts WHERE ${IS_NEWEST}),
       (SELECT max(transferred_at) FROM transfers
        WHERE merchant_id = ?1 AND reference_key = ?2 AND outcome = 'accepted')) AS arrived_at`
  )
  const insert = db.prepare(
    `INSERT INTO reported_orders (${REPORTED_ORDER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const selectCarts = db.prepare(
    `SELECT token, cart, created_at, 0 AS is_superseded FROM checkouts WHERE ${IS_NEWEST} AND handover IS NOT NULL
     UNION ALL
     SELECT token, cart, created_at, 1 FROM checkouts
     WHERE merchant_id = ?1 AND reference_key = ?2 AND superseded_at IS NOT NULL AND handover IS NOT NULL
     ORDER BY is_superseded, created_at DESC`
  )
  const supersede = db.prepare('UPDATE checkouts SET superseded_at = ? WHERE token = ?')
  const markOrdered = db.prepare('UPDATE checkouts SET is_ordered = 1, superseded_at = NULL WHERE token = ?')
  const keep = (order: Omit<ReportedOrder, 'arrivedAt'>): KeptReport => {
    const { merchantId, reference, number, reportedAt } = order
    const key = referenceKey(reference)
    const sameReference = selectByReference.get(merchantId, key)
    if (sameReference) return { outcome: 'reference-known', order: reportedOrderFromRow(sameReference) }
    const placed = selectPlaced.get(merchantId, key)
    if (placed) return { outcome: 'placed', number: String(placed.number) }
    const sameNumber = selectByNumber.get(merchantId, number)
    if (sameNumber) return { outcome: 'number-known', order: reportedOrderFromRow(sameNumber) }
    const arrivedAt = selectArrival.get(merchantId, key)?.arrived_at as string | null
    const kept = { ...order, ...(arrivedAt !== null && { arrivedAt }) }
    insert.run(...reportedOrderValues(kept))
    const found = findOrdered(selectCarts.all(merchantId, key), order)
    if (found?.replaced !== undefined) supersede.run(reportedAt, found.replaced)
    if (found) markOrdered.run(found.ordered)
    return { outcome: 'kept', order: kept }
  }
  return { keepReport: order => write(() => keep(order)) }
}
