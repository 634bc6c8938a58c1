// A page of a shop that gets its cart by its address or by a cookie, and what would keep an app from opening it.
import type { DescribedCookie } from '../transfer/description.ts'
import type { DestinationRoute } from './destination.ts'
import { redirectProblem } from './handover.ts'
import { pageUrlProblem } from './shop-url.ts'

export type ShopPage = { url: string; cookies?: DescribedCookie[] }

/**
 * @param pageUrl as configured
 * @param place what stands for the value in it; if it is not there, a cookie has the value
 */
export function shopPage(pageUrl: string, place: string, value: string, cookie = 'session'): ShopPage {
  if (pageUrl.includes(place)) return { url: pageUrl.replaceAll(place, encodeURIComponent(value)) }
  const isSecure = pageUrl.startsWith('https:')
  return { url: pageUrl, cookies: [{ name: cookie, value, isHttpOnly: true, isSecure, path: '/' }] }
}

/** What is known at start to be wrong with such a page, if anything is. @param example an address that would be right */
export function shopPageProblem(
  page: ShopPage,
  { answer, origin }: DestinationRoute,
  place: string,
  example: string
): string | undefined {
  const problem = pageUrlProblem(page.url)
  if (problem) return `${problem}; give one such as "${example}"`
  if (answer === 'description' || origin === undefined) return undefined
  const lost = redirectProblem({ httpMethod: 'GET', ...page }, origin)
  return lost && `${lost}, and an address with "${place}" in it needs no cookie`
}
