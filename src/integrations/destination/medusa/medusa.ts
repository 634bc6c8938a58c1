// The destination for Medusa 2: a cart made through its Store API; the storefront shows its own checkout for it. Whatever
// Medusa would refuse without naming the line, or accept and then not sell, is refused here, by line.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Item } from '../../../cart/cart.ts'
import { isAny } from '../../../errors.ts'
import type { ReportError } from '../../../transfer/option.ts'
import {
  AddressSetting,
  allRefused,
  CartRefused,
  type Destination,
  type RefusedCode,
  type ShopAccess,
  type ShopError,
  ShopFailed
} from '../destination.ts'
import { askInTurns, callShop } from '../shop-call.ts'
import { type DestinationRoute, shopPage, shopPageProblem, shopUrlProblem } from '../shop-page.ts'

const RegionSetting = Type.Object(
  {
    id: Type.String({ pattern: '^reg_\\w+$', description: 'the id of a region in Medusa: "reg_" and what follows' }),
    pageUrl: AddressSetting(
      'the checkout of your storefront, such as "https://shop.example/de/checkout?step=address" (it finds the cart by the cookie _medusa_cart_id) or "https://shop.example/app-cart/{cart}"'
    )
  },
  { additionalProperties: false, description: 'an object with id and pageUrl' }
)

const MedusaSettings = Type.Object({
  url: AddressSetting('the address of your Medusa server, such as "https://api.shop.example"'),
  publishableKey: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'a publishable API key of one sales channel: "pk_" and what follows'
  }),
  regions: Type.Record(Type.String(), RegionSetting, {
    description: 'a region for each currency, such as { "EUR": { "id": "reg_…", "pageUrl": … } }'
  })
})
type MedusaSettings = Static<typeof MedusaSettings>

/** As long as the ids that Medusa makes. */
const ANY_CART = 'cart_01ARZ3NDEKTSV4RRFFQ69G5FAV'

