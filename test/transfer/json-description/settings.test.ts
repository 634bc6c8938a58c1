// What a merchant file may say of option 1's description, and what is refused before the server starts.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { findJsonMistakes, JsonSettings } from '../../../src/transfer/json-description/settings.ts'

const CHECKOUT = 'https://shop.example/app/checkout'

/** The keys of what the schema refuses. */
function refusedBySchema(settings: unknown): string[] {
  return [...new Set([...Value.Errors(JsonSettings, settings)].map(({ path }) => path))]
}

t.test('the shape of the settings', async t => {
  const description = (key: string, value: unknown) => ({ description: { [key]: value } })
  const header = (changes: object) => description('headers', [{ name: 'X-A', value: 'b', ...changes }])
  const cookie = (changes: object) => description('cookies', [{ name: 'a', value: 'b', ...changes }])
  const cases: [name: string, settings: unknown, refused: string[]][] = [
    ['nothing said', {}, []],
    ['an empty description', { description: {} }, []],
    ['hyphenated references', { acceptHyphenated: true }, []],
    ['hyphenated references, as text', { acceptHyphenated: 'true' }, ['/acceptHyphenated']],
    ['POST', description('httpMethod', 'POST'), []],
    ['GET', description('httpMethod', 'GET'), []],
    ['get', description('httpMethod', 'get'), ['/description/httpMethod']],
    ['PUT', description('httpMethod', 'PUT'), ['/description/httpMethod']],
    ['an unknown key', description('url', 'https://elsewhere.example'), ['/description/url']],
    ['a body of its own', description('body', 'a=b'), ['/description/body']],
    ['no object', { description: [] }, ['/description']],
    ['a header', header({}), []],
    ['a header with every character of a token', header({ name: "Az09!#$%&'*+-.^_`|~" }), []],
    ['a header without a name', header({ name: '' }), ['/description/headers/0/name']],
    ['a header name with a space', header({ name: 'X A' }), ['/description/headers/0/name']],
    ['a header name with a colon', header({ name: 'X:A' }), ['/description/headers/0/name']],
    ['a header without a value, which an app skips', header({ value: '' }), ['/description/headers/0/value']],
    ['a header value with a line break', header({ value: 'a\r\nb' }), ['/description/headers/0/value']],
    ['a header value past ASCII', header({ value: 'é' }), ['/description/headers/0/value']],
    ['a header with one key more', header({ extra: 1 }), ['/description/headers/0/extra']],
    ['headers that are no list', description('headers', { 'X-A': 'b' }), ['/description/headers']],
    [
      'a cookie with everything',
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
    ['a cookie value with a line break at its end', cookie({ value: 'a\n' }), ['/description/cookies/0/value']],
    ['a path that begins elsewhere', cookie({ path: 'app' }), ['/description/cookies/0/path']],
    ['a path with a semicolon', cookie({ path: '/;' }), ['/description/cookies/0/path']],
    ['isSecure as text', cookie({ isSecure: 'yes' }), ['/description/cookies/0/isSecure']],
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
    ['no minutes', cookie({ expiresAfterMinutes: 0 }), ['/description/cookies/0/expiresAfterMinutes']],
    ['half a minute', cookie({ expiresAfterMinutes: 0.5 }), ['/description/cookies/0/expiresAfterMinutes']],
    ['ten years of minutes', cookie({ expiresAfterMinutes: 5_256_000 }), []],
    ['more than ten years', cookie({ expiresAfterMinutes: 5_256_001 }), ['/description/cookies/0/expiresAfterMinutes']],
    ['a domain, which the contract has no field for', cookie({ domain: 'a' }), ['/description/cookies/0/domain']]
  ]
  for (const [name, settings, refused] of cases) t.strictSame(refusedBySchema(settings), refused, name)
})

t.test('what no schema can say', async t => {
  const cookie = (changes: object) => ({ description: { cookies: [{ name: 'a', value: 'b', ...changes }] } })
  const date = 'description.cookies.0.expireDate'
  const cases: [name: string, settings: JsonSettings, keys: string[]][] = [
    ['nothing said', {}, []],
    ['a usual header', { description: { headers: [{ name: 'X-Content-Type', value: 'a' }] } }, []],
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
      'a Content-Type in other letters',
      { description: { headers: [{ name: 'cOnTeNt-TyPe', value: 'a' }] } },
      ['description.headers.0.name']
    ],
    ['one kind of expiry', cookie({ expiresAfterMinutes: 5 }), []],
    ['the other kind', cookie({ expireDate: '2027-01-31T12:00:00Z' }), []],
    ['no expiry', cookie({}), []],
    ['both', cookie({ expireDate: '2027-01-31T12:00:00Z', expiresAfterMinutes: 5 }), ['description.cookies.0']],
    ['a leap day', cookie({ expireDate: '2028-02-29T12:00:00Z' }), []],
    ['a month that does not exist', cookie({ expireDate: '2027-13-01T12:00:00Z' }), [date]],
    ['a 32nd', cookie({ expireDate: '2027-01-32T12:00:00Z' }), [date]],
    ['a 30th of February', cookie({ expireDate: '2027-02-30T12:00:00Z' }), [date]],
    ['a leap day in a common year', cookie({ expireDate: '2027-02-29T12:00:00Z' }), [date]],
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

t.test('a described URL has 2,048 characters at most, the longest token included', async t => {
  const post: JsonSettings = {}
  const get: JsonSettings = { description: { httpMethod: 'GET' } }
  const cases: [name: string, settings: JsonSettings, length: number, isRight: boolean][] = [
    ['POST', post, 2048, true],
    ['POST', post, 2049, false],
    ['GET, with a slash and a token of 64', get, 2048 - 65, true],
    ['GET, with a slash and a token of 64', get, 2049 - 65, false]
  ]
  for (const [name, settings, length, isRight] of cases) {
    const found = findJsonMistakes(settings, CHECKOUT.padEnd(length, 'x'))
    const words = `the described URL could have 2049 characters and 2048 are allowed; shorten publicUrl or checkout.path`
    t.strictSame(found, isRight ? [] : [{ key: ['description'], problem: words }], `${name}: ${length}`)
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
