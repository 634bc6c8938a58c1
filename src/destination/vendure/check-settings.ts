// What is wrong with the settings, as far as it can be known before a cart arrives.
import type { SettingMistake } from '../../transfer/option.ts'
import type { DestinationRoute } from '../destination.ts'
import { redirectTo } from '../redirect.ts'
import type { HandoverUnusable } from '../shop-errors.ts'
import { pageUrlProblem, shopUrlProblem } from '../shop-url.ts'
import { type PageSettings, TOKEN_PLACE } from './session.ts'

/** As long as the tokens that Vendure makes. */
const SAMPLE = 'x'.repeat(64)

export function checkSettings(
  { url, pageUrl, tokenCookie }: PageSettings & { url: string },
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
  try {
    redirectTo({ url: page, httpMethod: 'GET', cookies: [cookie] }, origin)
  } catch (error) {
    report('pageUrl', `${(error as HandoverUnusable).message}, and so can an address with ${TOKEN_PLACE}`)
  }
  return found
}
