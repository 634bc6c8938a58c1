// The four operations on a UCP cart, whatever the transport. A cart is the newest checkout under a reference that only its
// platform knows; another cart under it supersedes the checkout, as everywhere.
import { hash } from 'node:crypto'
import type { Cart } from '../../cart/cart.ts'
import { checkoutState, type StoredCheckout } from '../../checkout/checkout-store.ts'
import { AnsweredMeanwhile, type AnswerKey, type KeptAnswer, type PlatformAnswer } from '../../checkout/kept-answer.ts'
import { handOff, openCheckout, superseded } from '../../checkout/open-checkout.ts'
import { cartMistakes, cartProblem, findUnsellable, priceCart } from '../../checkout/price-cart.ts'
import { Problem } from '../../errors.ts'
import { type Redirect, redirectTo } from '../../integrations/destination/shop-page.ts'
import { type Product, priceAt, productText } from '../../merchant/catalogue/product.ts'
import type { Log } from '../../observer.ts'
import { withBuyer } from '../../pages/given-buyer.ts'
import { withLang, withParameter } from '../../pages/shopper-language.ts'
import { isAnySame } from '../../secrets.ts'
import { answeredCart, answeredReason, cartAnswer, isOutcome, outcomeAnswer } from '../../ucp/cart-answer.ts'
import { CART } from '../../ucp/versions.ts'
import { refuseUnread } from '../admit-request.ts'
import type { TransferProgress, WayContext } from '../transfer-record.ts'
import { withAttributionOf } from '../transfer-route.ts'
import type { Platform } from './identify-platform.ts'

/** One request of a platform. */
export type CartCall = {
  platform: Platform
  /** With which it may be repeated; without one, no answer is kept. */
  key: string | undefined
  /** What a repeat has to send again. */
  sent: Buffer | string
  /** What `Accept-Language` says, if anything. */
  language: string | undefined
  log: Log
}

/** `transfer` is what the log is to have of it. */
export type CartResult = PlatformAnswer & { transfer?: TransferProgress }

export type CartOperations = ReturnType<typeof cartOperations>

const CART_ID = /^[\da-f]{32}$/

const json = (status: number, body: object): PlatformAnswer => ({ status, body: JSON.stringify(body) })

