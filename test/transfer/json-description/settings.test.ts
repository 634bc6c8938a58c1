// What a merchant file may set for option 1's description, and what is refused before the server starts.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { Description } from '../../../src/transfer/description.ts'
import { describeRequest, findJsonMistakes, JsonSettings } from '../../../src/transfer/json-description/settings.ts'
import type { CheckoutLink } from '../../../src/transfer/option.ts'

const CHECKOUT = 'https://shop.example/app/checkout'

/** The paths that the schema refuses. */
function refusedBySchema(settings: unknown): string[] {
  return [...new Set([...Value.Errors(JsonSettings, settings)].map(({ path }) => path))]
}

t.test('the schema accepts and refuses settings by their shape', async t => {
  const description = (key: string, value: unknown) => ({ description: { [key]: value } })
  const header = (changes: object) => description('headers', [{ name: 'X-A', value: 'b', ...changes }])
  const cookie = (changes: object) => description('cookies', [{ name: 'a', value: 'b', ...changes }])
  const cases: [name: string, settings: unknown, refused: string[]][] = [
    ['no settings', {}, []],
    ['an empty description', { description: {} }, []],
    ['hyphenated references', { acceptHyphenated: true }, []],
    ['hyphenated references, as a string', { acceptHyphenated: 'true' }, ['/acceptHyphenated']],
    ['POST', description('httpMethod', 'POST'), []],
    ['GET', description('httpMethod', 'GET'), []],
    ['get', description('httpMethod', 'get'), ['/description/httpMethod']],
    ['PUT', description('httpMethod', 'PUT'), ['/description/httpMethod']],
    ['an unknown key', description('url', 'https://elsewhere.example'), ['/description/url']],
    ['a body', description('body', 'a=b'), ['/description/body']],
    ['a description that is not an object', { description: [] }, ['/description']],
    ['a header', header({}), []],
    ['a header with every character of a token', header({ name: "Az09!#$%&'*+-.^_`|~" }), []],
    ['a header without a name', header({ name: '' }), ['/description/headers/0/name']],
    ['a header name with a space', header({ name: 'X A' }), ['/description/headers/0/name']],
    ['a header name with a colon', header({ name: 'X:A' }), ['/description/headers/0/name']],
    ['a header without a value, which an app skips', header({ value: '' }), ['/description/headers/0/value']],
    ['a header value with a line break', header({ value: 'a\r\nb' }), ['/description/headers/0/value']],
    ['a header value with non-ASCII', header({ value: 'é' }), ['/description/headers/0/value']],
    ['a header with an unknown key', header({ extra: 1 }), ['/description/headers/0/extra']],
    ['headers that are not a list', description('headers', { 'X-A': 'b' }), ['/description/headers']],
    [
      'a cookie with every field',
      cookie({ path: '/app', isSecure: true, isHttpOnly: true, expiresAfterMinutes: 1 }),
      []
    ],
    ['a cookie without a name', cookie({ name: '' }), ['/description/cookies/0/name']],
    ['a cookie name with an equals sign', cookie({ name: 'a=b' }), ['/description/cookies/0/name']],
    ['a cookie without a value, which an app skips', cookie({ value: '' }), ['/description/cookies/0/value']],
    ['a cookie value with a semicolon', cookie({ value: 'a;b' }), ['/description/cookies/0/value']],
    ['a cookie value with a space', cookie({ value: 'a b' }), ['/description/cookies/0/value']],
    ['a cookie value with a comma', cookie({ value: 'a,b' }), ['/description/cookies/0/value']],
    ['a cookie value with a quote', cookie({ value: '"a"' }), ['/description/cookies/0/value']],
    ['a cookie value with a backslash', cookie({ value: 'a\\b' }), ['/description/cookies/0/value']],
    ['a cookie value with a trailing line break', cookie({ value: 'a\n' }), ['/description/cookies/0/value']],
    ['a path without a leading slash', cookie({ path: 'app' }), ['/description/cookies/0/path']],
    ['a path with a semicolon', cookie({ path: '/;' }), ['/description/cookies/0/path']],
    ['isSecure as a string', cookie({ isSecure: 'yes' }), ['/description/cookies/0/isSecure']],
    ['isHttpOnly as a number', cookie({ isHttpOnly: 1 }), ['/description/cookies/0/isHttpOnly']],
    ['an expiry in UTC', cookie({ expireDate: '2027-01-31T12:00:00Z' }), []],
    ['an expiry with an offset', cookie({ expireDate: '2027-01-31T12:00:00+01:00' }), []],
    [
      'an expiry with fractions',
      cookie({ expireDate: '2027-01-31T12:00:00.5Z' }),
      ['/description/cookies/0/expireDate']
    ],
    ['an expiry without a zone', cookie({ expireDate: '2027-01-31T12:00:00' }), ['/description/cookies/0/expireDate']],
    ['an expiry without a time', cookie({ expireDate: '2027-01-31' }), ['/description/cookies/0/expireDate']],
    ['zero minutes', cookie({ expiresAfterMinutes: 0 }), ['/description/cookies/0/expiresAfterMinutes']],
    ['half a minute', cookie({ expiresAfterMinutes: 0.5 }), ['/description/cookies/0/expiresAfterMinutes']],
    ['ten years of minutes', cookie({ expiresAfterMinutes: 5_256_000 }), []],
    ['more than ten years', cookie({ expiresAfterMinutes: 5_256_001 }), ['/description/cookies/0/expiresAfterMinutes']],
    ['a domain, which is not in the contract', cookie({ domain: 'a' }), ['/description/cookies/0/domain']]
  ]
  for (const [name, settings, refused] of cases) t.strictSame(refusedBySchema(settings), refused, name)
})

