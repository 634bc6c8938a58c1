// What reconciling reads from PostgreSQL: orders, checkouts and records of transfers, by reference.
import type { ReconcileStore } from '../../reconcile/reconcile-store.ts'
import type { DatabaseRow } from '../database-row.ts'
import { amountsFromRow, historiesOf, lastDayBefore, MAX_SUPERSEDED } from '../history-rows.ts'
import { REPORTED_ORDER_COLUMNS } from '../reported-order-rows.ts'
import { dayOf } from '../transfer-rows.ts'
import type { Connections } from './connections.ts'
import { statement } from './statement.ts'

/** Reads an index once for each merchant, however many rows it has. */
const merchantsIn = (rows: string) => `(
  WITH RECURSIVE ids AS (
    SELECT min(merchant_id) AS id FROM ${rows}
    UNION ALL SELECT (SELECT min(merchant_id) FROM ${rows} AND merchant_id > ids.id) FROM ids WHERE id IS NOT NULL
  ) SELECT id FROM ids WHERE id IS NOT NULL)`
/** No index has both kinds of checkouts. */
const CHECKOUTS = ['checkouts WHERE superseded_at IS NULL', 'checkouts WHERE superseded_at IS NOT NULL']
const OTHERS = ['orders', 'reported_orders', 'transfers', 'unreadable_transfers'].map(table => `${table} WHERE true`)
const SELECT_MERCHANTS = statement(
  `SELECT id FROM (${[...CHECKOUTS, ...OTHERS].map(merchantsIn).join(' UNION ')}) AS found ORDER BY id`
)

const SELECT_PLACED = statement(
  `SELECT merchant_id, reference_key, number, currency, total, lines, placed_at FROM orders
   WHERE merchant_id = ANY ($1) AND reference_key = ANY ($2)`
)
const SELECT_REPORTED = statement(
  `SELECT ${REPORTED_ORDER_COLUMNS} FROM reported_orders WHERE merchant_id = ANY ($1) AND reference_key = ANY ($2)`
)
const EACH = 'unnest($1::text[]) AS merchant_id CROSS JOIN unnest($2::text[]) AS reference_key'
const SELECT_CHECKOUTS = statement(
  `SELECT merchant_id, reference_key, found.* FROM ${EACH} CROSS JOIN LATERAL (
     (SELECT cart, created_at, expires_at, superseded_at FROM checkouts
      WHERE checkouts.merchant_id = merchant_id.merchant_id AND checkouts.reference_key = reference_key.reference_key
      AND superseded_at IS NULL)
     UNION ALL
     (SELECT cart, created_at, expires_at, superseded_at FROM checkouts
      WHERE checkouts.merchant_id = merchant_id.merchant_id AND checkouts.reference_key = reference_key.reference_key
      AND superseded_at IS NOT NULL ORDER BY superseded_at DESC LIMIT ${MAX_SUPERSEDED})
   ) AS found ORDER BY superseded_at DESC NULLS FIRST`
)
const SELECT_LAST_TRANSFERS = statement(
  `SELECT merchant_id, reference_key, found.* FROM ${EACH} CROSS JOIN LATERAL (
     SELECT transferred_at, outcome, problem, mistakes FROM transfers
     WHERE transfers.merchant_id = merchant_id.merchant_id AND transfers.reference_key = reference_key.reference_key
     ORDER BY transferred_at DESC, outcome LIMIT 1
   ) AS found`
)
const SELECT_ORDERS = statement(
  `SELECT reference_key, reference, number, currency, total, placed_at, NULL AS reported_at, NULL AS arrived_at
   FROM orders WHERE merchant_id = $1 AND reference_key > $2
   UNION ALL
   SELECT reference_key, reference, number, currency, total, NULL, reported_at, arrived_at
   FROM reported_orders WHERE merchant_id = $1 AND reference_key > $2
   ORDER BY reference_key LIMIT $3`
)
const SELECT_UNREADABLE = statement(
  `SELECT coalesce(sum(transfers), 0) AS transfers FROM unreadable_transfers
   WHERE merchant_id = $1 AND transferred_on >= $2 AND transferred_on <= $3`
)

export function postgresReconcile({ run, transaction }: Connections): ReconcileStore {
  return {
    merchantsInStore: async () => (await run(SELECT_MERCHANTS)).rows.map(({ id }) => String(id)),
    referenceHistories: (merchants, keys) =>
      transaction(async run => {
        const select = async (query: typeof SELECT_PLACED) => byReference((await run(query, [merchants, keys])).rows)
        const placed = await select(SELECT_PLACED)
        const reported = await select(SELECT_REPORTED)
        const checkouts = await select(SELECT_CHECKOUTS)
        const last = await select(SELECT_LAST_TRANSFERS)
        const found = (merchant: string, key: string) => ({
          merchant,
          placed: placed(merchant, key)[0],
          reported: reported(merchant, key)[0],
          transfers: () => ({ checkouts: checkouts(merchant, key), last: last(merchant, key)[0] })
        })
        return keys.map(key => historiesOf(merchants.map(merchant => found(merchant, key))))
      }, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    ordersAfter: async (merchant, after, limit) =>
      (await run(SELECT_ORDERS, [merchant, after, limit])).rows.map(row => ({
        key: String(row.reference_key),
        reference: String(row.reference),
        ...amountsFromRow(row)
      })),
    unreadableTransfers: async (merchant, from, before) =>
      Number((await run(SELECT_UNREADABLE, [merchant, dayOf(from), lastDayBefore(before)])).rows[0]?.transfers)
  }
}

/** @returns a function that finds the rows of a merchant's reference, in their order */
function byReference(rows: DatabaseRow[]): (merchant: string, key: string) => DatabaseRow[] {
  const place = (merchant: unknown, key: unknown) => JSON.stringify([merchant, key])
  const groups = Map.groupBy(rows, row => place(row.merchant_id, row.reference_key))
  return (merchant, key) => groups.get(place(merchant, key)) ?? []
}
