// The only way in: turns a cart, whichever option it arrived by, into a checkout, or finds the one it already has.
import { type Cart, type Item, isSameCart } from '../cart/cart.ts'
import { isAny, type Mistake, Refusal, refusalOf } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Shop } from '../merchant/shop.ts'
import { toDecimal } from '../money.ts'
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

/**
 * The refusal of a cart of which something cannot be sold, or more than the merchant sells at once: all that is to blame,
 * and the whole bag for the page.
 */
function findUnsellable(cart: Cart, { lines, subtotal }: PricedCart, merchant: Merchant): Refusal | undefined {
  const {
    currencies,
    option: { pointer },
    transfer: { maxQuantity },
    maxTotal
  } = merchant
  const { currency, reference } = cart
  const isSold = currencies.includes(currency)
  // A currency that the merchant does not sell in is one mistake, not one per line.
  const isToBlame = (line: PricedLine): line is UnsellableLine =>
    !line.isSellable && (isSold || line.mistake !== 'price-missing')
  const isTooMany = ({ item }: PricedLine) => item.quantity > maxQuantity
  const limit = { units: maxQuantity }
  const mistakes = lines.flatMap((line, i) => [
    ...(isToBlame(line) ? [mistakeOf(line, currency, pointer('sku', i))] : []),
    ...(isTooMany(line) ? [quantityMistake(line.item, limit, pointer('quantity', i))] : [])
  ])
  if (!isSold) {
    const detail = `This merchant sells in ${currencies.join(', ')}, not in ${currency}.`
    mistakes.push({ pointer: pointer('currency'), code: 'currency-not-sold', detail })
  }
  const mostGoods = maxTotal?.[currency]
  if (subtotal !== undefined && mostGoods !== undefined && subtotal > mostGoods) {
    mistakes.push(totalMistake(subtotal, { minor: mostGoods, currency }, pointer('items')))
  }
  if (!isAny(mistakes)) return undefined
  const found = mistakes.length === 1 ? '1 thing' : `${mistakes.length} things`
  const detail = `${found} in the cart cannot be sold; nothing of it was taken.`
  const bag = lines.map(line => ({
    sku: line.item.sku,
    quantity: line.item.quantity,
    ...(isTooMany(line) && { mistake: 'quantity-too-large' as const, limit }),
    ...(isToBlame(line) && { mistake: line.mistake })
  }))
  return refusalOf(mistakes, { detail, bag, reference, lines: lines.length })
}

function quantityMistake({ sku, quantity }: Item, limit: { units: number }, pointer: string): Mistake {
  const detail = `${quantity} units of ${JSON.stringify(sku)}; this merchant sells at most ${limit.units} in one line.`
  return { pointer, code: 'quantity-too-large', detail, sku, limit }
}

function totalMistake(subtotal: number, limit: { minor: number; currency: string }, pointer: string): Mistake {
  const { minor, currency } = limit
  const most = toDecimal(minor, currency)
  const detail = `The goods cost ${toDecimal(subtotal, currency)} ${currency}; this merchant sells at most ${most} at once.`
  return { pointer, code: 'total-too-large', detail, limit }
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
