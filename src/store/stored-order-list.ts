// Orders for the `orders` command and the clean-up: those that were placed here listed among those that merchants reported,
// page by page, and their personal data erased.
import { setTimeout as pause } from 'node:timers/promises'
import { referenceKey } from '../cart/cart.ts'
import { StoreUnavailable } from '../errors.ts'
import type {
  ErasureStore,
  ListedOrder,
  OrderFilter,
  OrderListStore,
  PlacedListing,
  WebhookState
} from '../orders/order.ts'
import type { Database, DatabaseRow } from './database.ts'
import { ORDER_COLUMNS, orderFromRow } from './stored-orders.ts'
import { REPORTED_ORDER_COLUMNS, reportedOrderFromRow } from './stored-reports.ts'

/** How often purging is attempted while others still see what was erased, and the pause in between, in milliseconds. */
const MAX_TRIES = 20
const PAUSE = 250

const ERASE = 'UPDATE orders SET customer = NULL WHERE number = $1'
const UNERASED = 'FROM orders WHERE merchant_id = $1 AND placed_at < $2 AND customer IS NOT NULL'
const ERASE_OLD = `WITH due AS (
    SELECT number ${UNERASED} AND NOT EXISTS
      (SELECT 1 FROM outbox WHERE order_number = orders.number AND state <> 'delivered')
    ORDER BY placed_at LIMIT $3 FOR UPDATE OF orders SKIP LOCKED
  )
  UPDATE orders SET customer = NULL WHERE number IN (SELECT number FROM due)`
const COUNT_UNERASED = `SELECT count(*) AS orders ${UNERASED}`

export function storedOrderList({ run, purge }: Database): OrderListStore & ErasureStore {
  /** False at first: a process that was killed may have erased without purging. */
  let isPurged = false

  async function purgeAll(): Promise<void> {
    for (let i = 0; i < MAX_TRIES; i++) {
      if (await purge()) return
      await pause(PAUSE)
    }
    throw new StoreUnavailable('erased, but others still read what was there before; erase again to finish')
  }

  return {
    listOrders: async (filter, after, limit) => {
      const page = async (table: Table) => (await run(...pageQuery(table, filter, after, limit))).rows
      const all = [...(await page(PLACED)).map(placedFromRow), ...(await page(REPORTED)).map(reportedOrderFromRow)]
      return all.sort(comparePositions).slice(0, limit)
    },
    eraseOrder: async number => {
      const exists = (await run(ERASE, [number])).count > 0
      if (exists) await purgeAll()
      return exists
    },
    eraseOrders: async (merchantId, before, limit) => {
      const { count } = await run(ERASE_OLD, [merchantId, before, limit])
      if (count > 0) isPurged = false
      return count
    },
    countUnerased: async (merchantId, before) =>
      Number((await run(COUNT_UNERASED, [merchantId, before])).rows[0]?.orders),
    purgeErased: async () => {
      if (isPurged) return
      await purgeAll()
      isPurged = true
    }
  }
}

type Table = { name: string; time: string; columns: string; joined: string }

const PLACED: Table = {
  name: 'orders',
  time: 'placed_at',
  columns: `${ORDER_COLUMNS.replace(/\w+/g, 'orders.$&')}, outbox.state, stopped_at`,
  joined: `LEFT JOIN outbox ON outbox.order_number = orders.number
    LEFT JOIN stopped_webhooks ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending'`
}

const REPORTED: Table = { name: 'reported_orders', time: 'reported_at', columns: REPORTED_ORDER_COLUMNS, joined: '' }

/** The query for a page of one table, in the order of the list. */
function pageQuery(
  { name, time, columns, joined }: Table,
  { merchantId, from, before, reference, number }: OrderFilter,
  after: ListedOrder | undefined,
  limit: number
): [sql: string, values: (string | number)[]] {
  const conditions: [string, string | undefined][] = [
    [`${name}.merchant_id =`, merchantId],
    [`${time} >=`, from],
    [`${time} <`, before],
    ['reference_key =', reference === undefined ? undefined : referenceKey(reference)],
    // Numbers of ours are upper case; people may write them otherwise.
    ['number =', name === 'orders' ? number?.toUpperCase() : number]
  ]
  const place = `${time}, number, ${name}.merchant_id`
  const where = [`(${place}) > ($1, $2, $3)`]
  const values: (string | number)[] = after ? positionOf(after) : ['', '', '']
  for (const [condition, value] of conditions) {
    if (value !== undefined) where.push(`${condition} $${values.push(value)}`)
  }
  const sql = `SELECT ${columns} FROM ${name} ${joined} WHERE ${where.join(' AND ')} ORDER BY ${place}
    LIMIT $${values.push(limit)}`
  return [sql, values]
}

/** What orders are listed by: no two have all of it in common. */
function positionOf(order: ListedOrder): [at: string, number: string, merchantId: string] {
  return ['reportedAt' in order ? order.reportedAt : order.placedAt, order.number, order.merchantId]
}

function comparePositions(a: ListedOrder, b: ListedOrder): number {
  const [place, other] = [positionOf(a), positionOf(b)]
  const at = place.findIndex((part, i) => part !== other[i])
  // As the databases do.
  return Buffer.compare(Buffer.from(String(place[at])), Buffer.from(String(other[at])))
}

function placedFromRow(row: DatabaseRow): PlacedListing {
  return {
    ...orderFromRow(row),
    ...(row.state !== null && { webhook: row.state as WebhookState }),
    ...(row.stopped_at !== null && { webhookStoppedAt: String(row.stopped_at) })
  }
}
