// What goes back of a payment, as it is kept: what is being sent back, one refund at a time, and what has been.
import type { PaymentStore } from '../orders/payment.ts'
import { bookedAfter } from '../orders/refund-rules.ts'
import { type Database, statement } from './database.ts'
import { enqueueFurther, lockPayment, queriesOfPayments } from './stored-payments.ts'

const OPEN = `UPDATE payments SET refund_before = $2, refund_amount = $3, refund_key = $4, due_at = $5
  WHERE id = $1 AND refund_key IS NULL AND state = 'paid' AND reason IS NULL AND refunded = $2`
/** Money for no order whose refund has failed is due at once. */
const BOOK = `UPDATE payments SET refunded = $2, state = $3, dispute = $4,
  due_at = CASE WHEN reason IS NULL OR state = $3 THEN due_at WHEN $3 = 'refunding' THEN $5 END WHERE id = $1`
const CLOSE = `UPDATE payments SET refund_before = NULL, refund_amount = NULL, refund_key = NULL, due_at = NULL
  WHERE id = $1 AND refund_key = $2`

export function storedRefunds(database: Database): Pick<PaymentStore, 'openRefund' | 'bookRefunds'> {
  const ofPayment = queriesOfPayments(database)
  return {
    openRefund: async (id, { before, amount, key }, dueAt) =>
      (await (await ofPayment(id)).run(OPEN, [id, before, amount, key, dueAt])).count > 0,
    bookRefunds: async (id, said, now, { notifiesWebhook = false, known, closes } = {}) =>
      (await ofPayment(id)).transaction(function* () {
        const { payment: before } = yield* lockPayment(id, now)
        const { state, refunded, dispute = null, events } = bookedAfter(before, said, known)
        yield statement(BOOK, [id, refunded, state, dispute, now])
        if (closes !== undefined) yield statement(CLOSE, [id, closes])
        if (notifiesWebhook) for (const event of events) yield enqueueFurther(before, now, event)
        const { payment } = yield* lockPayment(id, now)
        return { before, payment }
      })
  }
}
