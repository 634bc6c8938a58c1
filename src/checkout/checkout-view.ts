// What the checkout page prints, made from a priced cart: pure, so that it is tested without a browser. Templates
// print; they do not decide.
import type { Cart } from '../cart/cart.ts'
import type { Availability } from '../catalogue/product.ts'
import { isHttps, type Merchant } from '../config/merchant.ts'
import { mistakes } from '../errors.ts'
import { moneyFormat } from '../money.ts'
import type { Claim, PricedCart, PricedLine } from './price-cart.ts'

/** What of a merchant shows on its pages. */
export type Shop = Pick<Merchant, 'locale' | 'path' | 'origin'> & { checkout: { taxText?: string } }

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
  /** `3 items`. */
  itemCount: string
  currency: string
  reference: string
  /** Absent when a line cannot be sold. In minor units, and for people. */
  totals?: { subtotal: number; total: number; subtotalText: string; totalText: string }
  taxText?: string
}

export function checkoutView(cart: Cart, { lines, subtotal }: PricedCart, shop: Shop): CheckoutView {
  const money = moneyFormat(cart.currency, shop.locale)
  const number = new Intl.NumberFormat(shop.locale)
  const count = cart.items.reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    lines: lines.map(line => lineView(line, shop, money, number)),
    itemCount: `${number.format(count)} ${count === 1 ? 'item' : 'items'}`,
    currency: cart.currency,
    reference: cart.reference,
    ...(subtotal !== undefined && {
      totals: { subtotal, total: subtotal, subtotalText: money(subtotal), totalText: money(subtotal) }
    }),
    ...(shop.checkout.taxText !== undefined && { taxText: shop.checkout.taxText })
  }
}

function lineView(line: PricedLine, shop: Shop, money: (minor: number) => string, number: Intl.NumberFormat): LineView {
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
    notes: [...availabilityNote(line.availability), ...claimNote(line.claim, money)]
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
