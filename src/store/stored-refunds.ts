// What goes back of a payment, as it is kept: what is being sent back, one refund at a time, and what has been.
import type { PaymentStore } from '../orders/payment.ts'
import { bookedAfter } from '../orders/refund-rules.ts'
import { type Database, type DatabaseRow, statement } from './database.ts'
import { enqueueFurther, lockPayment, PAYMENT_COLUMNS, paymentFromRow } from './stored-payments.ts'

const OPEN = `UPDATE payments SET refund_before = $2, refund_amount = $3, refund_key = $4, due_at = $5
  WHERE id = $1 AND refund_key IS NULL AND state = 'paid' AND reason IS NULL AND refunded = $2`
const CLOSE = `UPDATE payments SET refund_before = NULL, refund_amount = NULL, refund_key = NULL, due_at = NULL
  WHERE id = $1 AND refund_key = $2`
/** Money for no order whose refund has failed is due at once. */
const BOOK = `UPDATE payments SET refunded = $2, state = $3, dispute = $4,
  due_at = CASE WHEN reason IS NULL OR state = $3 THEN due_at WHEN $3 = 'refunding' THEN $5 END WHERE id = $1
  RETURNING ${PAYMENT_COLUMNS}`

export function storedRefunds({ of }: Database): Pick<PaymentStore, 'openRefund' | 'bookRefunds'> {
  return {
    openRefund: async ({ id, merchantId, reference }, { before, amount, key }, dueAt) =>
      (await of(merchantId, reference).write(OPEN, [id, before, amount, key, dueAt])).count > 0,
    bookRefunds: (key, said, now, { notifiesWebhook = false, known, closes } = {}) =>
      of(key.merchantId, key.reference).transaction(function* () {
        const { payment: before } = yield* lockPayment(key, now)
        const { state, refunded, dispute = null, events } = bookedAfter(before, said, known)
        if (closes !== undefined) yield statement(CLOSE, [key.id, closes])
        const [booked] = (yield statement(BOOK, [key.id, refunded, state, dispute, now])).rows as [DatabaseRow]
        if (notifiesWebhook) for (const event of events) yield enqueueFurther(before, now, event)
        return { before, payment: paymentFromRow(booked) }
      })
  }
}
