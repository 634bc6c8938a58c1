// Reported orders in SQLite.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import type { Cart } from '../../cart/cart.ts'
import { referenceKey } from '../../cart/reference.ts'
import { unitsBySku } from '../../cart/units-by-sku.ts'
import type { KeptReport, ReportedOrderStore } from '../../orders/order-store.ts'
import type { ReportedOrder } from '../../orders/reported-order.ts'
import type { Access } from './access.ts'

export function reportedFromRow(row: Record<string, SQLOutputValue>): ReportedOrder {
  return {
    merchantId: String(row.merchant_id),
    reference: String(row.reference),
    number: String(row.number),
    currency: String(row.currency),
    items: JSON.parse(String(row.items)),
    total: Number(row.total),
    reportedAt: String(row.reported_at),
    ...(row.arrived_at !== null && { arrivedAt: String(row.arrived_at) })
  }
}

export function sqliteReportedOrders(db: DatabaseSync, { write }: Access): ReportedOrderStore {
  const selectByReference = db.prepare('SELECT * FROM reported_orders WHERE merchant_id = ? AND reference_key = ?')
  const selectByNumber = db.prepare('SELECT * FROM reported_orders WHERE merchant_id = ? AND number = ?')
  const selectPlaced = db.prepare('SELECT number FROM orders WHERE merchant_id = ? AND reference_key = ?')
  const selectArrival = db.prepare(
    `SELECT coalesce(
       (SELECT created_at FROM checkouts WHERE merchant_id = ?1 AND reference_key = ?2 AND superseded_at IS NULL),
       (SELECT max(transferred_at) FROM transfers
        WHERE merchant_id = ?1 AND reference_key = ?2 AND outcome = 'accepted')) AS arrived_at`
  )
  const insert = db.prepare(
    `INSERT INTO reported_orders (merchant_id, reference_key, reference, number, currency, items, total, reported_at,
     arrived_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const selectCarts = db.prepare(
    `SELECT token, cart, superseded_at FROM checkouts WHERE merchant_id = ? AND reference_key = ? AND handover IS NOT NULL
     ORDER BY superseded_at IS NOT NULL, created_at DESC`
  )
  const supersede = db.prepare('UPDATE checkouts SET superseded_at = ? WHERE token = ?')
  const markOrdered = db.prepare('UPDATE checkouts SET is_ordered = 1, superseded_at = NULL WHERE token = ?')
  /**
   * The checkout of an order is kept for good, as one with an order of ours, so that the reference stays used up. It is
   * the one with the items that were ordered, though a later cart may have taken its place.
   */
  const settle = (
    merchantId: string,
    key: string,
    { items, currency, reportedAt }: Omit<ReportedOrder, 'arrivedAt'>
  ) => {
    const carts = selectCarts.all(merchantId, key)
    const [newest] = carts
    const isOrdered = ({ cart: json }: Record<string, SQLOutputValue>) => {
      const cart: Cart = JSON.parse(String(json))
      return cart.currency === currency && isDeepStrictEqual(unitsBySku(cart.items), unitsBySku(items))
    }
    const ordered = carts.find(isOrdered) ?? newest
    if (!newest || !ordered) return
    if (ordered !== newest) supersede.run(reportedAt, String(newest.token))
    markOrdered.run(String(ordered.token))
  }
  const keep = (order: Omit<ReportedOrder, 'arrivedAt'>): KeptReport => {
    const { merchantId, reference, number, currency, items, total, reportedAt } = order
    const key = referenceKey(reference)
    const sameReference = selectByReference.get(merchantId, key)
    if (sameReference) return { outcome: 'reference-known', order: reportedFromRow(sameReference) }
    const placed = selectPlaced.get(merchantId, key)
    if (placed) return { outcome: 'placed', number: String(placed.number) }
    const sameNumber = selectByNumber.get(merchantId, number)
    if (sameNumber) return { outcome: 'number-known', order: reportedFromRow(sameNumber) }
    const arrivedAt = selectArrival.get(merchantId, key)?.arrived_at as string | null
    const amounts = [currency, JSON.stringify(items), total] as const
    insert.run(merchantId, key, reference, number, ...amounts, reportedAt, arrivedAt)
    settle(merchantId, key, order)
    return { outcome: 'kept', order: { ...order, ...(arrivedAt !== null && { arrivedAt }) } }
  }
  return { keepReport: order => write(() => keep(order)) }
}
