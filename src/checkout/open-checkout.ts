// The only way in: turns a cart, whichever option it arrived by, into a checkout, or finds the one it already has.
import { type Cart, isSameCart } from '../cart/cart.ts'
import type { Merchant, Shop } from '../merchant/merchant.ts'
import { toDecimal } from '../money.ts'
import { type CheckoutStore, isReusable, type StoredCheckout, type TokenSource } from './checkout-store.ts'
import {
  alreadyOrdered,
  type CartMistake,
  cartRefusal,
  findUnsellable,
  type PricedCart,
  priceCart
} from './price-cart.ts'

export type OpenedCheckout = {
  checkout: StoredCheckout
  /** Whether this cart had arrived before; it gets the same checkout again. */
  isRepeat: boolean
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
  { merchant, store, catalogue, clock, newToken }: Shop<CheckoutStore> & { newToken: TokenSource },
  cart: Cart
): Promise<OpenedCheckout> {
  const at = clock()
  const createdAt = at.toISOString()
  const priced = priceCart(cart, catalogue, at)
  const refusal = cartRefusal(cart, findMistakes(cart, priced, merchant), merchant)
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

function findMistakes(cart: Cart, { lines, subtotal }: PricedCart, merchant: Merchant): CartMistake[] {
  const { currency } = cart
  const found = findUnsellable(cart, merchant, (_, i) =>
    lines[i]?.isSellable === false ? lines[i].mistake : undefined
  )
  const minor = merchant.maxTotal?.[currency]
  if (subtotal !== undefined && minor !== undefined && subtotal > minor) {
    const most = `this merchant sells at most ${toDecimal(minor, currency)} at once.`
    const detail = `The goods cost ${toDecimal(subtotal, currency)} ${currency}; ${most}`
    found.push({ field: 'items', code: 'total-too-large', detail, limit: { minor, currency } })
  }
  return found
}
