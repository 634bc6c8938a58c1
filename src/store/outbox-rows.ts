// Messages of the outbox as rows, the same in both databases.
import type { WebhookState } from '../orders/order-store.ts'
import type { OutboxMessage, Undelivered } from '../webhook/outbox.ts'
import type { DatabaseRow } from './database-row.ts'

export const COUNT_UNDELIVERED = `SELECT merchant_id, COUNT(*) FILTER (WHERE state = 'pending') AS pending,
  COUNT(*) FILTER (WHERE state = 'failed') AS failed, MIN(queued_at) FILTER (WHERE state = 'pending') AS pending_since
  FROM outbox WHERE state <> 'delivered' GROUP BY merchant_id`

export function undeliveredFromRow(row: DatabaseRow): Undelivered {
  return {
    merchantId: String(row.merchant_id),
    pending: Number(row.pending),
    failed: Number(row.failed),
    ...(row.pending_since !== null && { pendingSince: String(row.pending_since) })
  }
}

export function messageFromRow(row: DatabaseRow): OutboxMessage {
  return {
    state: row.state as WebhookState,
    attempts: Number(row.attempts),
    dueAt: String(row.due_at),
    ...(row.attempted_at !== null && { attemptedAt: String(row.attempted_at) }),
    ...(row.problem !== null && { problem: String(row.problem) }),
    ...(row.stopped_at !== null && { stoppedAt: String(row.stopped_at) })
  }
}
