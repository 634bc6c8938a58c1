// What reconciling reads from SQLite: orders, checkouts and records of transfers, by reference.
import type { DatabaseSync } from 'node:sqlite'
import type { ReconcileStore } from '../../reconcile/reconcile-store.ts'
import { amountsFromRow, historiesOf, lastDayBefore, MAX_SUPERSEDED } from '../history-rows.ts'
import { dayOf } from '../transfer-rows.ts'
import type { Access } from './access.ts'
import { IS_NEWEST } from './newest-checkout.ts'

export function sqliteReconcile(db: DatabaseSync, { read }: Access): ReconcileStore {
  // Each has an index that begins with the merchant; that of all checkouts are two.
  const nextMerchants = [
    'checkouts WHERE superseded_at IS NULL AND',
    'checkouts WHERE superseded_at IS NOT NULL AND',
    'orders WHERE',
    'reported_orders WHERE',
    'transfers WHERE',
    'unreadable_transfers WHERE'
  ].map(rows => db.prepare(`SELECT min(merchant_id) AS id FROM ${rows} merchant_id > ?`))
  const selectOrder = db.prepare(
    'SELECT number, currency, total, lines, placed_at FROM orders WHERE merchant_id = ? AND reference_key = ?'
  )
  const selectNewest = db.prepare(
    `SELECT cart, created_at, expires_at, superseded_at FROM checkouts WHERE ${IS_NEWEST}`
  )
  const selectSuperseded = db.prepare(
    `SELECT cart, created_at, expires_at, superseded_at FROM checkouts
     WHERE merchant_id = ? AND reference_key = ? AND superseded_at IS NOT NULL
     ORDER BY superseded_at DESC LIMIT ${MAX_SUPERSEDED}`
  )
  const selectLastTransfer = db.prepare(
    `SELECT transferred_at, outcome, problem, mistakes FROM transfers WHERE merchant_id = ? AND reference_key = ?
     ORDER BY transferred_at DESC, outcome LIMIT 1`
  )
  const selectReported = db.prepare('SELECT * FROM reported_orders WHERE merchant_id = ? AND reference_key = ?')
  const selectOrders = db.prepare(
    `SELECT reference_key, reference, number, currency, total, placed_at, NULL AS reported_at, NULL AS arrived_at FROM orders
     WHERE merchant_id = ?1 AND reference_key > ?2
     UNION ALL
     SELECT reference_key, reference, number, currency, total, NULL, reported_at, arrived_at FROM reported_orders
     WHERE merchant_id = ?1 AND reference_key > ?2
     ORDER BY reference_key LIMIT ?3`
  )
  const selectUnreadable = db.prepare(
    `SELECT coalesce(sum(transfers), 0) AS transfers FROM unreadable_transfers
     WHERE merchant_id = ? AND transferred_on >= ? AND transferred_on <= ?`
  )

  const found = (merchant: string, key: string) => {
    const placed = selectOrder.get(merchant, key)
    return {
      merchant,
      placed,
      reported: placed ? undefined : selectReported.get(merchant, key),
      transfers: () => ({
        checkouts: [...selectNewest.all(merchant, key), ...selectSuperseded.all(merchant, key)],
        last: selectLastTransfer.get(merchant, key)
      })
    }
  }
  return {
    merchantsInStore: () =>
      read(() => {
        const known = new Set<string>()
        for (const next of nextMerchants) {
          for (let id = next.get('')?.id; typeof id === 'string'; id = next.get(id)?.id) known.add(id)
        }
        return [...known].sort()
      }),
    referenceHistories: (merchants, keys) =>
      read(() => {
        db.exec('BEGIN')
        try {
          return keys.map(key => historiesOf(merchants.map(merchant => found(merchant, key))))
        } finally {
          db.exec('COMMIT')
        }
      }),
    ordersAfter: (merchant, after, limit) =>
      read(() =>
        selectOrders.all(merchant, after, limit).map(row => ({
          key: String(row.reference_key),
          reference: String(row.reference),
          ...amountsFromRow(row)
        }))
      ),
    unreadableTransfers: (merchant, from, before) =>
      read(() => Number(selectUnreadable.get(merchant, dayOf(from), lastDayBefore(before))?.transfers))
  }
}
