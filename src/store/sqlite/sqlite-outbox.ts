// The outbox in SQLite.
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { LeasedMessage, OutboxStore } from '../../webhook/outbox.ts'
import type { DatabaseRow } from '../database-row.ts'
import { orderFromRow } from '../order-rows.ts'
import { COUNT_UNDELIVERED, messageFromRow, undeliveredFromRow } from '../outbox-rows.ts'
import type { Access } from './access.ts'

/** The lease is in the column `claim`. */
export function sqliteOutbox(db: DatabaseSync, { read, write }: Access): OutboxStore {
  const selectDue = db.prepare(
    `SELECT order_number, attempts FROM outbox WHERE merchant_id = ? AND state = 'pending' AND due_at <= ?
     AND NOT EXISTS (SELECT 1 FROM stopped_webhooks WHERE merchant_id = outbox.merchant_id)
     ORDER BY due_at LIMIT 1`
  )
  const setLease = db.prepare('UPDATE outbox SET claim = ?, due_at = ? WHERE order_number = ?')
  const selectOrder = db.prepare('SELECT * FROM orders WHERE number = ?')
  const settle = db.prepare(
    `UPDATE outbox SET state = ?, attempts = ?, due_at = ?, attempted_at = COALESCE(?, attempted_at),
     problem = COALESCE(?, problem), claim = NULL WHERE order_number = ? AND claim = ?`
  )
  const select = db.prepare(
    `SELECT outbox.*, stopped_at FROM outbox LEFT JOIN stopped_webhooks
     ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending' WHERE order_number = ?`
  )
  const stop = db.prepare('INSERT INTO stopped_webhooks VALUES (?, ?) ON CONFLICT DO NOTHING')
  const selectStopped = db.prepare('SELECT 1 FROM stopped_webhooks WHERE merchant_id = ?')
  const resume = db.prepare('DELETE FROM stopped_webhooks WHERE ? IS NULL OR merchant_id = ?')
  const selectMerchant = db.prepare('SELECT merchant_id FROM orders WHERE number = ?')
  const renew = db.prepare(
    `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
     SELECT number, merchant_id, 'pending', 0, ?, ? FROM orders WHERE number = ?
     ON CONFLICT (order_number) DO UPDATE SET state = 'pending', attempts = 0, due_at = excluded.due_at,
     queued_at = excluded.queued_at, claim = NULL`
  )
  const hasten = db.prepare("UPDATE outbox SET due_at = ?, claim = NULL WHERE state = 'pending' AND due_at > ?")
  const renewFailed = db.prepare(
    `UPDATE outbox SET state = 'pending', attempts = 0, due_at = ?, queued_at = ? WHERE order_number IN
     (SELECT order_number FROM outbox WHERE state <> 'delivered' AND claim IS NULL
      AND (state = 'failed' OR attempts > 0) AND attempted_at <= ? AND (? IS NULL OR merchant_id = ?) LIMIT ?)`
  )
  const countUndelivered = db.prepare(COUNT_UNDELIVERED)
  const leaseDue = (merchantId: string, now: string, until: string): LeasedMessage | undefined => {
    const row = selectDue.get(merchantId, now)
    if (!row) return undefined
    const number = String(row.order_number)
    const lease = randomUUID()
    setLease.run(lease, until, number)
    return {
      order: orderFromRow(selectOrder.get(number) as DatabaseRow),
      attempts: Number(row.attempts),
      lease
    }
  }
  return {
    // Usually nothing is due, which costs a read but no commit.
    leaseMessage: async (merchantId, now, until) =>
      (await read(() => selectDue.get(merchantId, now))) && write(() => leaseDue(merchantId, now, until)),
    settleMessage: ({ order, lease }, { state, attempts, dueAt, attemptedAt = null, problem = null }) =>
      write(() => void settle.run(state, attempts, dueAt, attemptedAt, problem, order.number, lease)),
    findMessage: orderNumber =>
      read(() => {
        const row = select.get(orderNumber)
        return row && messageFromRow(row)
      }),
    stopMessages: (merchantId, now) => write(() => stop.run(merchantId, now).changes > 0),
    // At every start, but a merchant is rarely stopped.
    resumeMessages: async merchantId => {
      const isStopped = await read(() => selectStopped.get(merchantId))
      if (isStopped) await write(() => void resume.run(merchantId, merchantId))
    },
    hastenMessages: (after, now) => write(() => Number(hasten.run(now, after).changes)),
    redeliver: (orderNumber, now) =>
      write(() => {
        const order = selectMerchant.get(orderNumber)
        if (!order) return undefined
        const merchantId = String(order.merchant_id)
        renew.run(now, now, orderNumber)
        return { wasStopped: resume.run(merchantId, merchantId).changes > 0 }
      }),
    redeliverFailed: (now, limit, merchantId) =>
      write(() => {
        const only = merchantId ?? null
        const resumed = Number(resume.run(only, only).changes)
        return { due: Number(renewFailed.run(now, now, now, only, only, limit).changes), resumed }
      }),
    countUndelivered: () => read(() => countUndelivered.all().map(undeliveredFromRow))
  }
}
