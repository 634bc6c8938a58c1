// A shop's answer: read strictly, so that what an app could not carry out is named by field, and nothing of it is quoted;
// compared with what was handed over, exactly these items and no others (contract 1); and carried by a redirect.
import t from 'tap'
import {
  allRefused,
  CartRefused,
  compareCart,
  HandoffExpired,
  readHandoff,
  ShopFailed
} from '../../../src/integrations/destination/destination.ts'
import {
  HandoffUnusable,
  redirectTo,
  withoutRefusals,
  withParameters
} from '../../../src/integrations/destination/shop-page.ts'
import type { Description } from '../../../src/transfer/description.ts'

const NOW = new Date('2026-11-20T10:00:00Z')
const LEAST = { lines: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', url: 'https://shop.example/checkout' }
/** Two cookies or headers with as many characters as there may be. */
const FULL = ['a', 'b'].map(name => ({ name, value: 'v'.repeat(4095) }))

t.test('the least and the most that a shop may answer', async t => {
  const { url, ...held } = LEAST
  t.strictSame(readHandoff(LEAST, NOW), { ...held, description: { url, httpMethod: 'GET' } })
  const session = { name: 'session', value: 's3', isHttpOnly: true, isSecure: true, path: '/a' }
  const answer = {
    ...LEAST,
    lines: [{ sku: 'MUG', quantity: 2, price: '1.00' }],
    method: 'POST',
    body: 'cart=1',
    cookies: [
      { ...session, expireDate: '2026-11-21T10:00:00.123+01:00' },
      { name: 'plain', value: 'x', domain: 'ignored.example' }
    ],
    headers: [{ name: 'X-Cart', value: '1', other: 1 }],
    expiresAt: '2026-11-20T12:00:00+01:00',
    refusedCodes: [{ code: 'OLD', detail: 'It has expired.' }, { code: 'NO-SUCH' }],
    other: true
  }
  const cookies = [
    { ...session, expireDate: '2026-11-21T09:00:00Z' },
    { name: 'plain', value: 'x' }
  ]
  const headers = [{ name: 'X-Cart', value: '1' }]
  t.strictSame(
    readHandoff(answer, NOW),
    {
      ...held,
      description: { url, httpMethod: 'POST', body: 'cart=1', cookies, headers },
      expiresAt: new Date('2026-11-20T11:00:00Z'),
      refusedCodes: answer.refusedCodes
    },
    'dates as iOS reads them, and nothing that the contract does not have'
  )
})

t.test('a field with the name of what every object has stands for nothing', async t => {
  const odd =
    '"__proto__":{"method":"PUT","body":1,"cookies":[{"name":"a","value":"1; Domain=example"}],"path":";"},"toString":1'
  const answer = `{
    "lines": [{ "sku": "MUG", "quantity": 2, ${odd} }],
    "currency": "GBP",
    "url": "${LEAST.url}",
    "headers": [{ "name": "A", "value": "1", ${odd} }],
    ${odd}
  }`
  const withCookie = answer.replace('"headers"', '"cookies"')
  const expected = (given: object) => ({
    lines: LEAST.lines,
    currency: 'GBP',
    description: { url: LEAST.url, httpMethod: 'GET', ...given }
  })
  const list = [{ name: 'A', value: '1' }]
  t.equal(JSON.stringify(readHandoff(JSON.parse(answer), NOW)), JSON.stringify(expected({ headers: list })))
  t.equal(JSON.stringify(readHandoff(JSON.parse(withCookie), NOW)), JSON.stringify(expected({ cookies: list })))
})

t.test('what is wrong is named by field, with what would be right', async t => {
  const cookie = { name: 'session', value: 's3cret' }
  const withLine = (changes: object) => ({ lines: [{ sku: 'A', quantity: 1, ...changes }] })
  const withCookie = (changes: object) => ({ cookies: [{ ...cookie, ...changes }] })
  const withHeader = (changes: object) => ({ headers: [{ name: 'A', value: '1', ...changes }] })
  const cases: [changes: object, message: RegExp][] = [
    [{ lines: undefined }, /\/lines: give the list of lines/],
    [{ refusedCodes: 'OLD' }, /\/refusedCodes: give the list of codes that were not applied/],
    [{ refusedCodes: ['OLD'] }, /\/refusedCodes\/0: give an object with code/],
    [{ refusedCodes: [{ detail: 'no' }] }, /\/refusedCodes\/0\/code: give one of the codes that were sent/],
    [{ refusedCodes: [{ code: 'OLD', detail: 1 }] }, /\/refusedCodes\/0\/detail: give text, or leave it out/],
    [{ lines: Array(2001).fill({ sku: 'A', quantity: 1 }) }, /\/lines: give .* at most 2,000/],
    [withLine({ sku: undefined }), /\/lines\/0\/sku: give a string/],
    [withLine({ sku: 'A'.repeat(1025) }), /\/lines\/0\/sku: .*at most 1,024/],
    [withLine({ quantity: '2' }), /\/lines\/0\/quantity: give a whole number/],
    [withLine({ quantity: -1 }), /\/lines\/0\/quantity: give a whole number of at least 0/],
    [{ currency: undefined }, /\/currency: give an ISO 4217/],
    [{ currency: 'A'.repeat(17) }, /\/currency: give an ISO 4217/],
    [{ url: undefined }, /\/url: give the absolute address/],
    [{ url: '/checkout' }, /\/url: it is not an absolute http or https address/],
    [{ url: 'https:shop.example/checkout' }, /\/url: it is not an absolute/],
    [{ url: 'https:///shop.example/' }, /\/url: it is not an absolute/],
    [{ url: 'javascript:alert(1)' }, /\/url: it is not an absolute/],
    [{ url: 'https://shop.example/a b' }, /\/url: it has characters/],
    [{ url: 'https://shop.example/%' }, /\/url: it has characters/],
    [{ url: 'https://shop.example/é' }, /\/url: it has characters/],
    [{ url: `https://shop.example/${'a'.repeat(2028)}` }, /2049 characters.*2048/],
    [{ url: 'https://ada:s3cret@shop.example/' }, /\/url: it has a user or a password/],
    [{ url: 'http://shop.example/' }, /\/url: it is http/],
    [{ method: 'PUT' }, /\/method: give "GET" or "POST"/],
    [{ body: 'a=1' }, /\/body: iOS sends no GET with a body/],
    [{ method: 'POST', body: 'a'.repeat(65_537) }, /\/body: .*at most 65,536 characters/],
    [withHeader({ name: 'content-type' }), /\/headers\/0\/name: the app ignores/],
    [withHeader({ value: 'a\r\nb' }), /\/headers\/0\/value/],
    [withHeader({ name: 'a'.repeat(4097) }), /\/headers\/0\/name: .*at most 4,096 characters/],
    [{ headers: [...FULL, cookie] }, /\/headers: give at most 8,192 characters in all/],
    [{ headers: Array(21).fill(cookie) }, /\/headers: give a list of at most 20 headers/],
    [withCookie({ value: 's3cret; a' }), /\/cookies\/0\/value/],
    [withCookie({ value: 'a'.repeat(4097) }), /\/cookies\/0\/value: .*at most 4,096 characters/],
    [withCookie({ name: undefined }), /\/cookies\/0\/name/],
    [withCookie({ expireDate: '2027-01-31T12:00:00' }), /\/cookies\/0\/expireDate: give a date/],
    [{ cookies: [...FULL, { name: 'b', value: 'c', path: '/' }] }, /\/cookies: give at most 8,192 characters in all/],
    [{ cookies: Array(21).fill(cookie) }, /\/cookies: give a list of at most 20 cookies/],
    [{ expiresAt: '2027-13-31T12:00:00Z' }, /\/expiresAt: give a date/],
    [{ expiresAt: '2027-11-20T10:00:01Z' }, /\/expiresAt: give a time within a year/],
    [{ expiresAt: '9999-12-31T23:59:59-12:00' }, /\/expiresAt: give a date/]
  ]
  for (const [changes, message] of cases) {
    const read = () => readHandoff({ ...LEAST, ...changes }, NOW)
    t.throws(read, { constructor: ShopFailed, message }, String(message))
    t.throws(read, { message: /^(?!.*s3cret)/ }, 'nothing secret is quoted')
  }
  const past = { ...LEAST, expiresAt: '2026-11-20T11:00:00+01:00' }
  t.throws(() => readHandoff(past, NOW), { constructor: HandoffExpired, message: /\/expiresAt: it is in the past/ })
  for (const answer of [undefined, []]) {
    t.throws(() => readHandoff(answer, NOW), { message: /wrong at its root: give an object with lines, currency/ })
  }
  const longest = `https://shop.example/${'a'.repeat(2027)}`
  t.equal(readHandoff({ ...LEAST, url: longest }, NOW).description.url.length, 2048)
  const most = { ...LEAST, cookies: FULL, headers: FULL, expiresAt: '2027-11-20T10:00:00Z' }
  t.match(readHandoff(most, NOW), { description: { cookies: FULL, headers: FULL } })
})

const CART = {
  reference: 'order-1',
  currency: 'GBP',
  items: [
    { sku: 'MUG', quantity: 2 },
    { sku: 'ROPE', quantity: 1 },
    { sku: 'MUG', quantity: 1 }
  ]
}

type Lines = { sku: string; quantity: number }[]

t.test('the same items are the same, however the shop makes lines of them', async t => {
  const cases: [name: string, lines: Lines][] = [
    ['as sent', CART.items],
    [
      'one line for each SKU',
      [
        { sku: 'MUG', quantity: 3 },
        { sku: 'ROPE', quantity: 1 }
      ]
    ],
    ['in another order', [...CART.items].reverse()],
    ['a line for each unit', [1, 2, 3].map(() => ({ sku: 'MUG', quantity: 1 })).concat({ sku: 'ROPE', quantity: 1 })]
  ]
  for (const [name, lines] of cases) t.doesNotThrow(() => compareCart(CART, { lines, currency: 'GBP' }), name)
})

t.test('every difference is named, by line where it has one', async t => {
  const mug = { sku: 'MUG', quantity: 3 }
  const rope = { sku: 'ROPE', quantity: 1 }
  const olds = Array.from({ length: 30 }, (_, i) => ({ sku: `OLD-${i}`, quantity: 1 }))
  const others = olds.slice(0, 20).map(({ sku }) => ({ field: 'items', detail: `also has "${sku}"` }))
  const six = { ...mug, quantity: 6 }
  const cases: [name: string, lines: Lines, currency: string, found: object[]][] = [
    ['a line was dropped', [mug], 'GBP', [{ field: 'sku', line: 1, detail: /has 0 units of "ROPE"; 1 were sent/ }]],
    [
      'a line without units is out of stock, and one that was not sent is none',
      [mug, { ...rope, quantity: 0 }, { sku: 'OLD', quantity: 0 }],
      'GBP',
      [{ field: 'sku', line: 1, code: 'out-of-stock', detail: /has 0 units of "ROPE"; 1 were sent/ }]
    ],
    ['a quantity was doubled', [six, rope], 'GBP', [{ line: 0, detail: /has 6 .* "MUG"; 3 were/ }, { line: 2 }]],
    [
      'SKUs are compared exactly',
      [{ ...mug, sku: 'mug' }, rope],
      'GBP',
      [{ line: 0 }, { line: 2 }, { field: 'items' }]
    ],
    ['many others, of which the first 20 are named', [mug, rope, ...olds], 'GBP', others],
    ['another currency', [mug, rope], 'EUR', [{ field: 'currency', detail: /in "EUR"; GBP was sent/ }]],
    ['an empty cart', [], 'GBP', [{ line: 0 }, { line: 1 }, { line: 2 }]]
  ]
  for (const [name, lines, currency, found] of cases) {
    const refusal = await (async () => compareCart(CART, { lines, currency }))().catch((error: unknown) => error)
    t.type(refusal, CartRefused)
    t.match(refusal, { mistakes: found.map(mistake => ({ code: 'destination-differs', ...mistake })) }, name)
    t.match(refusal, { mistakes: { length: found.length } }, `${name}: nothing else`)
  }
})

t.test(
  'a call about codes that the shop answers with a failure refuses them; without an answer, the bag fails',
  async t => {
    const refused = allRefused(['A', 'B'])
    t.strictSame(refused(new ShopFailed('it answered 500')), [
      { code: 'A', detail: 'it answered 500' },
      { code: 'B', detail: 'it answered 500' }
    ])
    const error = new TypeError('fetch failed')
    t.throws(() => refused(error), error)
  }
)

t.test('parameters are added to what an address has, as far as a URL has room', async t => {
  const cases: [address: string, extended: string][] = [
    ['https://shop.example', 'https://shop.example?a=1&b=%26%20%2B%C3%BC'],
    ['https://shop.example/c?x=%20+y', 'https://shop.example/c?x=%20+y&a=1&b=%26%20%2B%C3%BC'],
    ['https://shop.example/?b=theirs#/pay?a=2', 'https://shop.example/?b=theirs&a=1#/pay?a=2'],
    ['https://shop.example/#', 'https://shop.example/?a=1&b=%26%20%2B%C3%BC#']
  ]
  const parameters: [string, string][] = [
    ['a', '1'],
    ['b', '& +ü']
  ]
  for (const [address, extended] of cases) t.equal(withParameters(address, parameters), extended)
  const repeated = withParameters('https://shop.example/', [...parameters, ['a', '\ud800']])
  t.equal(
    repeated,
    'https://shop.example/?a=1&b=%26%20%2B%C3%BC&a=%EF%BF%BD',
    'a name that comes twice, half a character'
  )

  const page = `https://shop.example/${'p'.repeat(2000)}`
  const long = (length: number): [string, string] => ['n', 'v'.repeat(length)]
  const room = 2048 - page.length - '?n='.length
  t.equal(withParameters(page, [long(room), ['c', '']]).length, 2048)
  t.equal(withParameters(page, [long(room + 1), ['c', '']]), page, 'what follows one without room is left out, too')
  t.equal(withParameters(`${page}#f`, [long(room - 1)]), `${page}#f`)
})

const get = (url: string, more: Partial<Description> = {}): Description => ({ url, httpMethod: 'GET', ...more })
const COOKIES = [{ name: 'session', value: 's3' }]

t.test('an address forgets which codes were refused, and nothing else', async t => {
  const cases = [
    [
      'https://shop.example/a?b=1&refused_code=C%26&c=%20#d?refused_code=e',
      'https://shop.example/a?b=1&c=%20#d?refused_code=e'
    ],
    ['https://shop.example/?refused_code=A&refused_code=B', 'https://shop.example/'],
    ['https://shop.example/?wc_error=A&b', 'https://shop.example/?b'],
    ['https://shop.example/?', 'https://shop.example/?'],
    ['https://shop.example/a', 'https://shop.example/a']
  ]
  for (const [url = '', expected] of cases) t.equal(withoutRefusals({ url, httpMethod: 'GET' }).url, expected)
})

t.test('an address is a location; a cookie is set for the host', async t => {
  const cases: [origin: string, url: string][] = [
    ['https://shop.example', 'https://shop.example/checkout'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:4000/checkout']
  ]
  for (const [origin, location] of cases) {
    t.strictSame(redirectTo(get(location), origin), { location, setCookies: [] })
    const setCookies = ['session=s3; Path=/; SameSite=Lax']
    t.strictSame(redirectTo(get(location, { cookies: COOKIES }), origin), { location, setCookies })
  }
  const full = { path: '/x', expireDate: '2027-01-31T12:00:00Z', isHttpOnly: true, isSecure: true }
  const description = get('https://shop.example/', { cookies: [{ name: 'a', value: 'b', ...full }] })
  const sent = 'a=b; Path=/x; Expires=Sun, 31 Jan 2027 12:00:00 GMT; HttpOnly; Secure; SameSite=Lax'
  t.strictSame(redirectTo(description, 'https://shop.example').setCookies, [sent])
})

t.test('what would be lost is refused with the reason', async t => {
  const shop = 'https://shop.example'
  const secure = { cookies: [{ name: 'session', value: 's3', isSecure: true }] }
  const cookies = { cookies: COOKIES }
  const cases: [description: Description, origin: string, message: RegExp][] = [
    [{ url: `${shop}/`, httpMethod: 'POST', body: 'a=1' }, shop, /^a POST cannot/],
    [
      get(`${shop}/`, { headers: [{ name: 'X-Cart', value: '1' }] }),
      shop,
      /^the header X-Cart cannot be carried by a redirect; option 1 can$/
    ],
    [get('https://b.example/', cookies), 'https://a.example', /not the host of publicUrl \(a\.example\)/],
    // On another host of the site, an older one would be sent first.
    [get('https://www.acme.example/', cookies), 'https://acme.example', /www\.acme\.example, .* \(acme\.example\)/],
    [get('http://127.0.0.1:4000/', secure), 'http://127.0.0.1:3000', /^the cookie session, which is secure/]
  ]
  for (const [description, origin, message] of cases) {
    t.throws(() => redirectTo(description, origin), { constructor: HandoffUnusable, message }, String(message))
  }
})
