// Orders as rows, the same in both databases.
import { referenceKey } from '../cart/cart.ts'
import type { Order } from '../orders/order.ts'
import type { DatabaseRow } from './database-row.ts'

export const ORDER_COLUMNS = `number, merchant_id, reference_key, token, reference, currency, lines, subtotal, delivery,
  total, customer, placed_at`

/** The values of ORDER_COLUMNS. */
export function orderValues(order: Order) {
  const { number, merchantId, token, reference, currency, lines, subtotal, delivery, total, customer, placedAt } = order
  const amounts = [JSON.stringify(lines), subtotal, delivery ? JSON.stringify(delivery) : null, total] as const
  const key = referenceKey(reference)
  return [number, merchantId, key, token, reference, currency, ...amounts, JSON.stringify(customer), placedAt] as const
}

export function orderFromRow(row: DatabaseRow): Order {
  return {
    number: String(row.number),
    merchantId: String(row.merchant_id),
    token: String(row.token),
    reference: String(row.reference),
    currency: String(row.currency),
    lines: JSON.parse(String(row.lines)),
    subtotal: Number(row.subtotal),
    ...(row.delivery !== null && { delivery: JSON.parse(String(row.delivery)) }),
    total: Number(row.total),
    ...(row.customer !== null && { customer: JSON.parse(String(row.customer)) }),
    placedAt: String(row.placed_at)
  }
}
