// The records of transfers.
import { referenceKey } from '../cart/cart.ts'
import type { TransferRecord, TransferStore } from '../checkout/checkout-store.ts'
import type { Database, SqlValues } from './database.ts'

/** The reference as it was sent is kept only if its key differs from it. */
const INSERT = `INSERT INTO transfers (merchant_id, reference_key, reference, transfer_option, outcome, problem, mistakes,
  transferred_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
const COUNT_UNREADABLE = `INSERT INTO unreadable_transfers (merchant_id, transferred_on, transfers) VALUES ($1, $2, 1)
  ON CONFLICT (merchant_id, transferred_on) DO UPDATE SET transfers = unreadable_transfers.transfers + 1`
/** They have no key of their own. */
const DELETE_OLD = `WITH old AS (
    SELECT ctid AS place FROM transfers WHERE merchant_id = $1 AND transferred_at < $2
    ORDER BY transferred_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM transfers WHERE ctid IN (SELECT place FROM old)`
const DELETE_COUNTS = 'DELETE FROM unreadable_transfers WHERE merchant_id = $1 AND transferred_on < $2'

/** The statement that adds a record. */
export function recordTransfer({ reference, ...record }: TransferRecord): [sql: string, values: SqlValues] {
  const { merchantId, option, at, outcome, problem = null, mistakes } = record
  if (reference === undefined) return [COUNT_UNREADABLE, [merchantId, dayOf(at)]]
  const key = referenceKey(reference)
  const sent = reference === key ? null : reference
  return [INSERT, [merchantId, key, sent, option, outcome, problem, JSON.stringify(mistakes), at]]
}

export function storedTransfers({ run }: Database): TransferStore {
  return {
    addTransfer: async record => void (await run(...recordTransfer(record))),
    deleteTransfers: async (merchantId, before, limit) => {
      // One row a day: never many.
      await run(DELETE_COUNTS, [merchantId, dayOf(before)])
      return (await run(DELETE_OLD, [merchantId, before, limit])).count
    }
  }
}

/** The UTC day of an ISO 8601 time. */
export function dayOf(time: string): string {
  return time.slice(0, 10)
}
