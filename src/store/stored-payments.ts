// Payments, as they are kept: begun, followed until their orders are placed or their money is sent back, and leased to whoever
// asks the provider for them. Whoever changes one of a checkout locks the checkout first, as whoever places its order does.
import { referenceKey } from '../cart/cart.ts'
import type { Order } from '../checkout/orders/order.ts'
import {
  type BegunPayment,
  type ChangedPayment,
  type Look,
  type NewPayment,
  type OpenRefund,
  type Payment,
  type PaymentCount,
  type PaymentEvent,
  type PaymentKey,
  type PaymentState,
  type PaymentStore,
  placedNumber,
  WAITING_STATES
} from '../checkout/orders/payment.ts'
import {
  decideBegin,
  isLastAttempt,
  LONGEST_WAIT,
  MAX_ATTEMPTS,
  newAttempt,
  nextPayment,
  type Transition
} from '../checkout/orders/payment-rules.ts'
import { type Database, type DatabaseRow, inValues, type Result, statement, type Work } from './database.ts'
import { isStorable } from './stored-checkouts.ts'
import { ENQUEUE_FURTHER, lockCheckout, orderOf, readCheckout, writeOrder } from './stored-orders.ts'

/** What the provider has to be asked about, sooner or later. */
export const WAITING = `state ${inValues(WAITING_STATES)}`

const COLUMNS = `id, attempt, secret, merchant_id, token, reference, order_number, currency, amount, provider, content,
  provider_id, url, transaction_id, instructions_url, state, reason, refunded, refund_before, refund_amount, refund_key, dispute,
  created_at, expires_at, due_at, returned_at, pressed_at`
const SELECT = `SELECT ${COLUMNS} FROM payments`
const SELECT_BY_ID = `${SELECT} WHERE id = $1 AND merchant_id = $2`
const SELECT_LATEST = `${SELECT} WHERE token = $1 AND merchant_id = $2 ORDER BY attempt DESC LIMIT 1`
const SELECT_BY_SECRET = `${SELECT} WHERE token = $1 AND merchant_id = $2 AND secret = $3`
/** Of those that got a page. */
const SELECT_BEGAN = `SELECT created_at FROM payments WHERE token = $1 AND provider_id IS NOT NULL
  ORDER BY attempt DESC LIMIT 1 OFFSET $2`
/** Its checkout is locked before, and so no later one can begin. */
const LOCK = `SELECT ${COLUMNS}, EXISTS (SELECT 1 FROM payments AS later WHERE later.token = payments.token
  AND later.attempt > payments.attempt) AS is_replaced FROM payments WHERE id = $1 FOR UPDATE`
const SELECT_TAKEN = `SELECT 1 FROM orders WHERE number = $1 UNION ALL SELECT 1 FROM payments WHERE order_number = $1`
const INSERT = `INSERT INTO payments (id, order_number, attempt, secret, merchant_id, token, reference_key, reference, content,
  currency, amount, provider, state, created_at, expires_at, due_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'opening', $13, $14, $15)`
/** All of it that changes. What was frozen is erased by others. */
const UPDATE = `UPDATE payments SET state = $2, reason = $3, provider_id = $4, url = $5, transaction_id = $6, instructions_url = $7,
  refunded = $8, refund_before = $9, refund_amount = $10, refund_key = $11, dispute = $12, expires_at = $13, due_at = $14
  WHERE id = $1 RETURNING ${COLUMNS}`
/** One atomic statement, as a page that is loaded again and again claims each time. A clock may have been ahead. */
const claimOf = (column: string) =>
  `UPDATE payments SET ${column} = $2 WHERE id = $1 AND (${column} IS NULL OR ${column} <= $3 OR ${column} > $2)`
const CLAIMS: Record<Look, string> = { return: claimOf('returned_at'), press: claimOf('pressed_at') }
const FORGET = 'UPDATE payments SET content = NULL WHERE token = $1 AND content IS NOT NULL'
/** A clock may have been ahead. Servers that lease at once skip each other's rows, which only the database can do. */
const SELECT_DUE = `SELECT id FROM payments WHERE merchant_id = $1 AND (due_at <= $2 OR due_at > $3) ORDER BY due_at LIMIT 1`
const LEASE = `UPDATE payments SET due_at = $2 WHERE id = $1 RETURNING ${COLUMNS}`
const COUNT = `SELECT merchant_id, state, count(*) AS payments, min(created_at) AS since FROM payments WHERE ${WAITING}
  GROUP BY merchant_id, state`

