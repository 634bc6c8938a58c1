// The outbox: who sends which message, and until when. Servers that share a database skip what another is leasing.
import { randomUUID } from 'node:crypto'
import type { WebhookState } from '../checkout/orders/order.ts'
import type { MessageEvent, OutboxMessage, OutboxStore, Undelivered } from '../checkout/webhook/outbox.ts'
import { type Database, type DatabaseRow, statement } from './database.ts'
import { ORDER_COLUMNS, ORDERS, orderFromRow } from './stored-orders.ts'

/**
 * Of an order's messages. The key of the first is its number; those of further ones begin with it, and sort in the order in
 * which they were queued.
 */
export const ofOrder = (number: string) => `(order_number = ${number} OR further_of = ${number})`

/** The one that an operator has to know of: the first that failed, or else is pending, or else the last. */
export const worstOf = (number: string) =>
  `WHERE ${ofOrder(number)} ORDER BY state <> 'failed', state DESC,
    CASE state WHEN 'delivered' THEN attempted_at END DESC, order_number LIMIT 1`

const SELECT_DUE = `SELECT order_number, coalesce(further_of, order_number) AS number, event, happened_at, attempts FROM outbox
  WHERE merchant_id = $1 AND state = 'pending' AND due_at <= $2
  AND NOT EXISTS (SELECT 1 FROM stopped_webhooks WHERE merchant_id = $1)
  AND (further_of IS NULL OR NOT EXISTS (SELECT 1 FROM outbox AS earlier WHERE earlier.state = 'pending'
    AND (earlier.order_number = outbox.further_of OR earlier.further_of = outbox.further_of)
    AND earlier.order_number < outbox.order_number))
  ORDER BY due_at LIMIT 1`
const LOCK_DUE = `${SELECT_DUE} FOR UPDATE OF outbox SKIP LOCKED`
/** The lease is in the column `claim`. */
const LEASE = 'UPDATE outbox SET claim = $1, due_at = $2 WHERE order_number = $3'
const SELECT_ORDER = `SELECT ${ORDER_COLUMNS} FROM ${ORDERS} WHERE number = $1`
const SETTLE = `UPDATE outbox SET state = $1, attempts = $2, due_at = $3, attempted_at = COALESCE($4, attempted_at),
  problem = COALESCE($5, problem), claim = NULL WHERE ${ofOrder('$6')} AND claim = $7`
const SELECT = `SELECT state, attempts, due_at, attempted_at, problem, stopped_at FROM outbox LEFT JOIN stopped_webhooks
  ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending' ${worstOf('$1')}`
const STOP = 'INSERT INTO stopped_webhooks (merchant_id, stopped_at) VALUES ($1, $2) ON CONFLICT DO NOTHING'
const SELECT_STOPPED = 'SELECT 1 FROM stopped_webhooks WHERE merchant_id = $1'
const RESUME = 'DELETE FROM stopped_webhooks WHERE merchant_id = coalesce($1, merchant_id)'
const HASTEN = `UPDATE outbox SET due_at = $2, claim = NULL WHERE state = 'pending' AND due_at > $1`
const RENEW = `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
  SELECT number, merchant_id, 'pending', 0, $2, $2 FROM orders WHERE number = $1
  ON CONFLICT (order_number) DO UPDATE SET state = 'pending', attempts = 0, due_at = excluded.due_at,
  queued_at = excluded.queued_at, claim = NULL RETURNING merchant_id`
const RENEW_FURTHER = `UPDATE outbox SET state = 'pending', attempts = 0, due_at = $2, queued_at = $2, claim = NULL
  WHERE further_of = $1`
const RENEW_FAILED = `WITH failed AS (
    SELECT order_number FROM outbox WHERE state <> 'delivered' AND claim IS NULL
      AND (state = 'failed' OR attempts > 0) AND attempted_at <= $1 AND merchant_id = coalesce($3, merchant_id)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE outbox SET state = 'pending', attempts = 0, due_at = $1, queued_at = $1
  WHERE order_number IN (SELECT order_number FROM failed)`
const COUNT_UNDELIVERED = `SELECT merchant_id, COUNT(*) FILTER (WHERE state = 'pending') AS pending,
  COUNT(*) FILTER (WHERE state = 'failed') AS failed, MIN(queued_at) FILTER (WHERE state = 'pending') AS pending_since
  FROM outbox WHERE state <> 'delivered' GROUP BY merchant_id`

export function storedMessages({ read, write, transaction, of }: Database): OutboxStore {
  return {
    // Usually nothing is due, which costs a read but no commit.
    leaseMessage: async (merchantId, now, until) => {
      const { read, transaction } = of(merchantId)
      if ((await read(SELECT_DUE, [merchantId, now])).count === 0) return undefined
      return transaction(function* () {
        const [due] = (yield statement(LOCK_DUE, [merchantId, now])).rows
        if (!due) return undefined
        const lease = randomUUID()
        yield statement(LEASE, [lease, until, String(due.order_number)])
        const [order] = (yield statement(SELECT_ORDER, [String(due.number)])).rows as [DatabaseRow]
        return {
          order: orderFromRow(order),
          event: due.event as MessageEvent,
          ...(due.happened_at !== null && { at: String(due.happened_at) }),
          attempts: Number(due.attempts),
          lease
        }
      })
    },
    settleMessage: async ({ order, lease }, { state, attempts, dueAt, attemptedAt = null, problem = null }) => {
      const values = [state, attempts, dueAt, attemptedAt, problem, order.number, lease]
      await of(order.merchantId).write(SETTLE, values)
    },
    findMessage: async orderNumber => {
      const [row] = (await read(SELECT, [orderNumber])).rows
      return row && messageFromRow(row)
    },
    stopMessages: async (merchantId, now) => (await write(STOP, [merchantId, now])).count > 0,
    // At every start, but a merchant is rarely stopped.
    resumeMessages: async merchantId => {
      const { count } = await read(SELECT_STOPPED, [merchantId])
      if (count > 0) await write(RESUME, [merchantId])
    },
    hastenMessages: async (after, now) => (await write(HASTEN, [after, now])).count,
    redeliver: (orderNumber, now) =>
      transaction(function* () {
        const [renewed] = (yield statement(RENEW, [orderNumber, now])).rows
        yield statement(RENEW_FURTHER, [orderNumber, now])
        return renewed && { wasStopped: (yield statement(RESUME, [String(renewed.merchant_id)])).count > 0 }
      }),
    redeliverFailed: (now, limit, merchantId) =>
      transaction(function* () {
        const { count: resumed } = yield statement(RESUME, [merchantId ?? null])
        return { due: (yield statement(RENEW_FAILED, [now, limit, merchantId ?? null])).count, resumed }
      }),
    countUndelivered: async () => (await read(COUNT_UNDELIVERED)).rows.map(undeliveredFromRow)
  }
}

function messageFromRow(row: DatabaseRow): OutboxMessage {
  return {
    state: row.state as WebhookState,
    attempts: Number(row.attempts),
    dueAt: String(row.due_at),
    ...(row.attempted_at !== null && { attemptedAt: String(row.attempted_at) }),
    ...(row.problem !== null && { problem: String(row.problem) }),
    ...(row.stopped_at !== null && { stoppedAt: String(row.stopped_at) })
  }
}

function undeliveredFromRow(row: DatabaseRow): Undelivered {
  return {
    merchantId: String(row.merchant_id),
    pending: Number(row.pending),
    failed: Number(row.failed),
    ...(row.pending_since !== null && { pendingSince: String(row.pending_since) })
  }
}
