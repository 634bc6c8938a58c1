// The outbox of the SQLite store: which orders their merchants have still to be told of.
import { randomUUID } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Access } from './access.ts'
import { orderFromRow } from './sqlite-orders.ts'
import type { ClaimedMessage, Message, MessageState, OutboxStore } from './store.ts'

export function sqliteOutbox(db: DatabaseSync, { read, write }: Access): OutboxStore {
  const selectDue = db.prepare(
    `SELECT order_number, attempts FROM outbox WHERE merchant_id = ? AND state = 'pending' AND due_at <= ?
     ORDER BY due_at LIMIT 1`
  )
  const lease = db.prepare('UPDATE outbox SET claim = ?, due_at = ? WHERE order_number = ?')
  const selectOrder = db.prepare('SELECT * FROM orders WHERE number = ?')
  const settle = db.prepare(
    `UPDATE outbox SET state = ?, attempts = ?, due_at = ?, attempted_at = COALESCE(?, attempted_at),
     problem = COALESCE(?, problem), claim = NULL WHERE order_number = ? AND claim = ?`
  )
  const select = db.prepare('SELECT * FROM outbox WHERE order_number = ?')
  const renew = db.prepare(
    `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at)
     SELECT number, merchant_id, 'pending', 0, ? FROM orders WHERE number = ?
     ON CONFLICT (order_number) DO UPDATE SET state = 'pending', attempts = 0, due_at = excluded.due_at, claim = NULL`
  )
  const renewFailed = db.prepare(
    `UPDATE outbox SET state = 'pending', attempts = 0, due_at = ? WHERE order_number IN
     (SELECT order_number FROM outbox WHERE state = 'failed' AND attempted_at <= ? AND (? IS NULL OR merchant_id = ?)
      LIMIT ?)`
  )
  const claimDue = (merchantId: string, now: string, until: string): ClaimedMessage | undefined => {
    const row = selectDue.get(merchantId, now)
    if (!row) return undefined
    const number = String(row.order_number)
    const claim = randomUUID()
    lease.run(claim, until, number)
    return {
      order: orderFromRow(selectOrder.get(number) as Record<string, SQLOutputValue>),
      attempts: Number(row.attempts),
      claim
    }
  }
  return {
    // Most of the time nothing is due: that costs a read, and no commit.
    claimMessage: async (merchantId, now, until) =>
      (await read(() => selectDue.get(merchantId, now))) && write(() => claimDue(merchantId, now, until)),
    settleMessage: ({ order, claim }, { state, attempts, dueAt, attemptedAt = null, problem = null }) =>
      write(() => void settle.run(state, attempts, dueAt, attemptedAt, problem, order.number, claim)),
    findMessage: orderNumber =>
      read(() => {
        const row = select.get(orderNumber)
        if (!row) return undefined
        const message: Message = {
          state: row.state as MessageState,
          attempts: Number(row.attempts),
          dueAt: String(row.due_at),
          ...(row.attempted_at !== null && { attemptedAt: String(row.attempted_at) }),
          ...(row.problem !== null && { problem: String(row.problem) })
        }
        return message
      }),
    redeliver: (orderNumber, now) => write(() => renew.run(now, orderNumber).changes > 0),
    redeliverFailed: (now, limit, merchantId) =>
      write(() => {
        const only = merchantId ?? null
        return Number(renewFailed.run(now, now, only, only, limit).changes)
      })
  }
}
