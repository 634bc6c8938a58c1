import t from 'tap'
import { vendure } from '../../../../src/integrations/destination/vendure/vendure.ts'
import { reported } from '../../../reported.ts'
import type { Call, Recording } from '../../../shops/record.ts'
import { changeBody, readRecordings, withBody, withStatus } from '../recorded-shop.ts'

const { recordings, recordingOf, outcomeOf, outcomeWith, replay, testAll } = readRecordings(vendure)

const errorBody = (code: string) => ({ data: null, errors: [{ message: 'a sentence', extensions: { code } }] })

t.test('what the real Vendure answered', testAll)

t.test('a SKU that is found only by a part of it, as with MySQL, is found', async t => {
  const recording = recordingOf('unknown SKUs')
  const [, again, added, read] = recording.calls as [Call, Call, Call, Call]
  const items = [{ sku: 'NO-SUCH-SKU', productId: '1', productVariantId: '1' }]
  changeBody(({ data }) => Object.assign(data.s0, { items }))(again.response)
  added.request.body = added.request.body?.replace('}]}}', '},{"productVariantId":"1","quantity":3}]}}') ?? ''
  const line = { quantity: 3, unitPriceWithTax: 960, productVariant: { sku: 'NO-SUCH-SKU' } }
  changeBody(({ data }) => data.order.lines.push(line))(read.response)
  // Of the five lines, the others are still unknown.
  const { outcome, unknown } = await replay(t, recording)
  t.match({ outcome, unknown }, { outcome: { refused: [{ line: 2 }, { line: 3 }] }, unknown: [] })
  t.equal('refused' in outcome && outcome.refused.length, 2)
})

t.test('whatever is wrong with a line, each is named', async t => {
  const codesOf = (name: string) => {
    const outcome = outcomeOf(name)
    return 'refused' in outcome ? outcome.refused.map(({ line, code }) => `${line}: ${code}`) : outcome
  }
  t.strictSame(codesOf('lines that cannot be sold for several reasons'), [
    '1: sku-unknown',
    '2: sku-unknown',
    '3: out-of-stock',
    '4: quantity-too-large',
    '5: price-missing',
    '6: sku-unknown'
  ])
  t.strictSame(codesOf('unknown SKUs in another currency'), ['0: sku-unknown', 'undefined: currency-not-sold'])
  t.strictSame(codesOf('only a variant that is sold no more'), ['0: sku-unknown'])
  t.strictSame(codesOf('a bag of which the shop takes nothing'), ['0: out-of-stock'])
})

t.test('a line of which there are too few, and that costs 0, is told of both', async t => {
  const recording = recordingOf('lines that cannot be sold for several reasons')
  const { response } = recording.calls.at(-1) as Call
  changeBody(({ data }) => {
    for (const line of data.order.lines) line.unitPriceWithTax = 0
  })(response)
  const { outcome } = await replay(t, recording)
  const codes = 'refused' in outcome ? outcome.refused.filter(({ line }) => line === 4).map(({ code }) => code) : []
  t.strictSame(codes, ['quantity-too-large', 'price-missing'])
})

t.test('every cart gets a session of its own: no request that begins one has a session', async t => {
  for (const { name, calls } of recordings) {
    const headers = calls.slice(0, 2).flatMap(({ request }) => Object.keys(request.headers))
    t.notMatch(headers, ['cookie'], name)
    t.notMatch(headers, ['authorization'], name)
  }
})

t.test('Vendure applies codes in the currency of the order, which has the attribution', async t => {
  const { cart, calls } = recordingOf('codes and attribution')
  const [, , applied, read] = calls.map(({ request }) => request)
  t.match(applied, { path: '/shop-api?currencyCode=GBP' })
  t.strictSame(JSON.parse(applied?.body ?? '').variables, { c0: 'NO-SUCH', c1: 'SUMMER10', c2: 'OLD' })
  const { input } = JSON.parse(read?.body ?? '').variables
  t.strictSame(JSON.parse(input.customFields.cartAttribution), cart.attribution)
  const refusedCodes = [
    { code: 'NO-SUCH', detail: 'Coupon code "NO-SUCH" is not valid' },
    { code: 'OLD', detail: 'Coupon code "OLD" has expired' }
  ]
  t.match(outcomeOf('codes and attribution'), { handover: { lines: cart.items, currency: 'GBP', refusedCodes } })
  const failing = await outcomeWith(t, 'codes and attribution', 2, withBody(errorBody('INTERNAL_SERVER_ERROR')))
  const detail = 'Vendure says "a sentence" (INTERNAL_SERVER_ERROR)'
  t.match(failing, { handover: { lines: cart.items, refusedCodes: cart.codes?.map(code => ({ code, detail })) } })
})

