// The navigations that open a checkout page in an app, and where Back loads the page from (DECISIONS.md, "Pages"). Tests
// that use them must not route requests, which would disable the browser's cache. Playwright starts Chromium without
// bfcache; with it, Back to a page from a GET may restore the live page without a request.
import type { Test } from 'tap'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import type { MerchantChanges } from '../build.ts'
import type { ShopView } from './shop-view.ts'

export type Navigation = {
  name: string
  option: TransferOption
  changes: MerchantChanges
  /** The response to a POST stays in the cache; that to a GET is not stored, and so requested again. */
  backLoadsFrom: 'the cache' | 'the server'
}

export const describedPost: Navigation = {
  name: 'option 1, POST described',
  option: jsonDescription,
  changes: { transfer: { description: { httpMethod: 'POST' } } },
  backLoadsFrom: 'the cache'
}
export const describedGet: Navigation = {
  name: 'option 1, GET described',
  option: jsonDescription,
  changes: { transfer: { description: { httpMethod: 'GET' } } },
  backLoadsFrom: 'the server'
}
export const posted: Navigation = { name: 'option 2A', option: formPost, changes: {}, backLoadsFrom: 'the cache' }
export const queried: Navigation = { name: 'option 2B', option: queryGet, changes: {}, backLoadsFrom: 'the server' }

/** Goes Back to a page of the shop, and checks where it was loaded from. */
export async function goBack(
  t: Test,
  { page, pageRequests }: ShopView,
  source: Navigation['backLoadsFrom']
): Promise<void> {
  const before = pageRequests.length
  await page.goBack()
  t.match(page.url(), /^http:/, 'not a browser error page')
  t.equal(pageRequests.length - before, source === 'the server' ? 1 : 0, `Back loads the page from ${source}`)
}
