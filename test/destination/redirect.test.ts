// What a redirect can carry into a shop: an address, and cookies for the host that both share.
import t from 'tap'
import { redirectTo } from '../../src/destination/redirect.ts'
import { HandoverUnusable } from '../../src/destination/shop-errors.ts'
import type { Description } from '../../src/transfer/description.ts'

const get = (url: string, more: Partial<Description> = {}): Description => ({ url, httpMethod: 'GET', ...more })
const cookies = [{ name: 'session', value: 's3' }]

t.test('an address is a location; a cookie is set for the host', async t => {
  const cases: [origin: string, url: string][] = [
    ['https://shop.example', 'https://shop.example/checkout'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:4000/checkout']
  ]
  for (const [origin, url] of cases) {
    t.strictSame(redirectTo(get(url), origin), { location: url, setCookies: [] })
    const setCookies = ['session=s3; Path=/; SameSite=Lax']
    t.strictSame(redirectTo(get(url, { cookies }), origin), { location: url, setCookies }, `${origin} to ${url}`)
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
      get('https://b.example/', { cookies }),
      'https://a.example',
      /not the host of publicUrl \(a\.example\)/
    ],
    [
      'nor for another host of the site, where an older one would be sent first',
      get('https://www.acme.example/', { cookies }),
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
