// Orders in SQLite for the `orders` command and the clean-up: listed page by page, and their personal data erased from the
// file itself.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '../../errors.ts'
import type { ErasureStore, OrderListStore } from '../../orders/order-store.ts'
import { type PageQuery, pageFromRows, pageQueries } from '../order-listing.ts'
import type { Access } from './access.ts'

/** How often a checkpoint is attempted while others use the file, and the pause in between, in milliseconds. */
const MAX_TRIES = 100
const PAUSE = 50

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

  const select = ({ sql, values }: PageQuery) => db.prepare(sql.replaceAll('$', '?')).all(...values)

  return {
    listOrders: (filter, after, limit) =>
      read(() => {
        const { placed, reported } = pageQueries(filter, after, limit)
        return pageFromRows(select(placed), select(reported), limit)
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
