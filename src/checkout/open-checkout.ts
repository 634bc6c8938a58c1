// The one way in: whatever option a cart came by, this turns it into a checkout, or finds the one it already has.
import { randomBytes } from 'node:crypto'
import { type Cart, isSameCart, type Pointer } from '../cart/cart.ts'
import type { Catalogue } from '../catalogue/product.ts'
import { isAny, type Mistake, Refusal, refusalOf } from '../errors.ts'
import { answersAgain, type Store, type StoredCheckout } from '../store/store.ts'
import { type PricedLine, priceCart } from './price-cart.ts'

export type Selling = { store: Store; catalogue: Catalogue; clock: () => Date }

/** What opening a checkout needs to know of the merchant and the option. */
export type Terms = {
  merchantId: string
  currencies: string[]
  expiresAfterMinutes: number
  option: string
  pointer: Pointer
}

export type OpenedCheckout = {
  checkout: StoredCheckout
  /** Whether this cart had come before and has its checkout again. */
  isRepeat: boolean
}

/**
 * Stores a cart as a checkout; resolves once that is on disk. The reference is looked up first, so a repeat never
 * meets "out of stock".
 * @throws Refusal `cart-not-sellable` with every line that cannot be sold
 */
export async function openCheckout(
  { store, catalogue, clock }: Selling,
  terms: Terms,
  cart: Cart
): Promise<OpenedCheckout> {
  const now = clock()
  const createdAt = now.toISOString()
  const newest = await store.newestCheckout(terms.merchantId, cart.reference)
  if (newest && answersAgain(newest, cart, createdAt)) return { checkout: newest, isRepeat: true }

  if (newest?.orderNumber !== undefined) throw ordered(cart)

  const mistakes = findUnsellable(cart, catalogue, now, terms)
  if (isAny(mistakes)) {
    const detail = `${mistakes.length === 1 ? '1 thing' : `${mistakes.length} things`} in the cart cannot be sold; nothing of it was taken.`
    throw refusalOf(mistakes, { detail, reference: cart.reference, lines: cart.items.length })
  }
  const token = newToken()
  const expiresAt = new Date(now.getTime() + terms.expiresAfterMinutes * 60_000).toISOString()
  const { merchantId, option } = terms
  const checkout = await store.addCheckout({ token, merchantId, option, cart, createdAt, expiresAt })
  if (checkout.orderNumber !== undefined && !isSameCart(checkout.cart, cart)) throw ordered(cart)
  return { checkout, isRepeat: checkout.token !== token }
}

/** One reference, one order: another cart under it is refused, and is not told the number. */
function ordered({ reference, items }: Cart): Refusal {
  const detail = 'An order was placed under this reference, for another cart; a reference is unique per order.'
  return new Refusal('reference-ordered', { detail, reference, lines: items.length })
}

/** 192 random bits, URL-safe: 32 characters. */
function newToken(): string {
  return randomBytes(24).toString('base64url')
}

function findUnsellable(cart: Cart, catalogue: Catalogue, now: Date, { currencies, pointer }: Terms): Mistake[] {
  const isSold = currencies.includes(cart.currency)
  const mistakes = priceCart(cart, catalogue, now).lines.flatMap((line, i) => {
    // A currency that is not sold in is one mistake, not one for every line.
    if (line.isSellable || (!isSold && line.problem === 'price-missing')) return []
    return [unsellable(line, line.problem, cart.currency, pointer('sku', i))]
  })
  if (isSold) return mistakes
  const detail = `This merchant sells in ${currencies.join(', ')}, not in ${cart.currency}.`
  return [...mistakes, { pointer: pointer('currency'), code: 'currency-not-sold', detail }]
}

function unsellable({ item, product }: PricedLine, code: Mistake['code'], currency: string, pointer: string): Mistake {
  const sku = JSON.stringify(item.sku)
  const detail = {
    'sku-unknown': `No product has the SKU ${sku}; SKUs are compared exactly.`,
    'out-of-stock': `The product ${sku} is out of stock.`,
    'price-missing': `The product ${sku} has no price in ${currency}.`
  }[code as 'sku-unknown']
  return { pointer, code, detail, sku: item.sku, ...(product && { label: product.title }) }
}
