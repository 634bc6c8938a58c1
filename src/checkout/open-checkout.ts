// The only way in: turns a cart of any option into a checkout, or finds the one it already has. If carts lead to the
// merchant's own shop, the attempt is stored before the shop is asked, and the shop's answer before the app gets it. So if the
// server stops in between, the same cart continues with the same key.
import { type Cart, isSameCart } from '../cart/cart.ts'
import { Problem } from '../errors.ts'
import {
  CartRefused,
  compareCart,
  HandoffExpired,
  type ReadHandoff,
  ShopFailed
} from '../integrations/destination/destination.ts'
import type { OwnShop } from '../integrations/destination/shop-call.ts'
import { HandoffUnusable, redirectTo } from '../integrations/destination/shop-page.ts'
import { wayAt } from '../merchant/merchant.ts'
import type { TransferContext } from '../merchant/merchant-context.ts'
import type { Description } from '../transfer/description.ts'
import { isRedirected } from '../transfer/option.ts'
import {
  type CheckoutStore,
  type HandoffAttempt,
  type HandoffStore,
  isReusable,
  type StoredCheckout
} from './checkout-store.ts'
import { alreadyOrdered, cartMistakes, cartProblem, findUnsellable, type PricedCart, priceCart } from './price-cart.ts'

export type OpenedCheckout = {
  checkout: StoredCheckout
  /** Whether this cart has arrived before and gets the same checkout again. */
  isRepeat: boolean
  at: Date
  /** The cart priced at that moment; absent for a repeat, which is not priced. */
  priced?: PricedCart
}

/**
 * Stores a cart as a checkout; resolves once it is on disk. Before a cart is refused, its reference is looked up: a repeat is
 * never "out of stock".
 * @throws Problem `cart-not-sellable` with every line that cannot be sold, or `reference-ordered`
 */
export async function openCheckout(context: TransferContext<CheckoutStore>, cart: Cart): Promise<OpenedCheckout> {
  const { merchant, way, store, catalogue, clock, newToken } = context
  const at = clock()
  const createdAt = at.toISOString()
  const priced = priceCart(cart, catalogue, at)
  const isProduct = (sku: string) => catalogue.product(sku) !== undefined
  const problem = cartProblem(cart, cartMistakes(cart, priced, context, isProduct), way)
  if (problem) {
    const newest = await store.newestCheckout(merchant.id, cart.reference)
    for (const known of [newest, newest && (await store.waitingCheckout(newest))]) {
      if (known && isReusable(known, cart, createdAt)) return { checkout: known, isRepeat: true, at }
    }
    throw newest?.orderNumber === undefined ? problem : alreadyOrdered(cart)
  }
  const token = newToken(at)
  const expiresAt = new Date(at.getTime() + merchant.checkout.expiresAfterMinutes * 60_000).toISOString()
  const option = way.name
  const { buyer } = cart
  const kept = buyer ? { ...cart, buyer: { ...buyer, key: newToken(at) } } : cart
  const checkout = await store.addCheckout({ token, merchantId: merchant.id, option, cart: kept, createdAt, expiresAt })
  if (checkout.token === token) return { checkout, isRepeat: false, at, priced }
  if (checkout.orderNumber !== undefined && !isSameCart(checkout.cart, cart)) throw alreadyOrdered(cart)
  return { checkout, isRepeat: true, at }
}

type HandoverContext = TransferContext<CheckoutStore & HandoffStore>

/**
 * Resolves once the shop's answer is on disk.
 * @throws Problem `cart-not-sellable`, `reference-ordered`, `checkout-superseded` if another cart has arrived meanwhile,
 * `destination-unavailable` or `destination-unusable`
 */
export async function handOff(context: HandoverContext, ownShop: OwnShop, cart: Cart): Promise<OpenedCheckout> {
  return findOrHandOver(context, ownShop, cart).catch(error => {
    throw problemFor(context, cart, error)
  })
}

