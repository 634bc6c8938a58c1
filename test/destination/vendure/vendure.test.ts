import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { vendure } from '../../../src/destination/vendure/vendure.ts'
import type { Recording } from '../../shops/record.ts'
import { openRecordedShop, readRecordings, testRecordings } from '../recorded-shop.ts'

const { recordings, origin } = readRecordings('vendure')

type Edit = (answer: Recording['calls'][number]['response']) => void

/** What the adapter makes of a recording of which one answer is another. */
async function outcomeWith(t: Test, name: string, call: number, edit: Edit): Promise<Recording['outcome']> {
  const recording = structuredClone(recordings.find(one => one.name === name)) as Recording
  const answer = recording.calls[call]?.response
  if (answer) edit(answer)
  return (await openRecordedShop(t, recording, origin)).open(vendure)
}

/** The same answer with another body. */
const withBody =
  (body: unknown): Edit =>
  answer => {
    answer.body = JSON.stringify(body)
  }

const errorBody = (code: string) => ({ data: null, errors: [{ message: 'a sentence', extensions: { code } }] })

t.test('what the real Vendure answered', async t => testRecordings(t, vendure))

t.test('a SKU that is found only by a part of it, as with MySQL, is found', async t => {
  const name = 'unknown SKUs'
  const outcome = await outcomeWith(t, name, 1, answer => {
    const body = JSON.parse(answer.body)
    body.data.s0.items = [{ sku: 'NO-SUCH-SKU', productId: '1', productVariantId: '1' }]
    answer.body = JSON.stringify(body)
  })
  // Of the five lines, the others are still unknown.
  t.match(outcome, { refused: [{ line: 2 }, { line: 3 }] })
})

t.test('every cart gets a session of its own: no request that begins one has a session', async t => {
  for (const { name, calls } of recordings) {
    const headers = calls.slice(0, 2).flatMap(({ request }) => Object.keys(request.headers))
    t.notMatch(headers, ['cookie'], name)
    t.notMatch(headers, ['authorization'], name)
  }
})

t.test('an error that explains no line is a failure of the shop, named by its code', async t => {
  const cases: [name: string, call: number, code: string][] = [
    ['session cookies', 0, 'INTERNAL_SERVER_ERROR'],
    ['session cookies', 1, 'FORBIDDEN'],
    ['session cookies', 2, 'FORBIDDEN']
  ]
  for (const [name, call, code] of cases) {
    const outcome = await outcomeWith(t, name, call, withBody(errorBody(code)))
    t.strictSame(outcome, { failed: `Vendure says "a sentence" (${code})` })
  }
})

t.test('a currency that is sold, and variants that are all there, do not explain an error', async t => {
  const codes = ['GBP', 'EUR']
  const sold = withBody({ data: { activeChannel: { availableCurrencyCodes: codes } } })
  t.match(await outcomeWith(t, 'another currency', 2, sold), { failed: /USER_INPUT_ERROR/ })
  const gone = 'a variant that is sold no more, in an old search index'
  const listed = withBody({ data: { products: { items: [{ variants: [{ id: '4' }, { id: '12' }] }] } } })
  t.match(await outcomeWith(t, gone, 2, listed), { failed: /ENTITY_NOT_FOUND/ })
})

t.test('an answer that is not of a Shop API is a failure of the shop', async t => {
  const bodies = [{}, { data: { s0: {} } }, { errors: [{ message: 'no code' }] }, { errors: 'many' }, null]
  for (const body of bodies) {
    const outcome = await outcomeWith(t, 'session cookies', 0, withBody(body))
    t.match(outcome, { failed: 'its answer is not what a Shop API of Vendure 3 gives' }, JSON.stringify(body))
  }
  const without = await outcomeWith(t, 'session cookies', 2, withBody({ data: { order: null } }))
  t.match(without, { failed: 'its answer is not what' }, 'a session without an order')
  const html = await outcomeWith(t, 'session cookies', 2, answer => {
    answer.body = '<html>'
  })
  t.match(html, { failed: 'not JSON' })
  for (const status of [302, 401, 404, 500]) {
    const refused = await outcomeWith(t, 'session cookies', 1, answer => {
      answer.status = status
    })
    t.strictSame(refused, { failed: `it answered ${status}${status < 400 ? '; redirects are not followed' : ''}` })
  }
})

t.test('a session that the page cannot get is a failure, with what to change in the shop', async t => {
  const without =
    (name: string): Edit =>
    answer => {
      answer.headers = answer.headers.filter(([header]) => header !== name)
    }
  t.match(await outcomeWith(t, 'session cookies', 1, without('set-cookie')), { failed: /add "cookie" to authOptions/ })
  const token = await outcomeWith(t, 'the token in the address', 1, without('vendure-auth-token'))
  t.match(token, { failed: /add "bearer" to authOptions/ })
})

