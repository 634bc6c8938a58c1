// The view model of the confirmation page. It has nothing about a person: a reference and the same cart lead to it too,
// and its URL may end up in a browser history that the shopper shares.
import type { Catalogue } from '../catalogue/product.ts'
import type { DeliveryMethod, Merchant, OrderedDelivery } from '../merchant/merchant.ts'
import type { LocalText, Translator } from '../messages/translator.ts'
import { type Order, type OrderLine, orderSummary } from '../orders/order.ts'
import { type LineMerchant, type LineView, linePrices, lineView, markFar } from './line-view.ts'
import { daysText, type TotalsView, totalsView } from './totals-view.ts'

export type ConfirmationView = {
  number: string
  reference: string
  currency: string
  /** As they were ordered, with the pictures of today. */
  lines: LineView[]
  totals: TotalsView
  /** How it is delivered, if there are methods, and how long that takes, unless all of it is sent later. */
  deliveries: { label: LocalText; days?: string }[]
  /** Whether part of it is sent later. */
  hasLater: boolean
  /** Whether it answers a form that differs from this order, which had been placed before. */
  isUnchanged: boolean
  /** The JSON that apps read (REAL-APP.md 9 and 10), safe inside a script element. */
  json: string
}

type ConfirmationMerchant = LineMerchant & Pick<Merchant, 'delivery'>

export function confirmationView(
  order: Order,
  translator: Translator,
  merchant: ConfirmationMerchant,
  catalogue: Catalogue,
  { isUnchanged = false } = {}
): ConfirmationView {
  const { number, reference, currency, lines, subtotal, delivery } = order
  const methods = delivery ? [currentMethod(delivery, merchant)] : []
  const undated = methods.map(({ days, ...method }) => method)
  const isLater = ({ availability }: OrderLine) => availability !== undefined
  return {
    number,
    reference,
    currency,
    lines: markFar(lines.map(line => orderedLineView(line, currency, merchant, catalogue, translator))),
    deliveries: (lines.every(isLater) ? undated : methods).map(method => deliveryView(method, translator)),
    hasLater: lines.some(isLater),
    isUnchanged,
    // How long it takes is above already.
    totals: totalsView(subtotal, undated, delivery?.id, currency, translator),
    json: JSON.stringify(orderSummary(order)).replaceAll('<', '\\u003c')
  }
}

/** An order keeps no picture: it has the one that the feed has now, if any. */
function orderedLineView(
  line: OrderLine,
  currency: string,
  merchant: ConfirmationMerchant,
  catalogue: Catalogue,
  translator: Translator
): LineView {
  const image = catalogue.product(line.sku)?.image
  const product = { ...line, ...(image !== undefined && { image }) }
  const view = { ...lineView(line, product, merchant, translator), ...linePrices(line, currency, translator) }
  if (line.availability !== undefined) view.notes.push(translator.say(line.availability))
  return view
}

/** A method that still exists is named in the shopper's language and has its days; any other is as the order has it. */
function currentMethod({ id, label, price }: OrderedDelivery, { delivery }: ConfirmationMerchant): DeliveryMethod {
  const current = Object.values(delivery)
    .flat()
    .find(method => method.id === id)
  return { label, ...current, id, price }
}

function deliveryView({ label, days }: DeliveryMethod, translator: Translator): ConfirmationView['deliveries'][number] {
  return { label: translator.read(label), ...(days && { days: daysText(days, translator) }) }
}
