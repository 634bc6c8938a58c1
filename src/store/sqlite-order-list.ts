// What the commands ask of the SQLite store about orders: to list them a page at a time, and to erase what a shopper
// typed from the file itself.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { referenceKey } from '../cart/reference.ts'
import { StoreUnavailable } from '../errors.ts'
import type { Access } from './access.ts'
import { orderFromRow } from './sqlite-orders.ts'
import type { MessageState, OrderFilter, OrderListStore } from './store.ts'

/** How often emptying the log of the file is tried while others use it, and the pause between, in milliseconds. */
const TRIES = 100
const PAUSE = 50

/** The conditions of a filter, each with its value. */
function conditions({ merchantId, from, before, reference, number }: OrderFilter): [string, string][] {
  return [
    ...(merchantId === undefined ? [] : [['orders.merchant_id = ?', merchantId] as [string, string]]),
    ...(from === undefined ? [] : [['placed_at >= ?', from] as [string, string]]),
    ...(before === undefined ? [] : [['placed_at < ?', before] as [string, string]]),
    ...(reference === undefined ? [] : [['reference_key = ?', referenceKey(reference)] as [string, string]]),
    ...(number === undefined ? [] : [['number = ?', number] as [string, string]])
  ]
}

export function sqliteOrderList(db: DatabaseSync, { read, write }: Access): OrderListStore {
  const erase = db.prepare('UPDATE orders SET customer = NULL WHERE number = ?')

  /** What `PRAGMA busy_timeout` is set to, in milliseconds. */
  const patience = Number(db.prepare('PRAGMA busy_timeout').get()?.timeout)

  /**
   * Moves everything into the file proper and empties the log beside it, where pages stand as they were before. SQLite
   * would wait for readers with the lock of a writer in its hand, and a server with it: so it does not wait, we do.
   */
  function isLogEmptied(): boolean {
    db.exec('PRAGMA busy_timeout = 0')
    try {
      return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
    } finally {
      db.exec(`PRAGMA busy_timeout = ${patience}`)
    }
  }

  async function emptyLog(): Promise<void> {
    for (let i = 0; i < TRIES; i++) {
      if (await read(isLogEmptied)) return
      await pause(PAUSE)
    }
    throw new StoreUnavailable('erased, but others still read what was there before; erase again to finish')
  }

  return {
    listOrders: (filter, after, limit) =>
      read(() => {
        const asked = conditions(filter)
        const where = ['(placed_at, number) > (?, ?)', ...asked.map(([sql]) => sql)].join(' AND ')
        const page = db.prepare(
          `SELECT orders.*, outbox.state FROM orders LEFT JOIN outbox ON outbox.order_number = orders.number
           WHERE ${where} ORDER BY placed_at, number LIMIT ?`
        )
        const rows = page.all(after?.placedAt ?? '', after?.number ?? '', ...asked.map(([, value]) => value), limit)
        return rows.map(row => ({
          ...orderFromRow(row),
          ...(row.state !== null && { message: row.state as MessageState })
        }))
      }),
    eraseOrder: async number => {
      const isKnown = await write(() => erase.run(number).changes > 0)
      if (isKnown) await emptyLog()
      return isKnown
    }
  }
}
