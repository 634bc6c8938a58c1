// The records of transfers in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import type { TransferRecord, TransferStore } from '../../checkout/checkout-store.ts'
import { dayOf, hasReference, TRANSFER_COLUMNS, transferValues } from '../transfer-rows.ts'
import type { Access } from './access.ts'

/** Prepares the insertion of one record, to be called inside a transaction. */
function insertTransfer(db: DatabaseSync): (record: TransferRecord) => void {
  const insert = db.prepare(`INSERT INTO transfers (${TRANSFER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const countUnreadable = db.prepare(
    `INSERT INTO unreadable_transfers (merchant_id, transferred_on, transfers) VALUES (?, ?, 1)
     ON CONFLICT (merchant_id, transferred_on) DO UPDATE SET transfers = unreadable_transfers.transfers + 1`
  )
  return record => {
    if (hasReference(record)) insert.run(...transferValues(record))
    else countUnreadable.run(record.merchantId, dayOf(record.at))
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
