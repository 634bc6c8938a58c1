// Payments, as they are kept: begun, followed until their orders are placed or their money is sent back, and leased to whoever
// asks the provider for them. Whoever changes one of a checkout locks the checkout first, as whoever places its order does.
import { referenceKey } from '../cart/cart.ts'
import type { Order } from '../orders/order.ts'
import {
  type BegunPayment,
  type Look,
  type NewPayment,
  type OpenRefund,
  type Payment,
  type PaymentCount,
  type PaymentKey,
  type PaymentState,
  type PaymentStore,
  placedNumber,
  type SettledPayment
} from '../orders/payment.ts'
import {
  decideBegin,
  decideSettle,
  isLastAttempt,
  LONGEST_WAIT,
  MAX_ATTEMPTS,
  type SettleFacts
} from '../orders/payment-rules.ts'
import { type Database, type DatabaseRow, type DatabaseStep, statement, type Work } from './database.ts'
import { isStorable } from './stored-checkouts.ts'
import { ENQUEUE_FURTHER, type LockedCheckout, lockCheckout, orderOf, writeOrder } from './stored-orders.ts'

/** What the provider has to be asked about, sooner or later. */
export const WAITING = `state IN ('opening', 'open', 'pending', 'refunding')`

export const PAYMENT_COLUMNS = `id, attempt, secret, merchant_id, token, reference, order_number, currency, amount, provider, content,
  provider_id, url, transaction_id, instructions_url, state, reason, refunded, refund_before, refund_amount, refund_key, dispute,
  created_at, expires_at`
const SELECT = `SELECT ${PAYMENT_COLUMNS} FROM payments`
const SELECT_BY_ID = `${SELECT} WHERE id = $1 AND merchant_id = $2`
const SELECT_HELD = `SELECT ${PAYMENT_COLUMNS}, returned_at > coalesce(pressed_at, '') AS is_left FROM payments WHERE id = $1`
const SELECT_LATEST = `${SELECT} WHERE token = $1 AND merchant_id = $2 ORDER BY attempt DESC LIMIT 1`
const SELECT_BY_SECRET = `${SELECT} WHERE token = $1 AND merchant_id = $2 AND secret = $3`
/** Of those that got a page. */
const SELECT_BEGAN = `SELECT created_at FROM payments WHERE token = $1 AND provider_id IS NOT NULL
  ORDER BY attempt DESC LIMIT 1 OFFSET $2`
const LOCK = `${SELECT} WHERE id = $1 FOR UPDATE`
const SELECT_TAKEN = `SELECT 1 FROM orders WHERE number = $1 UNION ALL SELECT 1 FROM payments WHERE order_number = $1`
const SELECT_LATER = 'SELECT 1 FROM payments WHERE token = $1 AND attempt > $2 LIMIT 1'
const INSERT = `INSERT INTO payments (id, order_number, attempt, secret, merchant_id, token, reference_key, reference, content,
  currency, amount, provider, state, created_at, expires_at, due_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'opening', $13, $14, $15)`
const OPEN = `UPDATE payments SET state = 'open', provider_id = $2, url = $3, expires_at = $4, due_at = $5
  WHERE id = $1 AND state = 'opening'`
const END_OPENING = `UPDATE payments SET state = 'ended', due_at = NULL WHERE id = $1 AND state = 'opening'`
const SETTLE = `UPDATE payments SET due_at = CASE WHEN state = $2 THEN due_at ELSE $3 END, state = $2,
  reason = $4, provider_id = coalesce(provider_id, $5), transaction_id = coalesce($6, transaction_id),
  instructions_url = $7 WHERE id = $1 RETURNING ${PAYMENT_COLUMNS}`
const FORGET = 'UPDATE payments SET content = NULL WHERE token = $1 AND content IS NOT NULL'
/** A clock may have been ahead. */
const CLAIMS: Record<Look, string> = {
  return: claimOf('returned_at'),
  press: claimOf('pressed_at')
}
/** A clock may have been ahead. */
const SELECT_DUE = `SELECT id FROM payments WHERE merchant_id = $1 AND (due_at <= $2 OR due_at > $3) ORDER BY due_at LIMIT 1`
/** An order whose payment has failed may be paid again. */
const LEASE = `UPDATE payments SET due_at = $2 WHERE id = $1 RETURNING ${PAYMENT_COLUMNS},
  EXISTS (SELECT 1 FROM checkouts WHERE checkouts.token = payments.token AND (superseded_at IS NOT NULL OR is_ordered = 1)
    AND NOT EXISTS (SELECT 1 FROM orders JOIN payments AS failed ON failed.id = orders.payment_id
      WHERE orders.token = checkouts.token AND failed.state = 'failed')) AS is_closed`
