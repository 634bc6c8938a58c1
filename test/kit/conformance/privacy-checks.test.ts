// What lets a cache that shoppers share keep a page (RFC 9111): each rule of its own, and what only looks like a permission.
import t from 'tap'
import { sharedCachePermission } from '../../../src/kit/conformance/checks/privacy-checks.ts'
import type { PageExchange } from '../../../src/kit/conformance/site.ts'

const NOBODY_SAYS = 'no Cache-Control that says otherwise, so that a cache may choose how long'
const PAST = 'Thu, 19 Nov 1981 08:52:00 GMT'
const FUTURE = 'Fri, 01 Jan 2999 00:00:00 GMT'

type Case = [
  headers: Record<string, string>,
  permission?: string | undefined,
  exchange?: { method?: string; status?: number }
]

const cases: Case[] = [
  // Forbidden, or only after asking, whatever else is said.
  [{ 'cache-control': 'no-store' }],
  [{ 'cache-control': 'private' }],
  [{ 'cache-control': 'no-cache' }],
  [{ 'cache-control': 'private, no-cache' }],
  [{ 'cache-control': 'Private, Max-Age=600' }],
  [{ 'cache-control': 'no-store, no-cache, must-revalidate', expires: PAST, pragma: 'no-cache' }],
  [{ 'cache-control': 'public, no-cache' }],
  [{ 'cache-control': 'no-store, s-maxage=600' }],
  [{ 'cache-control': 'private', expires: FUTURE }],
  // A list of fields is about these alone, and a name in quotation marks is no directive.
  [{ 'cache-control': 'private="set-cookie, x-no-store", max-age=60' }, 'private="set-cookie, x-no-store", max-age=60'],
  [{ 'cache-control': 'no-cache=set-cookie, max-age=60' }, 'no-cache=set-cookie, max-age=60'],
  // Lifetimes. That of shared caches comes first, the first of a name counts, and what is no number is stale.
  [{ 'cache-control': 'max-age=600' }, 'max-age=600'],
  [{ 'cache-control': 'public, max-age=600' }, 'public, max-age=600'],
  [{ 'cache-control': 's-maxage="60"' }, 's-maxage="60"'],
  [{ 'cache-control': 'max-age=0, s-maxage=60' }, 'max-age=0, s-maxage=60'],
  [{ 'cache-control': 'max-age=600, s-maxage=0' }],
  [{ 'cache-control': 'max-age=0, max-age=600' }],
  [{ 'cache-control': 'max-age=soon' }],
  [{ 'cache-control': 'public, max-age=0, must-revalidate' }],
  [{ 'cache-control': 'max-age=0, stale-while-revalidate=60' }, 'max-age=0, stale-while-revalidate=60'],
  [{ 'cache-control': 'max-age=0', expires: FUTURE }],
  [{ 'cache-control': 'max-age=60' }, 'max-age=60', { method: 'POST' }],
  [{ expires: FUTURE }, `Expires: ${FUTURE}`],
  [{ expires: FUTURE, date: FUTURE }],
  [{ expires: PAST }],
  [{ expires: '0' }],
  [{ expires: '9999' }],
  // Permitted without a lifetime, or not forbidden.
  [{ 'cache-control': 'public' }, 'public'],
  [{ 'cache-control': 'public' }, 'public', { method: 'POST', status: 303 }],
  [{}, NOBODY_SAYS],
  [{ pragma: 'no-cache' }, NOBODY_SAYS],
  [{ 'cache-control': 'must-revalidate' }, NOBODY_SAYS],
  [{}, NOBODY_SAYS, { status: 301 }],
  [{}, undefined, { status: 303 }],
  [{}, undefined, { method: 'POST' }],
  // With a login, permission has to be given.
  [{ authorization: 'Bearer x' }],
  [{ authorization: 'Bearer x', 'cache-control': 'max-age=60' }],
  [{ authorization: 'Bearer x', 'cache-control': 's-maxage=60' }, 's-maxage=60'],
  // Headers for CDNs replace the others there, and only there.
  [{ 'cache-control': 'private, no-cache', 'CDN-Cache-Control': 'max-age=600' }, 'CDN-Cache-Control: max-age=600'],
  [
    { 'cache-control': 'private', 'Cloudflare-CDN-Cache-Control': 'max-age=1' },
    'Cloudflare-CDN-Cache-Control: max-age=1'
  ],
  [{ 'cache-control': 'no-store', 'Surrogate-Control': 'max-age=5+5' }, 'Surrogate-Control: max-age=5+5'],
  [{ 'cache-control': 'no-store', 'Surrogate-Control': 'content="ESI/1.0"' }],
  [{ 'cache-control': 'no-store', 'CDN-Cache-Control': 'no-store, max-age=600' }],
  [{ 'cache-control': 'max-age=60', 'CDN-Cache-Control': 'no-store' }, 'max-age=60']
]

t.test('what lets a cache that shoppers share keep a response', async t => {
  for (const [headers, permission, { method = 'GET', status = 200 } = {}] of cases) {
    const fields = Object.entries(headers).map(([name, value]) => ({ name, value }))
    const isSent = ({ name }: { name: string }) => name === 'authorization'
    const exchange: PageExchange = {
      request: { method, url: 'https://shop.example/bag', headers: fields.filter(isSent) },
      response: { status, headers: fields.filter(field => !isSent(field)) }
    }
    const isWhole = permission === undefined || permission === NOBODY_SAYS || permission.includes(': ')
    const expected = isWhole ? permission : `Cache-Control: ${permission}`
    t.equal(sharedCachePermission(exchange), expected, JSON.stringify({ ...headers, method, status }))
  }
})
