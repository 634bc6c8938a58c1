// What reconciling reads from SQLite: orders, checkouts and records of transfers, by reference.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { ListItem } from '../../reconcile/list-entry.ts'
import type { ReconcileStore } from '../../reconcile/reconcile-store.ts'
import type { OrderTime, ReferenceHistory } from '../../reconcile/reference-history.ts'
import type { Access } from './access.ts'
import { dayOf } from './sqlite-transfers.ts'

/** Per reference. */
const MAX_SUPERSEDED = 20

type Row = Record<string, SQLOutputValue>

export function sqliteReconcile(db: DatabaseSync, { read }: Access): ReconcileStore {
  const nextMerchants = ['checkouts', 'orders', 'reported_orders', 'transfers', 'unreadable_transfers'].map(table =>
    db.prepare(`SELECT min(merchant_id) AS id FROM ${table} WHERE merchant_id > ?`)
  )
  const selectOrder = db.prepare(
    'SELECT number, currency, total, lines, placed_at FROM orders WHERE merchant_id = ? AND reference_key = ?'
  )
  const selectNewest = db.prepare(
    `SELECT cart, created_at, expires_at, superseded_at FROM checkouts
     WHERE merchant_id = ? AND reference_key = ? AND superseded_at IS NULL`
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

  const orderHistory = (merchant: string, key: string): ReferenceHistory[] => {
    const placed = selectOrder.get(merchant, key)
    if (placed) return [{ merchant, order: { ...toAmounts(placed), items: itemsOf(placed.lines) }, checkouts: [] }]
    const reported = selectReported.get(merchant, key)
    if (!reported) return []
    const [transfers = { checkouts: [] }] = transferHistory(merchant, key)
    return [{ ...transfers, merchant, order: { ...toAmounts(reported), items: itemsOf(reported.items) } }]
  }
  const transferHistory = (merchant: string, key: string): ReferenceHistory[] => {
    const checkouts = [...selectNewest.all(merchant, key), ...selectSuperseded.all(merchant, key)].map(toCheckout)
    const last = selectLastTransfer.get(merchant, key)
    if (checkouts.length === 0 && !last) return []
    return [{ merchant, checkouts, ...(last && { lastTransfer: toLastTransfer(last) }) }]
  }
  const historiesOf = (merchants: string[], key: string): ReferenceHistory[] => {
    const ordered = merchants.flatMap(merchant => orderHistory(merchant, key))
    return ordered.length > 0 ? ordered : merchants.flatMap(merchant => transferHistory(merchant, key))
  }
  return {
    merchantsInStore: () =>
      read(() => {
        const found = new Set<string>()
        for (const next of nextMerchants) {
          for (let id = next.get('')?.id; typeof id === 'string'; id = next.get(id)?.id) found.add(id)
        }
        return [...found].sort()
      }),
    referenceHistories: (merchants, keys) =>
      read(() => {
        db.exec('BEGIN')
        try {
          return keys.map(key => historiesOf(merchants, key))
        } finally {
          db.exec('COMMIT')
        }
      }),
    ordersAfter: (merchant, after, limit) =>
      read(() =>
        selectOrders.all(merchant, after, limit).map(row => ({
          key: String(row.reference_key),
          reference: String(row.reference),
          ...toAmounts(row)
        }))
      ),
    unreadableTransfers: (merchant, from, before) =>
      read(() => {
        const last = new Date(Date.parse(before) - 1).toISOString()
        return Number(selectUnreadable.get(merchant, dayOf(from), dayOf(last))?.transfers)
      })
  }
}

function toCheckout({ cart, created_at, expires_at, superseded_at }: Row): ReferenceHistory['checkouts'][number] {
  return {
    items: itemsIn(JSON.parse(String(cart)).items),
    createdAt: String(created_at),
    expiresAt: String(expires_at),
    ...(superseded_at !== null && { supersededAt: String(superseded_at) })
  }
}

function toLastTransfer(row: Row): NonNullable<ReferenceHistory['lastTransfer']> {
  return {
    at: String(row.transferred_at),
    outcome: String(row.outcome),
    ...(row.problem !== null && { problem: String(row.problem) }),
    mistakes: JSON.parse(String(row.mistakes))
  }
}

function toAmounts(row: Row) {
  const { placed_at, reported_at, arrived_at = null } = row
  const time: OrderTime =
    typeof placed_at === 'string'
      ? { placedAt: placed_at }
      : { reportedAt: String(reported_at), ...(arrived_at !== null && { arrivedAt: String(arrived_at) }) }
  return { number: String(row.number), currency: String(row.currency), total: Number(row.total), ...time }
}

function itemsOf(json: SQLOutputValue | undefined): ListItem[] {
  return itemsIn(JSON.parse(String(json)))
}

function itemsIn(lines: ListItem[]): ListItem[] {
  return lines.map(({ sku, quantity }) => ({ sku, quantity }))
}
