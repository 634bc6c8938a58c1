// The ways in which a checkout page opens in an app, and where Back finds it again (DECISIONS.md, "Pages"). The tests
// that use this route no request, as that would switch off the browser's cache. Playwright starts Chromium without
// bfcache, its memory of live pages: with it, Back to the answer of a GET may show that as it was, and ask nobody.
import type { Test } from 'tap'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import type { MerchantChanges } from '../build.ts'
import type { Stand } from './stand.ts'

export type Way = {
  name: string
  option: TransferOption
  changes: MerchantChanges
  /** What answered a POST stays in the cache; what answered a GET is not stored, and asked for again. */
  backFinds: 'in the cache' | 'at the server'
}

export const describedPost: Way = {
  name: 'option 1, POST described',
  option: jsonDescription,
  changes: { transfer: { description: { httpMethod: 'POST' } } },
  backFinds: 'in the cache'
}
export const describedGet: Way = {
  name: 'option 1, GET described',
  option: jsonDescription,
  changes: { transfer: { description: { httpMethod: 'GET' } } },
  backFinds: 'at the server'
}
export const posted: Way = { name: 'option 2A', option: formPost, changes: {}, backFinds: 'in the cache' }
export const queried: Way = { name: 'option 2B', option: queryGet, changes: {}, backFinds: 'at the server' }

/** Goes Back to a page of the shop's, and checks where it was found. */
export async function goBack(t: Test, { page, asked }: Stand, where: Way['backFinds']): Promise<void> {
  const before = asked.length
  await page.goBack()
  t.match(page.url(), /^http:/, 'no error of the browser')
  t.equal(asked.length - before, where === 'at the server' ? 1 : 0, `Back finds the page ${where}`)
}
