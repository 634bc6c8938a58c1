// What the checkout page prints, made from a priced cart: pure, so that it is tested without a browser. Templates
// print; they do not decide.
import type { Availability } from '../catalogue/product.ts'
import { isHttps, type Merchant } from '../config/merchant.ts'
import { mistakes } from '../errors.ts'
import type { Said, Text, Words } from '../messages/words.ts'
import { moneyFormat } from '../money.ts'
import type { FieldMistake, Typed } from '../orders/order-form.ts'
import { deliveriesIn, deliveryOf, isAllSellable } from '../orders/place-order.ts'
import type { StoredCheckout } from '../store/store.ts'
import { type FormView, formView } from './form-view.ts'
import type { Claim, PricedCart, PricedLine } from './price-cart.ts'

/** What of a merchant shows on its pages. */
export type Shop = Pick<Merchant, 'path' | 'origin' | 'countries' | 'delivery' | 'paymentText'> & {
  checkout: { path: string; taxText?: Text }
}

export type LineView = {
  sku: string
  quantity: number
  /** `× 2`, for people. */
  count: string
  /** What the feed calls it; undefined where the feed knows it no more. */
  title: string | undefined
  image?: string
  /** Whether it is likely to be below what a phone shows first: its picture can wait. */
  isFar?: true
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
  delivery?: { label: Said; price: string }
  taxText?: Said
}

/** What the shopper has done so far with the form; nothing, when the page is shown for the first time. */
export type Progress = {
  typed: Typed
  mistakes: FieldMistake[]
  /** Which lines cost something else than when the page was shown; empty when none does. */
  changed: boolean[]
}

/** How many lines a tall phone shows at first. */
const NEAR = 6

export const NO_PROGRESS: Progress = { typed: {}, mistakes: [], changed: [] }

export function checkoutView(
  { cart, token }: Pick<StoredCheckout, 'cart' | 'token'>,
  { lines, subtotal }: PricedCart,
  shop: Shop,
  words: Words,
  { typed, mistakes, changed }: Progress = NO_PROGRESS
): CheckoutView {
  const { currency, items, reference } = cart
  const { locale, say, read } = words
  const money = moneyFormat(currency, locale)
  const number = new Intl.NumberFormat(locale)
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const common = {
    lines: lines.map((line, i) =>
      lineView(line, shop, { money, number, say }, { isChanged: changed[i] === true, isFar: i >= NEAR })
    ),
    itemCount: say('item-count', { count }),
    currency,
    reference,
    ...(changed.length > 0 && { notice: say('prices-changed') }),
    ...(shop.checkout.taxText !== undefined && { taxText: read(shop.checkout.taxText) })
  }
  if (!isAllSellable(lines) || subtotal === undefined) return common
  const deliveries = deliveriesIn(shop.delivery, currency, words)
  const delivery = deliveryOf(typed, deliveries)
  const total = subtotal + (delivery?.price ?? 0)
  const { countries } = shop
  const paymentText = shop.paymentText === undefined ? undefined : read(shop.paymentText)
  const action = `${shop.path}${shop.checkout.path}/${token}`
  return {
    ...common,
    totals: { subtotal, total, subtotalText: money(subtotal), totalText: money(total) },
    ...(delivery && { delivery: { label: delivery.label, price: money(delivery.price) } }),
    form: formView({ action, words, currency, lines, subtotal, deliveries, countries, paymentText, typed, mistakes })
  }
}

/** Writes minor units for people. */
type Money = (minor: number) => string

type Speech = { money: Money; number: Intl.NumberFormat; say: Words['say'] }

function lineView(
  line: PricedLine,
  shop: Shop,
  { money, number, say }: Speech,
  { isChanged, isFar }: { isChanged: boolean; isFar: boolean }
): LineView {
  const { item, product } = line
  const image = imageAddress(product?.image, shop)
  const view = {
    sku: item.sku,
    quantity: item.quantity,
    count: `× ${number.format(item.quantity)}`,
    title: product?.title,
    ...(isFar && { isFar }),
    ...(image !== undefined && { image })
  }
  if (!line.isSellable) return { ...view, notes: [], problem: say(mistakes[line.problem].shopper) }
  return {
    ...view,
    unitPrice: money(line.unitPrice),
    lineTotal: money(line.lineTotal),
    notes: [
      ...(isChanged ? [say('price-changed')] : []),
      ...availabilityNote(line.availability, say),
      ...claimNote(line.claim, money, say)
    ]
  }
}

function availabilityNote(availability: Availability, say: Words['say']): string[] {
  if (availability === 'preorder') return [say('preorder')]
  return availability === 'backorder' ? [say('backorder')] : []
}

/** The page charges the catalogue's price and says so where the app had shown another. */
function claimNote(claim: Claim | undefined, money: Money, say: Words['say']): string[] {
  if (!claim || claim.isRight || claim.amount === undefined) return []
  return [say('claim', { price: money(claim.amount) })]
}

/** A plain http picture on an https page would be blocked; the placeholder stands in for it. */
function imageAddress(image: string | undefined, shop: Shop): string | undefined {
  if (image === undefined || (isHttps(shop) && image.startsWith('http:'))) return undefined
  return image.startsWith('/') ? shop.path + image : image
}