async function findOrHandOver(context: HandoverContext, ownShop: OwnShop, cart: Cart): Promise<OpenedCheckout> {
  const { merchant, way, store, catalogue, clock } = context
  const at = clock()
  const createdAt = at.toISOString()
  const newest = await store.newestCheckout(merchant.id, cart.reference)
  if (newest?.handover && isReusable(newest, cart, createdAt, true)) {
    // The option or publicUrl may have changed since.
    checkRoute(context, newest.handover)
    return { checkout: newest, isRepeat: true, at }
  }
  if (newest?.orderNumber !== undefined) throw alreadyOrdered(cart)
  // A feed says which SKUs exist before the shop is asked; only the shop knows its stock.
  const isProduct = (sku: string) => merchant.catalogue === undefined || catalogue.product(sku) !== undefined
  const found = findUnsellable(cart, context, ({ sku }) => (isProduct(sku) ? undefined : 'sku-unknown'), isProduct)
  const problem = cartProblem(cart, found, way)
  if (problem) throw problem
  return ownShop.admit(cart, () => handOffNow(context, ownShop, cart, at))
}

async function handOffNow(context: HandoverContext, ownShop: OwnShop, cart: Cart, at: Date): Promise<OpenedCheckout> {
  const { merchant, way, store, newToken } = context
  const createdAt = at.toISOString()
  const lifetime = merchant.checkout.expiresAfterMinutes * 60_000
  const attempt = { key: newToken(at), merchantId: merchant.id, cart, createdAt }
  const key = await store.beginHandoff(attempt, new Date(at.getTime() - lifetime).toISOString())
  if (key === undefined) throw alreadyOrdered(cart)
  const { description, expiresAt } = await askShop(context, ownShop, { ...attempt, key }, key === attempt.key)
  // Only our own page has a form for the buyer.
  const { buyer: _, ...kept } = cart
  const opened = {
    token: key,
    merchantId: merchant.id,
    option: way.name,
    cart: kept,
    createdAt,
    expiresAt: (expiresAt ?? new Date(at.getTime() + lifetime)).toISOString(),
    handover: description
  }
  const checkout = await store.finishHandoff(opened)
  // The shop may have reported an order in the meantime.
  if (checkout?.orderNumber !== undefined && !isSameCart(checkout.cart, cart)) throw alreadyOrdered(cart)
  // If one cart is sent twice at once, the slower transfer is a repeat.
  if (checkout) return { checkout, isRepeat: checkout !== opened, at }
  throw superseded(cart)
}

export function superseded({ reference, items }: Cart): Problem {
  const detail = 'The same reference came again with another cart while the shop was asked.'
  return new Problem('checkout-superseded', { detail, reference, lines: items.length })
}

/** @param isFirst whether the shop has never heard of this attempt */
async function askShop(
  context: HandoverContext,
  ownShop: OwnShop,
  attempt: HandoffAttempt,
  isFirst: boolean
): Promise<ReadHandoff> {
  const { cart, key } = attempt
  try {
    const handover = await ownShop.open(cart, key)
    compareCart(cart, handover)
    checkRoute(context, handover.description)
    return handover
  } catch (error) {
    // The next try makes a new cart, unless the shop may have made one. While the circuit is open, no attempt is kept.
    const isOver = [CartRefused, HandoffUnusable, HandoffExpired].some(over => error instanceof over)
    const isNothing = isFirst && error instanceof ShopFailed && error.madeNothing
    if (isOver || isNothing || ownShop.isCircuitOpen()) await context.store.endHandoff(attempt)
    throw error
  }
}

/** @throws HandoffUnusable if the app could not go there */
function checkRoute({ merchant, way, origin }: HandoverContext, description: Description): void {
  const page = new URL(description.url)
  if (page.origin === origin() && wayAt(merchant, page.pathname)) {
    throw new HandoffUnusable('the shop leads back to where bags arrive (publicUrl and transfer.path)')
  }
  // A description takes everything.
  if (isRedirected(way.option)) redirectTo(description, origin())
}

/** @returns the error itself if it is not about the shop */
function problemFor({ way }: HandoverContext, cart: Cart, error: unknown): unknown {
  if (error instanceof CartRefused) return cartProblem(cart, error.mistakes, way)
  if (!(error instanceof HandoffUnusable || error instanceof ShopFailed)) return error
  const about = { reference: cart.reference, lines: cart.items.length, reason: error.message }
  if (error instanceof HandoffUnusable) {
    const detail = "The merchant's shop leads where this option cannot go; nothing was taken. The log has the reason."
    return new Problem('destination-unusable', { detail, ...about })
  }
  const detail = "The merchant's shop could not take the cart; nothing was kept. Try again in a few seconds."
  const headers = error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }
  return new Problem('destination-unavailable', { detail, headers, ...about })
}
