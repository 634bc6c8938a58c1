// Orders in PostgreSQL.
import type { Order } from '../../orders/order.ts'
import type { OrderStore, PlacedOrder } from '../../orders/order-store.ts'
import { ORDER_COLUMNS, orderFromRow, orderValues } from '../order-rows.ts'
import type { Connections } from './connections.ts'
import { statement } from './statement.ts'

/**
 * All that an order changes, in one statement and so in one commit. Its checkout is locked first: of several servers that
 * place it at once, or replace its cart, one goes on, and the others find it changed.
 */
const PLACE = statement(
  `WITH checkout AS (
     SELECT token FROM checkouts WHERE merchant_id = $2 AND token = $4 AND superseded_at IS NULL AND is_ordered = 0
     FOR UPDATE
   ), placed AS (
     INSERT INTO orders (${ORDER_COLUMNS})
     SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::text, $10::bigint,
       $11::text, $12::text FROM checkout
     ON CONFLICT (number) DO NOTHING RETURNING number
   ), ordered AS (
     UPDATE checkouts SET is_ordered = 1 FROM placed WHERE checkouts.token = $4
   ), queued AS (
     INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
     SELECT number, $2, 'pending', 0, $12, $12 FROM placed WHERE $13::boolean
   )
   SELECT number FROM placed`
)
const SELECT = statement(`SELECT ${ORDER_COLUMNS} FROM orders WHERE merchant_id = $1 AND token = $2`)
const SELECT_OPEN = statement(
  'SELECT 1 FROM checkouts WHERE merchant_id = $1 AND token = $2 AND superseded_at IS NULL AND is_ordered = 0'
)

export function postgresOrders({ run }: Connections): OrderStore {
  const find = async (merchantId: string, token: string): Promise<Order | undefined> => {
    // No column can hold it.
    if (token.includes('\0')) return undefined
    const [row] = (await run(SELECT, [merchantId, token])).rows
    return row && orderFromRow(row)
  }
  /** Why nothing was placed. */
  const reasonOf = async ({ merchantId, token }: Order): Promise<PlacedOrder> => {
    const existing = await find(merchantId, token)
    if (existing) return { outcome: 'repeated', order: existing }
    const { rowCount } = await run(SELECT_OPEN, [merchantId, token])
    return { outcome: rowCount === 1 ? 'number-taken' : 'superseded' }
  }
  return {
    placeOrder: async (order, { notifiesWebhook = false } = {}) => {
      const { rowCount } = await run(PLACE, [...orderValues(order), notifiesWebhook])
      return rowCount === 1 ? { outcome: 'placed', order } : reasonOf(order)
    },
    findOrder: find
  }
}
