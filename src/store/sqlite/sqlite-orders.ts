// Orders in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import type { Order } from '../../orders/order.ts'
import type { OrderStore, PlacedOrder } from '../../orders/order-store.ts'
import { ORDER_COLUMNS, orderFromRow, orderValues } from '../order-rows.ts'
import type { Access } from './access.ts'

export function sqliteOrders(db: DatabaseSync, { read, write }: Access): OrderStore {
  const selectOrder = db.prepare('SELECT * FROM orders WHERE merchant_id = ? AND token = ?')
  const selectCheckout = db.prepare('SELECT superseded_at FROM checkouts WHERE merchant_id = ? AND token = ?')
  const selectNumber = db.prepare('SELECT 1 FROM orders WHERE number = ?')
  const insert = db.prepare(`INSERT INTO orders (${ORDER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
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
    const { number, merchantId, token, placedAt } = order
    const existing = find(merchantId, token)
    if (existing) return { outcome: 'repeated', order: existing }
    const checkout = selectCheckout.get(merchantId, token)
    if (!checkout || checkout.superseded_at !== null) return { outcome: 'superseded' }
    if (selectNumber.get(number)) return { outcome: 'number-taken' }
    insert.run(...orderValues(order))
    markOrdered.run(token)
    if (notifiesWebhook) enqueue.run(number, merchantId, placedAt, placedAt)
    return { outcome: 'placed', order }
  }
  return {
    placeOrder: (order, { notifiesWebhook = false } = {}) => write(() => place(order, notifiesWebhook)),
    findOrder: (merchantId, token) => read(() => find(merchantId, token))
  }
}
