// What a redirect can carry into a shop: an address, and cookies within one site.
import t from 'tap'
import { redirectTo } from '../../src/destination/redirect.ts'
import { HandoverUnusable } from '../../src/destination/shop-errors.ts'
import type { Description } from '../../src/transfer/description.ts'

const get = (url: string, more: Partial<Description> = {}): Description => ({ url, httpMethod: 'GET', ...more })
const cookies = [{ name: 'session', value: 's3' }]

t.test('an address is a location; a cookie is set for the host, or for the site if the hosts differ', async t => {
  const cases: [origin: string, url: string, domain: string][] = [
    ['https://shop.example', 'https://shop.example/checkout', ''],
    ['https://app.acme.co.uk', 'https://www.acme.co.uk/checkout', ' Domain=acme.co.uk;'],
    ['https://acme.co.uk', 'https://checkout.acme.co.uk/', ' Domain=acme.co.uk;'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:4000/checkout', '']
  ]
  for (const [origin, url, domain] of cases) {
    t.strictSame(redirectTo(get(url), origin), { location: url, setCookies: [] })
    const setCookies = [`session=s3; Path=/;${domain} SameSite=Lax`]
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
      'a cookie for another site',
      get('https://b.example/', { cookies }),
      'https://a.example',
      /another site than a\.example/
    ],
    ['a public suffix is no site', get('https://a.co.uk/', { cookies }), 'https://b.co.uk', /another site/],
    ['nor is a host that many share', get('https://a.github.io/', { cookies }), 'https://b.github.io', /another site/],
    ['nor an address', get('http://127.0.0.2/', { cookies }), 'http://127.0.0.1', /another site/],
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
