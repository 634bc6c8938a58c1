// The destination for Medusa 2: a cart made by its Store API, for which the storefront shows its own checkout.
import { type Static, Type } from '@sinclair/typebox'
import type { SettingMistake } from '../../transfer/option.ts'
import { AddressSetting, CartRefused, type Destination, type DestinationRoute } from '../destination.ts'
import { shopPage, shopPageProblem } from '../shop-page.ts'
import { shopUrlProblem } from '../shop-url.ts'
import { cartItems, createCart, sellableVariants, storeApi } from './store-api.ts'

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

function findMedusaMistakes(
  { url, publishableKey, regions }: MedusaSettings,
  route: DestinationRoute
): SettingMistake[] {
  const found: SettingMistake[] = []
  const problem = shopUrlProblem(url) ?? (/[?#]/.test(url) ? 'it has a query or a fragment' : undefined)
  if (problem) found.push({ key: ['url'], problem: `${problem}; give one such as "https://api.shop.example"` })
  if (!/^pk_\w+$/.test(publishableKey)) {
    // It is not quoted: a secret key looks much the same.
    const right = '"pk_" and what follows; Medusa keeps them in its settings, beside the secret ones'
    found.push({ key: ['publishableKey'], problem: `it is not a publishable API key; give ${right}` })
  }
  for (const currency of route.currencies) {
    if (regions[currency]) continue
    const lacking = `there is none for ${currency}, which is in currencies; give its region of Medusa`
    found.push({ key: ['regions'], problem: lacking })
  }
  for (const [currency, { pageUrl }] of Object.entries(regions)) {
    if (!route.currencies.includes(currency)) {
      const superfluous = `"${currency}" is not in currencies; add it there, or leave this region out`
      found.push({ key: ['regions', currency], problem: superfluous })
    }
    const page = shopPage(pageUrl, PLACE, ANY_CART, COOKIE)
    const problem = shopPageProblem(page, route, PLACE, 'https://shop.example/de/checkout?step=address')
    if (problem) found.push({ key: ['regions', currency, 'pageUrl'], problem })
  }
  return found
}

/** What stands for the id of the cart in `pageUrl`, and the cookie of the starter storefronts. */
const PLACE = '{cart}'
const COOKIE = '_medusa_cart_id'

export const medusa: Destination<MedusaSettings> = {
  name: 'medusa',
  title: 'Medusa 2',
  settings: MedusaSettings,
  needsSecret: false,
  check: findMedusaMistakes,

  async open({ reference, currency, items }, access) {
    const { settings, key } = access
    const region = settings.regions[currency]
    if (!region) {
      const detail = `No region of Medusa is configured for ${currency}.`
      throw new CartRefused([{ field: 'currency', code: 'currency-not-sold', detail }])
    }
    const ask = storeApi(access)
    const skus = [...new Set(items.map(({ sku }) => sku))]
    const variants = await sellableVariants(ask, skus, region.id)
    const cart = await createCart(ask, {
      region_id: region.id,
      items: cartItems(items, variants, currency),
      // Medusa copies the metadata of a cart to its order.
      metadata: { cart_transfer_reference: reference, cart_transfer_key: key }
    })
    return {
      // A line that an extension of Medusa has added may have no SKU; what was not sent refuses the cart.
      lines: cart.items.map(({ variant_sku: sku, quantity }) => ({ sku: sku ?? '', quantity })),
      currency: cart.currency_code.toUpperCase(),
      ...shopPage(region.pageUrl, PLACE, cart.id, COOKIE)
    }
  }
}
