// The security headers that every page has (DECISIONS.md, "Pages").
import { createHash } from 'node:crypto'
import t from 'tap'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { securityHeaders } from '../../src/pages/security-headers.ts'
import { anyMerchant } from '../any-merchant.ts'

const CSS = 'body{margin:0}'
const HASH = `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`

function shop(origin?: string, checkout: Partial<Merchant['checkout']> = {}): Merchant {
  const merchant = anyMerchant({ ...(origin !== undefined && { origin }) })
  return { ...merchant, checkout: { ...merchant.checkout, ...checkout } }
}

function headersOf(merchant: Merchant | undefined, { images = [] as string[], logos = [] as string[] } = {}) {
  return securityHeaders(merchant, CSS, logos)(images)
}

/** The sources of one directive of the policy; undefined if the policy does not have it. */
function sourcesOf(headers: Record<string, string>, directive: string): string | undefined {
  const found = headers['Content-Security-Policy']?.split(';').find(part => part.split(' ')[0] === directive)
  return found?.slice(directive.length).trim()
}

t.test('the CSP of a page allows no scripts, no other origins and no framing by others', async t => {
  t.strictSame(headersOf(shop()), {
    'Content-Security-Policy': `default-src 'none';style-src ${HASH};img-src 'none';form-action 'self';frame-ancestors 'self';base-uri 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'SAMEORIGIN'
  })
})

t.test('the style sheet is allowed by its hash', async t => {
  t.equal(sourcesOf(headersOf(undefined), 'style-src'), HASH)
  const empty = securityHeaders(undefined, '', [])([])
  t.equal(sourcesOf(empty, 'style-src'), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='")
})

t.test('only https pages load everything by https', async t => {
  const cases: [string, Merchant | undefined, boolean][] = [
    ['https', shop('https://shop.example'), true],
    ['http', shop('http://127.0.0.1:3000'), false],
    ['only a path', shop(), false],
    ['no merchant', undefined, false]
  ]
  for (const [what, merchant, isSecure] of cases) {
    const headers = headersOf(merchant)
    t.equal(sourcesOf(headers, 'upgrade-insecure-requests'), isSecure ? '' : undefined, what)
  }
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
    t.equal(sourcesOf(headersOf(shop(), { images }), 'img-src'), sources, images.join(' ') || 'none')
  }
})

t.test('the logos are allowed on every page', async t => {
  const sources = (logos: string[], images: string[]) => sourcesOf(headersOf(shop(), { logos, images }), 'img-src')
  t.equal(sources(['/shop/logo'], []), "'self'")
  t.equal(sources(['https://a.example/logo.svg'], ['/shop/pictures/mug.svg']), "https://a.example 'self'")
  t.equal(sources(['/shop/logo', 'https://b.example/dark.svg'], []), "'self' https://b.example")
})

t.test('appInjectsStyles allows inline styles and changes nothing else', async t => {
  const injecting = headersOf(shop('https://shop.example', { appInjectsStyles: true }))
  const others = headersOf(shop('https://shop.example'))
  t.equal(sourcesOf(injecting, 'style-src'), "'unsafe-inline'", 'a hash would disable unsafe-inline')
  const policy = others['Content-Security-Policy']?.replace(HASH, "'unsafe-inline'")
  t.strictSame(injecting, { ...others, 'Content-Security-Policy': policy })
})
