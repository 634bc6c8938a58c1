// Places an order: exactly one per merchant and reference, at the prices that the shopper saw, or none. If a price or
// the stock changed in between, the shopper is shown the change and asked again: the form carries a digest of what they agree
// to pay, which reveals whether it has changed since it was shown, and what it was.
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { extrasOf, type Item } from '../../cart/cart.ts'
import type { AmountProblem } from '../../integrations/payment/provider.ts'
import { productText, shipsLater } from '../../merchant/catalogue/product.ts'
import type { DeliveryMethod, OrderedDelivery } from '../../merchant/merchant.ts'
import type { MerchantContext } from '../../merchant/merchant-context.ts'
import { languageOf } from '../../messages/messages.ts'
import { textIn } from '../../messages/translator.ts'
import { MAX_PRICE } from '../../money.ts'
import type { StoredCheckout } from '../checkout-store.ts'
import { type PricedCart, priceCart, type SellableLine, unpayable } from '../price-cart.ts'
import { findInputWarnings, unconfirmed } from './input-warnings.ts'
import { newAttemptSecret, newOrderNumber, type Order, type OrderLine, type OrderStore } from './order.ts'
import {
  asksForCountry,
  asksForLanguage,
  atSubtotal,
  type FieldError,
  type FormEntry,
  readCustomer
} from './order-form.ts'

/** An order before it has a number. */
export type PendingOrder = Omit<Order, 'number' | 'secret'>

export type CheckedOrder =
  | { outcome: 'ready'; priced: PricedCart; order: PendingOrder }
  | { outcome: 'unsellable'; priced: PricedCart }
  | { outcome: 'changed'; priced: PricedCart; shown: ShownPrices }
  | { outcome: 'shown-again'; priced: PricedCart; mistakes: FieldError[] }
  | { outcome: 'mistaken'; priced: PricedCart; mistakes: FieldError[] }
  | { outcome: 'unpayable'; priced: PricedCart; unpayable: UnpayableTotal }

/** A total that cannot be paid; `method` is another one to the same country with which it could be. */
export type UnpayableTotal = AmountProblem & { total: number; method: DeliveryMethod | undefined }

/**
 * Checks what a form asks for. Nothing is stored.
 * @param checkout one that is open at `now`
 * @param language the locale of the page that the form was on
 */
export function checkOrder(
  { merchant, catalogue }: MerchantContext<unknown>,
  { cart, merchantId, token }: StoredCheckout,
  entry: FormEntry,
  language: string,
  now: Date
): CheckedOrder {
  const priced = priceCart(cart, catalogue, now)
  const { lines, subtotal } = priced
  if (subtotal === undefined) return { outcome: 'unsellable', priced }
  const { country, deliveries, delivery, values, shownCountry, shownDeliveries } = atSubtotal(entry, subtotal)
  const digest = values.digest ?? ''
  const quote = { lines, deliveries: shownDeliveries }
  const shown = shownPrices(digest, quote)
  // Another country has other methods: what these cost was not shown.
  const changed = { priced, shown: country === shownCountry ? shown : { ...shown, deliveries: undefined } }
  if (!isDigestOf(digest, quote)) return { outcome: 'changed', ...changed }
  // Another country has other fields and methods: they are shown first, and nothing is placed.
  const isOrdering =
    values.look === undefined && values.use === undefined && !asksForLanguage(entry) && !asksForCountry(entry)
  if (!isOrdering)
    return { outcome: 'shown-again', priced, mistakes: asksForLanguage(entry) ? shownMistakes(entry) : [] }
  // Nobody is charged for a method that they have not chosen.
  const isOffered = delivery === undefined || [undefined, delivery.id].includes(values.delivery)
  if (!isOffered) return { outcome: 'changed', ...changed }
  const read = readCustomer(entry)
  const inputWarnings = findInputWarnings(entry)
  // What is wrong with a field goes before what is doubted in it.
  if ('mistakes' in read) return { outcome: 'mistaken', priced, mistakes: [...inputWarnings, ...read.mistakes] }
  if (inputWarnings.length > 0) return { outcome: 'shown-again', priced, mistakes: inputWarnings }

  const total = subtotal + (delivery?.price ?? 0)
  const problemOf = (sum: number) => unpayable(sum, cart.currency, merchant)
  const problem = problemOf(total)
  if (problem) {
    const method = deliveries.find(({ price }) => !problemOf(subtotal + price))
    return { outcome: 'unpayable', priced, unpayable: { ...problem, total, method } }
  }

  const order: PendingOrder = {
    merchantId,
    token,
    reference: cart.reference,
    currency: cart.currency,
    lines: lines.map(line => orderedLine(line, language)),
    subtotal,
    ...(delivery && { delivery: orderedDelivery(delivery, language) }),
    total,
    customer: read.customer,
    ...extrasOf(cart),
    language,
    placedAt: now.toISOString()
  }
  return { outcome: 'ready', priced, order }
}

