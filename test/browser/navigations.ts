// The navigations that open a checkout page in an app, and Back, which loads it from the browser's cache (DECISIONS.md,
// "Pages"). Tests that use them must not route requests, which would disable that cache. Playwright starts Chromium
// without bfcache; with it, Back may restore the live page instead. In `npm test` one of each kind, nightly all.
import type { Test } from 'tap'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import type { MerchantChanges } from '../build.ts'
import { nightly } from '../nightly.ts'
import type { ShopView } from './shop-view.ts'

type Navigation = {
  name: string
  option: TransferOption
  changes: MerchantChanges
  /** Whether a reload transfers the cart again; otherwise it asks for the same checkout again. */
  reloadTransfers: boolean
}

const described = (httpMethod: string): Navigation => ({
  name: `option 1, ${httpMethod} described`,
  option: jsonDescription,
  changes: { transfer: { description: { httpMethod } } },
  reloadTransfers: false
})

export const navigations: Navigation[] = [
  described('POST'),
  { name: 'option 2B', option: queryGet, changes: {}, reloadTransfers: true },
  ...nightly([described('GET'), { name: 'option 2A', option: formPost, changes: {}, reloadTransfers: true }])
]

/** Goes Back to a page of the shop, and checks that it needs no server. */
export async function goBack(t: Test, { page, pageRequests }: ShopView): Promise<void> {
  const before = pageRequests.length
  await page.goBack()
  t.match(page.url(), /^http:/, 'not a browser error page')
  t.equal(pageRequests.length, before, 'Back loads the page from the cache')
}
