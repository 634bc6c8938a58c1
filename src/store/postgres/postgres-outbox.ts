// The outbox in PostgreSQL, shared by every server: what one of them is leasing, the others skip.
import { randomUUID } from 'node:crypto'
import type { OutboxStore } from '../../webhook/outbox.ts'
import { ORDER_COLUMNS, orderFromRow } from '../order-rows.ts'
import { COUNT_UNDELIVERED, messageFromRow, undeliveredFromRow } from '../outbox-rows.ts'
import type { Connections } from './connections.ts'
import { statement } from './statement.ts'

/** The lease is in the column `claim`. While nothing is due, this writes nothing. */
const LEASE = statement(
  `WITH due AS (
     SELECT order_number FROM outbox WHERE merchant_id = $1 AND state = 'pending' AND due_at <= $2
       AND NOT EXISTS (SELECT 1 FROM stopped_webhooks WHERE merchant_id = $1)
     ORDER BY due_at LIMIT 1 FOR UPDATE OF outbox SKIP LOCKED
   ), leased AS (
     UPDATE outbox SET claim = $3, due_at = $4 FROM due WHERE outbox.order_number = due.order_number
     RETURNING outbox.order_number, attempts
   )
   SELECT ${ORDER_COLUMNS}, attempts FROM leased JOIN orders ON number = order_number`
)
const SETTLE = statement(
  `UPDATE outbox SET state = $1, attempts = $2, due_at = $3, attempted_at = COALESCE($4, attempted_at),
   problem = COALESCE($5, problem), claim = NULL WHERE order_number = $6 AND claim = $7`
)
const SELECT = statement(
  `SELECT state, attempts, due_at, attempted_at, problem, stopped_at FROM outbox LEFT JOIN stopped_webhooks
   ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending' WHERE order_number = $1`
)
const STOP = statement('INSERT INTO stopped_webhooks VALUES ($1, $2) ON CONFLICT DO NOTHING')
const RESUME = statement('DELETE FROM stopped_webhooks WHERE merchant_id = $1')
const HASTEN = statement("UPDATE outbox SET due_at = $2, claim = NULL WHERE state = 'pending' AND due_at > $1")
const REDELIVER = statement(
  `WITH renewed AS (
     INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
     SELECT number, merchant_id, 'pending', 0, $2, $2 FROM orders WHERE number = $1
     ON CONFLICT (order_number) DO UPDATE SET state = 'pending', attempts = 0, due_at = excluded.due_at,
       queued_at = excluded.queued_at, claim = NULL
     RETURNING merchant_id
   ), resumed AS (
     DELETE FROM stopped_webhooks USING renewed WHERE stopped_webhooks.merchant_id = renewed.merchant_id RETURNING 1
   )
   SELECT EXISTS (SELECT 1 FROM resumed) AS was_stopped FROM renewed`
)
const REDELIVER_FAILED = statement(
  `WITH resumed AS (
     DELETE FROM stopped_webhooks WHERE $3::text IS NULL OR merchant_id = $3 RETURNING 1
   ), failed AS (
     SELECT order_number FROM outbox WHERE state <> 'delivered' AND claim IS NULL
       AND (state = 'failed' OR attempts > 0) AND attempted_at <= $1 AND ($3::text IS NULL OR merchant_id = $3)
     LIMIT $2 FOR UPDATE SKIP LOCKED
   ), renewed AS (
     UPDATE outbox SET state = 'pending', attempts = 0, due_at = $1, queued_at = $1 FROM failed
     WHERE outbox.order_number = failed.order_number RETURNING 1
   )
   SELECT (SELECT count(*) FROM renewed) AS due, (SELECT count(*) FROM resumed) AS resumed`
)

const SELECT_UNDELIVERED = statement(COUNT_UNDELIVERED)

export function postgresOutbox({ run }: Connections): OutboxStore {
  return {
    leaseMessage: async (merchantId, now, until) => {
      const lease = randomUUID()
      const [row] = (await run(LEASE, [merchantId, now, lease, until])).rows
      return row && { order: orderFromRow(row), attempts: Number(row.attempts), lease }
    },
    settleMessage: async ({ order, lease }, { state, attempts, dueAt, attemptedAt, problem }) =>
      void (await run(SETTLE, [state, attempts, dueAt, attemptedAt, problem, order.number, lease])),
    findMessage: async orderNumber => {
      const [row] = (await run(SELECT, [orderNumber])).rows
      return row && messageFromRow(row)
    },
    stopMessages: async (merchantId, now) => (await run(STOP, [merchantId, now])).rowCount === 1,
    resumeMessages: async merchantId => void (await run(RESUME, [merchantId])),
    hastenMessages: async (after, now) => Number((await run(HASTEN, [after, now])).rowCount),
    redeliver: async (orderNumber, now) => {
      const [row] = (await run(REDELIVER, [orderNumber, now])).rows
      return row && { wasStopped: row.was_stopped === true }
    },
    redeliverFailed: async (now, limit, merchantId) => {
      const [row] = (await run(REDELIVER_FAILED, [now, limit, merchantId])).rows
      return { due: Number(row?.due), resumed: Number(row?.resumed) }
    },
    countUndelivered: async () => (await run(SELECT_UNDELIVERED)).rows.map(undeliveredFromRow)
  }
}