t.test('a cart without attribution leaves its field alone', async t => {
  const recording = recordingOf('the token in a cookie, and the reference in a custom field')
  const settings = { ...recording.settings, attributionField: 'cartAttribution' }
  t.strictSame(await replay(t, { ...recording, settings }), { outcome: recording.outcome, unknown: [] })
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
    const refused = await outcomeWith(t, 'session cookies', 1, withStatus(status))
    t.strictSame(refused, { failed: `it answered ${status}${status < 400 ? '; redirects are not followed' : ''}` })
  }
})

t.test('a session that the page cannot get is a failure, with what to change in the shop', async t => {
  const without = (name: string) => (answer: Recording['calls'][number]['response']) => {
    answer.headers = answer.headers.filter(([header]) => header !== name)
  }
  t.match(await outcomeWith(t, 'session cookies', 1, without('set-cookie')), { failed: /add "cookie" to authOptions/ })
  const token = await outcomeWith(t, 'the token in the address', 1, without('vendure-auth-token'))
  t.match(token, { failed: /add "bearer" to authOptions/ })
})

t.test('cookies are described as far as Vendure describes them', async t => {
  const recording = recordingOf('session cookies')
  const [, added, read] = recording.calls
  if (added && read) {
    added.response.headers = [
      ['set-cookie', 'session=a'],
      ['set-cookie', 'gone=; expires=Thu, 01 Jan 1970 00:00:00 GMT'],
      ['set-cookie', '']
    ]
    read.request.headers = { ...read.request.headers, cookie: 'session=a' }
  }
  t.match((await replay(t, recording)).outcome, {
    handover: { cookies: [{ name: 'session', value: 'a', isHttpOnly: false, isSecure: false, path: undefined }] }
  })
})

t.test('a line that the shop does not take for a reason of its own is named with that reason', async t => {
  const other = changeBody(({ data: { added } }) => {
    added.errorResults[0] = { __typename: 'OrderInterceptorError' }
  })
  const outcome = await outcomeWith(t, 'too few units', 1, other)
  const detail = 'The shop does not take "MUG-RUST": OrderInterceptorError.'
  t.match(outcome, { refused: [{ line: 1, field: 'sku', code: 'destination-differs', detail }, {}, {}] })
})

t.test('a line that an order keeps without units is told as it is', async t => {
  const none = changeBody(({ data }) => Object.assign(data.order.lines[0], { quantity: 0, unitPriceWithTax: 0 }))
  const outcome = await outcomeWith(t, 'session cookies', 2, none)
  t.match(outcome, { handover: { lines: [{ quantity: 0 }] } })
})

t.test('errors that cannot be told to be of which line name none: what the shop holds is compared', async t => {
  const fewer = changeBody(({ data }) => data.added.errorResults.pop())
  const outcome = await outcomeWith(t, 'too few units', 1, fewer)
  t.match(outcome, {
    handover: {
      lines: [
        { sku: 'LAMP', quantity: 1 },
        { sku: 'ROPE', quantity: 2 }
      ]
    }
  })
})

t.test('settings that could not work are found at start', async t => {
  const url = 'https://shop.example/shop-api'
  const pageUrl = 'https://shop.example/checkout'
  const currencies = ['GBP']
  const page = { answer: 'page', origin: 'https://shop.example', path: '', currencies } as const
  const description = { answer: 'description', origin: 'https://elsewhere.example', path: '', currencies } as const
  const check = (settings: Parameters<typeof vendure.check>[0], route: Parameters<typeof vendure.check>[1]) =>
    reported(report => vendure.check(settings, route, report))
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
