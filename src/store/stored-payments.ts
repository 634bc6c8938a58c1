// Payments, as they are kept: begun, followed until their orders are placed or their money is sent back, and leased to whoever
// asks the provider for them. Whoever changes one of a checkout locks the checkout first, as whoever places its order does.
import { referenceKey } from '../cart/cart.ts'
import {
  type BegunPayment,
  type NewPayment,
  type Payment,
  type PaymentCount,
  type PaymentState,
  type PaymentStore,
  placedNumber,
  type RefundReason,
  type SettledPayment
} from '../orders/payment.ts'
import type { ProviderState } from '../payment/provider.ts'
import { type Database, type DatabaseRow, statement, type Work } from './database.ts'
import { isStorable } from './stored-checkouts.ts'
import { type LockedCheckout, lockCheckout, ORDER_OF_CHECKOUT, orderFrom, placeFrom } from './stored-orders.ts'

/** What the provider has to be asked about, sooner or later. */
export const WAITING = `state IN ('opening', 'open', 'pending', 'refunding')`

const COLUMNS = `id, attempt, merchant_id, token, reference, order_number, currency, amount, provider, content, provider_id, url,
  transaction_id, instructions_url, state, reason, refunded, created_at, expires_at`
const SELECT = `SELECT ${COLUMNS} FROM payments`
const SELECT_BY_ID = `${SELECT} WHERE id = $1 AND merchant_id = $2`
const SELECT_LATEST = `${SELECT} WHERE token = $1 AND merchant_id = $2 ORDER BY attempt DESC LIMIT 1`
const SELECT_CHECKOUT = 'SELECT merchant_id, token, reference FROM payments WHERE id = $1'
const LOCK = `${SELECT} WHERE id = $1 FOR UPDATE`
const SELECT_TAKEN = `SELECT 1 FROM orders WHERE number = $1 UNION ALL SELECT 1 FROM payments WHERE order_number = $1`
const INSERT = `INSERT INTO payments (id, order_number, attempt, merchant_id, token, reference_key, reference, content, currency,
  amount, provider, state, created_at, expires_at, due_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'opening', $12, $13, $14)`
/** That of a superseded bag stays due: it was made so at once. */
const OPEN = `UPDATE payments SET state = 'open', provider_id = $2, url = $3, expires_at = $4,
  due_at = CASE WHEN EXISTS (SELECT 1 FROM checkouts WHERE checkouts.token = payments.token AND superseded_at IS NOT NULL)
    THEN due_at ELSE $5 END
  WHERE id = $1 AND state = 'opening'`
const END_OPENING = `UPDATE payments SET state = 'ended', due_at = NULL WHERE id = $1 AND state = 'opening'`
const SETTLE = `UPDATE payments SET due_at = CASE WHEN state = $2 THEN due_at ELSE $3 END, state = $2,
  reason = $4, provider_id = coalesce(provider_id, $5), transaction_id = coalesce($6, transaction_id),
  instructions_url = $7 WHERE id = $1 RETURNING ${COLUMNS}`
const THAW = 'UPDATE payments SET content = NULL WHERE token = $1'
const ENQUEUE = `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at, event, happened_at, further_of)
  SELECT $1 || ' ' || (count(*) + 1), $2, 'pending', 0, $3, $3, $4, $3, $1 FROM outbox WHERE further_of = $1`
const REFUND = `UPDATE payments SET refunded = refunded + $3,
  state = CASE WHEN refunded + $3 < amount THEN state ELSE 'refunded' END,
  due_at = CASE WHEN refunded + $3 < amount THEN due_at END WHERE id = $1 AND refunded = $2`
const SELECT_DUE = 'SELECT id FROM payments WHERE merchant_id = $1 AND due_at <= $2 ORDER BY due_at LIMIT 1'
const LEASE = `UPDATE payments SET due_at = $2 WHERE id = $1 RETURNING ${COLUMNS},
  EXISTS (SELECT 1 FROM checkouts WHERE checkouts.token = payments.token AND (superseded_at IS NOT NULL OR is_ordered = 1))
  AS is_closed`
const SET_DUE = 'UPDATE payments SET due_at = $2 WHERE id = $1'
const COUNT = `SELECT merchant_id, state, count(*) AS payments, min(created_at) AS since FROM payments WHERE ${WAITING}
  GROUP BY merchant_id, state`

