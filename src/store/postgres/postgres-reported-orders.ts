// Reported orders in PostgreSQL.
import { referenceKey } from '../../cart/cart.ts'
import type { KeptReport, ReportedOrder, ReportedOrderStore } from '../../orders/reported-order.ts'
import {
  findOrdered,
  REPORTED_ORDER_COLUMNS,
  reportedOrderFromRow,
  reportedOrderValues
} from '../reported-order-rows.ts'
import type { Connections, Run } from './connections.ts'
import { lockReference } from './lock-reference.ts'
import { statement } from './statement.ts'

const SELECT = `SELECT ${REPORTED_ORDER_COLUMNS} FROM reported_orders WHERE merchant_id = $1`
const SELECT_BY_REFERENCE = statement(`${SELECT} AND reference_key = $2`)
const SELECT_BY_NUMBER = statement(`${SELECT} AND number = $2`)
const SELECT_PLACED = statement('SELECT number FROM orders WHERE merchant_id = $1 AND reference_key = $2')
const SELECT_ARRIVAL = statement(
  `SELECT coalesce(
     (SELECT created_at FROM checkouts WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL),
     (SELECT max(transferred_at) FROM transfers
      WHERE merchant_id = $1 AND reference_key = $2 AND outcome = 'accepted')) AS arrived_at`
)
/** Fails if the number came under another reference meanwhile; then the transaction runs again, and finds it. */
const INSERT = statement(
  `INSERT INTO reported_orders (${REPORTED_ORDER_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
)
const SELECT_CARTS = statement(
  `SELECT token, cart, created_at, 0 AS is_superseded FROM checkouts
   WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL AND handover IS NOT NULL
   UNION ALL
   SELECT token, cart, created_at, 1 FROM checkouts
   WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NOT NULL AND handover IS NOT NULL
   ORDER BY is_superseded, created_at DESC`
)
const SUPERSEDE = statement('UPDATE checkouts SET superseded_at = $1 WHERE token = $2')
const MARK_ORDERED = statement('UPDATE checkouts SET is_ordered = 1, superseded_at = NULL WHERE token = $1')

export function postgresReportedOrders({ transaction }: Connections): ReportedOrderStore {
  const keep = async (run: Run, order: Omit<ReportedOrder, 'arrivedAt'>): Promise<KeptReport> => {
    const { merchantId, reference, number, reportedAt } = order
    const key = referenceKey(reference)
    await lockReference(run, merchantId, reference)
    const [sameReference] = (await run(SELECT_BY_REFERENCE, [merchantId, key])).rows
    if (sameReference) return { outcome: 'reference-known', order: reportedOrderFromRow(sameReference) }
    const [placed] = (await run(SELECT_PLACED, [merchantId, key])).rows
    if (placed) return { outcome: 'placed', number: String(placed.number) }
    const [sameNumber] = (await run(SELECT_BY_NUMBER, [merchantId, number])).rows
    if (sameNumber) return { outcome: 'number-known', order: reportedOrderFromRow(sameNumber) }
    const arrivedAt = (await run(SELECT_ARRIVAL, [merchantId, key])).rows[0]?.arrived_at as string | null
    const kept = { ...order, ...(arrivedAt !== null && { arrivedAt }) }
    await run(INSERT, reportedOrderValues(kept))
    const found = findOrdered((await run(SELECT_CARTS, [merchantId, key])).rows, order)
    if (found?.replaced !== undefined) await run(SUPERSEDE, [reportedAt, found.replaced])
    if (found) await run(MARK_ORDERED, [found.ordered])
    return { outcome: 'kept', order: kept }
  }
  return { keepReport: order => transaction(run => keep(run, order)) }
}