function checkMedusaSettings(
  { url, regions, publishableKey }: MedusaSettings,
  { currencies, ...route }: DestinationRoute,
  report: ReportError
): void {
  const problem = shopUrlProblem(url) ?? (/[?#]/.test(url) ? 'it has a query or a fragment' : undefined)
  if (problem) report(['url'], `${problem}; give one such as "https://api.shop.example"`)
  for (const currency of Object.keys(regions).filter(one => !currencies.includes(one))) {
    report(['regions', currency], `"${currency}" is not in currencies; add it there, or leave this region out`)
  }
  for (const currency of currencies) {
    const region = regions[currency]
    if (!region) {
      report(['regions'], `there is none for ${currency}, which is in currencies; give its region of Medusa`)
      continue
    }
    const page = shopPage(region.pageUrl, PLACE, ANY_CART, COOKIE)
    const problem = shopPageProblem(page, route, PLACE, 'https://shop.example/de/checkout?step=address')
    if (problem) report(['regions', currency, 'pageUrl'], problem)
  }
  if (!/^pk_\w+$/.test(publishableKey)) {
    // Not quoted: it could be a secret key, which looks much the same.
    const right = '"pk_" and what follows; Medusa keeps them in its settings, beside the secret ones'
    report(['publishableKey'], `it is not a publishable API key; give ${right}`)
  }
}

const PLACE = '{cart}'
const COOKIE = '_medusa_cart_id'

export const medusa: Destination<MedusaSettings> = {
  name: 'medusa',
  title: 'Medusa 2',
  settings: MedusaSettings,
  needsSecret: false,
  check: checkMedusaSettings,

  async open({ reference, currency, items, codes, attribution }, access) {
    const { settings, key } = access
    const region = settings.regions[currency]
    if (!region) {
      const detail = `No region of Medusa is configured for ${currency}.`
      throw new CartRefused([{ field: 'currency', code: 'currency-not-sold', detail }])
    }
    const ask = storeApi(access)
    const skus = [...new Set(items.map(({ sku }) => sku))]
    const variants = await sellableVariants(ask, skus, region.id)
    const made = await ask(MedusaCart, `carts?fields=${CART_FIELDS}`, {
      region_id: region.id,
      items: cartItems(items, variants, currency),
      // Medusa copies the metadata of a cart to its order.
      metadata: {
        cart_transfer_reference: reference,
        cart_transfer_key: key,
        cart_transfer_attribution: attribution
      }
    })
    const { cart, ...said } = codes ? await applyCodes(ask, made.cart, codes) : made
    return {
      // A line that an extension of Medusa has added may have no SKU; what was not sent refuses the cart.
      lines: cart.items.map(({ variant_sku: sku, quantity }) => ({ sku: sku ?? '', quantity })),
      currency: cart.currency_code.toUpperCase(),
      ...shopPage(region.pageUrl, PLACE, cart.id, COOKIE),
      ...said
    }
  }
}

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
type MedusaCart = Static<typeof MedusaCart>['cart']

const MedusaError = Type.Object({ message: Type.String() })

type StoreApi = <T extends TSchema>(schema: T, path: string, sent?: object) => Promise<Static<T>>

function storeApi({ settings: { url, publishableKey }, fetch, signal }: ShopAccess<MedusaSettings>): StoreApi {
  const base = url.replace(/\/+$/, '')
  return async (schema, path, sent) => {
    const { status, json } = await callShop(fetch, `${base}/store/${path}`, {
      headers: { 'x-publishable-api-key': publishableKey },
      ...(sent && { body: JSON.stringify(sent) }),
      signal,
      reads: 400
    })
    // Whoever knows a cart's id can change it, and the log is not for that.
    const name = path.replace(/\?.*/, '').replace(/cart_\w+/, '{cart}')
    if (status === 400 && Value.Check(MedusaError, json)) {
      // Only this message names the key or the region that is wrong.
      throw new ShopFailed(`/store/${name} answered 400: ${json.message.slice(0, 200)}`)
    }
    if (Value.Check(schema, json)) return json
    throw new ShopFailed(`/store/${name} gave an answer that is not that of Medusa`)
  }
}

/** @returns by SKU, without those that the sales channel of the key does not have */
async function sellableVariants(ask: StoreApi, skus: string[], regionId: string): Promise<Map<string, MedusaVariant>> {
  const path = `product-variants?fields=${VARIANT_FIELDS}&region_id=${regionId}&limit=${MAX_VARIANTS}`
  const lists = await askInTurns(skuQueries(skus), query => ask(VariantList, path + query))
  return new Map(lists.flatMap(({ variants }) => variants.map(variant => [variant.sku, variant])))
}

const PromotedCart = Type.Object({
  cart: Type.Composite([
    MedusaCart.properties.cart,
    Type.Object({ promotions: Type.Array(Type.Object({ code: Type.String() })) })
  ])
})

/** One at a time: if Medusa does not know one of several, it takes none. */
async function applyCodes(
  ask: StoreApi,
  made: MedusaCart,
  codes: string[]
): Promise<{ cart: MedusaCart; refusedCodes: RefusedCode[] }> {
  let cart: MedusaCart & { promotions: { code: string }[] } = { ...made, promotions: [] }
  const refused: RefusedCode[] = []
  const path = `carts/${made.id}/promotions?fields=${CART_FIELDS},promotions.code`
  for (const code of codes) {
    const answer = await ask(PromotedCart, path, { promo_codes: [code] }).catch(allRefused([code]))
    if (Array.isArray(answer)) refused.push(...answer)
    else cart = answer.cart
  }
  // What does nothing for this cart, or is over, it leaves out without a word.
  const leftOut = codes.filter(sent => ![...cart.promotions, ...refused].some(({ code }) => code === sent))
  const detail = 'Medusa does not apply it to this cart'
  return { cart, refusedCodes: [...refused, ...leftOut.map(code => ({ code, detail }))] }
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

function cartItems(
  items: Item[],
  variants: Map<string, MedusaVariant>,
  currency: string
): { variant_id: string; quantity: number }[] {
  // Medusa itself compares line by line, so two lines of a SKU could have more units than it has.
  const left = new Map<string, number>()
  const mistakes: ShopError[] = []
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