const SET_DUE = 'UPDATE payments SET due_at = $2 WHERE id = $1'
const COUNT = `SELECT merchant_id, state, count(*) AS payments, min(created_at) AS since FROM payments WHERE ${WAITING}
  GROUP BY merchant_id, state`

type Facts = Parameters<PaymentStore['settlePayment']>[1]

function claimOf(column: string): string {
  return `UPDATE payments SET ${column} = $2 WHERE id = $1 AND (${column} IS NULL OR ${column} <= $3 OR ${column} > $2)`
}

export function storedPayments({
  read,
  of
}: Database): Omit<PaymentStore, 'erasePayments' | 'openRefund' | 'bookRefunds'> {
  const change = async (
    sql: string,
    { id, merchantId, reference }: PaymentKey,
    ...values: (string | number | null)[]
  ) => (await of(merchantId, reference).write(sql, [id, ...values])).count > 0
  const find = async (sql: string, key: string, merchantId: string, ...more: string[]) => {
    const values = [key, merchantId, ...more]
    const [row] = values.every(isStorable) ? (await of(merchantId).read(sql, values)).rows : []
    return row && paymentFromRow(row)
  }
  return {
    beginPayment: payment => of(payment.order.merchantId, payment.order.reference).transaction(() => begin(payment)),
    paymentOpened: (payment, { providerId, url, expiresAt }, dueAt) =>
      change(OPEN, payment, providerId, url, expiresAt, dueAt),
    latestPayment: (merchantId, token) => find(SELECT_LATEST, token, merchantId),
    findPayment: (merchantId, id) => find(SELECT_BY_ID, id, merchantId),
    findAttempt: (merchantId, token, secret) => find(SELECT_BY_SECRET, token, merchantId, secret),
    claimLook: (payment, look, now, since) => change(CLAIMS[look], payment, now, since),
    settlePayment: (payment, facts, now, { notifiesWebhook = false } = {}) =>
      of(payment.merchantId, payment.reference).transaction(() => settle(payment, facts, now, notifiesWebhook)),
    endOpening: async payment => void (await change(END_OPENING, payment)),
    // Usually nothing is due, which costs a read but no commit.
    leasePayment: async (merchantId, now, until) => {
      const { read, transaction } = of(merchantId)
      const due = [merchantId, now, new Date(Date.parse(now) + LONGEST_WAIT).toISOString()] as const
      if ((await read(SELECT_DUE, due)).count === 0) return undefined
      return transaction(function* () {
        const [first] = (yield statement(`${SELECT_DUE} FOR UPDATE SKIP LOCKED`, due)).rows
        if (!first) return undefined
        const [leased] = (yield statement(LEASE, [String(first.id), until])).rows as [DatabaseRow]
        return { payment: paymentFromRow(leased), isClosed: Boolean(leased.is_closed) }
      })
    },
    setPaymentDue: async (payment, dueAt) => void (await change(SET_DUE, payment, dueAt ?? null)),
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

function* begin({ order: given, secret, provider, createdAt, expiresAt, dueAt }: NewPayment): Work<BegunPayment> {
  const { merchantId, token, reference, currency, total } = given
  const { isOpen, heldBy, isOrdered, order: placed } = yield* lockCheckout(merchantId, token, createdAt)
  const [row] = (yield statement(SELECT_LATEST, [token, merchantId])).rows
  const latest = row && paymentFromRow(row)
  const [earlier] = latest ? (yield statement(SELECT_BEGAN, [token, MAX_ATTEMPTS - 1])).rows : []
  const earlierBegan = earlier && String(earlier.created_at)
  const facts = { isOpen, isOrdered, isHeld: heldBy !== undefined, latest, earlierBegan }
  const outcome = decideBegin(facts, createdAt)
  if (outcome === 'placed') return { outcome, order: placed as Order }
  if (outcome === 'live') {
    return { outcome, payment: latest as Payment, isLast: isLastAttempt(earlierBegan, createdAt) }
  }
  if (outcome === 'held') {
    const [held] = (yield statement(SELECT_HELD, [String(heldBy)])).rows as [DatabaseRow]
    return { outcome, payment: paymentFromRow(held), isLeft: Boolean(held.is_left) }
  }
  if (outcome !== 'begun') return { outcome }
  // An order whose payment has failed keeps its number.
  const known = latest?.orderNumber === placed?.number ? undefined : latest?.orderNumber
  if (!known && (yield statement(SELECT_TAKEN, [given.number])).count > 0) return { outcome: 'number-taken' }
  const attempt = (latest?.attempt ?? 0) + 1
  const order = { ...given, number: known ?? given.number }
  const payment: Payment = {
    id: `${order.number}-${attempt}`,
    attempt,
    secret,
    merchantId,
    token,
    reference,
    orderNumber: order.number,
    currency,
    amount: total,
    provider,
    order,
    state: 'opening',
    refunded: 0,
    createdAt,
    expiresAt
  }
  const whose = [
    payment.id,
    order.number,
    attempt,
    secret,
    merchantId,
    token,
    referenceKey(reference),
    reference
  ] as const
  yield statement(FORGET, [token])
  yield statement(INSERT, [...whose, JSON.stringify(order), currency, total, provider, createdAt, expiresAt, dueAt])
  return { outcome, payment }
}

function* settle(key: PaymentKey, facts: Facts, now: string, notifiesWebhook: boolean): Work<SettledPayment> {
  const { payment: before, checkout } = yield* lockPayment(key, now)
  const { id, merchantId, token } = before
  const settleFacts: SettleFacts = {
    ...checkout,
    isOwnOrder: checkout.paymentId === id,
    isReplaced: (yield statement(SELECT_LATER, [token, before.attempt])).count > 0,
    isNumberTaken: false
  }
  let decision = decideSettle(before, facts, settleFacts)
  if (decision.isPlaced) {
    const order = { ...(before.order as Order), placedAt: now }
    const { outcome } = yield* writeOrder(order, checkout.order, notifiesWebhook, id)
    if (outcome === 'placed') yield statement(FORGET, [token])
    else decision = decideSettle(before, facts, { ...settleFacts, isNumberTaken: true })
  }
  const { state, reason = null, isNew, isPlaced, event, isDue } = decision
  const { transactionId = null, instructionsUrl = before.instructionsUrl ?? null } = facts
  const known = [facts.providerId, transactionId, state === 'pending' ? instructionsUrl : null]
  const [settled] = (yield statement(SETTLE, [id, state, isDue ? now : null, reason, ...known])).rows as [DatabaseRow]
  if (event && notifiesWebhook) yield enqueueFurther(before, now, event)
  const payment = paymentFromRow(settled)
  const order = placedNumber(payment) === undefined ? undefined : yield* orderOf(merchantId, token)
  return { payment, ...(order && { order }), isNew, isPlaced }
}

export function paymentFromRow(row: DatabaseRow): Payment {
  const text = (value: unknown) => (value === null ? undefined : String(value))
  const found = {
    order: row.content === null ? undefined : JSON.parse(String(row.content)),
    providerId: text(row.provider_id),
    url: text(row.url),
    transactionId: text(row.transaction_id),
    instructionsUrl: text(row.instructions_url),
    reason: text(row.reason),
    refund: row.refund_key === null ? undefined : refundFromRow(row),
    dispute: text(row.dispute)
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

/** A payment with its checkout, which nobody else changes until the transaction ends. */
export function* lockPayment(
  { id, merchantId, token }: PaymentKey,
  now: string
): Work<{ payment: Payment; checkout: LockedCheckout }> {
  const checkout = yield* lockCheckout(merchantId, token, now)
  const [row] = (yield statement(LOCK, [id])).rows as [DatabaseRow]
  return { payment: paymentFromRow(row), checkout }
}

/** Adds a further message about the order of a locked payment to the outbox. */
export function enqueueFurther({ orderNumber, merchantId }: Payment, now: string, event: string): DatabaseStep {
  return statement(ENQUEUE_FURTHER, [orderNumber, merchantId, now, event])
}

function refundFromRow(row: DatabaseRow): OpenRefund {
  return { before: Number(row.refund_before), amount: Number(row.refund_amount), key: String(row.refund_key) }
}
