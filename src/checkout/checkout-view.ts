// What the checkout page prints, made from a priced cart: pure, so that it is tested without a browser. Templates
// print; they do not decide.
import type { Availability } from '../catalogue/product.ts'
import { isHttps, type Merchant } from '../config/merchant.ts'
import { mistakes } from '../errors.ts'
import { moneyFormat } from '../money.ts'
import type { FieldMistake, Typed } from '../orders/order-form.ts'
import { deliveriesIn, deliveryOf, isAllSellable } from '../orders/place-order.ts'
import type { StoredCheckout } from '../store/store.ts'
import { type FormView, formView } from './form-view.ts'
import type { Claim, PricedCart, PricedLine } from './price-cart.ts'

/** What of a merchant shows on its pages. */
export type Shop = Pick<Merchant, 'locale' | 'path' | 'origin' | 'countries' | 'delivery' | 'paymentText'> & {
  checkout: { path: string; taxText?: string }
}

export type LineView = {
  sku: string
  quantity: number
  /** `× 2`, for people. */
  count: string
  title: string
  image?: string
  unitPrice?: string
  lineTotal?: string
  /** Each a sentence for the shopper. */
  notes: string[]
  problem?: string
}

export type CheckoutView = {
  lines: LineView[]
  /** The form to order with, where the bag can be bought. */
  form?: FormView
  /** Said above everything: prices changed since the page was shown. */
  notice?: string
  /** `3 items`. */
  itemCount: string
  currency: string
  reference: string
  /** Absent when a line cannot be sold. In minor units, and for people. */
  totals?: { subtotal: number; total: number; subtotalText: string; totalText: string }
  delivery?: { label: string; price: string }
  taxText?: string
}

/** What the shopper has done so far with the form; nothing, when the page is shown for the first time. */
export type Progress = {
  typed: Typed
  mistakes: FieldMistake[]
  /** Which lines cost something else than when the page was shown; empty when none does. */
  changed: boolean[]
}

export const NO_PROGRESS: Progress = { typed: {}, mistakes: [], changed: [] }

export function checkoutView(
  { cart, token }: Pick<StoredCheckout, 'cart' | 'token'>,
  { lines, subtotal }: PricedCart,
  shop: Shop,
  { typed, mistakes, changed }: Progress = NO_PROGRESS
): CheckoutView {
  const { currency, items, reference } = cart
  const money = moneyFormat(currency, shop.locale)
  const number = new Intl.NumberFormat(shop.locale)
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const common = {
    lines: lines.map((line, i) => lineView(line, shop, money, number, changed[i] === true)),
    itemCount: `${number.format(count)} ${count === 1 ? 'item' : 'items'}`,
    currency,
    reference,
    ...(changed.length > 0 && { notice: 'Prices have changed. Please look at them again before you order.' }),
    ...(shop.checkout.taxText !== undefined && { taxText: shop.checkout.taxText })
  }
  if (!isAllSellable(lines) || subtotal === undefined) return common
  const deliveries = deliveriesIn(shop.delivery, currency)
  const delivery = deliveryOf(typed, deliveries)
  const total = subtotal + (delivery?.price ?? 0)
  const { locale, countries, paymentText } = shop
  const action = `${shop.path}${shop.checkout.path}/${token}`
  return {
    ...common,
    totals: { subtotal, total, subtotalText: money(subtotal), totalText: money(total) },
    ...(delivery && { delivery: { label: delivery.label, price: money(delivery.price) } }),
    form: formView({ action, locale, currency, lines, subtotal, deliveries, countries, paymentText, typed, mistakes })
  }
}

function lineView(
  line: PricedLine,
  shop: Shop,
  money: (minor: number) => string,
  number: Intl.NumberFormat,
  isChanged: boolean
): LineView {
  const { item, product } = line
  const image = imageAddress(product?.image, shop)
  const view = {
    sku: item.sku,
    quantity: item.quantity,
    count: `× ${number.format(item.quantity)}`,
    title: product?.title ?? item.sku,
    ...(image !== undefined && { image })
  }
  if (!line.isSellable) return { ...view, notes: [], problem: mistakes[line.problem].shopper }
  return {
    ...view,
    unitPrice: money(line.unitPrice),
    lineTotal: money(line.lineTotal),
    notes: [
      ...(isChanged ? ['The price of this item has changed'] : []),
      ...availabilityNote(line.availability),
      ...claimNote(line.claim, money)
    ]
  }
}

function availabilityNote(availability: Availability): string[] {
  if (availability === 'preorder') return ['Pre-order: sent when it comes out']
  return availability === 'backorder' ? ['Back-order: sent when it is in stock again'] : []
}

/** The page charges the catalogue's price and says so where the app had shown another. */
function claimNote(claim: Claim | undefined, money: (minor: number) => string): string[] {
  if (!claim || claim.isRight || claim.amount === undefined) return []
  return [`The app showed ${money(claim.amount)}. The price above is the one that counts.`]
}

/** A plain http picture on an https page would be blocked; the placeholder stands in for it. */
function imageAddress(image: string | undefined, shop: Shop): string | undefined {
  if (image === undefined || (isHttps(shop) && image.startsWith('http:'))) return undefined
  return image.startsWith('/') ? shop.path + image : image
}