t.test('mistakes that the schema cannot express are found too', async t => {
  const cookie = (changes: object) => ({ description: { cookies: [{ name: 'a', value: 'b', ...changes }] } })
  const date = 'description.cookies.0.expireDate'
  const cases: [name: string, settings: JsonSettings, keys: string[]][] = [
    ['no settings', {}, []],
    ['an ordinary header', { description: { headers: [{ name: 'X-Content-Type', value: 'a' }] } }, []],
    [
      'a Content-Type, which the app ignores',
      {
        description: {
          headers: [
            { name: 'X-A', value: 'a' },
            { name: 'Content-Type', value: 'text/plain' }
          ]
        }
      },
      ['description.headers.1.name']
    ],
    [
      'a Content-Type in mixed case',
      { description: { headers: [{ name: 'cOnTeNt-TyPe', value: 'a' }] } },
      ['description.headers.0.name']
    ],
    ['a relative expiry', cookie({ expiresAfterMinutes: 5 }), []],
    ['a fixed expiry', cookie({ expireDate: '2027-01-31T12:00:00Z' }), []],
    ['no expiry', cookie({}), []],
    [
      'both kinds of expiry',
      cookie({ expireDate: '2027-01-31T12:00:00Z', expiresAfterMinutes: 5 }),
      ['description.cookies.0']
    ],
    ['a leap day', cookie({ expireDate: '2028-02-29T12:00:00Z' }), []],
    ['a month that does not exist', cookie({ expireDate: '2027-13-01T12:00:00Z' }), [date]],
    ['a 32nd of January', cookie({ expireDate: '2027-01-32T12:00:00Z' }), [date]],
    ['a 30th of February', cookie({ expireDate: '2027-02-30T12:00:00Z' }), [date]],
    ['a leap day in a non-leap year', cookie({ expireDate: '2027-02-29T12:00:00Z' }), [date]],
    ['a 31st of April', cookie({ expireDate: '2027-04-31T12:00:00Z' }), [date]],
    ['hour 25', cookie({ expireDate: '2027-01-31T25:00:00Z' }), [date]],
    ['second 60', cookie({ expireDate: '2027-01-31T12:00:60Z' }), [date]],
    ['a year that has five digits in UTC', cookie({ expireDate: '9999-12-31T23:59:59-01:00' }), [date]]
  ]
  for (const [name, settings, keys] of cases) {
    t.strictSame(
      findJsonMistakes(settings, CHECKOUT).map(({ key }) => key.join('.')),
      keys,
      name
    )
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
    const found = findJsonMistakes(settings, CHECKOUT.padEnd(length, 'x'))
    const problem = `the described URL could have 2049 characters and 2048 are allowed; shorten publicUrl or checkout.path`
    t.strictSame(found, isValid ? [] : [{ key: ['description'], problem }], `${name}: ${length}`)
  }
})

