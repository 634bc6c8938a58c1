// What a WooCommerce shop says of itself, for `npm run add-shop`: whether bags can be handed to it, its name, its currency and
// its language.
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Fetch } from '../../outgoing/http-client.ts'
import { type ShopFacts, ShopFailed } from '../destination.ts'
import { callShop } from '../shop-call.ts'
import { decoded, HINTS, READ, readPage, shopAddress, wooApi } from './woo-api.ts'

const WordPressIndex = Type.Object({ name: Type.String(), home: Type.String(), namespaces: Type.Array(Type.String()) })
const CartCurrency = Type.Object({ totals: Type.Object({ currency_code: Type.String() }) })

/** Older ones show their own cart at the address that has a token. */
const OLDEST = 10

/** @throws ShopFailed if it is no WooCommerce, too old, or closed; anything else if there is no connection */
export async function lookAtShop(url: string, fetch: Fetch, signal: AbortSignal): Promise<ShopFacts> {
  const index = shopAddress(url, 'rest_route=/&_fields=name,home,namespaces')
  const { json: site } = await callShop(fetch, index, { signal, hints: HINTS })
  if (!Value.Check(WordPressIndex, site))
    throw new ShopFailed('it is not a WordPress site; give the address of its home page')
  if (!site.namespaces.includes('wc/store/v1')) throw new ShopFailed('WordPress is there, but not WooCommerce')
  if (isOtherPage(site.home, url)) throw new ShopFailed(`WordPress calls its home page ${site.home}; give that`)
  const { totals } = await wooApi({ settings: { url }, fetch, signal })(CartCurrency, `cart${READ}`, {
    _fields: 'totals'
  })
  // The head has all that is looked for.
  const page = await readPage(fetch, shopAddress(url, ''), signal)
  const [, version] = /<meta name="generator" content="WooCommerce ([\d.]+)/.exec(page) ?? []
  if (version !== undefined && Number.parseInt(version, 10) < OLDEST) {
    throw new ShopFailed(`it has WooCommerce ${version}; update it to ${OLDEST}.0 or newer`)
  }
  const [, language] = /<html[^<>]*\slang=["']([\w-]+)/.exec(page) ?? []
  const unknown = `It does not say which WooCommerce it has: bags need ${OLDEST}.0 or newer.`
  return {
    name: decoded(site.name),
    currency: totals.currency_code,
    ...(language !== undefined && { language }),
    remarks: [
      'Orders come back by secretVariable and two webhooks: src/integrations/destination/woocommerce/README.md says how.',
      ...(version === undefined ? [unknown] : [])
    ]
  }
}

/** Checkout links lead to the home page's host, whatever host they are asked at. */
function isOtherPage(home: string, url: string): boolean {
  const [there, given] = [home, url].map(address => URL.parse(address)?.href.replace(/\/$/, ''))
  return there !== given
}
