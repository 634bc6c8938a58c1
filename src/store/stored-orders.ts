// Orders: when a checkout becomes one.
import { referenceKey } from '../cart/cart.ts'
import type { Order, OrderStore, PlacedOrder } from '../orders/order.ts'
import { type Database, type DatabaseRow, type Result, statement, type Work } from './database.ts'
import { isStorable } from './stored-checkouts.ts'

export const ORDER_COLUMNS = `number, merchant_id, reference_key, token, reference, currency, lines, subtotal, delivery,
  total, customer, placed_at`

/** Of several servers that place it at once, or replace its cart, one goes on, and the others find it changed. */
const LOCK_CHECKOUT = `SELECT superseded_at, is_ordered FROM checkouts WHERE merchant_id = $1 AND token = $2 FOR UPDATE`
const SELECT = `SELECT ${ORDER_COLUMNS} FROM orders WHERE merchant_id = $1 AND token = $2`
const INSERT = `INSERT INTO orders (${ORDER_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (number) DO NOTHING`
const MARK_ORDERED = 'UPDATE checkouts SET is_ordered = 1 WHERE token = $1'
const ENQUEUE = `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
  VALUES ($1, $2, 'pending', 0, $3, $3)`

function* place(order: Order, notifiesWebhook: boolean): Work<PlacedOrder> {
  const { number, merchantId, token, placedAt } = order
  const [checkout] = (yield statement(LOCK_CHECKOUT, [merchantId, token])).rows
  const existing = orderFrom(yield statement(SELECT, [merchantId, token]))
  if (existing) return { outcome: 'repeated', order: existing }
  const isOpen = checkout?.superseded_at === null && Number(checkout.is_ordered) === 0
  if (!isOpen) return { outcome: 'superseded' }
  if ((yield statement(INSERT, orderValues(order))).count === 0) return { outcome: 'number-taken' }
  yield statement(MARK_ORDERED, [token])
  if (notifiesWebhook) yield statement(ENQUEUE, [number, merchantId, placedAt])
  return { outcome: 'placed', order }
}

export function storedOrders({ run, transaction }: Database): OrderStore {
  return {
    placeOrder: (order, { notifiesWebhook = false } = {}) => transaction(() => place(order, notifiesWebhook)),
    findOrder: async (merchantId, token) =>
      isStorable(token) ? orderFrom(await run(SELECT, [merchantId, token])) : undefined
  }
}

function orderFrom({ rows: [row] }: Result): Order | undefined {
  return row && orderFromRow(row)
}

/** The values of ORDER_COLUMNS. */
function orderValues(order: Order) {
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
