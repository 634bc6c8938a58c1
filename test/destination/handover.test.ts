// A shop's answer: read strictly, so that what an app could not carry out is named by field, and nothing of it is quoted;
// compared with what was handed over, exactly these items and no others (contract 1); and carried by a redirect.
import t from 'tap'
import { CartRefused, HandoverUnusable, ShopFailed } from '../../src/destination/destination.ts'
import { compareCart, readHandover, redirectTo } from '../../src/destination/handover.ts'
import type { Description } from '../../src/transfer/description.ts'

const NOW = new Date('2026-11-20T10:00:00Z')
const LEAST = { lines: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', url: 'https://shop.example/checkout' }
/** Two cookies or headers with as many characters as there may be. */
const FULL = ['a', 'b'].map(name => ({ name, value: 'v'.repeat(4095) }))

t.test('the least and the most that a shop may answer', async t => {
  t.strictSame(readHandover(LEAST, NOW), {
    lines: [{ sku: 'MUG', quantity: 2 }],
    currency: 'GBP',
    description: { url: 'https://shop.example/checkout', httpMethod: 'GET' }
  })
  const answer = {
    ...LEAST,
    lines: [{ sku: 'MUG', quantity: 2, price: '1.00' }],
    method: 'POST',
    body: 'cart=1',
    cookies: [
      {
        name: 'session',
        value: 's3',
        expireDate: '2026-11-21T10:00:00.123+01:00',
        isHttpOnly: true,
        isSecure: true,
        path: '/a'
      },
      { name: 'plain', value: 'x', domain: 'ignored.example' }
    ],
    headers: [{ name: 'X-Cart', value: '1', other: 1 }],
    expiresAt: '2026-11-20T11:00:00+01:00',
    other: true
  }
  t.throws(() => readHandover(answer, NOW), { message: /\/expiresAt: it is in the past/ }, 'an offset counts')
  t.strictSame(
    readHandover({ ...answer, expiresAt: '2026-11-20T12:00:00+01:00' }, NOW),
    {
      lines: [{ sku: 'MUG', quantity: 2 }],
      currency: 'GBP',
      description: {
        url: 'https://shop.example/checkout',
        httpMethod: 'POST',
        body: 'cart=1',
        cookies: [
          {
            name: 'session',
            value: 's3',
            expireDate: '2026-11-21T09:00:00Z',
            isHttpOnly: true,
            isSecure: true,
            path: '/a'
          },
          { name: 'plain', value: 'x' }
        ],
        headers: [{ name: 'X-Cart', value: '1' }]
      },
      expiresAt: new Date('2026-11-20T11:00:00Z')
    },
    'dates as iOS reads them, and nothing that the contract does not have'
  )
})

t.test('what is wrong is named by field, with what would be right', async t => {
  const cookie = { name: 'session', value: 's3cret' }
  const cases: [name: string, answer: unknown, message: RegExp][] = [
    ['nothing', undefined, /wrong at its root: give an object with lines, currency and url/],
    ['a list', [], /its root/],
    ['no lines', { ...LEAST, lines: undefined }, /\/lines: give the list of lines/],
    ['a line without SKU', { ...LEAST, lines: [{ quantity: 1 }] }, /\/lines\/0\/sku: give a string/],
    [
      'a quantity as text',
      { ...LEAST, lines: [{ sku: 'A', quantity: '2' }] },
      /\/lines\/0\/quantity: give a whole number/
    ],
    ['a quantity of zero', { ...LEAST, lines: [{ sku: 'A', quantity: 0 }] }, /\/lines\/0\/quantity/],
    ['no currency', { ...LEAST, currency: undefined }, /\/currency: give an ISO 4217/],
    ['no url', { ...LEAST, url: undefined }, /\/url: give the absolute address/],
    ['a relative url', { ...LEAST, url: '/checkout' }, /\/url: it is not an absolute http or https address/],
    ['no slashes', { ...LEAST, url: 'https:shop.example/checkout' }, /\/url: it is not an absolute/],
    ['a slash too many', { ...LEAST, url: 'https:///shop.example/' }, /\/url: it is not an absolute/],
    ['another scheme', { ...LEAST, url: 'javascript:alert(1)' }, /\/url: it is not an absolute/],
    ['a space, which iOS refuses', { ...LEAST, url: 'https://shop.example/a b' }, /\/url: it has characters/],
    ['a lone %', { ...LEAST, url: 'https://shop.example/%' }, /\/url: it has characters/],
    ['a letter beyond ASCII', { ...LEAST, url: 'https://shop.example/é' }, /\/url: it has characters/],
    ['a url that is too long', { ...LEAST, url: `https://shop.example/${'a'.repeat(2028)}` }, /2049 characters.*2048/],
    ['a login', { ...LEAST, url: 'https://ada:s3cret@shop.example/' }, /\/url: it has a user or a password/],
    ['http on the open net', { ...LEAST, url: 'http://shop.example/' }, /\/url: it is http/],
    ['another method', { ...LEAST, method: 'PUT' }, /\/method: give "GET" or "POST"/],
    ['a GET with a body', { ...LEAST, body: 'a=1' }, /\/body: iOS sends no GET with a body/],
    [
      'a Content-Type',
      { ...LEAST, headers: [{ name: 'content-type', value: 'a' }] },
      /\/headers\/0\/name: the app ignores/
    ],
    ['a header with a line break', { ...LEAST, headers: [{ name: 'A', value: 'a\r\nb' }] }, /\/headers\/0\/value/],
    ['a cookie with a semicolon', { ...LEAST, cookies: [{ ...cookie, value: 's3cret; a' }] }, /\/cookies\/0\/value/],
    ['a cookie without a name', { ...LEAST, cookies: [{ value: 'x' }] }, /\/cookies\/0\/name/],
    [
      'a date without offset',
      { ...LEAST, cookies: [{ ...cookie, expireDate: '2027-01-31T12:00:00' }] },
      /\/cookies\/0\/expireDate: give a date/
    ],
    ['a day that does not exist', { ...LEAST, expiresAt: '2027-13-31T12:00:00Z' }, /\/expiresAt: give a date/],
    [
      'more lines than a cart has',
      { ...LEAST, lines: Array(2001).fill({ sku: 'A', quantity: 1 }) },
      /\/lines: give the list of lines that the cart holds, at most 2,000/
    ],
    ['a long SKU', { ...LEAST, lines: [{ sku: 'A'.repeat(1025), quantity: 1 }] }, /\/lines\/0\/sku: .*at most 1,024/],
    ['a long currency', { ...LEAST, currency: 'A'.repeat(17) }, /\/currency: give an ISO 4217/],
    ['a long body', { ...LEAST, method: 'POST', body: 'a'.repeat(65_537) }, /\/body: .*at most 65,536 characters/],
    ['many cookies', { ...LEAST, cookies: Array(21).fill(cookie) }, /\/cookies: give a list of at most 20 cookies/],
    ['many headers', { ...LEAST, headers: Array(21).fill(cookie) }, /\/headers: give a list of at most 20 headers/],
    [
      'a long cookie',
      { ...LEAST, cookies: [{ ...cookie, value: 'a'.repeat(4097) }] },
      /\/cookies\/0\/value: .*at most 4,096 characters/
    ],
    [
      'a long name of a header',
      { ...LEAST, headers: [{ name: 'a'.repeat(4097), value: '1' }] },
      /\/headers\/0\/name: .*at most 4,096 characters/
    ],
    [
      'cookies that are long together',
      { ...LEAST, cookies: [...FULL, { name: 'b', value: 'c', path: '/' }] },
      /\/cookies: give at most 8,192 characters in all/
    ],
    ['headers that are long together', { ...LEAST, headers: [...FULL, cookie] }, /\/headers: give at most 8,192/],
    [
      'more than a year ahead',
      { ...LEAST, expiresAt: '2027-11-20T10:00:01Z' },
      /\/expiresAt: give a time within a year/
    ],
    ['a year of five digits in UTC', { ...LEAST, expiresAt: '9999-12-31T23:59:59-12:00' }, /\/expiresAt: give a date/]
  ]
  for (const [name, answer, message] of cases) {
    t.throws(() => readHandover(answer, NOW), { constructor: ShopFailed, message }, name)
    t.throws(() => readHandover(answer, NOW), { message: /^(?!.*s3cret)/ }, `${name}: nothing secret is quoted`)
  }
  const longest = `https://shop.example/${'a'.repeat(2027)}`
  t.equal(readHandover({ ...LEAST, url: longest }, NOW).description.url.length, 2048)
  const most = { ...LEAST, cookies: FULL, headers: FULL, expiresAt: '2027-11-20T10:00:00Z' }
  t.match(readHandover(most, NOW), { description: { cookies: FULL, headers: FULL } })
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
  const cases: [name: string, lines: Lines, currency: string, found: object[]][] = [
    ['a line was dropped', [mug], 'GBP', [{ field: 'sku', line: 1, detail: /has 0 units of "ROPE"; 1 were sent/ }]],
    [
      'a quantity was doubled, on both lines of its SKU',
      [{ ...mug, quantity: 6 }, rope],
      'GBP',
      [{ line: 0, detail: /has 6 units of "MUG"; 3 were sent/ }, { line: 2 }]
    ],
    [
      'an old item is still there',
      [mug, rope, { sku: 'OLD', quantity: 1 }],
      'GBP',
      [{ field: 'items', detail: /"OLD"/ }]
    ],
    [
      'SKUs are compared exactly',
      [{ ...mug, sku: 'mug' }, rope],
      'GBP',
      [{ line: 0 }, { line: 2 }, { field: 'items' }]
    ],
    [
      'many others, of which the first 20 are named',
      [mug, rope, ...Array.from({ length: 30 }, (_, i) => ({ sku: `OLD-${i}`, quantity: 1 }))],
      'GBP',
      Array.from({ length: 20 }, (_, i) => ({ field: 'items', detail: `also has "OLD-${i}"` }))
    ],
    ['another currency', [mug, rope], 'EUR', [{ field: 'currency', detail: /in "EUR"; GBP was sent/ }]],
    ['an empty cart', [], 'GBP', [{ line: 0 }, { line: 1 }, { line: 2 }]]
  ]
  for (const [name, lines, currency, found] of cases) {
    try {
      compareCart(CART, { lines, currency })
      t.fail(name)
    } catch (error) {
      t.type(error, CartRefused)
      const { mistakes } = error as CartRefused
      t.match(mistakes, found, name)
      t.equal(mistakes.length, found.length, name)
      t.ok(mistakes.every(({ code }) => code === 'destination-differs'))
    }
  }
})

const get = (url: string, more: Partial<Description> = {}): Description => ({ url, httpMethod: 'GET', ...more })
const COOKIES = [{ name: 'session', value: 's3' }]

t.test('an address is a location; a cookie is set for the host', async t => {
  const cases: [origin: string, url: string][] = [
    ['https://shop.example', 'https://shop.example/checkout'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:4000/checkout']
  ]
  for (const [origin, url] of cases) {
    t.strictSame(redirectTo(get(url), origin), { location: url, setCookies: [] })
    const setCookies = ['session=s3; Path=/; SameSite=Lax']
    t.strictSame(
      redirectTo(get(url, { cookies: COOKIES }), origin),
      { location: url, setCookies },
      `${origin} to ${url}`
    )
  }
  t.strictSame(
    redirectTo(
      get('https://shop.example/', {
        cookies: [
          { name: 'a', value: 'b', path: '/x', expireDate: '2027-01-31T12:00:00Z', isHttpOnly: true, isSecure: true }
        ]
      }),
      'https://shop.example'
    ).setCookies,
    ['a=b; Path=/x; Expires=Sun, 31 Jan 2027 12:00:00 GMT; HttpOnly; Secure; SameSite=Lax']
  )
})

t.test('what would be lost is refused with the reason', async t => {
  const cases: [name: string, description: Description, origin: string, message: RegExp][] = [
    [
      'a POST',
      { url: 'https://shop.example/', httpMethod: 'POST', body: 'a=1' },
      'https://shop.example',
      /^a POST cannot/
    ],
    [
      'a header',
      get('https://shop.example/', { headers: [{ name: 'X-Cart', value: '1' }] }),
      'https://shop.example',
      /^the header X-Cart cannot be carried by a redirect; option 1 can$/
    ],
    [
      'a cookie for another host',
      get('https://b.example/', { cookies: COOKIES }),
      'https://a.example',
      /not the host of publicUrl \(a\.example\)/
    ],
    [
      'nor for another host of the site, where an older one would be sent first',
      get('https://www.acme.example/', { cookies: COOKIES }),
      'https://acme.example',
      /www\.acme\.example, which is not the host of publicUrl \(acme\.example\)/
    ],
    [
      'a secure cookie from http',
      get('http://127.0.0.1:4000/', { cookies: [{ name: 'session', value: 's3', isSecure: true }] }),
      'http://127.0.0.1:3000',
      /^the cookie session, which is secure/
    ]
  ]
  for (const [name, description, origin, message] of cases) {
    t.throws(() => redirectTo(description, origin), { constructor: HandoverUnusable, message }, name)
  }
})
