// The only way in: turns a cart, whichever option it arrived by, into a checkout, or finds the one it already has.
import { type Cart, isSameCart } from '../cart/cart.ts'
import { isAny, type Mistake, Refusal, refusalOf } from '../errors.ts'
import type { Shop } from '../merchant/shop.ts'
import { type CheckoutStore, isReusable, type StoredCheckout } from './checkout-store.ts'
import { newToken } from './new-token.ts'
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
 * Stores a cart as a checkout; resolves once it is on disk. The reference is looked up before the catalogue, so that a
 * repeat is never refused as "out of stock".
 * @throws Refusal `cart-not-sellable` with every line that cannot be sold, or `reference-ordered`
 */
export async function openCheckout(
  { merchant, store, catalogue, clock }: Shop<CheckoutStore>,
  cart: Cart
): Promise<OpenedCheckout> {
  const at = clock()
  const createdAt = at.toISOString()
  const newest = await store.newestCheckout(merchant.id, cart.reference)
  if (newest && isReusable(newest, cart, createdAt)) return { checkout: newest, isRepeat: true, at }
  if (newest?.orderNumber !== undefined) throw alreadyOrdered(cart)

  const priced = priceCart(cart, catalogue, at)
  const refusal = findUnsellable(cart, priced, merchant)
  if (refusal) throw refusal
  const token = newToken(at)
  const expiresAt = new Date(at.getTime() + merchant.checkout.expiresAfterMinutes * 60_000).toISOString()
  const option = merchant.option.name
  const checkout = await store.addCheckout({ token, merchantId: merchant.id, option, cart, createdAt, expiresAt })
  if (checkout.token === token) return { checkout, isRepeat: false, at, priced }
  if (checkout.orderNumber !== undefined && !isSameCart(checkout.cart, cart)) throw alreadyOrdered(cart)
  return { checkout, isRepeat: true, at }
}

/** One reference, one order: another cart under it is refused, without the order number. */
function alreadyOrdered({ reference, items }: Cart): Refusal {
  const detail = 'An order was placed under this reference, for another cart; a reference is unique per order.'
  return new Refusal('reference-ordered', { detail, reference, lines: items.length })
}

/** The refusal of a cart of which something cannot be sold: all that is to blame, and the whole bag for the page. */
function findUnsellable(
  cart: Cart,
  { lines }: PricedCart,
  { currencies, option: { pointer } }: Shop<CheckoutStore>['merchant']
): Refusal | undefined {
  const { currency, reference } = cart
  const isSold = currencies.includes(currency)
  // A currency that the merchant does not sell in is one mistake, not one per line.
  const isToBlame = (line: PricedLine): line is UnsellableLine =>
    !line.isSellable && (isSold || line.mistake !== 'price-missing')
  const mistakes = lines.flatMap((line, i) => (isToBlame(line) ? mistakeOf(line, currency, pointer('sku', i)) : []))
  if (!isSold) {
    const detail = `This merchant sells in ${currencies.join(', ')}, not in ${currency}.`
    mistakes.push({ pointer: pointer('currency'), code: 'currency-not-sold', detail })
  }
  if (!isAny(mistakes)) return undefined
  const found = mistakes.length === 1 ? '1 thing' : `${mistakes.length} things`
  const detail = `${found} in the cart cannot be sold; nothing of it was taken.`
  const bag = lines.map(line => ({
    sku: line.item.sku,
    quantity: line.item.quantity,
    product: line.product,
    ...(isToBlame(line) && { mistake: line.mistake })
  }))
  return refusalOf(mistakes, { detail, bag, reference, lines: lines.length })
}

function mistakeOf({ item, mistake }: UnsellableLine, currency: string, pointer: string): Mistake {
  const sku = JSON.stringify(item.sku)
  const detail = {
    'sku-unknown': `No product has the SKU ${sku}; SKUs are compared exactly.`,
    'out-of-stock': `The product ${sku} is out of stock.`,
    'price-missing': `The product ${sku} has no price in ${currency}.`
  }[mistake]
  return { pointer, code: mistake, detail, sku: item.sku }
}