export function cartOperations(context: WayContext) {
  const { merchant, way, store, catalogue, clock, newToken, origin, ownShop, storefront, trace } = context
  const { transfer } = way
  const { maxItems, maxQuantity } = transfer
  const base = () => origin() + merchant.path

  /** The cart with this id, if the platform may know it, and it is neither cancelled, expired nor ordered. */
  async function find({ platform }: Pick<CartCall, 'platform'>, id: string): Promise<StoredCheckout> {
    const newest = await newestCart(id)
    if (newest && newest.cart.platform === platform.id && newest.orderNumber === undefined) {
      if (newest.expiresAt > clock().toISOString()) return newest
    }
    throw unknown(id)
  }

  async function newestCart(id: string): Promise<StoredCheckout | undefined> {
    const newest = CART_ID.test(id) ? await store.newestCheckout(merchant.id, id) : undefined
    const isOpen = newest && newest.orderNumber === undefined
    return isOpen ? ((await store.waitingCheckout(newest)) ?? newest) : newest
  }

  /** The lines at today's prices, those without one at 0, and why the cart cannot be sold, if it cannot. */
  function price(cart: Cart, language: string | undefined) {
    const at = clock()
    const { translator } = storefront.languageFor({ headers: { 'accept-language': cart.language ?? language } })
    // Only the shop knows its stock.
    const found = ownShop
      ? findUnsellable(cart, context, ({ sku }) => unpriced(catalogue.product(sku), cart.currency))
      : cartMistakes(cart, priceCart(cart, catalogue, at), context)
    const problem = cartProblem(cart, found, way)
    const lines = cart.items.map(({ sku: id, quantity }) => {
      const product = catalogue.product(id)
      if (!product) return { id, title: id, price: 0, quantity }
      const offer = product.offers[cart.currency]
      const { title, variant } = productText(product, translator.language)
      const { image } = product
      return {
        id,
        title: variant === undefined ? title : `${title}, ${variant}`,
        price: offer ? priceAt(offer, at) : 0,
        quantity,
        image: image?.startsWith('/') ? base() + image : image
      }
    })
    return { lines, problem }
  }

  function answer(
    status: number,
    { platform }: CartCall,
    { cart, expiresAt }: StoredCheckout,
    priced: ReturnType<typeof price>
  ): PlatformAnswer {
    const { reference: id, currency } = cart
    const state = { id, ...priced, currency, continueUrl: continueUrl(cart), expiresAt }
    return json(status, cartAnswer(platform.version, state))
  }

  /** The cart at today's prices. */
  const stateOf = (call: CartCall, found: StoredCheckout) => answer(200, call, found, price(found.cart, call.language))

  function continueUrl({ reference, linkKey }: Cart): string {
    return withParameter(`${base()}${transfer.path}/carts/${reference}/continue`, 'key', linkKey)
  }

  /** Refusals of the cart itself are answers; any other is thrown. @param found the cart that was asked for */
  function outcome({ platform }: CartCall, error: unknown, found?: StoredCheckout): CartResult {
    if (!(error instanceof Problem && isOutcome(error))) throw error
    const cart = ['checkout-not-found', 'reference-ordered'].includes(error.code) ? undefined : found?.cart
    const body = outcomeAnswer(platform.version, error, cart && continueUrl(cart))
    return { ...json(200, body), transfer: { refusal: error } }
  }

  /** Does what was asked for, unless the same was asked for before with the same key: then the answer is the same. */
  async function once(
    call: CartCall,
    operation: string,
    id: string | undefined,
    work: (key: AnswerKey | undefined, found: StoredCheckout | undefined) => Promise<CartResult & { isKept: boolean }>
  ): Promise<CartResult> {
    const { platform, sent } = call
    const scope = hash('sha256', JSON.stringify([platform.id, operation, id, call.key]), 'base64url')
    const key =
      call.key === undefined
        ? undefined
        : { merchantId: merchant.id, scope, digest: digestOf(sent), at: clock().toISOString() }
    const known = key && (await store.findAnswer(merchant.id, scope))
    if (known) return repeat(known, key)
    let found: StoredCheckout | undefined
    const attempt = async () => {
      admit(platform)
      found = id === undefined ? undefined : await find(call, id)
      return work(key, found)
    }
    try {
      const { isKept, ...result } = await attempt().catch(error => ({ ...outcome(call, error, found), isKept: false }))
      if (key && !isKept) await store.keepAnswer(key, result)
      return result
    } catch (error) {
      if (error instanceof AnsweredMeanwhile) return repeat(error.answer, key as AnswerKey)
      throw error
    }
  }

  async function send(call: CartCall, operation: 'create' | 'update', body: Buffer, id?: string): Promise<CartResult> {
    refuseUnread(ownShop, body.length)
    return once(call, operation, id, async (key, found) => {
      const { countries } = merchant
      const warn = call.log.warn.bind(call.log)
      const read = way.option.read(body, { maxItems, maxQuantity, settings: transfer, countries, warn })
      const { reference = read.reference, linkKey } = found ? found.cart : { linkKey: newToken(clock()) }
      const cart = { ...read, reference, platform: call.platform.id, ...(linkKey !== undefined && { linkKey }) }
      const priced = price(cart, call.language)
      if (priced.problem) throw priced.problem
      let isKept = false
      const answerOf = (stored: StoredCheckout) => answer(found ? 200 : 201, call, stored, priced)
      const add: typeof store.finishHandoff = async checkout => {
        const stored = await store.addAnswered(checkout, key, answerOf, found !== undefined)
        isKept = stored !== undefined
        if (stored?.orderNumber !== undefined) throw unknown(cart.reference)
        if (stored) return stored
        // It has been cancelled meanwhile, or the shop has been given another.
        await find(call, cart.reference)
        throw superseded(cart)
      }
      const keeping = {
        ...context,
        store: { ...store, addCheckout: add as typeof store.addCheckout, finishHandoff: add }
      }
      const opened = ownShop
        ? await trace('hand over', () => handOff(keeping, ownShop, cart))
        : await trace('open checkout', () => openCheckout(keeping, cart))
      const { checkout, isRepeat, at } = opened
      if (isRepeat && !isKept) {
        // The shop has this cart already. What came along now is kept, but for the buyer, who is for our page.
        const { buyer: _, ...came } = cart
        await add({ ...checkout, cart: came })
      }
      return { ...answerOf(checkout), isKept, transfer: { cart, isRepeat, at } }
    })
  }

  return {
    /** @param body the JSON of the cart */
    create: (call: CartCall, body: Buffer) => send(call, 'create', body),

    update: (call: CartCall, id: string, body: Buffer) => send(call, 'update', body, id),

    async get(call: CartCall, id: string): Promise<PlatformAnswer> {
      try {
        admit(call.platform)
        return stateOf(call, await find(call, id))
      } catch (error) {
        return outcome(call, error)
      }
    },

    /** Answers with the cart as it was. */
    cancel: (call: CartCall, id: string): Promise<CartResult> =>
      once(call, 'cancel', id, async (key, cart) => {
        const found = cart as StoredCheckout
        const last = stateOf(call, found)
        const isCancelled = await store.cancelCheckout(found, clock().toISOString(), key, last)
        if (isCancelled) return { ...last, isKept: true }
        const detail = 'The cart is being paid for, or has just changed; ask for it again.'
        throw new Problem('cart-in-payment', { detail })
      }),

    /**
     * Where the shopper of a cart is sent: to our page, in their language and with what is known of them, or to the shop.
     * @param keys those in the address, which may be none
     * @throws Problem `checkout-not-found` or `checkout-expired`, as our page says of itself
     */
    async lead(id: string, keys: string[]): Promise<Redirect> {
      const newest = await newestCart(id)
      const { platform, linkKey } = newest?.cart ?? {}
      if (!newest || platform === undefined) throw unknown(id)
      if (linkKey !== undefined && !isAnySame(keys, [linkKey])) throw unknown(id)
      const { token, cart, handover, expiresAt } = newest
      if (handover && checkoutState(newest, clock()) === 'expired') {
        throw new Problem('checkout-expired', { detail: `The cart expired at ${expiresAt}.` })
      }
      if (handover) return redirectTo(withAttributionOf(cart, handover, transfer), origin())
      const { lang } = storefront.languageFor({ headers: { 'accept-language': cart.language } })
      const address = withBuyer(`${base()}${merchant.checkout.path}/${token}`, cart.buyer)
      return { location: withLang(address, cart.language && lang), setCookies: [] }
    }
  }
}

function admit({ capabilities }: Platform): void {
  if (capabilities.includes(CART)) return
  const detail = `Your profile does not list ${CART} in its own version.`
  throw new Problem('capabilities-incompatible', { detail })
}

const digestOf = (sent: Buffer | string) => hash('sha256', sent, 'base64url')

/** @throws Problem `idempotency-conflict` */
function repeat({ digest, ...answer }: KeptAnswer, key: AnswerKey): CartResult {
  if (digest !== key.digest) {
    const detail = 'This Idempotency-Key was used before with another request; give each request its own.'
    throw new Problem('idempotency-conflict', { detail })
  }
  const cart = answeredCart(answer.body)
  return { ...answer, transfer: { ...(cart ? { cart } : { answered: answeredReason(answer.body) }), isRepeat: true } }
}

function unknown(id: string): Problem {
  const detail = 'There is no such cart: it has expired, was cancelled or ordered, or was never created.'
  return new Problem('checkout-not-found', { detail, ...(CART_ID.test(id) && { reference: id }) })
}

function unpriced(product: Product | undefined, currency: string) {
  return !product ? 'sku-unknown' : product.offers[currency] ? undefined : 'price-missing'
}
