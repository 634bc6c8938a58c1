// What a merchant file may set for option 1's description, and what is refused before the server starts.
import { Value, ValuePointer } from '@sinclair/typebox/value'
import t from 'tap'
import { checkJsonSettings, describeRequest, JsonSettings } from '../../../src/transfer/json-description/settings.ts'
import type { CheckoutLink } from '../../../src/transfer/option.ts'
import { reported } from '../../reported.ts'

const CHECKOUT = 'https://shop.example/app/checkout'

/** The paths that the schema refuses. */
function refusedBySchema(settings: unknown): string[] {
  return [...new Set([...Value.Errors(JsonSettings, settings)].map(({ path }) => path))]
}

const mistakesOf = (settings: JsonSettings, checkoutUrl: string) =>
  reported(report => checkJsonSettings(settings, checkoutUrl, report))

const withCookie = (changes: object) => ({ description: { cookies: [{ name: 'a', value: 'b', ...changes }] } })

t.test('the schema accepts and refuses settings by their shape', async t => {
  const accepted: object[] = [
    {},
    { acceptHyphenated: true },
    { description: {} },
    { description: { httpMethod: 'POST' } },
    { description: { httpMethod: 'GET', headers: [{ name: "Az09!#$%&'*+-.^_`|~", value: 'b' }] } },
    withCookie({ path: '/app', isSecure: true, isHttpOnly: true, expiresAfterMinutes: 1 }),
    withCookie({ expireDate: '2027-01-31T12:00:00Z' }),
    withCookie({ expireDate: '2027-01-31T12:00:00+01:00' }),
    withCookie({ expiresAfterMinutes: 5_256_000 })
  ]
  for (const settings of accepted) t.strictSame(refusedBySchema(settings), [], JSON.stringify(settings))
  // An app skips a header or a cookie without a value.
  const refused: [key: string, ...values: unknown[]][] = [
    ['acceptHyphenated', 'true'],
    ['description', []],
    ['description/httpMethod', 'get', 'PUT'],
    ['description/url', 'https://elsewhere.example'],
    ['description/body', 'a=b'],
    ['description/headers', { 'X-A': 'b' }],
    ['description/headers/0/name', '', 'X A', 'X:A'],
    ['description/headers/0/value', '', 'a\r\nb', 'é'],
    ['description/headers/0/extra', 1],
    ['description/cookies/0/name', '', 'a=b'],
    ['description/cookies/0/value', '', 'a;b', 'a b', 'a,b', '"a"', 'a\\b', 'a\n'],
    ['description/cookies/0/path', 'app', '/;'],
    ['description/cookies/0/isSecure', 'yes'],
    ['description/cookies/0/isHttpOnly', 1],
    ['description/cookies/0/expireDate', '2027-01-31T12:00:00.5Z', '2027-01-31T12:00:00', '2027-01-31'],
    ['description/cookies/0/expiresAfterMinutes', 0, 0.5, 5_256_001],
    ['description/cookies/0/domain', 'a']
  ]
  for (const [key, ...values] of refused) {
    for (const value of values) {
      const settings = { description: { headers: [{ name: 'X-A', value: 'b' }], ...withCookie({}).description } }
      ValuePointer.Set(settings, `/${key}`, value)
      t.strictSame(refusedBySchema(settings), [`/${key}`], `${key}: ${JSON.stringify(value)}`)
    }
  }
})

