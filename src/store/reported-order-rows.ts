// Reported orders as rows, the same in both databases, and which checkout such an order is of.
import { isDeepStrictEqual } from 'node:util'
import { type Cart, referenceKey, unitsBySku } from '../cart/cart.ts'
import type { ReportedOrder } from '../orders/reported-order.ts'
import type { DatabaseRow } from './database-row.ts'

export const REPORTED_ORDER_COLUMNS = `merchant_id, reference_key, reference, number, currency, items, total,
  reported_at, arrived_at`

/** The values of REPORTED_ORDER_COLUMNS. */
export function reportedOrderValues(order: ReportedOrder) {
  const { merchantId, reference, number, currency, items, total, reportedAt, arrivedAt = null } = order
  const key = referenceKey(reference)
  return [merchantId, key, reference, number, currency, JSON.stringify(items), total, reportedAt, arrivedAt] as const
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
export function findOrdered(
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
