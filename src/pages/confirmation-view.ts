// The view model of the confirmation. It has nothing about a person: a reference and the same cart lead to it too, and its
// URL may end up in a browser history that others see.
import type { Catalogue } from '../catalogue/product.ts'
import type { DeliveryMethod, Merchant, OrderedDelivery } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'
import { type Order, type OrderLine, orderSummary } from '../orders/order.ts'
import { daysText, type LineContext, type LineView, lineView, totalsView } from './bag-view.ts'

/** @param of.isUnchanged whether it answers a form that differs from this order, which had been placed before */
export function confirmationView(
  order: Order,
  translator: Translator,
  merchant: Merchant,
  catalogue: Catalogue,
  { isUnchanged = false } = {}
) {
  const { number, reference, currency, lines, subtotal, delivery } = order
  const methods = delivery ? [currentMethod(delivery, merchant)] : []
  const undated = methods.map(({ days, ...method }) => method)
  const isLater = ({ availability }: OrderLine) => availability !== undefined
  return {
    number,
    reference,
    currency,
    lines: lines.map((line, i) => orderedLineView(line, i, catalogue, { merchant, translator, currency })),
    // How it is delivered, if there are methods, and how long that takes, unless all of it is sent later.
    deliveries: (lines.every(isLater) ? undated : methods).map(({ label, days }: DeliveryMethod) => ({
      label: translator.read(label),
      ...(days && { days: daysText(days, translator) })
    })),
    hasLater: lines.some(isLater),
    isUnchanged,
    // How long it takes is above already.
    totals: totalsView(subtotal, undated, delivery?.id, currency, translator),
    // Apps read it (REAL-APP.md 9 and 10); safe inside a script element.
    json: JSON.stringify(orderSummary(order)).replaceAll('<', '\\u003c')
  }
}

/** An order keeps no picture: it has the one that the feed has now, if any. */
function orderedLineView(line: OrderLine, i: number, catalogue: Catalogue, context: LineContext): LineView {
  const image = catalogue.product(line.sku)?.image
  const view = lineView(line, i, { ...line, ...(image !== undefined && { image }) }, context)
  if (line.availability !== undefined) view.notes.push(context.translator.say(line.availability))
  return view
}

/** A method that still exists is named in the shopper's language and has its days; any other is as the order has it. */
function currentMethod({ id, label, price }: OrderedDelivery, { delivery }: Merchant): DeliveryMethod {
  const current = Object.values(delivery)
    .flat()
    .find(method => method.id === id)
  return { label, ...current, id, price }
}
