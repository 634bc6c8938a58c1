// Places an order: exactly one per merchant and reference, at the prices that the shopper saw, or not at all. A price
// or stock change in between is shown and asked about again, never charged in silence.
import type { Catalogue } from '../catalogue/product.ts'
import { type PricedCart, type PricedLine, priceCart } from '../checkout/price-cart.ts'
import type { Said, Text, Words } from '../messages/words.ts'
import type { Store, StoredCheckout } from '../store/store.ts'
import type { Order } from './order.ts'
import { type FieldMistake, readOrderForm, type Typed } from './order-form.ts'
import { newOrderNumber } from './order-number.ts'
import { type DeliveryMethod, digestOf, type Quote, unchangedLines } from './quote.ts'

export type Placing = {
  store: Store
  catalogue: Catalogue
  now: Date
  deliveries: NamedDelivery[]
  countries: string[]
  /** Whether the merchant is told of its orders. */
  isAnnounced?: boolean
}

/** What came of it. Everything but `placed` leaves nothing behind of what was typed. */
export type Attempt =
  | { outcome: 'placed'; order: Order }
  | { outcome: 'superseded' }
  | { outcome: 'unsellable'; priced: PricedCart }
  | { outcome: 'changed'; priced: PricedCart; changed: boolean[] }
  | { outcome: 'other-country'; priced: PricedCart }
  | { outcome: 'mistaken'; priced: PricedCart; mistakes: FieldMistake[] }

/** A line that can be sold. */
export type SellableLine = Extract<PricedLine, { isSellable: true }>

/** The quote for lines that can all be sold. */
export function quoteFor(lines: SellableLine[], deliveries: NamedDelivery[]): Quote {
  return { lines: lines.map(({ item, unitPrice }) => ({ ...item, unitPrice })), deliveries }
}

export function isAllSellable(lines: PricedLine[]): lines is SellableLine[] {
  return lines.every(({ isSellable }) => isSellable)
}

/** A delivery method as a page names it. */
export type NamedDelivery = Omit<DeliveryMethod, 'label'> & { label: Said }

/** A merchant's delivery methods at their prices in one currency, named in the shopper's language. */
export function deliveriesIn(
  methods: { id: string; label: Text; prices: Record<string, number> }[],
  currency: string,
  { read }: Pick<Words, 'read'>
): NamedDelivery[] {
  return methods.flatMap(({ id, label, prices }) => {
    const price = prices[currency]
    return price === undefined ? [] : [{ id, label: read(label), price }]
  })
}

/** The country that was chosen, or the first that the merchant delivers to. */
export function countryOf(typed: Typed, countries: string[]): string {
  return countries.find(country => country === typed.country) ?? String(countries[0])
}

/** Whether a form that was sent asks for a country's fields: by the button, or because others than its were shown. */
export function asksForCountry(typed: Typed, countries: string[]): boolean {
  const country = countryOf(typed, countries)
  const { country: chosen, shown } = countries.length === 1 ? { country, shown: country, ...typed } : typed
  return typed.look !== undefined || chosen !== country || shown !== country
}

/** The method that was chosen, or the first; none where the merchant names none. */
export function deliveryOf(typed: Typed, deliveries: NamedDelivery[]): NamedDelivery | undefined {
  return deliveries.find(({ id }) => id === typed.delivery) ?? deliveries[0]
}

/** @param checkout one that is open */
export async function placeOrder(
  { store, catalogue, now, deliveries, countries, isAnnounced }: Placing,
  checkout: StoredCheckout,
  typed: Typed
): Promise<Attempt> {
  const { cart, merchantId, token } = checkout
  const priced = priceCart(cart, catalogue, now)
  const { lines, subtotal } = priced
  if (!isAllSellable(lines) || subtotal === undefined) return { outcome: 'unsellable', priced }
  const quote = quoteFor(lines, deliveries)
  const digest = typed.digest ?? ''
  if (digest !== digestOf(quote)) {
    return { outcome: 'changed', priced, changed: unchangedLines(digest, quote).map(isSame => !isSame) }
  }
  // Another country has other fields: they are shown first, and nothing is placed.
  if (asksForCountry(typed, countries)) return { outcome: 'other-country', priced }
  const read = readOrderForm(typed, countryOf(typed, countries))
  if ('mistakes' in read) return { outcome: 'mistaken', priced, mistakes: read.mistakes }

  const delivery = deliveryOf(typed, deliveries)
  const order: Omit<Order, 'number'> = {
    merchantId,
    token,
    reference: cart.reference,
    currency: cart.currency,
    lines: lines.map(({ item: { sku, quantity }, product: { title }, unitPrice, lineTotal }) => ({
      sku,
      title,
      quantity,
      unitPrice,
      lineTotal
    })),
    subtotal,
    ...(delivery && { delivery: { ...delivery, label: delivery.label.text } }),
    total: subtotal + (delivery?.price ?? 0),
    customer: read.customer,
    placedAt: now.toISOString()
  }
  while (true) {
    const placement = await store.placeOrder({ ...order, number: newOrderNumber() }, isAnnounced)
    if (placement.outcome === 'superseded') return placement
    if (placement.outcome !== 'number-taken') return { outcome: 'placed', order: placement.order }
  }
}
