// The records of transfers in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import { referenceKey } from '../../cart/reference.ts'
import type { TransferRecord, TransferStore } from '../../checkout/transfer-record.ts'
import type { Access } from './access.ts'

/** Prepares the insertion of one record, to be called inside a transaction. */
function insertTransfer(db: DatabaseSync): (record: TransferRecord) => void {
  const insert = db.prepare(
    `INSERT INTO transfers (merchant_id, reference_key, reference, transfer_option, outcome, problem, mistakes,
     transferred_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const countUnreadable = db.prepare(
    `INSERT INTO unreadable_transfers (merchant_id, transferred_on, transfers) VALUES (?, ?, 1)
     ON CONFLICT (merchant_id, transferred_on) DO UPDATE SET transfers = unreadable_transfers.transfers + 1`
  )
  return ({ merchantId, reference, option, at, outcome, problem, mistakes }) => {
    if (reference === undefined) {
      countUnreadable.run(merchantId, dayOf(at))
      return
    }
    const key = referenceKey(reference)
    const sent = reference === key ? null : reference
    insert.run(merchantId, key, sent, option, outcome, problem ?? null, JSON.stringify(mistakes), at)
  }
}

export function sqliteTransfers(db: DatabaseSync, { write }: Access): TransferStore {
  const add = insertTransfer(db)
  const deleteBatch = db.prepare(
    `DELETE FROM transfers WHERE rowid IN
     (SELECT rowid FROM transfers WHERE merchant_id = ? AND transferred_at < ? ORDER BY transferred_at LIMIT ?)`
  )
  const deleteCounts = db.prepare('DELETE FROM unreadable_transfers WHERE merchant_id = ? AND transferred_on < ?')
  return {
    addTransfer: record => write(() => add(record)),
    deleteTransfers: (merchantId, before, limit) =>
      write(() => {
        // One row a day: never many.
        deleteCounts.run(merchantId, dayOf(before))
        return Number(deleteBatch.run(merchantId, before, limit).changes)
      })
  }
}

/** The UTC day of an ISO 8601 time. */
export function dayOf(time: string): string {
  return time.slice(0, 10)
}
