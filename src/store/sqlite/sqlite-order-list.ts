// Orders in SQLite for the `orders` command and the clean-up: listed page by page, and their personal data erased from the
// file itself.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { referenceKey } from '../../cart/reference.ts'
import { StoreUnavailable } from '../../errors.ts'
import type {
  ErasureStore,
  ListedOrder,
  OrderFilter,
  OrderListStore,
  PlacedListing,
  WebhookState
} from '../../orders/order-store.ts'
import type { Access } from './access.ts'
import { orderFromRow } from './sqlite-orders.ts'
import { reportedFromRow } from './sqlite-reported-orders.ts'

/** How often a checkpoint is attempted while others use the file, and the pause in between, in milliseconds. */
const MAX_TRIES = 100
const PAUSE = 50

/** The conditions on orders of a table, each with its value. */
function conditions({ merchantId, from, before, reference, number }: OrderFilter, table: Table): [string, string][] {
  const key = reference === undefined ? undefined : referenceKey(reference)
  const all: [string, string | undefined][] = [
    [`${table.name}.merchant_id = ?`, merchantId],
    [`${table.time} >= ?`, from],
    [`${table.time} < ?`, before],
    ['reference_key = ?', key],
    // Numbers of ours are upper case; people may write them otherwise.
    [table === PLACED ? 'number = upper(?)' : 'number = ?', number]
  ]
  return all.filter((condition): condition is [string, string] => condition[1] !== undefined)
}

type Table = { name: string; time: string; columns: string; joined: string }

const PLACED: Table = {
  name: 'orders',
  time: 'placed_at',
  columns: 'orders.*, outbox.state, stopped_at',
  joined: `LEFT JOIN outbox ON outbox.order_number = orders.number
    LEFT JOIN stopped_webhooks ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending'`
}

const REPORTED: Table = { name: 'reported_orders', time: 'reported_at', columns: '*', joined: '' }

/** What orders are listed by: no two have all of it in common. */
type Position = [at: string, number: string, merchantId: string]

function positionOf(order: ListedOrder): Position {
  return ['reportedAt' in order ? order.reportedAt : order.placedAt, order.number, order.merchantId]
}

function comparePositions(a: ListedOrder, b: ListedOrder): number {
  const [place, other] = [positionOf(a), positionOf(b)]
  const at = place.findIndex((part, i) => part !== other[i])
  // As SQLite does.
  return Buffer.compare(Buffer.from(String(place[at])), Buffer.from(String(other[at])))
}

export function sqliteOrderList(db: DatabaseSync, { read, write }: Access): OrderListStore & ErasureStore {
  const erase = db.prepare('UPDATE orders SET customer = NULL WHERE number = ?')
  const unerased = 'FROM orders WHERE merchant_id = ? AND placed_at < ? AND customer IS NOT NULL'
  const eraseBatch = db.prepare(
    `UPDATE orders SET customer = NULL WHERE number IN
     (SELECT number ${unerased} AND NOT EXISTS
       (SELECT 1 FROM outbox WHERE order_number = orders.number AND state <> 'delivered')
      ORDER BY placed_at LIMIT ?)`
  )
  const selectUnerased = db.prepare(`SELECT count(*) AS orders ${unerased}`)

  /** False at first: a process that was killed may have erased without truncating the log. */
  let isPurged = false

  /**
   * Moves everything into the main file and truncates the write-ahead log, which still has the old pages. SQLite would
   * hold the write lock while it waits for readers, and hold up a server: so the waiting is done here instead.
   */
  const checkpoint = (): boolean => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0

  async function truncateLog(): Promise<void> {
    for (let i = 0; i < MAX_TRIES; i++) {
      if (await read(checkpoint)) return
      await pause(PAUSE)
    }
    throw new StoreUnavailable('erased, but others still read what was there before; erase again to finish')
  }

  return {
    listOrders: (filter, after, limit) =>
      read(() => {
        const position = after ? positionOf(after) : ['', '', '']
        const select = (table: Table) => {
          const { name, time, columns, joined } = table
          const filters = conditions(filter, table)
          const where = [`(${time}, number, ${name}.merchant_id) > (?, ?, ?)`, ...filters.map(([sql]) => sql)].join(
            ' AND '
          )
          const page = db.prepare(
            `SELECT ${columns} FROM ${name} ${joined} WHERE ${where} ORDER BY ${time}, number, ${name}.merchant_id LIMIT ?`
          )
          return page.all(...position, ...filters.map(([, value]) => value), limit)
        }
        return [...select(PLACED).map(placedFromRow), ...select(REPORTED).map(reportedFromRow)]
          .sort(comparePositions)
          .slice(0, limit)
      }),
    eraseOrder: async number => {
      const exists = await write(() => erase.run(number).changes > 0)
      if (exists) await truncateLog()
      return exists
    },
    eraseOrders: (merchantId, before, limit) =>
      write(() => {
        const erased = Number(eraseBatch.run(merchantId, before, limit).changes)
        if (erased > 0) isPurged = false
        return erased
      }),
    countUnerased: (merchantId, before) => read(() => Number(selectUnerased.get(merchantId, before)?.orders)),
    purgeErased: async () => {
      if (isPurged) return
      await truncateLog()
      isPurged = true
    }
  }
}

function placedFromRow(row: Record<string, SQLOutputValue>): PlacedListing {
  return {
    ...orderFromRow(row),
    ...(row.state !== null && { webhook: row.state as WebhookState }),
    ...(row.stopped_at !== null && { webhookStoppedAt: String(row.stopped_at) })
  }
}
