// Orders, as they are kept: placed here or reported by merchants from their own shops.
import { type Cart, contentKey, extrasOf, referenceKey } from '../cart/cart.ts'
import type { Order, OrderPayment, OrderStore, PlacedOrder } from '../checkout/orders/order.ts'
import { currentStatus, latestBelieved } from '../checkout/orders/order-status.ts'
import { LIVE_STATES, orderPaymentStatus, type PaymentState } from '../checkout/orders/payment.ts'
import { type CheckoutFacts, whyNotOrdered } from '../checkout/orders/payment-rules.ts'
import {
  differencesFrom,
  type KeptReport,
  type NewReport,
  type NotKept,
  type ReportedOrder,
  type ReportedOrderStore
} from '../checkout/orders/reported-order.ts'
import type { OrderStatus } from '../integrations/destination/shop-message.ts'
import type { DisputeState } from '../integrations/payment/provider.ts'
import {
  type Database,
  type DatabaseRow,
  inValues,
  lockReference,
  type Result,
  statement,
  type Work
} from './database.ts'
import { markOrdered, markReported } from './ordered-carts.ts'
import { isStorable, TAKE_OVER } from './stored-checkouts.ts'

/** Of an order with its payment, to be read from `ORDERS`. */
export const ORDER_COLUMNS = `number, orders.merchant_id, orders.token, orders.reference, orders.currency, lines, subtotal,
  delivery, total, customer, language, placed_at, orders.secret, payment_id, provider,
  payments.state AS payment, reason, coalesce(transaction_id, provider_id) AS payment_name, amount, refunded, dispute, instructions_url`
export const ORDERS = 'orders LEFT JOIN payments ON payments.id = payment_id'

const SELECT_CHECKOUT = `SELECT superseded_at, is_ordered, waits_for FROM checkouts WHERE merchant_id = $1 AND token = $2`
/** When several servers place it or replace its cart at once, one proceeds, and the others see what it changed. */
const LOCK_CHECKOUT = `${SELECT_CHECKOUT} FOR UPDATE`
const SELECT_LIVE = `SELECT id FROM payments WHERE token = $1 AND state ${inValues(LIVE_STATES)}`
const ORDER_OF_CHECKOUT = `SELECT ${ORDER_COLUMNS} FROM ${ORDERS} WHERE orders.merchant_id = $1 AND orders.token = $2`
/** Adds nothing if the number is that of another order, or of a payment that may become one. */
const INSERT = `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, delivery,
  total, customer, language, placed_at, secret, payment_id)
  SELECT $1, $2, $3, $4, $5, $6, $7, CAST($8 AS BIGINT), $9, CAST($10 AS BIGINT), $11, $12, $13, $14, $15
  WHERE NOT EXISTS (SELECT 1 FROM payments WHERE order_number = $1 AND token <> $4)
  ON CONFLICT (number) DO NOTHING`
const SPEND_SECRET = 'UPDATE orders SET secret = $1 WHERE number = $2 AND secret = $3'
const SELECT_NUMBER = 'SELECT 1 FROM orders WHERE number = $1'
/** An order whose payment has failed makes room for another of its bag: no reference and no token holds a space. */
const SET_ASIDE = `UPDATE orders SET token = token || ' ' || number, reference_key = reference_key || ' ' || number
  WHERE number = $1`
const ENQUEUE = `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
  VALUES ($1, $2, 'pending', 0, $3, $3)`
/** Their keys are of one length, and sort as they are counted. */
export const ENQUEUE_FURTHER = `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at, event, happened_at,
  further_of) SELECT $1 || ' ' || (count(*) + 900001), $2, 'pending', 0, $3, $3, $4, $3, $1 FROM outbox WHERE further_of = $1`

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
const SELECT_CARTS = `SELECT token, cart, handover, created_at, 0 AS is_superseded FROM checkouts
  WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL AND handover IS NOT NULL
  UNION ALL
  SELECT token, cart, handover, created_at, 1 FROM checkouts
  WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NOT NULL AND handover IS NOT NULL
  ORDER BY is_superseded, created_at DESC`
const SUPERSEDE = 'UPDATE checkouts SET superseded_at = $1 WHERE token = $2'

