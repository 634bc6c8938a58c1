// Orders that merchants took in their own shops and reported, and which checkout such an order is of.
import { isDeepStrictEqual } from 'node:util'
import { type Cart, referenceKey, unitsBySku } from '../cart/cart.ts'
import type { KeptReport, ReportedOrder, ReportedOrderStore } from '../orders/reported-order.ts'
import { type Database, type DatabaseRow, lockReference, statement, type Work } from './database.ts'

export const REPORTED_ORDER_COLUMNS = `merchant_id, reference_key, reference, number, currency, items, total,
  reported_at, arrived_at`

const SELECT = `SELECT ${REPORTED_ORDER_COLUMNS} FROM reported_orders WHERE merchant_id = $1`
const SELECT_BY_REFERENCE = `${SELECT} AND reference_key = $2`
const SELECT_BY_NUMBER = `${SELECT} AND number = $2`
const SELECT_PLACED = 'SELECT number FROM orders WHERE merchant_id = $1 AND reference_key = $2'
const SELECT_ARRIVAL = `SELECT coalesce(
    (SELECT created_at FROM checkouts WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL),
    (SELECT max(transferred_at) FROM transfers
     WHERE merchant_id = $1 AND reference_key = $2 AND outcome = 'accepted')) AS arrived_at`
/** Fails if the number came under another reference meanwhile; then the transaction runs again, and finds it. */
const INSERT = `INSERT INTO reported_orders (${REPORTED_ORDER_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
const SELECT_CARTS = `SELECT token, cart, created_at, 0 AS is_superseded FROM checkouts
  WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL AND handover IS NOT NULL
  UNION ALL
  SELECT token, cart, created_at, 1 FROM checkouts
  WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NOT NULL AND handover IS NOT NULL
  ORDER BY is_superseded, created_at DESC`
const SUPERSEDE = 'UPDATE checkouts SET superseded_at = $1 WHERE token = $2'
const MARK_ORDERED = 'UPDATE checkouts SET is_ordered = 1, superseded_at = NULL WHERE token = $1'

function* keep(order: Omit<ReportedOrder, 'arrivedAt'>): Work<KeptReport> {
  const { merchantId, reference, number, currency, items, total, reportedAt } = order
  const key = referenceKey(reference)
  yield lockReference(merchantId, reference)
  const [sameReference] = (yield statement(SELECT_BY_REFERENCE, [merchantId, key])).rows
  if (sameReference) return { outcome: 'reference-known', order: reportedOrderFromRow(sameReference) }
  const [placed] = (yield statement(SELECT_PLACED, [merchantId, key])).rows
  if (placed) return { outcome: 'placed', number: String(placed.number) }
  const [sameNumber] = (yield statement(SELECT_BY_NUMBER, [merchantId, number])).rows
  if (sameNumber) return { outcome: 'number-known', order: reportedOrderFromRow(sameNumber) }
  const arrivedAt = (yield statement(SELECT_ARRIVAL, [merchantId, key])).rows[0]?.arrived_at as string | null
  const amounts = [number, currency, JSON.stringify(items), total] as const
  yield statement(INSERT, [merchantId, key, reference, ...amounts, reportedAt, arrivedAt])
  const found = findOrdered((yield statement(SELECT_CARTS, [merchantId, key])).rows, order)
  if (found?.replaced !== undefined) yield statement(SUPERSEDE, [reportedAt, found.replaced])
  if (found) yield statement(MARK_ORDERED, [found.ordered])
  return { outcome: 'kept', order: { ...order, ...(arrivedAt !== null && { arrivedAt }) } }
}

export function storedReports({ transaction }: Database): ReportedOrderStore {
  return { keepReport: order => transaction(() => keep(order)) }
}

export function reportedOrderFromRow(row: DatabaseRow): ReportedOrder {
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

/**
 * The checkout of a reported order is kept for good, as one with an order of ours, so that the reference stays used up. It
 * is the one with the items that were ordered, though a later cart may have taken its place.
 * @param checkouts token and cart of those in the merchant's shop, the newest first
 * @returns the token of the ordered one, and of the newest one if that is another
 */
function findOrdered(
  checkouts: DatabaseRow[],
  { items, currency }: Pick<ReportedOrder, 'items' | 'currency'>
): { ordered: string; replaced?: string } | undefined {
  const [newest] = checkouts
  const isOrdered = ({ cart: json }: DatabaseRow) => {
    const cart: Cart = JSON.parse(String(json))
    return cart.currency === currency && isDeepStrictEqual(unitsBySku(cart.items), unitsBySku(items))
  }
  const ordered = checkouts.find(isOrdered) ?? newest
  if (!newest || !ordered) return undefined
  return { ordered: String(ordered.token), ...(ordered !== newest && { replaced: String(newest.token) }) }
}
