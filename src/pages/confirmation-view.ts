// The view model of the confirmation page. It has nothing about a person: a reference and the same cart lead to it too,
// and its URL may end up in a browser history that the shopper shares.
import type { Merchant } from '../merchant/merchant.ts'
import type { LocalText, Text, Translator } from '../messages/translator.ts'
import type { Order } from '../orders/order.ts'
import { orderSummary } from '../orders/order-json.ts'
import { type TotalsView, totalsView } from './totals-view.ts'

export type ConfirmationView = {
  number: string
  reference: string
  currency: string
  lines: { sku: string; quantity: number; count: string; title: string; lineTotal: string }[]
  totals: TotalsView
  taxText?: LocalText
  paymentText?: LocalText
  /** The JSON that apps read (REAL-APP.md 9 and 10), safe inside a script element. */
  json: string
}

type ConfirmationMerchant = Pick<Merchant, 'delivery' | 'paymentText'> & {
  checkout: Pick<Merchant['checkout'], 'taxText'>
}

export function confirmationView(
  order: Order,
  translator: Pick<Translator, 'money' | 'number' | 'read'>,
  { delivery: current, paymentText, checkout: { taxText } }: ConfirmationMerchant
): ConfirmationView {
  const { number, reference, currency, lines, subtotal, delivery } = order
  const { money, number: format, read } = translator
  const methods = delivery ? [{ ...delivery, label: currentLabel(delivery, current) }] : []
  return {
    number,
    reference,
    currency,
    lines: lines.map(({ sku, quantity, title, lineTotal }) => ({
      sku,
      quantity,
      count: `× ${format(quantity)}`,
      title,
      lineTotal: money(lineTotal, currency)
    })),
    totals: totalsView(subtotal, methods, delivery?.id, currency, translator),
    ...(taxText !== undefined && { taxText: read(taxText) }),
    ...(paymentText !== undefined && { paymentText: read(paymentText) }),
    json: JSON.stringify(orderSummary(order)).replaceAll('<', '\\u003c')
  }
}

/** A delivery method that still exists is named in the shopper's language, any other as the order has it. */
function currentLabel({ id, label }: NonNullable<Order['delivery']>, methods: Merchant['delivery']): Text {
  const current = Object.values(methods)
    .flat()
    .find(method => method.id === id)
  return current?.label ?? label
}