export function storedPayments({ read, of }: Database): Omit<PaymentStore, 'erasePayments'> {
  const find = async (sql: string, key: string, merchantId: string, ...more: string[]) => {
    const values = [key, merchantId, ...more]
    return values.every(isStorable) ? paymentFrom(await of(merchantId).read(sql, values)) : undefined
  }
  return {
    beginPayment: payment => of(payment.order.merchantId, payment.order.reference).transaction(() => begin(payment)),
    changePayment: (payment, event, now, { notifiesWebhook = false } = {}) =>
      of(payment.merchantId, payment.reference).transaction(() => change(payment, event, now, notifiesWebhook)),
    latestPayment: (merchantId, token) => find(SELECT_LATEST, token, merchantId),
    findPayment: (merchantId, id) => find(SELECT_BY_ID, id, merchantId),
    findAttempt: (merchantId, token, secret) => find(SELECT_BY_SECRET, token, merchantId, secret),
    claimRefresh: async ({ id, merchantId, reference }, look, now, since) =>
      (await of(merchantId, reference).write(CLAIMS[look], [id, now, since])).count > 0,
    // Usually nothing is due, which costs a read but no commit.
    leasePayment: async (merchantId, now, until) => {
      const { read, transaction } = of(merchantId)
      const due = [merchantId, now, new Date(Date.parse(now) + LONGEST_WAIT).toISOString()] as const
      if ((await read(SELECT_DUE, due)).count === 0) return undefined
      return transaction(function* () {
        const [first] = (yield statement(`${SELECT_DUE} FOR UPDATE SKIP LOCKED`, due)).rows
        if (!first) return undefined
        const [leased] = (yield statement(LEASE, [String(first.id), until])).rows as [DatabaseRow]
        const { isOpen } = yield* readCheckout(merchantId, String(leased.token))
        return { payment: paymentFromRow(leased), isClosed: !isOpen }
      })
    },
    paymentsOf: async ({ merchantId, orderNumber, reference, state }, limit) => {
      const values: (string | number)[] = []
      const conditions = Object.entries({
        merchant_id: merchantId,
        order_number: orderNumber,
        reference_key: reference === undefined ? undefined : referenceKey(reference),
        state
      }).flatMap(([column, value]) => (value === undefined ? [] : `${column} = $${values.push(value)}`))
      const sql = `${SELECT} WHERE ${['TRUE', ...conditions].join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT $${values.push(limit)}`
      return (await read(sql, values)).rows.map(paymentFromRow)
    },
    countPayments: async () =>
      (await read(COUNT)).rows.map(
        (row): PaymentCount => ({
          merchantId: String(row.merchant_id),
          state: row.state as PaymentState,
          payments: Number(row.payments),
          since: String(row.since)
        })
      )
  }
}

function* begin(given: NewPayment): Work<BegunPayment> {
  const { order, createdAt } = given
  const { merchantId, token, reference } = order
  const checkout = yield* lockCheckout(merchantId, token, createdAt)
  const { order: existing } = checkout
  const latest = paymentFrom(yield statement(SELECT_LATEST, [token, merchantId]))
  const [earlier] = latest ? (yield statement(SELECT_BEGAN, [token, MAX_ATTEMPTS - 1])).rows : []
  const earlierBegan = earlier && String(earlier.created_at)
  const outcome = decideBegin({ ...checkout, latest, earlierBegan }, createdAt)
  if (outcome === 'placed') return { outcome, order: existing as Order }
  if (outcome === 'live') {
    return { outcome, payment: latest as Payment, isLast: isLastAttempt(earlierBegan, createdAt) }
  }
  if (outcome === 'held') {
    const held = paymentFrom(yield statement(SELECT_BY_ID, [String(checkout.heldBy), merchantId]))
    return { outcome, payment: held as Payment }
  }
  if (outcome !== 'begun') return { outcome }
  const payment = newAttempt(given, latest, existing?.number)
  const { id, attempt, secret, orderNumber, currency, amount, provider, expiresAt, dueAt } = payment
  const isNewNumber = orderNumber !== latest?.orderNumber
  if (isNewNumber && (yield statement(SELECT_TAKEN, [orderNumber])).count > 0) return { outcome: 'number-taken' }
  yield statement(FORGET, [token])
  const whose = [id, orderNumber, attempt, secret, merchantId, token, referenceKey(reference), reference] as const
  const what = [JSON.stringify(payment.order), currency, amount, provider] as const
  yield statement(INSERT, [...whose, ...what, createdAt, expiresAt, String(dueAt)])
  return { outcome, payment }
}