export function storedOrders({ of }: Database): OrderStore & ReportedOrderStore {
  return {
    placeOrder: (order, { notifiesWebhook = false } = {}) =>
      of(order.merchantId, order.reference).transaction(() => placeFrom(order, notifiesWebhook)),
    findOrder: async (merchantId, token) =>
      isStorable(token) ? orderFrom(await of(merchantId).read(ORDER_OF_CHECKOUT, [merchantId, token])) : undefined,
    spendSecret: async ({ merchantId, reference, number, secret }, next) =>
      (await of(merchantId, reference).write(SPEND_SECRET, [next ?? null, number, String(secret)])).count > 0,
    keepReport: order =>
      of(order.merchantId, order.reference).transaction(() => keep(order, false) as Work<KeptReport>),
    keepNotice: order => of(order.merchantId, order.reference).transaction(() => keep(order, true)),
    cartsLike: async (merchantId, cart, at, limit) => {
      const values = [merchantId, contentKey(cart), latestBelieved(at), at, limit]
      const { rows } = await of(merchantId).read(SELECT_CARTS_LIKE, values)
      return rows.map(row => JSON.parse(String(row.cart)).reference)
    }
  }
}

/** A checkout, with its order. */
type FoundCheckout = CheckoutFacts & {
  order: Order | undefined
  /** The payment by which the order was placed, if it was. */
  paymentId: unknown
  waitsFor: unknown
}

export function* readCheckout(merchantId: string, token: string, sql = SELECT_CHECKOUT): Work<FoundCheckout> {
  const [checkout] = (yield statement(sql, [merchantId, token])).rows
  const ordered = yield statement(ORDER_OF_CHECKOUT, [merchantId, token])
  const order = orderFrom(ordered)
  const isFailed = order?.payment?.status === 'failed'
  return {
    isOpen: checkout?.superseded_at === null && (isFailed || Number(checkout.is_ordered) === 0),
    isOrdered: order !== undefined && !isFailed,
    order,
    paymentId: ordered.rows[0]?.payment_id,
    waitsFor: checkout?.waits_for
  }
}

/**
 * A checkout, which nobody else changes until the transaction ends, and its order. One that waits for the payment of an earlier
 * cart takes the place of that cart once nobody pays for it any more.
 */
export function* lockCheckout(merchantId: string, token: string, now: string): Work<FoundCheckout> {
  const found = yield* readCheckout(merchantId, token, LOCK_CHECKOUT)
  const { waitsFor } = found
  return typeof waitsFor === 'string' ? { ...found, ...(yield* takeOver(merchantId, token, waitsFor, now)) } : found
}

function* takeOver(
  merchantId: string,
  token: string,
  waitsFor: string,
  now: string
): Work<Pick<CheckoutFacts, 'isOpen' | 'heldBy'>> {
  const [first] = (yield statement(LOCK_CHECKOUT, [merchantId, waitsFor])).rows
  if (first?.superseded_at !== null || Number(first.is_ordered) === 1) return { isOpen: false }
  const [live] = (yield statement(SELECT_LIVE, [waitsFor])).rows
  if (live) return { isOpen: true, heldBy: String(live.id) }
  yield statement(SUPERSEDE, [now, waitsFor])
  yield statement(TAKE_OVER, [token])
  return { isOpen: true }
}

/** As `placeOrder`, as a part of a transaction. */
function* placeFrom(order: Order, notifiesWebhook: boolean): Work<PlacedOrder> {
  const { merchantId, token, placedAt } = order
  const { order: existing, ...checkout } = yield* lockCheckout(merchantId, token, placedAt)
  const obstacle = whyNotOrdered(checkout)
  if (obstacle === 'placed') return { outcome: 'repeated', order: existing as Order }
  if (obstacle) return { outcome: obstacle }
  return yield* writeOrder(order, existing, notifiesWebhook)
}

/**
 * Places an order whose checkout is locked.
 * @param failed the order of the checkout, if its payment has failed @param paymentId of the payment in which this one was frozen
 */
export function* writeOrder(
  order: Order,
  failed: Order | undefined,
  notifiesWebhook: boolean,
  paymentId: string | null = null
): Work<PlacedOrder> {
  const { number, merchantId, token, placedAt } = order
  if (failed) {
    if ((yield statement(SELECT_NUMBER, [number])).count > 0) return { outcome: 'number-taken' }
    yield statement(SET_ASIDE, [failed.number])
  }
  const whose = [number, merchantId, referenceKey(order.reference), token, order.reference, order.currency] as const
  if ((yield statement(INSERT, [...whose, ...contentValues(order), paymentId])).count === 0) {
    return { outcome: 'number-taken' }
  }
  yield* markOrdered(token)
  if (notifiesWebhook) yield statement(ENQUEUE, [number, merchantId, placedAt])
  return { outcome: 'placed', order }
}

