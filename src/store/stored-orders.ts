// Orders, as they are kept: placed here or reported by merchants from their own shops, listed together page by page, and
// their personal data erased.
import { setTimeout as pause } from 'node:timers/promises'
import { type Cart, contentKey, referenceKey } from '../cart/cart.ts'
import type { OrderStatus } from '../destination/shop-message.ts'
import { StoreUnavailable } from '../errors.ts'
import type {
  ErasureStore,
  ListedOrder,
  Order,
  OrderFilter,
  OrderListStore,
  OrderStore,
  PlacedListing,
  PlacedOrder,
  WebhookState
} from '../orders/order.ts'
import {
  differencesFrom,
  type KeptReport,
  type NewReport,
  type NotKept,
  type ReportedOrder,
  type ReportedOrderStore
} from '../orders/reported-order.ts'
import { type Database, type DatabaseRow, lockReference, type Result, statement, type Work } from './database.ts'
import { isStorable } from './stored-checkouts.ts'

export const ORDER_COLUMNS = `number, merchant_id, reference_key, token, reference, currency, lines, subtotal, delivery,
  total, customer, language, placed_at`

/** When several servers place it or replace its cart at once, one proceeds, and the others see what it changed. */
const LOCK_CHECKOUT = `SELECT superseded_at, is_ordered FROM checkouts WHERE merchant_id = $1 AND token = $2 FOR UPDATE`
const SELECT = `SELECT ${ORDER_COLUMNS} FROM orders WHERE merchant_id = $1 AND token = $2`
const INSERT = `INSERT INTO orders (${ORDER_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (number) DO NOTHING`
const MARK_ORDERED = 'UPDATE checkouts SET is_ordered = 1 WHERE token = $1'
const ENQUEUE = `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
  VALUES ($1, $2, 'pending', 0, $3, $3)`

export const REPORTED_ORDER_COLUMNS = `merchant_id, reference_key, reference, number, currency, items, total,
  reported_at, arrived_at, status, status_at, further_of`

const SELECT_REPORTED = `SELECT ${REPORTED_ORDER_COLUMNS} FROM reported_orders WHERE merchant_id = $1`
const SELECT_BY_REFERENCE = `${SELECT_REPORTED} AND reference_key = $2`
const SELECT_BY_NUMBER = `${SELECT_REPORTED} AND number = $2`
const SELECT_PLACED = 'SELECT number FROM orders WHERE merchant_id = $1 AND reference_key = $2'
const SELECT_ARRIVAL = `SELECT coalesce(
    (SELECT created_at FROM checkouts WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL),
    (SELECT max(transferred_at) FROM transfers
     WHERE merchant_id = $1 AND reference_key = $2 AND outcome = 'accepted')) AS arrived_at`