function* change(
  { id, merchantId, token }: PaymentKey,
  event: PaymentEvent,
  now: string,
  notifiesWebhook: boolean
): Work<ChangedPayment> {
  const { order: existing, paymentId, ...checkout } = yield* lockCheckout(merchantId, token, now)
  const [row] = (yield statement(LOCK, [id])).rows as [DatabaseRow]
  const before = paymentFromRow(row)
  const facts = {
    ...checkout,
    isOwnOrder: paymentId === id,
    isReplaced: Boolean(row.is_replaced),
    isNumberTaken: false
  }
  let next = nextPayment(before, event, facts, now)
  if (next === 'refused') return { before, payment: before, isPlaced: false, isRefused: true }
  if (next.isPlaced) {
    const order = { ...(before.order as Order), placedAt: now, secret: before.secret }
    const { outcome } = yield* writeOrder(order, existing, notifiesWebhook, id)
    if (outcome === 'placed') yield statement(FORGET, [token])
    else next = nextPayment(before, event, { ...facts, isNumberTaken: true }, now) as Transition
  }
  const payment = paymentFrom(yield statement(UPDATE, [id, ...changingValues(next.payment)])) as Payment
  if (notifiesWebhook) {
    for (const message of next.messages)
      yield statement(ENQUEUE_FURTHER, [before.orderNumber, merchantId, now, message])
  }
  const order = placedNumber(payment) === undefined ? undefined : yield* orderOf(merchantId, token)
  return { before, payment, ...(order && { order }), isPlaced: next.isPlaced, isRefused: false }
}

/** The values of UPDATE. */
function changingValues(payment: Payment) {
  const { state, reason, providerId, url, transactionId, instructionsUrl, refunded, refund, dispute } = payment
  const { expiresAt, dueAt } = payment
  return [
    ...[state, reason, providerId, url, transactionId, instructionsUrl],
    ...[refunded, refund?.before, refund?.amount, refund?.key, dispute],
    ...[expiresAt, dueAt]
  ].map(value => value ?? null)
}

function paymentFrom({ rows: [row] }: Result): Payment | undefined {
  return row && paymentFromRow(row)
}

function paymentFromRow(row: DatabaseRow): Payment {
  const text = (value: unknown) => (value === null ? undefined : String(value))
  const found = {
    order: row.content === null ? undefined : JSON.parse(String(row.content)),
    providerId: text(row.provider_id),
    url: text(row.url),
    transactionId: text(row.transaction_id),
    instructionsUrl: text(row.instructions_url),
    reason: text(row.reason),
    refund: row.refund_key === null ? undefined : refundFromRow(row),
    dispute: text(row.dispute),
    dueAt: text(row.due_at),
    returnedAt: text(row.returned_at),
    pressedAt: text(row.pressed_at)
  }
  return {
    id: String(row.id),
    attempt: Number(row.attempt),
    // An older one has none, and nobody finds it by this.
    secret: String(row.secret),
    merchantId: String(row.merchant_id),
    token: String(row.token),
    reference: String(row.reference),
    orderNumber: String(row.order_number),
    currency: String(row.currency),
    amount: Number(row.amount),
    provider: String(row.provider),
    state: row.state as PaymentState,
    refunded: Number(row.refunded),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
  }
}

function refundFromRow(row: DatabaseRow): OpenRefund {
  return { before: Number(row.refund_before), amount: Number(row.refund_amount), key: String(row.refund_key) }
}