/** @param isNotice whether the shop has told it by itself: see `keepNotice` */
function* keep(order: NewReport, isNotice: boolean): Work<KeptReport | NotKept> {
  const { merchantId, reference, number, currency, items, total, status, statusAt = '', reportedAt } = order
  const told = status && { status, at: statusAt }
  const key = referenceKey(reference)
  yield lockReference(merchantId, reference)
  const [sameNumber] = (yield statement(SELECT_BY_NUMBER, [merchantId, number])).rows
  const [sameReference] = (yield statement(SELECT_BY_REFERENCE, [merchantId, key])).rows
  const first = sameReference && reportedOrderFromRow(sameReference)
  if (sameNumber && [sameNumber.reference_key, sameNumber.further_of].includes(key)) {
    const known = reportedOrderFromRow(sameNumber)
    const kept = { status: known.status ?? 'placed', at: String(sameNumber.status_at ?? '') }
    const isTold = told && (isNotice || differencesFrom(known, order).length === 0)
    const current = isTold ? currentStatus(kept, told, reportedAt) : kept
    if (current === kept) return { outcome: 'reference-known', order: known }
    yield statement(SET_STATUS, [current.status, current.at, merchantId, number])
    const isChanged = current.status !== kept.status
    return { outcome: 'reference-known', order: { ...known, status: current.status }, isChanged }
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
  const current = told && currentStatus({ status: 'placed', at: '' }, told, reportedAt)
  const became = [current?.status ?? null, current?.at ?? null] as const
  yield statement(REPORT, [merchantId, place[0], reference, ...amounts, reportedAt, arrivedAt, ...became, place[1]])
  // The checkout of a reported order is kept for good, as one with an order of ours, so that the reference stays used up;
  // it keeps nothing about a person.
  // It is the one with the items that were ordered, though a later cart may have taken its place.
  const checkouts = (yield statement(SELECT_CARTS, [merchantId, key])).rows
  const carts = checkouts.map(({ cart }): Cart => JSON.parse(String(cart)))
  const at = Math.max(0, carts.map(contentKey).indexOf(contentKey(order)))
  if (at > 0 && !first) yield statement(SUPERSEDE, [reportedAt, String(checkouts[0]?.token)])
  if (checkouts[at] && !first) yield* markReported(checkouts[at])
  const { statusAt: _, ...kept } = order
  return {
    outcome: 'kept',
    order: { ...kept, ...(first && { isFurther: true }), ...(arrivedAt !== null && { arrivedAt }) },
    ...(carts[at] && { cart: carts[at] }),
    ...(first && { first })
  }
}

export function* orderOf(merchantId: string, token: string): Work<Order | undefined> {
  return orderFrom(yield statement(ORDER_OF_CHECKOUT, [merchantId, token]))
}

function orderFrom({ rows: [row] }: Result): Order | undefined {
  return row && orderFromRow(row)
}

/** What is personal is in one column, which is erased. */
function contentValues(order: Order) {
  const { lines, subtotal, delivery, total, customer, language, placedAt, secret } = order
  const personal = JSON.stringify({ ...customer, ...extrasOf(order) })
  const amounts = [JSON.stringify(lines), subtotal, delivery ? JSON.stringify(delivery) : null, total] as const
  return [...amounts, personal, language ?? null, placedAt, secret ?? null] as const
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
    ...(row.customer !== null && personalFrom(String(row.customer))),
    ...(row.language !== null && { language: String(row.language) }),
    placedAt: String(row.placed_at),
    ...(row.secret !== null && { secret: String(row.secret) }),
    ...(row.payment !== null && { payment: orderPaymentFromRow(row) })
  }
}

function personalFrom(json: string): Pick<Order, 'customer' | 'attribution' | 'codes'> {
  const { attribution, codes, ...customer } = JSON.parse(json)
  return { customer, ...extrasOf({ attribution, codes }) }
}

function orderPaymentFromRow(row: DatabaseRow): OrderPayment {
  return {
    status: orderPaymentStatus(row.payment as PaymentState, row.reason !== null),
    provider: String(row.provider),
    id: String(row.payment_name),
    amount: Number(row.amount),
    refunded: Number(row.refunded),
    ...(row.dispute !== null && { dispute: row.dispute as DisputeState }),
    ...(row.instructions_url !== null && { instructionsUrl: String(row.instructions_url) })
  }
}

export function reportedOrderFromRow(row: DatabaseRow): ReportedOrder {
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