/** Fails if the number has meanwhile come under another reference; the transaction then runs again, and finds it. */
const REPORT = `INSERT INTO reported_orders (${REPORTED_ORDER_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
const SET_STATUS = 'UPDATE reported_orders SET status = $1, status_at = $2 WHERE merchant_id = $3 AND number = $4'
const SELECT_CARTS_LIKE = `SELECT cart FROM checkouts WHERE merchant_id = $1 AND content_key = $2 AND is_ordered = 0
  AND superseded_at IS NULL AND created_at <= $3 AND expires_at > $4 ORDER BY expires_at LIMIT $5`
const SELECT_CARTS = `SELECT token, cart, created_at, 0 AS is_superseded FROM checkouts
  WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL AND handover IS NOT NULL
  UNION ALL
  SELECT token, cart, created_at, 1 FROM checkouts
  WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NOT NULL AND handover IS NOT NULL
  ORDER BY is_superseded, created_at DESC`
const SUPERSEDE = 'UPDATE checkouts SET superseded_at = $1 WHERE token = $2'
const MARK_REPORTED = 'UPDATE checkouts SET is_ordered = 1, superseded_at = NULL WHERE token = $1'

const ERASE = 'UPDATE orders SET customer = NULL WHERE number = $1'
const UNERASED = 'FROM orders WHERE merchant_id = $1 AND placed_at < $2 AND customer IS NOT NULL'
const ERASE_OLD = `WITH due AS (
    SELECT number ${UNERASED} AND NOT EXISTS
      (SELECT 1 FROM outbox WHERE order_number = orders.number AND state <> 'delivered')
    ORDER BY placed_at LIMIT $3 FOR UPDATE OF orders SKIP LOCKED
  )
  UPDATE orders SET customer = NULL WHERE number IN (SELECT number FROM due)`
const COUNT_UNERASED = `SELECT count(*) AS orders ${UNERASED}`

/** How far the clock of a shop may be ahead of ours, in milliseconds. */
const CLOCK_TOLERANCE = 5 * 60 * 1000

/** How often purging is attempted while others still see what was erased, and the pause in between, in milliseconds. */
const MAX_TRIES = 20
const PAUSE = 250

export function storedOrders({
  run,
  transaction,
  purge
}: Database): OrderStore & ReportedOrderStore & OrderListStore & ErasureStore {
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
    placeOrder: (order, { notifiesWebhook = false } = {}) => transaction(() => place(order, notifiesWebhook)),
    findOrder: async (merchantId, token) =>
      isStorable(token) ? orderFrom(await run(SELECT, [merchantId, token])) : undefined,
    keepReport: order => transaction(() => keep(order, false) as Work<KeptReport>),
    keepNotice: order => transaction(() => keep(order, true)),
    cartsLike: async (merchantId, cart, at, limit) => {
      const latest = new Date(Date.parse(at) + CLOCK_TOLERANCE).toISOString()
      const { rows } = await run(SELECT_CARTS_LIKE, [merchantId, contentKey(cart), latest, at, limit])
      return rows.map(row => JSON.parse(String(row.cart)).reference)
    },
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

function* place(order: Order, notifiesWebhook: boolean): Work<PlacedOrder> {
  const { number, merchantId, token, placedAt } = order
  const [checkout] = (yield statement(LOCK_CHECKOUT, [merchantId, token])).rows
  const existing = orderFrom(yield statement(SELECT, [merchantId, token]))
  if (existing) return { outcome: 'repeated', order: existing }
  const isOpen = checkout?.superseded_at === null && Number(checkout.is_ordered) === 0
  if (!isOpen) return { outcome: 'superseded' }
  if ((yield statement(INSERT, orderValues(order))).count === 0) return { outcome: 'number-taken' }
  yield statement(MARK_ORDERED, [token])
  if (notifiesWebhook) yield statement(ENQUEUE, [number, merchantId, placedAt])
  return { outcome: 'placed', order }
}

/** @param isNotice whether the shop has told it by itself: see `keepNotice` */
function* keep(order: NewReport, isNotice: boolean): Work<KeptReport | NotKept> {
  const { merchantId, reference, number, currency, items, total, status = null, statusAt = '', reportedAt } = order
  const key = referenceKey(reference)
  yield lockReference(merchantId, reference)
  const [sameNumber] = (yield statement(SELECT_BY_NUMBER, [merchantId, number])).rows
  const [sameReference] = (yield statement(SELECT_BY_REFERENCE, [merchantId, key])).rows
  const first = sameReference && reportedOrderFromRow(sameReference)
  if (sameNumber && [sameNumber.reference_key, sameNumber.further_of].includes(key)) {
    const known = reportedOrderFromRow(sameNumber)
    const isTold = status !== null && (isNotice || differencesFrom(known, order).length === 0)
    if (!isTold || statusAt < String(sameNumber.status_at ?? '')) return { outcome: 'reference-known', order: known }
    yield statement(SET_STATUS, [status, statusAt, merchantId, number])
    const isChanged = status !== (known.status ?? 'placed')
    return { outcome: 'reference-known', order: { ...known, status }, isChanged }
  }
  if (first && !isNotice) return { outcome: 'reference-known', order: first }
  const [placed] = (yield statement(SELECT_PLACED, [merchantId, key])).rows
  if (placed) return { outcome: 'placed', number: String(placed.number) }
  if (sameNumber) return { outcome: 'number-known', order: reportedOrderFromRow(sameNumber) }
  if (isNotice && status === 'cancelled') return { outcome: 'never-placed' }
  const arrivedAt = (yield statement(SELECT_ARRIVAL, [merchantId, key])).rows[0]?.arrived_at as string | null
  if (isNotice && arrivedAt === null) return { outcome: 'never-arrived' }
  const amounts = [number, currency, JSON.stringify(items), total] as const
  // A further order of a reference has a key of its own: no reference holds a space.
  const place = first ? ([`${key} ${number}`, key] as const) : ([key, null] as const)
  const told = status === null ? [null, null] : [status, statusAt]
  yield statement(REPORT, [merchantId, place[0], reference, ...amounts, reportedAt, arrivedAt, ...told, place[1]])
  // The checkout of a reported order is kept for good, as one with an order of ours, so that the reference stays used up.
  // It is the one with the items that were ordered, though a later cart may have taken its place.
  const checkouts = (yield statement(SELECT_CARTS, [merchantId, key])).rows
  const carts = checkouts.map(({ cart }): Cart => JSON.parse(String(cart)))
  const at = Math.max(0, carts.map(contentKey).indexOf(contentKey(order)))
  if (at > 0 && !first) yield statement(SUPERSEDE, [reportedAt, String(checkouts[0]?.token)])
  if (checkouts[at] && !first) yield statement(MARK_REPORTED, [String(checkouts[at].token)])
  const { statusAt: _, ...kept } = order
  return {
    outcome: 'kept',
    order: { ...kept, ...(first && { isFurther: true }), ...(arrivedAt !== null && { arrivedAt }) },
    ...(carts[at] && { cart: carts[at] }),
    ...(first && { first })
  }
}

function orderFrom({ rows: [row] }: Result): Order | undefined {
  return row && orderFromRow(row)
}

/** The values of ORDER_COLUMNS. */
function orderValues(order: Order) {
  const { number, merchantId, token, reference, currency, lines, subtotal, delivery, total } = order
  const { customer, language = null, placedAt } = order
  const amounts = [JSON.stringify(lines), subtotal, delivery ? JSON.stringify(delivery) : null, total] as const
  const key = referenceKey(reference)
  const shopper = [JSON.stringify(customer), language] as const
  return [number, merchantId, key, token, reference, currency, ...amounts, ...shopper, placedAt] as const
}

export function orderFromRow(row: DatabaseRow): Order {
  return {
    number: String(row.number),
    merchantId: String(row.merchant_id),
    token: String(row.token),
    reference: String(row.reference),
    currency: String(row.currency),
    lines: JSON.parse(String(row.lines)),
    subtotal: Number(row.subtotal),
    ...(row.delivery !== null && { delivery: JSON.parse(String(row.delivery)) }),
    total: Number(row.total),
    ...(row.customer !== null && { customer: JSON.parse(String(row.customer)) }),
    ...(row.language !== null && { language: String(row.language) }),
    placedAt: String(row.placed_at)
  }
}

function reportedOrderFromRow(row: DatabaseRow): ReportedOrder {
  return {
    merchantId: String(row.merchant_id),
    reference: String(row.reference),
    number: String(row.number),
    currency: String(row.currency),
    items: JSON.parse(String(row.items)),
    total: Number(row.total),
    ...(row.status !== null && { status: row.status as OrderStatus }),
    ...(row.further_of !== null && { isFurther: true }),
    reportedAt: String(row.reported_at),
    ...(row.arrived_at !== null && { arrivedAt: String(row.arrived_at) })
  }
}

type Table = { name: string; time: string; columns: string; joined: string; ofReference: string }

const PLACED: Table = {
  name: 'orders',
  time: 'placed_at',
  columns: `${ORDER_COLUMNS.replace(/\w+/g, 'orders.$&')}, outbox.state, stopped_at`,
  joined: `LEFT JOIN outbox ON outbox.order_number = orders.number
    LEFT JOIN stopped_webhooks ON stopped_webhooks.merchant_id = outbox.merchant_id AND state = 'pending'`,
  ofReference: 'reference_key = ?'
}

const REPORTED: Table = {
  name: 'reported_orders',
  time: 'reported_at',
  columns: REPORTED_ORDER_COLUMNS,
  joined: '',
  ofReference: '(reference_key = ? OR further_of = ?)'
}

/** The query for a page of one table, in the order of the list. */
function pageQuery(
  { name, time, columns, joined, ofReference }: Table,
  { merchantId, from, before, reference, number }: OrderFilter,
  after: ListedOrder | undefined,
  limit: number
): [sql: string, values: (string | number)[]] {
  const conditions: [string, string | undefined][] = [
    [`${name}.merchant_id = ?`, merchantId],
    [`${time} >= ?`, from],
    [`${time} < ?`, before],
    [ofReference, reference === undefined ? undefined : referenceKey(reference)],
    // Numbers of ours are upper case; people may write them otherwise.
    ['number = ?', name === 'orders' ? number?.toUpperCase() : number]
  ]
  const place = `${time}, number, ${name}.merchant_id`
  const where = [`(${place}) > ($1, $2, $3)`]
  const values: (string | number)[] = after ? positionOf(after) : ['', '', '']
  for (const [condition, value] of conditions) {
    if (value !== undefined) where.push(condition.replaceAll('?', `$${values.push(value)}`))
  }
  const sql = `SELECT ${columns} FROM ${name} ${joined} WHERE ${where.join(' AND ')} ORDER BY ${place}
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
    ...(row.state !== null && { webhook: row.state as WebhookState }),
    ...(row.stopped_at !== null && { webhookStoppedAt: String(row.stopped_at) })
  }
}
