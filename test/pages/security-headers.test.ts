// The security headers that every page has (DECISIONS.md, "Pages").
import { createHash } from 'node:crypto'
import t from 'tap'
import { securityHeaders } from '../../src/pages/security-headers.ts'
import { anyMerchant } from '../any-merchant.ts'
import { readPolicy } from './read-page.ts'

const CSS = 'body{margin:0}'
const HASH = `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`

const headersOf = securityHeaders(anyMerchant(), CSS, [])

t.test('the CSP of a page allows no scripts, no other origins and no framing by others', async t => {
  t.strictSame(headersOf([]), {
    'Content-Security-Policy': `default-src 'none';style-src ${HASH};img-src 'none';form-action 'self';frame-ancestors 'self';base-uri 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'SAMEORIGIN'
  })
})

t.test('pictures are allowed only from the hosts of those shown', async t => {
  const cases: [string[], string][] = [
    [[], "'none'"],
    [['/shop/pictures/mug.svg'], "'self'"],
    [['https://a.example/1.jpg'], 'https://a.example'],
    [['http://127.0.0.1:8080/1.jpg'], 'http://127.0.0.1:8080'],
    [['https://a.example/1.jpg?w=2;h=1'], 'https://a.example'],
    [
      ['https://a.example/1.jpg', '/shop/pictures/mug.svg', 'https://a.example/2.jpg', 'https://b.example/1.jpg'],
      "https://a.example 'self' https://b.example"
    ]
  ]
  for (const [images, sources] of cases) {
    const policy = readPolicy(headersOf(images)['Content-Security-Policy'])
    t.equal(policy['img-src'], sources, images.join(' ') || 'none')
  }
})
