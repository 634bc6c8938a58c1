// How orders are listed, in either database: those that were placed here among those that merchants reported, page by
// page.
import { referenceKey } from '../cart/cart.ts'
import type { ListedOrder, OrderFilter, PlacedListing, WebhookState } from '../orders/order-store.ts'
import type { DatabaseRow } from './database-row.ts'
import { orderFromRow } from './order-rows.ts'
import { reportedOrderFromRow } from './reported-order-rows.ts'

/** What a page of each table is selected by, with its values. */
export type PageQuery = { sql: string; values: (string | number)[] }

type Table = { name: string; time: string; columns: string; joined: string }

const PLACED: Table = {
  name: 'orders',
  time: 'placed_at',
  columns: 'orders.*, outbox.state, stopped_at',
  joined: `LEFT JOIN outbox ON outbox.order_number = orders.number
    LEFT JOIN stopped_webhooks ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending'`
}

const REPORTED: Table = { name: 'reported_orders', time: 'reported_at', columns: '*', joined: '' }

/** The queries for a page of placed and of reported orders, both in the order of the list. */
export function pageQueries(
  filter: OrderFilter,
  after: ListedOrder | undefined,
  limit: number
): { placed: PageQuery; reported: PageQuery } {
  const position = after ? positionOf(after) : ['', '', '']
  const query = (table: Table): PageQuery => {
    const { name, time, columns, joined } = table
    const filters = conditions(filter, table)
    const place = `${time}, number, ${name}.merchant_id`
    const where = [`(${place}) > ($1, $2, $3)`, ...filters.map(([sql], i) => sql.replace('?', `$${i + 4}`))]
    return {
      sql: `SELECT ${columns} FROM ${name} ${joined} WHERE ${where.join(' AND ')} ORDER BY ${place}
        LIMIT $${filters.length + 4}`,
      values: [...position, ...filters.map(([, value]) => value), limit]
    }
  }
  return { placed: query(PLACED), reported: query(REPORTED) }
}

/** One page of both, from a page of each. */
export function pageFromRows(placed: DatabaseRow[], reported: DatabaseRow[], limit: number): ListedOrder[] {
  return [...placed.map(placedFromRow), ...reported.map(reportedOrderFromRow)].sort(comparePositions).slice(0, limit)
}

/** The conditions on orders of a table, each with its value. */
function conditions({ merchantId, from, before, reference, number }: OrderFilter, table: Table): [string, string][] {
  const key = reference === undefined ? undefined : referenceKey(reference)
  const all: [string, string | undefined][] = [
    [`${table.name}.merchant_id = ?`, merchantId],
    [`${table.time} >= ?`, from],
    [`${table.time} < ?`, before],
    ['reference_key = ?', key],
    // Numbers of ours are upper case; people may write them otherwise.
    ['number = ?', table === PLACED ? number?.toUpperCase() : number]
  ]
  return all.filter((condition): condition is [string, string] => condition[1] !== undefined)
}

/** What orders are listed by: no two have all of it in common. */
type Position = [at: string, number: string, merchantId: string]

function positionOf(order: ListedOrder): Position {
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