/** What a payment becomes by what the provider says; what is not listed changes nothing. */
const BEFORE_ORDER = { pending: 'pending', paid: 'paid', failed: 'ended', ended: 'ended' } as const
const CHANGES: Partial<Record<PaymentState, Partial<Record<ProviderState, PaymentState>>>> = {
  opening: BEFORE_ORDER,
  open: BEFORE_ORDER,
  ended: { pending: 'pending', paid: 'paid' },
  pending: { paid: 'paid', failed: 'failed' },
  failed: { paid: 'paid' },
  refunding: { failed: 'ended', ended: 'ended' }
}
const PLACED: PaymentState[] = ['pending', 'paid', 'failed']

type Facts = Parameters<PaymentStore['settlePayment']>[1]

export function storedPayments({ run, of }: Database): Omit<PaymentStore, 'erasePayments'> {
  const find = async (sql: string, key: string, merchantId: string) => {
    const [row] = isStorable(key) ? (await of(merchantId).run(sql, [key, merchantId])).rows : []
    return row && paymentFromRow(row)
  }
  /** The database for what may lock the checkout of a payment. */
  const ofPayment = async (id: string) => {
    const [row] = (await run(SELECT_CHECKOUT, [id])).rows as [DatabaseRow]
    return of(String(row.merchant_id), String(row.reference))
  }
  return {
    beginPayment: payment => of(payment.order.merchantId, payment.order.reference).transaction(() => begin(payment)),
    paymentOpened: async (id, { providerId, url, expiresAt }, dueAt) =>
      (await ofPayment(id)).transaction(function* () {
        // Then it sees whether the bag has been superseded, or is the one that its successor makes due.
        yield statement(LOCK, [id])
        return (yield statement(OPEN, [id, providerId, url, expiresAt, dueAt])).count > 0
      }),
    latestPayment: (merchantId, token) => find(SELECT_LATEST, token, merchantId),
    findPayment: (merchantId, id) => find(SELECT_BY_ID, id, merchantId),
    settlePayment: async (id, facts, now, { notifiesWebhook = false } = {}) =>
      (await ofPayment(id)).transaction(() => settle(id, facts, now, notifiesWebhook)),
    endOpening: async id => void (await run(END_OPENING, [id])),
    paymentRefunded: async (...refund) => (await run(REFUND, refund)).count > 0,
    // Usually nothing is due, which costs a read but no commit.
    leasePayment: async (merchantId, now, until) => {
      const { run, transaction } = of(merchantId)
      if ((await run(SELECT_DUE, [merchantId, now])).count === 0) return undefined
      return transaction(function* () {
        const [due] = (yield statement(`${SELECT_DUE} FOR UPDATE SKIP LOCKED`, [merchantId, now])).rows
        if (!due) return undefined
        const [leased] = (yield statement(LEASE, [String(due.id), until])).rows as [DatabaseRow]
        return { payment: paymentFromRow(leased), isClosed: Boolean(leased.is_closed) }
      })
    },
    setPaymentDue: async (id, dueAt) => void (await run(SET_DUE, [id, dueAt ?? null])),
    paymentsOf: async ({ merchantId, orderNumber, reference, state }, limit) => {
      const values: (string | number)[] = []
      const conditions = Object.entries({
        merchant_id: merchantId,
        order_number: orderNumber,
        reference_key: reference === undefined ? undefined : referenceKey(reference),
        state
      }).flatMap(([column, value]) => (value === undefined ? [] : `${column} = $${values.push(value)}`))
      const sql = `${SELECT} WHERE ${['TRUE', ...conditions].join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT $${values.push(limit)}`
      return (await run(sql, values)).rows.map(paymentFromRow)
    },
    countPayments: async () =>
      (await run(COUNT)).rows.map(
        (row): PaymentCount => ({
          merchantId: String(row.merchant_id),
          state: row.state as PaymentState,
          payments: Number(row.payments),
          since: String(row.since)
        })
      )
  }
}

