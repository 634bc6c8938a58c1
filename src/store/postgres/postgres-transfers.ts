// The records of transfers in PostgreSQL.
import type { TransferRecord, TransferStore } from '../../checkout/checkout-store.ts'
import { dayOf, hasReference, TRANSFER_COLUMNS, transferValues } from '../transfer-rows.ts'
import type { Connections, Run } from './connections.ts'
import { statement } from './statement.ts'

const INSERT = statement(
  `INSERT INTO transfers (${TRANSFER_COLUMNS})
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`
)
const COUNT_UNREADABLE = statement(
  `INSERT INTO unreadable_transfers (merchant_id, transferred_on, transfers) VALUES ($1, $2, 1)
   ON CONFLICT (merchant_id, transferred_on) DO UPDATE SET transfers = unreadable_transfers.transfers + 1`
)
/** They have no key of their own. */
const DELETE_OLD = statement(
  `DELETE FROM transfers WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM transfers WHERE merchant_id = $1 AND transferred_at < $2 ORDER BY transferred_at LIMIT $3
     FOR UPDATE SKIP LOCKED))`
)
const DELETE_COUNTS = statement('DELETE FROM unreadable_transfers WHERE merchant_id = $1 AND transferred_on < $2')

export async function insertTransfers(run: Run, records: (TransferRecord & { reference: string })[]): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(transferValues)
  await run(
    INSERT,
    TRANSFER_COLUMNS.split(',').map((_, i) => rows.map(row => row[i]))
  )
}

export function postgresTransfers({ run }: Connections): TransferStore {
  return {
    addTransfer: async record => {
      if (hasReference(record)) await insertTransfers(run, [record])
      else await run(COUNT_UNREADABLE, [record.merchantId, dayOf(record.at)])
    },
    deleteTransfers: async (merchantId, before, limit) => {
      // One row a day: never many.
      await run(DELETE_COUNTS, [merchantId, dayOf(before)])
      return Number((await run(DELETE_OLD, [merchantId, before, limit])).rowCount)
    }
  }
}
