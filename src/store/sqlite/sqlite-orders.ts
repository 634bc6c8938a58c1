// Orders in SQLite.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { referenceKey } from '../../cart/reference.ts'
import type { Order } from '../../orders/order.ts'
import type { OrderStore, PlacedOrder } from '../../orders/order-store.ts'
import type { Access } from './access.ts'

export function orderFromRow(row: Record<string, SQLOutputValue>): Order {
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

export function sqliteOrders(db: DatabaseSync, { read, write }: Access): OrderStore {
  const selectOrder = db.prepare('SELECT * FROM orders WHERE merchant_id = ? AND token = ?')
  const selectCheckout = db.prepare('SELECT superseded_at FROM checkouts WHERE merchant_id = ? AND token = ?')
  const selectNumber = db.prepare('SELECT 1 FROM orders WHERE number = ?')
  const insert = db.prepare(
    `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, delivery,
     total, customer, placed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const markOrdered = db.prepare('UPDATE checkouts SET is_ordered = 1 WHERE token = ?')
  const enqueue = db.prepare(
    `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
     VALUES (?, ?, 'pending', 0, ?, ?)`
  )
  const find = (merchantId: string, token: string): Order | undefined => {
    const row = selectOrder.get(merchantId, token)
    return row && orderFromRow(row)
  }
  const place = (order: Order, notifiesWebhook: boolean): PlacedOrder => {
    const { number, merchantId, token, reference, currency, lines, subtotal, delivery, total, customer, placedAt } =
      order
    const existing = find(merchantId, token)
    if (existing) return { outcome: 'repeated', order: existing }
    const checkout = selectCheckout.get(merchantId, token)
    if (!checkout || checkout.superseded_at !== null) return { outcome: 'superseded' }
    if (selectNumber.get(number)) return { outcome: 'number-taken' }
    const amounts = [JSON.stringify(lines), subtotal, delivery ? JSON.stringify(delivery) : null, total] as const
    const key = referenceKey(reference)
    insert.run(number, merchantId, key, token, reference, currency, ...amounts, JSON.stringify(customer), placedAt)
    markOrdered.run(token)
    if (notifiesWebhook) enqueue.run(number, merchantId, placedAt, placedAt)
    return { outcome: 'placed', order }
  }
  return {
    placeOrder: (order, { notifiesWebhook = false } = {}) => write(() => place(order, notifiesWebhook)),
    findOrder: (merchantId, token) => read(() => find(merchantId, token))
  }
}