t.test('each mistake says what is wrong and what would be right', async t => {
  const cookies = [{ name: 'a', value: 'b', expireDate: '2027-13-01T12:00:00Z', expiresAfterMinutes: 5 }]
  const headers = [{ name: 'Content-Type', value: 'a' }]
  t.match(
    findJsonMistakes({ description: { headers, cookies } }, CHECKOUT).map(({ problem }) => problem),
    [/the app ignores .* leave this header out/, /not both/, /"2027-13-01T12:00:00Z" is not a date .* use one such as/]
  )
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
  const cases: [name: string, settings: Settings | undefined, description: object][] = [
    ['no settings', undefined, post],
    ['no method', {}, post],
    ['POST', { httpMethod: 'POST' }, post],
    ['GET', { httpMethod: 'GET' }, get],
    ['empty lists are left out', { httpMethod: 'GET', headers: [], cookies: [] }, get]
  ]
  for (const [name, settings, description] of cases) t.strictSame(describe(settings), description, name)
})

t.test('headers are passed on unchanged and in order, repeated names included', async t => {
  const headers = [
    { name: 'X-Channel', value: 'app' },
    { name: 'x-channel', value: 'ios' }
  ]
  t.strictSame(describe({ headers }).headers, headers)
  t.strictSame(Object.keys(describe({ headers })), ['url', 'httpMethod', 'body', 'headers'])
})

t.test('a cookie has the fields that the merchant set and no others', async t => {
  const bare = { name: 'channel', value: 'app' }
  const full = { ...bare, path: '/app', isSecure: true, isHttpOnly: false }
  const cases: [name: string, cookie: Cookie, sent: object][] = [
    ['a name and a value', bare, bare],
    ['path and flags, even if false', full, full],
    [
      'an expiry counted from the response, without fractions of a second',
      { ...full, expiresAfterMinutes: 60 },
      { ...full, expireDate: '2026-11-20T11:00:00Z' }
    ],
    [
      'ten years of minutes',
      { ...bare, expiresAfterMinutes: 5_256_000 },
      { ...bare, expireDate: '2036-11-17T10:00:00Z' }
    ],
    [
      'a fixed expiry',
      { ...bare, expireDate: '2027-01-31T12:00:00Z' },
      { ...bare, expireDate: '2027-01-31T12:00:00Z' }
    ],
    [
      'a fixed expiry, converted to UTC',
      { ...bare, expireDate: '2027-01-31T12:00:00+01:30' },
      { ...bare, expireDate: '2027-01-31T10:30:00Z' }
    ],
    [
      'a fixed expiry, a day earlier in UTC',
      { ...bare, expireDate: '2027-01-01T00:00:00+05:00' },
      { ...bare, expireDate: '2026-12-31T19:00:00Z' }
    ]
  ]
  for (const [name, cookie, sent] of cases) t.strictSame(describe({ cookies: [cookie] }).cookies, [sent], name)
})

t.test('cookies keep the order of the merchant file', async t => {
  const cookies = ['b', 'a', 'c'].map(name => ({ name, value: '1' }))
  t.strictSame(describe({ cookies }).cookies, cookies)
})

t.test('a description has the fields of contract 2.2, the required ones always', async t => {
  const fields = (schema: { properties: object; required?: string[] }) => [
    Object.keys(schema.properties),
    schema.required
  ]
  const { cookies, headers } = Description.properties
  t.strictSame(fields(Description), [
    ['url', 'httpMethod', 'body', 'cookies', 'headers'],
    ['url', 'httpMethod']
  ])
  t.strictSame(fields(cookies.items), [
    ['name', 'value', 'expireDate', 'isHttpOnly', 'isSecure', 'path'],
    ['name', 'value']
  ])
  t.strictSame(fields(headers.items), [
    ['name', 'value'],
    ['name', 'value']
  ])
  const cookie = { name: 'a', value: 'b', path: '/', isSecure: true, isHttpOnly: true, expiresAfterMinutes: 1 }
  for (const httpMethod of ['GET', 'POST'] as const) {
    t.ok(Value.Check(Description, describe({ httpMethod, cookies: [cookie], headers: [{ name: 'a', value: 'b' }] })))
  }
})
