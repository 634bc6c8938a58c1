// Attempts to have an order paid, as a table and as JSON: most of them are no orders.

import type { OrderFilter } from '../checkout/orders/order.ts'
import type { Payment, PaymentStore } from '../checkout/orders/payment.ts'
import { toDecimal } from '../money.ts'
import { visibleJson } from '../start/visible-text.ts'
import { columns } from './run-command.ts'

const HEAD = [
  'PAYMENT',
  'BEGAN (UTC)',
  'MERCHANT',
  'REFERENCE',
  'STATE',
  'AMOUNT',
  'REFUNDED',
  'PROVIDER',
  'ID',
  'REASON'
]

export function paymentTable(payments: Payment[]): string {
  const rows = payments.map(payment => {
    const { id, createdAt, merchantId, reference, state, currency, amount, refunded, provider } = payment
    const { reason, refund, dispute } = payment
    const began = createdAt.slice(0, 16).replace('T', ' ')
    const begun = refund ? `${toDecimal(refund.amount, currency)} begun` : []
    const refundFacts = [refunded > 0 ? toDecimal(refunded, currency) : [], begun].flat().join(', ') || '-'
    const money = [`${toDecimal(amount, currency)} ${currency}`, refundFacts]
    const why = reason ?? (dispute ? `dispute ${dispute}` : '-')
    return [id, began, merchantId, reference, state, ...money, provider, theirId(payment) ?? '-', why]
  })
  return columns()([HEAD, ...rows])
}

export function paymentJson(payments: Payment[]): string {
  const all = payments.map(payment => {
    const { id, orderNumber, merchantId: merchant, reference, state, reason, provider, createdAt, expiresAt } = payment
    const [amount, refunded] = [payment.amount, payment.refunded].map(minor => toDecimal(minor, payment.currency))
    const refundBegun = payment.refund && toDecimal(payment.refund.amount, payment.currency)
    const ofRefunds = { refunded, refundBegun, dispute: payment.dispute }
    const money = { provider, providerId: theirId(payment), currency: payment.currency, amount, ...ofRefunds }
    return { payment: id, orderNumber, merchant, reference, state, reason, ...money, createdAt, expiresAt }
  })
  return `${visibleJson(all)}\n`
}

/** What the provider's own pages call it: the money, or the page while there is none. */
function theirId({ transactionId, providerId }: Payment): string | undefined {
  return transactionId ?? providerId
}

/** Where to look for what is no order; undefined if nobody has tried to pay. */
export async function paymentHint(
  store: PaymentStore,
  { merchantId, reference, number }: OrderFilter
): Promise<string | undefined> {
  const orderNumber = number?.toUpperCase()
  if (reference === undefined && orderNumber === undefined) return undefined
  const [payment] = await store.paymentsOf({ merchantId, reference, orderNumber }, 1)
  return payment && `a payment was begun: npm run orders -- payments --number ${payment.orderNumber}`
}
