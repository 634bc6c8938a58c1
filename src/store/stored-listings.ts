// The list of orders, placed here and reported together, page by page.
import { referenceKey } from '../cart/cart.ts'
import type {
  ListedOrder,
  OrderFilter,
  OrderListStore,
  PlacedListing,
  ReportedListing,
  WebhookState
} from '../checkout/orders/order.ts'
import type { Database, DatabaseRow } from './database.ts'
import { CART_OF_ORDER, CART_OF_REPORTED, originColumns, originFrom } from './stored-checkouts.ts'
import { worstOf } from './stored-messages.ts'
import { ORDER_COLUMNS, ORDERS, orderFromRow, REPORTED_ORDER_COLUMNS, reportedOrderFromRow } from './stored-orders.ts'

export function storedListings({ read }: Database): OrderListStore {
  return {
    listOrders: async (filter, after, limit) => {
      const page = async (table: Table) => (await read(...pageQuery(table, filter, after, limit))).rows
      const placed = (await page(PLACED)).map(placedFromRow)
      if (filter.payment !== undefined) return placed
      const all = [...placed, ...(await page(REPORTED)).map(reportedFromRow)]
      return all.sort(comparePositions).slice(0, limit)
    }
  }
}

type Table = { name: string; time: string; rows: string; columns: string; ofReference: string }

const PLACED: Table = {
  name: 'orders',
  time: 'placed_at',
  rows: `${ORDERS} LEFT JOIN stopped_webhooks ON stopped_webhooks.merchant_id = orders.merchant_id`,
  columns: `${ORDER_COLUMNS}, stopped_at, (SELECT state FROM outbox ${worstOf('orders.number')}) AS webhook,
    ${originColumns(CART_OF_ORDER)}`,
  // With those that were set aside: see stored-orders.ts.
  ofReference: `(orders.reference_key = ? OR orders.reference_key BETWEEN ? || ' ' AND ? || '!')`
}

const REPORTED: Table = {
  name: 'reported_orders',
  time: 'reported_at',
  rows: 'reported_orders',
  columns: `${REPORTED_ORDER_COLUMNS}, ${originColumns(CART_OF_REPORTED)}`,
  ofReference: '(reference_key = ? OR further_of = ?)'
}

/** The query for a page of one table, in the order of the list. */
function pageQuery(
  { name, time, rows, columns, ofReference }: Table,
  { merchantId, from, before, reference, number, payment }: OrderFilter,
  after: ListedOrder | undefined,
  limit: number
): [sql: string, values: (string | number)[]] {
  const conditions: [string, string | undefined][] = [
    [`${name}.merchant_id = ?`, merchantId],
    [`${time} >= ?`, from],
    [`${time} < ?`, before],
    [ofReference, reference === undefined ? undefined : referenceKey(reference)],
    // Numbers of ours are upper case; people may write them otherwise.
    ['number = ?', name === 'orders' ? number?.toUpperCase() : number],
    ['payments.state = ?', payment]
  ]
  const place = `${time}, number, ${name}.merchant_id`
  const where = [`(${place}) > ($1, $2, $3)`]
  const values: (string | number)[] = after ? positionOf(after) : ['', '', '']
  for (const [condition, value] of conditions) {
    if (value !== undefined) where.push(condition.replaceAll('?', `$${values.push(value)}`))
  }
  const sql = `SELECT ${columns} FROM ${rows} WHERE ${where.join(' AND ')} ORDER BY ${place}
    LIMIT $${values.push(limit)}`
  return [sql, values]
}

/** What orders are listed by: no two have all of it in common. */
function positionOf(order: ListedOrder): [at: string, number: string, merchantId: string] {
  return ['reportedAt' in order ? order.reportedAt : order.placedAt, order.number, order.merchantId]
}

/** As the databases compare: byte by byte. */
function comparePositions(a: ListedOrder, b: ListedOrder): number {
  return Buffer.compare(Buffer.from(positionOf(a).join('\0')), Buffer.from(positionOf(b).join('\0')))
}

function placedFromRow(row: DatabaseRow): PlacedListing {
  return {
    ...orderFromRow(row),
    ...originFrom(row),
    ...(row.webhook !== null && { webhook: row.webhook as WebhookState }),
    ...(row.webhook === 'pending' && row.stopped_at !== null && { webhookStoppedAt: String(row.stopped_at) })
  }
}

function reportedFromRow(row: DatabaseRow): ReportedListing {
  return { ...reportedOrderFromRow(row), ...originFrom(row) }
}
