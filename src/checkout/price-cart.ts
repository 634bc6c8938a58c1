// Prices a cart from the catalogue: pure and exact. The catalogue's price is the one charged; a claimed price is
// compared, never used. A line that cannot be sold says why, and then nothing is totalled.
import type { Cart, Item } from '../cart/cart.ts'
import { type Availability, type Catalogue, isSellable, type Product, priceAt } from '../catalogue/product.ts'
import type { MistakeCode } from '../errors.ts'
import { toMinor } from '../money.ts'

/** Why a line cannot be sold; all lead to `cart-not-sellable`. */
export type LineProblem = Extract<MistakeCode, 'sku-unknown' | 'out-of-stock' | 'price-missing'>

/** What the app claimed for one unit: its text, and the minor units it stands for where that can be read. */
export type Claim = { text: string; amount: number | undefined; isRight: boolean }

/** A line of the cart with what the catalogue says of it. Amounts are integers in minor units of the cart's currency. */
export type PricedLine = { item: Item; claim?: Claim } & (
  | { product: Product; unitPrice: number; lineTotal: number; availability: Availability; isSellable: true }
  | { product: Product | undefined; problem: LineProblem; isSellable: false }
)

/** The lines in the cart's order. Without a sellable line for every item there is no total. */
export type PricedCart = { lines: PricedLine[]; subtotal: number | undefined }

export function priceCart(cart: Cart, catalogue: Catalogue, now: Date): PricedCart {
  const lines = cart.items.map(item => priceLine(item, cart.currency, catalogue.product(item.sku), now))
  let subtotal = 0
  for (const line of lines) {
    if (!line.isSellable) return { lines, subtotal: undefined }
    subtotal += line.lineTotal
  }
  return { lines, subtotal }
}

function priceLine(item: Item, currency: string, product: Product | undefined, now: Date): PricedLine {
  const offer = product?.offers[currency]
  if (!product || !offer) {
    const isSoldOut = product && !Object.values(product.offers).some(isSellable)
    return {
      item,
      product,
      isSellable: false,
      problem: !product ? 'sku-unknown' : isSoldOut ? 'out-of-stock' : 'price-missing'
    }
  }
  if (!isSellable(offer)) return { item, product, isSellable: false, problem: 'out-of-stock' }
  const unitPrice = priceAt(offer, now)
  const amount = item.price === undefined ? undefined : toMinor(item.price, currency)
  return {
    item,
    product,
    isSellable: true,
    unitPrice,
    lineTotal: unitPrice * item.quantity,
    availability: offer.availability,
    ...(item.price !== undefined && { claim: { text: item.price, amount, isRight: amount === unitPrice } })
  }
}
