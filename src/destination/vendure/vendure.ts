// The destination for shops with Vendure 3: a fresh order of a fresh session in its Shop API, which the shopper's page
// gets by cookies or in its address. `README.md` says how to set up the shop.
import { type Static, Type } from '@sinclair/typebox'
import { describedPatterns } from '../../transfer/description.ts'
import type { SettingMistake } from '../../transfer/option.ts'
import type { Destination, DestinationRoute } from '../destination.ts'
import { redirectProblem } from '../handover.ts'
import { pageUrlProblem, shopUrlProblem } from '../shop-url.ts'
import { openOrder } from './open-order.ts'
import { TOKEN_PLACE } from './shop-api.ts'

const VendureSettings = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'the address of the Shop API, such as "https://shop.example/shop-api"'
  }),
  pageUrl: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'the checkout page of your storefront, such as "https://shop.example/checkout"; {token} in it stands for the token of the session'
  }),
  tokenCookie: Type.Optional(
    Type.String({
      pattern: describedPatterns.name,
      maxLength: 64,
      description:
        'the name of the cookie in which your storefront keeps the token of the session, such as "vendure-auth-token"'
    })
  ),
  channelToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the token of the channel to sell in; the default channel if absent'
    })
  ),
  referenceField: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z_]\\w*$',
      maxLength: 64,
      description: 'a public custom field of Order, of type string, for the reference of the transfer'
    })
  )
})
type VendureSettings = Static<typeof VendureSettings>

export const vendure: Destination<VendureSettings> = {
  name: 'vendure',
  title: 'Vendure',
  settings: VendureSettings,
  needsSecret: false,
  check: checkSettings,

  connect: (settings, { fetch }) => ({ open: (cart, _key, signal) => openOrder(cart, settings, fetch, signal) })
}

/** As long as the tokens that Vendure makes. */
const SAMPLE = 'x'.repeat(64)

function checkSettings(
  { url, pageUrl, tokenCookie }: VendureSettings,
  { answer, origin }: DestinationRoute
): SettingMistake[] {
  const found: SettingMistake[] = []
  const report = (key: string, problem: string) => found.push({ key: [key], problem })
  const urlProblem = shopUrlProblem(url)
  if (urlProblem)
    report('url', `${urlProblem}; give the address of the Shop API, such as "https://shop.example/shop-api"`)
  const page = pageUrl.replaceAll(TOKEN_PLACE, SAMPLE)
  const pageProblem = pageUrlProblem(page)
  if (pageProblem) report('pageUrl', `${pageProblem}; give the page, such as "https://shop.example/checkout"`)
  const tokenInPage = page !== pageUrl
  if (tokenInPage && tokenCookie !== undefined) {
    report('tokenCookie', `the page gets the token in its address already; leave it out, or ${TOKEN_PLACE} in pageUrl`)
  }
  if (pageProblem || tokenInPage || answer === 'description' || origin === undefined) return found
  // With cookies, an option that answers by a redirect can only reach a page of its own host.
  const cookie = {
    name: tokenCookie ?? 'session',
    value: SAMPLE,
    isSecure: tokenCookie !== undefined && page.startsWith('https:')
  }
  const problem = redirectProblem({ url: page, httpMethod: 'GET', cookies: [cookie] }, origin)
  if (problem) report('pageUrl', `${problem}, and so can an address with ${TOKEN_PLACE}`)
  return found
}