/** What the page said of its fields, for the same page in another language, as far as it still holds. */
function shownMistakes(entry: FormEntry): FieldError[] {
  const shown = entry.values.mistaken?.split(' ') ?? []
  const read = readCustomer(entry)
  const found = [
    ...findInputWarnings({ ...entry, values: unconfirmed(entry.values) }),
    ...('mistakes' in read ? read.mistakes : [])
  ]
  return found.filter(({ field }) => shown.includes(field))
}

/** @returns the order; if it was placed before, the one of then, and `isRepeat` */
export async function placeOrder(
  { merchant, store }: MerchantContext<OrderStore>,
  order: PendingOrder
): Promise<{ outcome: 'placed'; order: Order; isRepeat: boolean } | { outcome: 'superseded' | 'held' }> {
  const notifiesWebhook = merchant.webhook !== undefined
  while (true) {
    const placed = await store.placeOrder(
      { ...order, number: newOrderNumber(), secret: newAttemptSecret() },
      { notifiesWebhook }
    )
    if (placed.outcome === 'superseded' || placed.outcome === 'held') return placed
    if (placed.outcome !== 'number-taken') {
      return { outcome: 'placed', order: placed.order, isRepeat: placed.outcome === 'repeated' }
    }
  }
}

/** Whether a form asks for what was ordered, as one sent twice does. Erased data counts as the same: nobody can tell. */
export function isAsOrdered(entry: FormEntry, { customer, delivery }: Order): boolean {
  if (!customer || asksForLanguage(entry)) return true
  const read = readCustomer(entry)
  return 'customer' in read && isDeepStrictEqual([read.customer, entry.delivery?.id], [customer, delivery?.id])
}

/** With the title and variant that the page shows. */
function orderedLine({ item, product, unitPrice, lineTotal, availability }: SellableLine, language: string): OrderLine {
  const { sku, quantity } = item
  const { title, variant } = productText(product, languageOf(language))
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

/** With the label that the page shows, so that a mail from the merchant calls it the same. */
function orderedDelivery({ id, label, price }: DeliveryMethod, language: string): OrderedDelivery {
  return { id, label: textIn(label, languageOf(language)), price }
}

/** What a shopper agrees to pay: lines at their prices per unit, and delivery methods at theirs, in minor units. */
export type Quote = {
  lines: { item: Item; unitPrice: number }[]
  deliveries: Pick<DeliveryMethod, 'id' | 'price'>[]
}

/** The prices that a shopper saw, in the order of the quote; undefined if the digest does not have as many to read. */
export type ShownPrices = { lines: number[] | undefined; deliveries: number[] | undefined }

/** Firewalls refuse longer fields. */
const MAX_DIGEST = 400
/** The length of the hash, 128 bits in hexadecimal digits. */
const HASH = 32
const RADIX = 36
const BETWEEN = 'X'
const DELIVERIES = 'Z'

/**
 * A hash of everything that costs something, but no labels. The prices follow if there is room for them. Letters and digits
 * only, as a firewall may take other characters for an attack.
 */
export function quoteDigest(quote: Quote): string {
  const prices = [quote.lines.map(({ unitPrice }) => unitPrice), quote.deliveries.map(({ price }) => price)]
  const text = prices.map(list => list.map(price => price.toString(RADIX)).join(BETWEEN)).join(DELIVERIES)
  return hashOf(quote) + (HASH + text.length <= MAX_DIGEST ? text : '')
}

export function isDigestOf(digest: string, quote: Quote): boolean {
  return digest.slice(0, HASH) === hashOf(quote)
}

/** The prices in a digest. The form may claim any: they are only shown, to whoever sent them. */
export function shownPrices(digest: string, { lines, deliveries }: Quote): ShownPrices {
  const [lineText = '', deliveryText = ''] = digest.slice(HASH).split(DELIVERIES)
  return { lines: readPrices(lineText, lines.length), deliveries: readPrices(deliveryText, deliveries.length) }
}

function hashOf({ lines, deliveries }: Quote): string {
  const prices = lines.map(({ item, unitPrice }) => [item.sku, item.quantity, unitPrice])
  const text = JSON.stringify([prices, deliveries.map(({ id, price }) => [id, price])])
  return hash('sha256', text).slice(0, HASH)
}

function readPrices(text: string, count: number): number[] | undefined {
  const texts = text === '' ? [] : text.split(BETWEEN)
  const prices = texts.map(price => (/^[0-9a-z]{1,6}$/.test(price) ? Number.parseInt(price, RADIX) : Number.NaN))
  return prices.length === count && prices.every(price => price <= MAX_PRICE) ? prices : undefined
}
