// The destination for shops with WooCommerce 10, where nothing has to be installed: a fresh cart, which the shop's checkout takes by
// the token in its address. What WooCommerce would change without a word is refused here, by line.
import { type Static, Type } from '@sinclair/typebox'
import { type Cart, unitsBySku } from '../../../cart/cart.ts'
import { isAny } from '../../../errors.ts'
import {
  AddressSetting,
  allRefused,
  CartRefused,
  type Destination,
  type RefusedCode,
  type ShopError,
  ShopFailed
} from '../destination.ts'
import { askInTurns, batchesOf } from '../shop-call.ts'
import { shopUrlProblem } from '../shop-page.ts'
import { lookAtShop } from './look-at-shop.ts'
import { beginCart, type CartInShop, checkPage, decoded, READ, type WooApi, withErrors, wooApi } from './woo-api.ts'
import { attributionOf, wooMessages } from './woocommerce-orders.ts'

const WooCommerceSettings = Type.Object({
  url: AddressSetting('the address of your shop, such as "https://shop.example" or "https://shop.example/store"')
})
type WooCommerceSettings = Static<typeof WooCommerceSettings>

export const woocommerce: Destination<WooCommerceSettings> = {
  name: 'woocommerce',
  title: 'WooCommerce',
  settings: WooCommerceSettings,
  needsSecret: false,
  look: lookAtShop,

  check({ url }, _route, report) {
    const problem = shopUrlProblem(url) ?? (/[?#]/.test(url) ? 'it has a query or a fragment' : undefined)
    if (problem) report(['url'], `${problem}; give one such as "https://shop.example"`)
  },

  async open(cart, access) {
    const ask = wooApi(access)
    const wanted = await sellableProducts(ask, cart)
    const linked = wanted.slice(0, MAX_LINKED).map(({ id, units }) => `${id}:${units}`)
    const begun = await beginCart(access, linked.join(','))
    if (typeof begun === 'string') throw new CartRefused(mistakesIn(cart, sku => notTaken(sku, begun)) as [ShopError])
    const { token, page, ...until } = begun
    await checkPage(access, page)
    for (const [name, value] of Object.entries(attributionOf(cart))) page.searchParams.set(name, value)
    const inShop = { token, lines: wanted.length }
    const filled = await fillCart(ask, inShop, cart, wanted)
    const { codes } = cart
    const applied =
      codes &&
      (await applyCodes(ask, inShop, codes).then(
        async refusedCodes => ({ refusedCodes, url: await withErrors(access, page.href, refusedCodes) }),
        error => ({ refusedCodes: allRefused(codes)(error) })
      ))
    const held = codes ? await readItems(ask, inShop) : filled
    const skus = new Map(wanted.map(({ id, sku }) => [id, sku]))
    return {
      // What a plugin adds may have any SKU, or none.
      lines: held.map(({ id, sku, quantity }) => ({ sku: skus.get(id) ?? `${sku} (product ${id})`, quantity })),
      currency: held.map(({ prices }) => prices.currency_code).find(code => code !== cart.currency) ?? cart.currency,
      url: page.href,
      ...until,
      ...applied
    }
  },

  messages: wooMessages
}

/** Products in a checkout link: its address has some 6,000 characters then, and servers take 8 KiB. */
const MAX_LINKED = 500

/** What is wrong with each SKU, for every line that has it. */
function mistakesIn({ items }: Cart, mistakeOf: (sku: string) => ShopError | undefined): ShopError[] {
  return items.flatMap(({ sku }, line) => {
    const mistake = mistakeOf(sku)
    return mistake ? [{ ...mistake, line }] : []
  })
}

function notTaken(sku: string, reason: string | undefined): ShopError | undefined {
  if (reason === undefined) return undefined
  const detail = `The shop does not take ${JSON.stringify(sku)}: ${decoded(reason).slice(0, 200)}`
  return { field: 'sku', code: 'destination-differs', detail }
}

const Prices = Type.Object({ price: Type.String(), currency_code: Type.String() })

const StoreProduct = Type.Object({
  id: Type.Integer(),
  sku: Type.String(),
  type: Type.String(),
  is_purchasable: Type.Boolean(),
  is_in_stock: Type.Boolean(),
  prices: Prices,
  add_to_cart: Type.Object({ minimum: Type.Number(), maximum: Type.Number(), multiple_of: Type.Number() })
})
type StoreProduct = Static<typeof StoreProduct>

const fieldsOf = ({ properties }: { properties: object }) => Object.keys(properties).join()

/** A product or a variation, and how many units of it the bag has. */
type Wanted = { id: number; sku: string; units: number }

/** @throws CartRefused with every mistake that the products themselves tell */
async function sellableProducts(ask: WooApi, cart: Cart): Promise<Wanted[]> {
  const units = unitsBySku(cart.items)
  const found = await searchProducts(ask, [...units.keys()])
  const mistakes = mistakesIn(cart, sku => productMistake(sku, units.get(sku) as number, found.get(sku)))
  const [sample] = [...found.values()].flat()
  if (sample && sample.prices.currency_code !== cart.currency) {
    const detail = `The shop sells in ${sample.prices.currency_code}.`
    mistakes.push({ field: 'currency', code: 'currency-not-sold', detail })
  }
  if (isAny(mistakes)) throw new CartRefused(mistakes)
  const idOf = (sku: string) => (found.get(sku) as [StoreProduct])[0].id
  return Array.from(units, ([sku, units]) => ({ id: idOf(sku), sku, units }))
}

function productMistake(sku: string, units: number, [product, ...others]: StoreProduct[] = []): ShopError | undefined {
  const name = JSON.stringify(sku)
  const unsold = (detail: string): ShopError => ({ field: 'sku', code: 'sku-unknown', detail })
  if (!product) return unsold(`The shop has no published product with the SKU ${name}; SKUs are compared exactly.`)
  if (others.length > 0) return unsold(`${others.length + 1} products of the shop have the SKU ${name}.`)
  if (product.type.startsWith('variable')) return unsold(`${name} has variations; only the SKU of one can be bought.`)
  const { is_purchasable, is_in_stock, prices, add_to_cart } = product
  if (!is_purchasable && Number(prices.price) === 0) {
    return { field: 'sku', code: 'price-missing', detail: `${name} has no price.` }
  }
  if (!is_purchasable) return unsold(`${name} is not for sale.`)
  const { minimum, maximum, multiple_of } = add_to_cart
  const most = Math.floor(maximum)
  if (!is_in_stock || most < 1) return { field: 'sku', code: 'out-of-stock', detail: `${name} is out of stock.` }
  if (units > most) {
    const detail = `The shop sells ${most} units of ${name} at most; ${units} were sent.`
    return { field: 'quantity', code: 'quantity-too-large', detail, limit: { units: most } }
  }
  if (units >= minimum && (multiple_of < 1 || units % multiple_of === 0)) return undefined
  const detail = `The shop sells ${name} from ${minimum} units on, in steps of ${multiple_of}; ${units} were sent.`
  return { field: 'quantity', code: 'destination-differs', detail }
}

/** SKUs in one search. */
const SEARCHED = 50
/** More than that, as a shop may have a SKU twice; and the most that it lists. */
const LISTED = 100

/** @returns by SKU, in the order of the SKUs */
async function searchProducts(ask: WooApi, skus: string[]): Promise<Map<string, StoreProduct[]>> {
  const alike = Map.groupBy(skus, levelled)
  // A comma separates SKUs, and WordPress takes what follows a < for markup.
  const isAlone = (sku: string) => /[,<]/.test(sku) || (alike.get(levelled(sku)) as string[]).length > 1
  const { alone = [], together = [] } = Object.groupBy(skus, sku => (isAlone(sku) ? 'alone' : 'together'))
  const searches = [...alone.map(sku => [sku]), ...batchesOf(together, SEARCHED)]
  const found = await askInTurns(searches, async some => {
    const sent = { sku: some.join(), per_page: LISTED, _fields: fieldsOf(StoreProduct) }
    const products = Map.groupBy(await ask(Type.Array(StoreProduct), `products${READ}`, sent), ({ sku }) =>
      levelled(sku)
    )
    return some.map((sku): [string, StoreProduct[]] => [sku, products.get(levelled(sku)) ?? []])
  })
  return new Map(found.flat())
}

/**
 * A SKU as it can be compared. WordPress writes it as it writes titles: "80x40..." becomes "80&#215;40&#8230;", while a "…" of the
 * shop's own stays one. Quotes and dashes become those of the shop's language, which nobody can undo, from "A--B" to "A&#8211;B":
 * they are as good as each other here. The search by SKU, which ignores case, has told them apart.
 */
function levelled(sku: string): string {
  return decoded(sku.replaceAll('&#8230;', '...').replaceAll('&#215;', 'x').replaceAll('&#8482;', '(tm)'))
    .replace(/(?:["'`\u00ab\u00bb\u2018-\u201f\u2032\u2033\u2039\u203a\u300c-\u300f\u00a0]|&\w+;)+/g, "'")
    .replace(/[-\u2013\u2014]+/g, '-')
}

/** The most that WooCommerce takes in one batch. */
const BATCH = 25

const HeldItem = Type.Object({ id: Type.Integer(), sku: Type.String(), quantity: Type.Number(), prices: Prices })
type HeldItem = Static<typeof HeldItem>

const BatchAnswer = Type.Object({
  responses: Type.Array(
    Type.Union([
      Type.Object({ status: Type.Literal(201) }),
      Type.Object({ status: Type.Literal(400), body: Type.Object({ message: Type.String() }) })
    ])
  )
})

const readItems = (ask: WooApi, inShop: CartInShop) =>
  ask(Type.Array(HeldItem), `cart/items${READ}`, { _fields: fieldsOf(HeldItem) }, inShop)

/** @returns what the cart then holds @throws CartRefused with every product that the shop does not take */
async function fillCart(ask: WooApi, inShop: CartInShop, cart: Cart, wanted: Wanted[]): Promise<HeldItem[]> {
  const held = await readItems(ask, inShop)
  if (held.length === 0) throw new ShopFailed('its cart is empty: is the header Cart-Token lost on the way?')
  const ids = new Set(held.map(({ id }) => id))
  // What did not fit into the checkout link, or was left out of it without a word.
  const missing = wanted.filter(({ id }) => !ids.has(id))
  if (missing.length === 0) return held
  const reasons = new Map<string, string>()
  for (const batch of batchesOf(missing, BATCH)) {
    const requests = batch.map(({ id, units }) => ({
      path: '/wc/store/v1/cart/items?_fields=id',
      headers: { 'Cart-Token': inShop.token },
      body: { id, quantity: units }
    }))
    const { responses } = await ask(BatchAnswer, 'batch', { requests }, inShop)
    for (const [i, answer] of responses.entries()) {
      if (answer.status === 400) reasons.set(String(batch[i]?.sku), answer.body.message)
    }
  }
  const mistakes = mistakesIn(cart, sku => notTaken(sku, reasons.get(sku)))
  if (isAny(mistakes)) throw new CartRefused(mistakes)
  return readItems(ask, inShop)
}

/** `message` if it is refused. */
const CodeBatchAnswer = Type.Object({
  responses: Type.Array(Type.Object({ body: Type.Object({ message: Type.Optional(Type.String()) }) }))
})

/** @returns those that the shop does not apply */
async function applyCodes(ask: WooApi, inShop: CartInShop, codes: string[]): Promise<RefusedCode[]> {
  const refused: RefusedCode[] = []
  for (const batch of batchesOf(codes, BATCH)) {
    const requests = batch.map(code => ({
      path: '/wc/store/v1/cart/apply-coupon?_fields=errors',
      headers: { 'Cart-Token': inShop.token },
      body: { code }
    }))
    const { responses } = await ask(CodeBatchAnswer, 'batch', { requests }, inShop)
    for (const [i, code] of batch.entries()) {
      const message = responses[i]?.body.message
      if (message !== undefined) refused.push({ code, detail: decoded(message) })
    }
  }
  return refused
}
