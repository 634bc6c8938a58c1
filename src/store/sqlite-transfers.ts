// The records of transfers in the SQLite store, and what reconciling reads of everything.
import { randomUUID } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { referenceKey } from '../cart/reference.ts'
import type { Known } from '../reconcile/answer-to.ts'
import type { ListItem } from '../reconcile/platform-entry.ts'
import type { Access } from './access.ts'
import type { ReconcileStore, TransferRecord, TransferStore } from './store.ts'

/** How many superseded checkouts of a reference are looked at. */
const MOST_SUPERSEDED = 20

export function sqliteTransfers(db: DatabaseSync, { write }: Access): TransferStore {
  const insert = db.prepare(
    `INSERT INTO transfers (id, merchant_id, reference_key, reference, transfer_option, outcome, problem, mistakes,
     transferred_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const count = db.prepare(
    `INSERT INTO unreadable_transfers (merchant_id, transferred_on, transfers) VALUES (?, ?, 1)
     ON CONFLICT (merchant_id, transferred_on) DO UPDATE SET transfers = unreadable_transfers.transfers + 1`
  )
  const deleteSome = db.prepare(
    `DELETE FROM transfers WHERE id IN
     (SELECT id FROM transfers WHERE merchant_id = ? AND transferred_at < ? ORDER BY transferred_at LIMIT ?)`
  )
  const deleteCounts = db.prepare('DELETE FROM unreadable_transfers WHERE merchant_id = ? AND transferred_on < ?')
  const add = ({ merchantId, reference, option, at, outcome, problem, mistakes }: TransferRecord) => {
    if (reference === undefined) {
      count.run(merchantId, dayOf(at))
      return
    }
    const key = referenceKey(reference)
    insert.run(randomUUID(), merchantId, key, reference, option, outcome, problem ?? null, JSON.stringify(mistakes), at)
  }
  return {
    addTransfer: record => write(() => add(record)),
    deleteTransfers: (merchantId, before, limit) =>
      write(() => {
        // One row a day: never many.
        deleteCounts.run(merchantId, dayOf(before))
        return Number(deleteSome.run(merchantId, before, limit).changes)
      })
  }
}

type Row = Record<string, SQLOutputValue>

export function sqliteReconcile(db: DatabaseSync, { read }: Access): ReconcileStore {
  const nextMerchants = ['checkouts', 'orders', 'transfers', 'unreadable_transfers'].map(table =>
    db.prepare(`SELECT min(merchant_id) AS id FROM ${table} WHERE merchant_id > ?`)
  )
  const selectOrder = db.prepare(
    'SELECT number, currency, total, lines FROM orders WHERE merchant_id = ? AND reference_key = ?'
  )
  const selectNewest = db.prepare(
    `SELECT cart, created_at, expires_at, superseded_at FROM checkouts
     WHERE merchant_id = ? AND reference_key = ? AND superseded_at IS NULL`
  )
  const selectSuperseded = db.prepare(
    `SELECT cart, created_at, expires_at, superseded_at FROM checkouts
     WHERE merchant_id = ? AND reference_key = ? AND superseded_at IS NOT NULL
     ORDER BY superseded_at DESC LIMIT ${MOST_SUPERSEDED}`
  )
  const selectLast = db.prepare(
    `SELECT transferred_at, outcome, problem, mistakes FROM transfers WHERE merchant_id = ? AND reference_key = ?
     ORDER BY transferred_at DESC, outcome LIMIT 1`
  )
  const selectOrders = db.prepare(
    `SELECT reference_key, reference, number, currency, total, placed_at FROM orders
     WHERE merchant_id = ? AND reference_key > ? ORDER BY reference_key LIMIT ?`
  )
  const selectUnreadable = db.prepare(
    `SELECT coalesce(sum(transfers), 0) AS transfers FROM unreadable_transfers
     WHERE merchant_id = ? AND transferred_on >= ? AND transferred_on <= ?`
  )

  const orderAt = (merchant: string, key: string): Known[] => {
    const row = selectOrder.get(merchant, key)
    if (!row) return []
    const { number, currency, total, lines } = row
    const order = {
      number: String(number),
      currency: String(currency),
      total: Number(total),
      items: itemsOf(JSON.parse(String(lines)))
    }
    return [{ merchant, order, checkouts: [] }]
  }
  const traceAt = (merchant: string, key: string): Known[] => {
    const checkouts = [...selectNewest.all(merchant, key), ...selectSuperseded.all(merchant, key)].map(toCheckout)
    const last = selectLast.get(merchant, key)
    return checkouts.length > 0 || last ? [{ merchant, checkouts, ...(last && { last: toLast(last) }) }] : []
  }
  const knownOf = (merchants: string[], key: string): Known[] => {
    const ordered = merchants.flatMap(merchant => orderAt(merchant, key))
    return ordered.length > 0 ? ordered : merchants.flatMap(merchant => traceAt(merchant, key))
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
    known: (merchants, keys) =>
      read(() => {
        db.exec('BEGIN')
        try {
          return keys.map(key => knownOf(merchants, key))
        } finally {
          db.exec('COMMIT')
        }
      }),
    ordersAfter: (merchant, after, limit) =>
      read(() =>
        selectOrders.all(merchant, after, limit).map(row => ({
          key: String(row.reference_key),
          reference: String(row.reference),
          number: String(row.number),
          currency: String(row.currency),
          total: Number(row.total),
          placedAt: String(row.placed_at)
        }))
      ),
    unreadableTransfers: (merchant, from, before) =>
      read(() => {
        const last = new Date(Date.parse(before) - 1).toISOString()
        return Number(selectUnreadable.get(merchant, dayOf(from), dayOf(last))?.transfers)
      })
  }
}

function toCheckout({ cart, created_at, expires_at, superseded_at }: Row): Known['checkouts'][number] {
  return {
    items: itemsOf(JSON.parse(String(cart)).items),
    createdAt: String(created_at),
    expiresAt: String(expires_at),
    ...(superseded_at !== null && { supersededAt: String(superseded_at) })
  }
}

function toLast({ transferred_at, outcome, problem, mistakes }: Row): NonNullable<Known['last']> {
  return {
    at: String(transferred_at),
    outcome: String(outcome),
    ...(problem !== null && { problem: String(problem) }),
    mistakes: JSON.parse(String(mistakes))
  }
}

function itemsOf(lines: ListItem[]): ListItem[] {
  return lines.map(({ sku, quantity }) => ({ sku, quantity }))
}

function dayOf(time: string): string {
  return time.slice(0, 10)
}