t.test('mistakes that the schema cannot express are found too', async t => {
  const withHeaders = (...names: string[]) => ({ description: { headers: names.map(name => ({ name, value: 'a' })) } })
  const right: JsonSettings[] = [
    {},
    withHeaders('X-Content-Type'),
    withCookie({ expiresAfterMinutes: 5 }),
    withCookie({ expireDate: '2028-02-29T12:00:00Z' })
  ]
  for (const settings of right) t.strictSame(mistakesOf(settings, CHECKOUT), [], JSON.stringify(settings))
  const ignored = /^the app ignores a Content-Type .* leave this header out$/
  const both = { expireDate: '2027-01-31T12:00:00Z', expiresAfterMinutes: 5 }
  const wrong: [settings: JsonSettings, key: string, problem: RegExp][] = [
    [withHeaders('X-A', 'Content-Type'), 'headers.1.name', ignored],
    [withHeaders('cOnTeNt-TyPe'), 'headers.0.name', ignored],
    [withCookie(both), 'cookies.0', /^give expireDate or expiresAfterMinutes, not both$/]
  ]
  // The last one has a year of five digits in UTC.
  for (const day of ['2027-13-01', '2027-01-32', '2027-02-30', '2027-02-29', '2027-04-31', '9999-12-31']) {
    const settings = withCookie({ expireDate: `${day}T23:59:59-01:00` })
    wrong.push([settings, 'cookies.0.expireDate', new RegExp(`^"${day}.*" is not a date .* use one such as "2027-`)])
  }
  for (const time of ['25:00:00', '12:00:60']) {
    wrong.push([withCookie({ expireDate: `2027-01-31T${time}Z` }), 'cookies.0.expireDate', /is not a date/])
  }
  for (const [settings, path, problem] of wrong) {
    const found = mistakesOf(settings, CHECKOUT)
    t.match(found, [
      { key: ['description', ...path.split('.').map(key => (/\d/.test(key) ? Number(key) : key))], problem }
    ])
    t.equal(found.length, 1, JSON.stringify(settings))
  }
})

t.test('a described URL has at most 2,048 characters, including the longest token', async t => {
  const post: JsonSettings = {}
  const get: JsonSettings = { description: { httpMethod: 'GET' } }
  const cases: [name: string, settings: JsonSettings, length: number, isValid: boolean][] = [
    ['POST', post, 2048, true],
    ['POST', post, 2049, false],
    ['GET, with a slash and a token of 64', get, 2048 - 65, true],
    ['GET, with a slash and a token of 64', get, 2049 - 65, false]
  ]
  for (const [name, settings, length, isValid] of cases) {
    const found = mistakesOf(settings, CHECKOUT.padEnd(length, 'x'))
    const problem = `the described URL could have 2049 characters and 2048 are allowed; shorten publicUrl or checkout.path`
    t.strictSame(found, isValid ? [] : [{ key: ['description'], problem }], `${name}: ${length}`)
  }
})

type Settings = NonNullable<JsonSettings['description']>
type Cookie = NonNullable<Settings['cookies']>[number]

const link: CheckoutLink = {
  token: 'T0ken-_',
  url: 'https://shop.example/app/checkout',
  at: new Date('2026-11-20T10:00:00.789Z')
}
const describe = (settings?: Settings) => describeRequest(link, settings)

t.test('POST carries the token in its body; GET in its path, with no body', async t => {
  const post = { url: 'https://shop.example/app/checkout', httpMethod: 'POST', body: 'token=T0ken-_' }
  const get = { url: 'https://shop.example/app/checkout/T0ken-_', httpMethod: 'GET' }
  for (const settings of [undefined, {}, { httpMethod: 'POST' }] as const) t.strictSame(describe(settings), post)
  t.strictSame(describe({ httpMethod: 'GET', headers: [], cookies: [] }), get, 'empty lists are left out')
})

t.test('headers and cookies are passed on in their order, with the fields that the merchant set', async t => {
  const headers = ['X-Channel', 'x-channel'].map((name, i) => ({ name, value: `${i}` }))
  t.strictSame(describe({ headers }).headers, headers, 'repeated names included')
  const full = { name: 'channel', value: 'app', path: '/app', isSecure: true, isHttpOnly: false }
  const cookies = [full, ...['b', 'a', 'c'].map(name => ({ name, value: '1' }))]
  t.strictSame(describe({ cookies }).cookies, cookies)
})

t.test('a cookie expires at a time in UTC, without fractions of a second', async t => {
  const cases: [set: Pick<Cookie, 'expireDate' | 'expiresAfterMinutes'>, sent: string][] = [
    [{ expiresAfterMinutes: 60 }, '2026-11-20T11:00:00Z'],
    [{ expiresAfterMinutes: 5_256_000 }, '2036-11-17T10:00:00Z'],
    [{ expireDate: '2027-01-31T12:00:00Z' }, '2027-01-31T12:00:00Z'],
    [{ expireDate: '2027-01-31T12:00:00+01:30' }, '2027-01-31T10:30:00Z'],
    [{ expireDate: '2027-01-01T00:00:00+05:00' }, '2026-12-31T19:00:00Z']
  ]
  const cookie = { name: 'a', value: 'b' }
  for (const [set, expireDate] of cases) {
    t.strictSame(describe({ cookies: [{ ...cookie, ...set }] }).cookies, [{ ...cookie, expireDate }])
  }
})
