// Orders in PostgreSQL for the `orders` command and the clean-up: listed page by page, and their personal data erased.
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '../../errors.ts'
import type { ErasureStore, OrderListStore } from '../../orders/order-store.ts'
import { type PageQuery, pageFromRows, pageQueries } from '../order-listing.ts'
import type { Connections } from './connections.ts'
import { statement } from './statement.ts'

/** How often VACUUM is attempted while others still see what was erased, and the pause in between, in milliseconds. */
const MAX_TRIES = 20
const PAUSE = 250

const ERASE = statement('UPDATE orders SET customer = NULL WHERE number = $1')
const UNERASED = 'FROM orders WHERE merchant_id = $1 AND placed_at < $2 AND customer IS NOT NULL'
const ERASE_OLD = statement(
  `WITH due AS (
     SELECT number ${UNERASED} AND NOT EXISTS
       (SELECT 1 FROM outbox WHERE order_number = orders.number AND state <> 'delivered')
     ORDER BY placed_at LIMIT $3 FOR UPDATE OF orders SKIP LOCKED
   )
   UPDATE orders SET customer = NULL FROM due WHERE orders.number = due.number`
)
const COUNT_UNERASED = statement(`SELECT count(*) AS orders ${UNERASED}`)
/** Rows that were changed and that VACUUM had to leave, as a transaction still sees what they were. */
const COUNT_LEFT = `SELECT n_dead_tup AS rows FROM pg_stat_user_tables WHERE relid = 'orders'::regclass`

export function postgresOrderList({ run, session }: Connections): OrderListStore & ErasureStore {
  /** False at first: a process that was killed may have erased without VACUUM. */
  let isPurged = false

  /** Frees the space of rows as they were before. It holds up no reader and no order. */
  const vacuum = (): Promise<boolean> =>
    session(async run => {
      await run('SET statement_timeout = 0')
      await run('VACUUM orders')
      return Number((await run(COUNT_LEFT)).rows[0]?.rows) === 0
    })

  async function purge(): Promise<void> {
    for (let i = 0; i < MAX_TRIES; i++) {
      if (await vacuum()) return
      await pause(PAUSE)
    }
    throw new StoreUnavailable('erased, but others still read what was there before; erase again to finish')
  }

  const select = async ({ sql, values }: PageQuery) => (await run(sql, values)).rows
  return {
    listOrders: async (filter, after, limit) => {
      const { placed, reported } = pageQueries(filter, after, limit)
      return pageFromRows(await select(placed), await select(reported), limit)
    },
    eraseOrder: async number => {
      const exists = (await run(ERASE, [number])).rowCount === 1
      if (exists) await purge()
      return exists
    },
    eraseOrders: async (merchantId, before, limit) => {
      const erased = Number((await run(ERASE_OLD, [merchantId, before, limit])).rowCount)
      if (erased > 0) isPurged = false
      return erased
    },
    countUnerased: async (merchantId, before) =>
      Number((await run(COUNT_UNERASED, [merchantId, before])).rows[0]?.orders),
    purgeErased: async () => {
      if (isPurged) return
      await purge()
      isPurged = true
    }
  }
}