function* begin({ order: given, provider, createdAt, expiresAt, dueAt }: NewPayment): Work<BegunPayment> {
  const { merchantId, token, reference, currency, total } = given
  const { isOpen, order: placed } = yield* lockCheckout(merchantId, token)
  if (placed) return { outcome: 'placed', order: placed }
  if (!isOpen) return { outcome: 'superseded' }
  const [row] = (yield statement(SELECT_LATEST, [token, merchantId])).rows
  const latest = row && paymentFromRow(row)
  if (latest?.state === 'opening' || latest?.state === 'open') return { outcome: 'live', payment: latest }
  if (!latest && (yield statement(SELECT_TAKEN, [given.number])).count > 0) return { outcome: 'number-taken' }
  const attempt = (latest?.attempt ?? 0) + 1
  const order = { ...given, number: latest?.orderNumber ?? given.number }
  const payment: Payment = {
    id: `${order.number}-${attempt}`,
    attempt,
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
  const whose = [payment.id, order.number, attempt, merchantId, token, referenceKey(reference), reference] as const
  const content = JSON.stringify(order)
  yield statement(INSERT, [...whose, content, currency, total, provider, createdAt, expiresAt, dueAt])
  return { outcome: 'begun', payment }
}

function* settle(id: string, facts: Facts, now: string, notifiesWebhook: boolean): Work<SettledPayment> {
  const [of] = (yield statement(SELECT_CHECKOUT, [id])).rows as [DatabaseRow]
  const [merchantId, token] = [String(of.merchant_id), String(of.token)]
  const checkout = yield* lockCheckout(merchantId, token)
  const [row] = (yield statement(LOCK, [id])).rows as [DatabaseRow]
  const before = paymentFromRow(row)
  const isFollowUp = PLACED.includes(before.state)
  const isNoPayment = isFollowUp && facts.state === 'paid' && differs(before, facts)
  const next = isNoPayment ? before.state : (CHANGES[before.state]?.[facts.state] ?? before.state)
  const isNew = next !== before.state
  const isMoney = isNew && !isFollowUp && PLACED.includes(next)
  const reason = isMoney ? yield* placeFrozen(before, facts, checkout, now, notifiesWebhook) : undefined
  const state = reason ? 'refunding' : next
  // Nothing is left to ask about the others.
  const dueAt = state === 'refunding' || state === 'pending' ? now : null
  const { transactionId = null, instructionsUrl = before.instructionsUrl ?? null } = facts
  const known = [facts.providerId, transactionId, state === 'pending' ? instructionsUrl : null]
  const why = (isNew ? reason : before.reason) ?? null
  const [settled] = (yield statement(SETTLE, [id, state, dueAt, why, ...known])).rows as [DatabaseRow]
  if (isNew && isFollowUp && notifiesWebhook) {
    const event = state === 'paid' ? 'order.paid' : 'order.payment-failed'
    yield statement(ENQUEUE, [before.orderNumber, merchantId, now, event])
  }
  const payment = paymentFromRow(settled)
  const order = placedNumber(payment) ? orderFrom(yield statement(ORDER_OF_CHECKOUT, [merchantId, token])) : undefined
  return { payment, ...(order && { order }), isNew, isPlaced: isMoney && !reason }
}

function differs({ amount, currency }: Payment, facts: Facts): boolean {
  return facts.amount !== amount || facts.currency !== currency
}

/** Places the order of a payment, for which money has come or is on its way. @returns why it cannot be */
function* placeFrozen(
  payment: Payment,
  facts: Facts,
  checkout: LockedCheckout,
  now: string,
  notifiesWebhook: boolean
): Work<RefundReason | undefined> {
  const { id, token, order } = payment
  if (differs(payment, facts)) return 'amount-differs'
  if (checkout.order) return 'ordered-twice'
  if (!order) return 'checkout-gone'
  const { outcome } = yield* placeFrom({ ...order, placedAt: now }, notifiesWebhook, id)
  if (outcome !== 'placed') return outcome as 'superseded' | 'number-taken'
  yield statement(THAW, [token])
  return undefined
}

function paymentFromRow(row: DatabaseRow): Payment {
  const text = (value: unknown) => (value === null ? undefined : String(value))
  const found = {
    order: row.content === null ? undefined : JSON.parse(String(row.content)),
    providerId: text(row.provider_id),
    url: text(row.url),
    transactionId: text(row.transaction_id),
    instructionsUrl: text(row.instructions_url),
    reason: text(row.reason)
  }
  return {
    id: String(row.id),
    attempt: Number(row.attempt),
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