t.test('cookies are described as far as Vendure describes them', async t => {
  const recording = structuredClone(recordings.find(({ name }) => name === 'session cookies')) as Recording
  const [, added, read] = recording.calls
  if (added && read) {
    added.response.headers = [
      ['set-cookie', 'session=a'],
      ['set-cookie', 'gone=; expires=Thu, 01 Jan 1970 00:00:00 GMT'],
      ['set-cookie', '']
    ]
    read.request.headers = { ...read.request.headers, cookie: 'session=a' }
  }
  const { open } = await openRecordedShop(t, recording, origin)
  t.match(await open(vendure), {
    handover: { cookies: [{ name: 'session', value: 'a', isHttpOnly: false, isSecure: false, path: undefined }] }
  })
})

t.test('a line that the shop does not take for a reason of its own is named with that reason', async t => {
  const outcome = await outcomeWith(t, 'too few units', 1, answer => {
    const body = JSON.parse(answer.body)
    body.data.added.errorResults[0] = { __typename: 'OrderInterceptorError' }
    answer.body = JSON.stringify(body)
  })
  const detail = 'The shop does not take "MUG-RUST": OrderInterceptorError.'
  t.match(outcome, { refused: [{ line: 1, field: 'sku', code: 'destination-differs', detail }, {}, {}] })
})

t.test('errors that cannot be told to be of which line name none: what the shop holds is compared', async t => {
  const outcome = await outcomeWith(t, 'too few units', 1, answer => {
    const body = JSON.parse(answer.body)
    body.data.added.errorResults.pop()
    answer.body = JSON.stringify(body)
  })
  t.match(outcome, {
    handover: {
      lines: [
        { sku: 'LAMP', quantity: 1 },
        { sku: 'ROPE', quantity: 2 }
      ]
    }
  })
})

t.test('a shop that does not answer is left when the time is up', async t => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const settings = { url: `http://127.0.0.1:${port}/shop-api`, pageUrl: 'https://page.example/' }
  const stop = new AbortController()
  server.once('request', () => stop.abort())
  const cart = { reference: 'r', currency: 'GBP', items: [{ sku: 'LAMP', quantity: 1 }] }
  await t.rejects(vendure.connect(settings, { fetch, clock: () => new Date() }).open(cart, 'key', stop.signal), {
    name: 'AbortError'
  })
})

t.test('settings that could not work are found at start', async t => {
  const url = 'https://shop.example/shop-api'
  const pageUrl = 'https://shop.example/checkout'
  const currencies = ['GBP']
  const page = { answer: 'page', origin: 'https://shop.example', path: '', currencies } as const
  const description = { answer: 'description', origin: 'https://elsewhere.example', path: '', currencies } as const
  const check = vendure.check ?? (() => [])
  t.strictSame(check({ url, pageUrl }, page), [])
  t.strictSame(check({ url, pageUrl }, description), [])
  t.strictSame(check({ url, pageUrl: `${pageUrl}?t={token}` }, { ...page, origin: 'https://elsewhere.example' }), [])
  t.strictSame(check({ url, pageUrl }, { answer: 'page', path: '', currencies }), [], 'an origin that is not known yet')
  const cases: [settings: object, route: typeof page | typeof description, key: string, problem: RegExp][] = [
    [{ url: '/shop-api' }, page, 'url', /not an absolute http or https address; give .*shop-api"/],
    [{ pageUrl: '/checkout' }, page, 'pageUrl', /./],
    [{ pageUrl: `${pageUrl}/{code}` }, description, 'pageUrl', /characters that RFC 3986 does not allow/],
    [{ pageUrl: `${pageUrl}?${'x'.repeat(1980)}={token}` }, description, 'pageUrl', /2048/],
    [{ pageUrl: `${pageUrl}?t={token}`, tokenCookie: 'token' }, page, 'tokenCookie', /leave it out, or \{token\}/],
    [
      { pageUrl: 'https://elsewhere.example/' },
      page,
      'pageUrl',
      /the cookie session .*not the host of publicUrl.*\{token\}/
    ]
  ]
  for (const [settings, route, key, problem] of cases) {
    t.match(check({ url, pageUrl, ...settings }, route), [{ key: [key], problem }], JSON.stringify(settings))
  }
  const insecure = check({ url, pageUrl, tokenCookie: 'token' }, { ...page, origin: 'http://shop.example' })
  t.match(insecure, [{ key: ['pageUrl'], problem: /the cookie token, which is secure/ }])
})
