// Prices a cart from the catalogue: pure and exact. The catalogue's price is charged; a claimed price is only compared.
// A line that cannot be sold says why, and then there is no subtotal.
import type { Cart, Item } from '../cart/cart.ts'
import { type Availability, type Catalogue, isSellable, type Product, priceAt } from '../catalogue/product.ts'
import type { MistakeCode } from '../errors.ts'
import { toMinor } from '../money.ts'

/** Why a line cannot be sold; each leads to `cart-not-sellable`. */
export type LineMistake = Extract<MistakeCode, 'sku-unknown' | 'out-of-stock' | 'price-missing'>

/** The unit price that the app claimed: as text, and in minor units if it could be read. */
export type PriceClaim = { text: string; amount: number | undefined; isRight: boolean }

/** A line of the cart with its product. Amounts are integers in minor units of the cart's currency. */
export type PricedLine = SellableLine | UnsellableLine

export type SellableLine = {
  item: Item
  claim?: PriceClaim
  product: Product
  unitPrice: number
  /** The unit price without a sale, if that is higher. */
  regularPrice?: number
  lineTotal: number
  availability: Availability
  isSellable: true
}

export type UnsellableLine = { item: Item; product: Product | undefined; mistake: LineMistake; isSellable: false }

/** The lines in the cart's order. The subtotal exists only if every line can be sold. */
export type PricedCart = { lines: SellableLine[]; subtotal: number } | { lines: PricedLine[]; subtotal: undefined }

export function priceCart(cart: Cart, catalogue: Catalogue, now: Date): PricedCart {
  const lines = cart.items.map(item => priceLine(item, cart.currency, catalogue.product(item.sku), now))
  if (!areAllSellable(lines)) return { lines, subtotal: undefined }
  return { lines, subtotal: lines.reduce((sum, { lineTotal }) => sum + lineTotal, 0) }
}

function areAllSellable(lines: PricedLine[]): lines is SellableLine[] {
  return lines.every(({ isSellable }) => isSellable)
}

function priceLine(item: Item, currency: string, product: Product | undefined, now: Date): PricedLine {
  const offer = product?.offers[currency]
  if (!product || !offer) {
    const isSoldOut = product && !Object.values(product.offers).some(isSellable)
    const mistake = !product ? 'sku-unknown' : isSoldOut ? 'out-of-stock' : 'price-missing'
    return { item, product, isSellable: false, mistake }
  }
  if (!isSellable(offer)) return { item, product, isSellable: false, mistake: 'out-of-stock' }
  const unitPrice = priceAt(offer, now)
  const { availability } = offer
  const line: SellableLine = {
    item,
    product,
    isSellable: true,
    unitPrice,
    lineTotal: unitPrice * item.quantity,
    availability
  }
  if (offer.price > unitPrice) line.regularPrice = offer.price
  if (item.price !== undefined) {
    const amount = toMinor(item.price, currency)
    line.claim = { text: item.price, amount, isRight: amount === unitPrice }
  }
  return line
}
