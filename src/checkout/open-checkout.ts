// The only way in: turns a cart, whichever option it arrived by, into a checkout, or finds the one it already has.
import { type Cart, isSameCart } from '../cart/cart.ts'
import { isAny } from '../errors.ts'
import type { Merchant, Shop } from '../merchant/merchant.ts'
import { toDecimal } from '../money.ts'
import {
  alreadyOrdered,
  type CartMistake,
  cartRefusal,
  currencyMistakes,
  quantityMistake,
  unknownSku
} from './cart-refusal.ts'
import { type CheckoutStore, isReusable, newToken, type StoredCheckout } from './checkout-store.ts'
import { type PricedCart, type PricedLine, priceCart, type UnsellableLine } from './price-cart.ts'

export type OpenedCheckout = {
  checkout: StoredCheckout
  /** Whether this cart had arrived before; it gets the same checkout again. */
  isRepeat: boolean
  /** When it was opened. */
  at: Date
  /** The cart priced at that moment; absent for a repeat, which is not priced. */
  priced?: PricedCart
}

/**
 * Stores a cart as a checkout; resolves once it is on disk. A cart that cannot be sold may be a repeat, which is never
 * refused as "out of stock": only then the reference is looked up before.
 * @throws Refusal `cart-not-sellable` with every line that cannot be sold, or `reference-ordered`
 */
export async function openCheckout(
  { merchant, store, catalogue, clock }: Shop<CheckoutStore>,
  cart: Cart
): Promise<OpenedCheckout> {
  const at = clock()
  const createdAt = at.toISOString()
  const priced = priceCart(cart, catalogue, at)
  const refusal = cartRefusal(cart, findUnsellable(cart, priced, merchant), merchant.option.pointer)
  if (refusal) {
    const newest = await store.newestCheckout(merchant.id, cart.reference)
    if (newest && isReusable(newest, cart, createdAt)) return { checkout: newest, isRepeat: true, at }
    throw newest?.orderNumber === undefined ? refusal : alreadyOrdered(cart)
  }
  const token = newToken(at)
  const expiresAt = new Date(at.getTime() + merchant.checkout.expiresAfterMinutes * 60_000).toISOString()
  const option = merchant.option.name
  const checkout = await store.addCheckout({ token, merchantId: merchant.id, option, cart, createdAt, expiresAt })
  if (checkout.token === token) return { checkout, isRepeat: false, at, priced }
  if (checkout.orderNumber !== undefined && !isSameCart(checkout.cart, cart)) throw alreadyOrdered(cart)
  return { checkout, isRepeat: true, at }
}

/** All that cannot be sold of a cart, or that is more than the merchant sells at once. */
function findUnsellable(cart: Cart, { lines, subtotal }: PricedCart, merchant: Merchant): CartMistake[] {
  const { currency } = cart
  const unsold = currencyMistakes(cart, merchant)
  // A currency that the merchant does not sell in is one mistake, not one per line.
  const isToBlame = (line: PricedLine): line is UnsellableLine =>
    !line.isSellable && (!isAny(unsold) || line.mistake !== 'price-missing')
  const found: CartMistake[] = []
  lines.forEach((line, i) => {
    if (isToBlame(line)) found.push(mistakeOf(line, i, currency))
    const tooMany = quantityMistake(cart, i, merchant)
    if (tooMany) found.push(tooMany)
  })
  const mostGoods = merchant.maxTotal?.[currency]
  const isTooMuch = subtotal !== undefined && mostGoods !== undefined && subtotal > mostGoods
  return [...found, ...unsold, ...(isTooMuch ? [totalMistake(subtotal, { minor: mostGoods, currency })] : [])]
}

function totalMistake(subtotal: number, limit: { minor: number; currency: string }): CartMistake {
  const { minor, currency } = limit
  const most = toDecimal(minor, currency)
  const detail = `The goods cost ${toDecimal(subtotal, currency)} ${currency}; this merchant sells at most ${most} at once.`
  return { field: 'items', code: 'total-too-large', detail, limit }
}

function mistakeOf({ item: { sku }, mistake }: UnsellableLine, line: number, currency: string): CartMistake {
  const detail = {
    'sku-unknown': unknownSku(sku),
    'out-of-stock': `The product ${JSON.stringify(sku)} is out of stock.`,
    'price-missing': `The product ${JSON.stringify(sku)} has no price in ${currency}.`
  }[mistake]
  return { field: 'sku', line, code: mistake, detail }
}
