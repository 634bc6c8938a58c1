// What the confirmation page prints, for people and for the app: no name and no address, as its address may stand in a
// history that the shopper shares.

import type { Said, Text, Words } from '../messages/words.ts'
import { moneyFormat, toDecimal } from '../money.ts'
import type { Order } from '../orders/order.ts'
import type { DeliveryMethod } from '../orders/quote.ts'

export type ConfirmationView = {
  number: string
  reference: string
  currency: string
  /** Absent once the personal data has been erased. */
  email?: string
  lines: { sku: string; quantity: number; count: string; title: string; lineTotal: string }[]
  totals: { subtotal: number; total: number; subtotalText: string; totalText: string }
  delivery?: { label: Said; price: string }
  taxText?: Said
  paymentText?: Said
  /** The JSON that apps read (real-app.md 9 and 10), fit to stand in a script element as it is. */
  json: string
}

/** What of a merchant shows on a confirmation: a delivery method that is still there is named in the shopper's language. */
export type Confirming = {
  delivery: { id: string; label: Text }[]
  paymentText?: Text
  checkout: { taxText?: Text }
}

export function confirmationView(
  order: Order,
  { locale, read }: Pick<Words, 'locale' | 'read'>,
  { delivery: methods, paymentText, checkout }: Confirming
): ConfirmationView {
  const { number, reference, currency, lines, subtotal, delivery, total, customer } = order
  const money = moneyFormat(currency, locale)
  const format = new Intl.NumberFormat(locale)
  const summary = {
    orderNumber: number,
    reference,
    currency,
    subTotal: toDecimal(subtotal, currency),
    // Unit prices already include a sale.
    discount: toDecimal(0, currency),
    delivery: toDecimal(delivery?.price ?? 0, currency),
    total: toDecimal(total, currency)
  }
  return {
    number,
    reference,
    currency,
    ...(customer && { email: maskEmail(customer.email) }),
    lines: lines.map(({ sku, quantity, title, lineTotal }) => ({
      sku,
      quantity,
      count: `× ${format.format(quantity)}`,
      title,
      lineTotal: money(lineTotal)
    })),
    totals: { subtotal, total, subtotalText: money(subtotal), totalText: money(total) },
    ...(delivery && { delivery: { label: read(labelOf(delivery, methods)), price: money(delivery.price) } }),
    ...(checkout.taxText !== undefined && { taxText: read(checkout.taxText) }),
    ...(paymentText !== undefined && { paymentText: read(paymentText) }),
    json: JSON.stringify(summary).replaceAll('<', '\\u003c')
  }
}

function labelOf(delivery: DeliveryMethod, methods: { id: string; label: Text }[]): Text {
  return methods.find(({ id }) => id === delivery.id)?.label ?? delivery.label
}

/** `a…@example.com`: enough to recognise, too little to write to. */
function maskEmail(email: string): string {
  return email.replace(/^(.).*@/su, '$1…@')
}
