// The requests of Medusa's Store API that make a cart, with as much of the answers as we use. Whatever Medusa would refuse
// without saying which line, or take and then not sell, is refused here, by line.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Item } from '../../cart/cart.ts'
import { isAny } from '../../errors.ts'
import { CartRefused, type ShopAccess, ShopFailed, type ShopMistake } from '../destination.ts'
import { askInTurns, callShop } from '../shop-call.ts'

const MedusaVariant = Type.Object({
  id: Type.String(),
  sku: Type.String(),
  manage_inventory: Type.Boolean(),
  allow_backorder: Type.Boolean(),
  /** Absent if Medusa counts no stock of it. */
  inventory_quantity: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** Null if it has no price in the region. */
  calculated_price: Type.Union([Type.Object({}), Type.Null()])
})
type MedusaVariant = Static<typeof MedusaVariant>

const VariantList = Type.Object({ variants: Type.Array(MedusaVariant) })

const MedusaCart = Type.Object({
  cart: Type.Object({
    // It becomes part of an address or a cookie.
    id: Type.String({ pattern: '^\\w{1,64}$' }),
    currency_code: Type.String(),
    items: Type.Array(Type.Object({ variant_sku: Type.Union([Type.String(), Type.Null()]), quantity: Type.Number() }))
  })
})

const MedusaError = Type.Object({ message: Type.String() })

type StoreApi = <T extends TSchema>(schema: T, path: string, sent?: object) => Promise<Static<T>>

/** The Store API of one merchant, to make one cart. */
export function storeApi({
  settings: { url, publishableKey },
  fetch,
  signal
}: ShopAccess<{ url: string; publishableKey: string }>): StoreApi {
  const base = url.replace(/\/+$/, '')
  return async (schema, path, sent) => {
    const { status, json } = await callShop(fetch, `${base}/store/${path}`, {
      headers: { 'x-publishable-api-key': publishableKey },
      ...(sent && { body: JSON.stringify(sent) }),
      signal,
      reads: 400
    })
    const name = path.replace(/\?.*/, '')
    if (status === 400 && Value.Check(MedusaError, json)) {
      // It names a key or a region that is wrong, which nothing else does.
      throw new ShopFailed(`/store/${name} answered 400: ${json.message.slice(0, 200)}`)
    }
    if (Value.Check(schema, json)) return json
    throw new ShopFailed(`/store/${name} gave an answer that is not that of Medusa`)
  }
}

/** @returns by SKU, without those that the sales channel of the key does not have */
export async function sellableVariants(
  ask: StoreApi,
  skus: string[],
  regionId: string
): Promise<Map<string, MedusaVariant>> {
  const path = `product-variants?fields=${VARIANT_FIELDS}&region_id=${regionId}&limit=${MAX_VARIANTS}`
  const lists = await askInTurns(skuQueries(skus), query => ask(VariantList, path + query))
  return new Map(lists.flatMap(({ variants }) => variants.map(variant => [variant.sku, variant])))
}

export async function createCart(ask: StoreApi, cart: object): Promise<Static<typeof MedusaCart>['cart']> {
  return (await ask(MedusaCart, `carts?fields=${CART_FIELDS}`, cart)).cart
}

const VARIANT_FIELDS = 'id,sku,manage_inventory,allow_backorder,inventory_quantity,calculated_price'
const CART_FIELDS = 'id,currency_code,items.variant_sku,items.quantity'

/**
 * How long the SKUs of a query may be, encoded: longer addresses are refused by Node (16 KiB) and by proxies (8 KiB),
 * and Medusa drops all parameters beyond 1,000 without a word.
 */
const MAX_QUERY = 4000

/** More than the SKUs of a query. */
const MAX_VARIANTS = 1000

/** Asks for these SKUs, in as few requests as possible. An empty one leads: Medusa splits a single one at its commas. */
function skuQueries(skus: string[]): string[] {
  const queries: string[] = []
  let query = '&sku='
  for (const sku of skus) {
    const parameter = `&sku=${encodeURIComponent(sku)}`
    if (query.length + parameter.length > MAX_QUERY) {
      queries.push(query)
      query = '&sku='
    }
    query += parameter
  }
  return [...queries, query]
}

/**
 * @param variants by SKU
 * @throws CartRefused with every line that cannot be sold
 */
export function cartItems(
  items: Item[],
  variants: Map<string, MedusaVariant>,
  currency: string
): { variant_id: string; quantity: number }[] {
  // Medusa itself compares line by line, so two lines of a SKU could have more units than it has.
  const left = new Map<string, number>()
  const mistakes: ShopMistake[] = []
  const lines = items.flatMap(({ sku, quantity }, line) => {
    const variant = variants.get(sku)
    const name = JSON.stringify(sku)
    if (!variant) {
      const detail = `No variant in the sales channel has the SKU ${name}; SKUs are compared exactly.`
      mistakes.push({ field: 'sku', line, code: 'sku-unknown', detail })
      return []
    }
    const stock = variant.manage_inventory && !variant.allow_backorder ? (variant.inventory_quantity ?? 0) : Infinity
    const remaining = (left.get(sku) ?? stock) - quantity
    left.set(sku, remaining)
    if (!variant.calculated_price) {
      mistakes.push({ field: 'sku', line, code: 'price-missing', detail: `${name} has no price in ${currency}.` })
    } else if (stock <= 0) {
      mistakes.push({ field: 'sku', line, code: 'out-of-stock', detail: `${name} is out of stock.` })
    } else if (remaining < 0) {
      const detail = `The shop has ${stock} units of ${name}.`
      mistakes.push({ field: 'quantity', line, code: 'quantity-too-large', detail, limit: { units: stock } })
    }
    return [{ variant_id: variant.id, quantity }]
  })
  if (isAny(mistakes)) throw new CartRefused(mistakes)
  return lines
}
