// The settings of the Medusa destination: where Medusa is, and what each currency leads to.
import { type Static, Type } from '@sinclair/typebox'
import type { SettingMistake } from '../../transfer/option.ts'
import type { DestinationRoute } from '../destination.ts'
import { redirectTo } from '../redirect.ts'
import type { HandoverUnusable } from '../shop-errors.ts'
import { pageUrlProblem, shopUrlProblem } from '../shop-url.ts'
import { checkoutPage } from './checkout-page.ts'

const RegionSetting = Type.Object(
  {
    id: Type.String({ pattern: '^reg_\\w+$', description: 'the id of a region in Medusa: "reg_" and what follows' }),
    pageUrl: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'the checkout of your storefront, such as "https://shop.example/de/checkout?step=address" (it finds the cart by the cookie _medusa_cart_id) or "https://shop.example/app-cart/{cart}"'
    })
  },
  { additionalProperties: false, description: 'an object with id and pageUrl' }
)

export const MedusaSettings = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'the address of your Medusa server, such as "https://api.shop.example"'
  }),
  publishableKey: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'a publishable API key of one sales channel: "pk_" and what follows'
  }),
  regions: Type.Record(Type.String(), RegionSetting, {
    description: 'a region for each currency, such as { "EUR": { "id": "reg_…", "pageUrl": … } }'
  })
})
export type MedusaSettings = Static<typeof MedusaSettings>

/** As long as the ids that Medusa makes. */
const ANY_CART = 'cart_01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** Finds what the schema cannot. */
export function findMedusaMistakes(
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
    const problem = pageProblem(pageUrl, route)
    if (problem) found.push({ key: ['regions', currency, 'pageUrl'], problem })
  }
  return found
}

function pageProblem(pageUrl: string, { answer, origin }: DestinationRoute): string | undefined {
  const page = checkoutPage(pageUrl, ANY_CART)
  const problem = pageUrlProblem(page.url)
  if (problem) return `${problem}; give one such as "https://shop.example/de/checkout?step=address"`
  if (answer === 'description' || origin === undefined) return undefined
  try {
    redirectTo({ httpMethod: 'GET', ...page }, origin)
  } catch (error) {
    return `${(error as HandoverUnusable).message}, and an address with "{cart}" in it needs no cookie`
  }
}
