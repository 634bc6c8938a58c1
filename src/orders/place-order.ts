// Places an order: exactly one per merchant and reference, at the prices that the shopper saw, or none. If a price or
// the stock changed in between, the shopper is shown the change and asked again.
import { isDeepStrictEqual } from 'node:util'
import { shipsLater } from '../catalogue/product.ts'
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import { type PricedCart, priceCart, type SellableLine } from '../checkout/price-cart.ts'
import type { DeliveryMethod, Merchant, OrderedDelivery, Shop } from '../merchant/merchant.ts'
import { languageOf } from '../messages/messages.ts'
import { textIn } from '../messages/translator.ts'
import { newOrderNumber, type Order, type OrderLine } from './order.ts'
import {
  asksForForm,
  asksForLanguage,
  atSubtotal,
  type FieldMistake,
  type FormEntry,
  readCustomer
} from './order-form.ts'
import type { OrderStore } from './order-store.ts'
import { isDigestOf, type ShownPrices, shownPrices } from './quote.ts'

/** Only `placed` stores anything that was entered. */
export type PlaceOrderResult =
  /** Placed now, or before: then `isRepeat`, and the order is the one of then. */
  | { outcome: 'placed'; order: Order; isRepeat: boolean }
  | { outcome: 'superseded' }
  | { outcome: 'unsellable'; priced: PricedCart }
  | { outcome: 'changed'; priced: PricedCart; shown: ShownPrices }
  | { outcome: 'shown-again'; priced: PricedCart }
  | { outcome: 'mistaken'; priced: PricedCart; mistakes: FieldMistake[] }

/** @param checkout one that is open at `now` */
export async function placeOrder(
  { merchant, store, catalogue }: Shop<OrderStore>,
  { cart, merchantId, token }: StoredCheckout,
  entry: FormEntry,
  now: Date
): Promise<PlaceOrderResult> {
  const priced = priceCart(cart, catalogue, now)
  const { lines, subtotal } = priced
  if (subtotal === undefined) return { outcome: 'unsellable', priced }
  const { country, delivery, values, shownCountry, shownDeliveries } = atSubtotal(entry, subtotal)
  const digest = values.digest ?? ''
  const quote = { lines, deliveries: shownDeliveries }
  const shown = shownPrices(digest, quote)
  // Another country has other methods: what these cost was not shown.
  const changed = { priced, shown: country === shownCountry ? shown : { ...shown, deliveries: undefined } }
  if (!isDigestOf(digest, quote)) return { outcome: 'changed', ...changed }
  // Another country has other fields and methods: they are shown first, and nothing is placed.
  if (asksForForm(entry)) return { outcome: 'shown-again', priced }
  // Nobody is charged for a method that they have not chosen.
  const isOffered = delivery === undefined || [undefined, delivery.id].includes(values.delivery)
  if (!isOffered) return { outcome: 'changed', ...changed }
  const read = readCustomer(entry)
  if ('mistakes' in read) return { outcome: 'mistaken', priced, mistakes: read.mistakes }

  const order: Omit<Order, 'number'> = {
    merchantId,
    token,
    reference: cart.reference,
    currency: cart.currency,
    lines: lines.map(orderedLine),
    subtotal,
    ...(delivery && { delivery: orderedDelivery(delivery, merchant) }),
    total: subtotal + (delivery?.price ?? 0),
    customer: read.customer,
    placedAt: now.toISOString()
  }
  const notifiesWebhook = merchant.webhook !== undefined
  while (true) {
    const placed = await store.placeOrder({ ...order, number: newOrderNumber() }, { notifiesWebhook })
    if (placed.outcome === 'superseded') return placed
    if (placed.outcome !== 'number-taken') {
      return { outcome: 'placed', order: placed.order, isRepeat: placed.outcome === 'repeated' }
    }
  }
}

/**
 * Whether a form asks for what an order has, as one that is sent twice does. Nobody can tell once the personal data has
 * been erased: then it counts as the same. So does one that only chooses a language.
 */
export function isAsOrdered(entry: FormEntry, { customer, delivery }: Order): boolean {
  if (!customer || asksForLanguage(entry)) return true
  const read = readCustomer(entry)
  return 'customer' in read && isDeepStrictEqual([read.customer, entry.delivery?.id], [customer, delivery?.id])
}

function orderedLine({ item, product, unitPrice, lineTotal, availability }: SellableLine): OrderLine {
  const { sku, quantity } = item
  const { title, variant } = product
  return {
    sku,
    title,
    ...(variant !== undefined && { variant }),
    ...(shipsLater(availability) && { availability }),
    quantity,
    unitPrice,
    lineTotal
  }
}

/** Merchants read their orders in their own language, whatever the shopper's is. */
function orderedDelivery({ id, label, price }: DeliveryMethod, { locale }: Merchant): OrderedDelivery {
  return { id, label: textIn(label, languageOf(locale)), price }
}
