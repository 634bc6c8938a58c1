// The headers that every page has (decisions.md, "Pages").
import { createHash } from 'node:crypto'
import t from 'tap'
import { cacheControl, frame, imageSources, pageSecurity, styleSource } from '../../src/checkout/send-page.ts'
import { paletteOf, usualColours } from '../../src/checkout/theme.ts'
import type { Merchant } from '../../src/config/merchant.ts'
import { wordsFor } from '../../src/messages/words.ts'
import { transferOptions } from '../../src/transfer/index.ts'

const CSS = 'body{margin:0}'

function merchant(origin?: string, checkout: Partial<Merchant['checkout']> = {}): Merchant {
  return {
    id: 'shop',
    countries: ['GB'],
    delivery: [],
    name: 'The Shop',
    locale: 'en-GB',
    locales: [],
    messages: {},
    currencies: ['GBP'],
    ...(origin !== undefined && { origin }),
    path: '/shop',
    option: transferOptions[0] as Merchant['option'],
    transfer: { option: '1', path: '/cart', maxItems: 500, keepRecordsDays: 90 },
    checkout: {
      path: '/checkout',
      continueShoppingUrl: 'shop://continue',
      expiresAfterMinutes: 1440,
      deleteAfterDays: 30,
      completeTitle: 'Order complete',
      appInjectsStyles: false,
      ...checkout
    },
    feed: '/nowhere/feed.tsv',
    pictures: '/nowhere/pictures',
    look: {
      light: paletteOf(usualColours.light, 'light'),
      dark: paletteOf(usualColours.dark, 'dark'),
      radius: 12,
      links: { terms: 'https://shop.example/terms' }
    }
  }
}

const front = (whose: Merchant | undefined) => ({ merchant: whose, css: CSS })

t.test('what answers a GET is never kept; what answers a POST is, so that Back works', async t => {
  const cases = [
    ['GET', 'no-store'],
    ['HEAD', 'no-store'],
    ['POST', 'private, no-cache']
  ] as const
  for (const [method, header] of cases) t.equal(cacheControl(method), header, method)
})

t.test('the style sheet is allowed by its hash', async t => {
  t.equal(styleSource(front(undefined)), `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`)
  t.equal(styleSource({ merchant: undefined, css: '' }), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='")
})

t.test('the policy of a page: no script, no other origin, no framing by others', async t => {
  t.strictSame(pageSecurity(front(merchant()), []), {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [styleSource(front(undefined))],
        imgSrc: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
        baseUri: ["'none'"]
      }
    },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false
  })
})

t.test('https pages alone ask for https', async t => {
  const cases: [string, Merchant | undefined, boolean][] = [
    ['https', merchant('https://shop.example'), true],
    ['http', merchant('http://127.0.0.1:3000'), false],
    ['a path alone', merchant(), false],
    ['no merchant', undefined, false]
  ]
  for (const [what, whose, isSecure] of cases) {
    const { contentSecurityPolicy, strictTransportSecurity } = pageSecurity(front(whose), [])
    const asked = [contentSecurityPolicy.directives.upgradeInsecureRequests, strictTransportSecurity]
    t.strictSame(asked, isSecure ? [[], { maxAge: 31_536_000, includeSubDomains: false }] : [undefined, false], what)
  }
})

t.test('pictures are allowed from the hosts of those shown, and no others', async t => {
  const cases: [string[], string[]][] = [
    [[], ["'none'"]],
    [['/shop/pictures/mug.svg'], ["'self'"]],
    [['https://a.example/1.jpg'], ['https://a.example']],
    [['http://127.0.0.1:8080/1.jpg'], ['http://127.0.0.1:8080']],
    [['https://a.example:443/1.jpg?w=2;h=1'], ['https://a.example']],
    [
      ['https://a.example/1.jpg', '/shop/pictures/mug.svg', 'https://a.example/2.jpg', 'https://b.example/1.jpg'],
      ['https://a.example', "'self'", 'https://b.example']
    ]
  ]
  for (const [images, sources] of cases) {
    const { directives } = pageSecurity(front(merchant()), images).contentSecurityPolicy
    t.strictSame(directives.imgSrc, sources, images.join(' ') || 'none')
  }
})

t.test('a logo is a picture of the page, of every page', async t => {
  const sources = (logo: string, images: string[]) => imageSources({ ...front(merchant()), logo }, images)
  t.strictSame(sources('/shop/logo', []), ["'self'"])
  t.strictSame(sources('https://a.example/logo.svg', ['/shop/pictures/mug.svg']), ['https://a.example', "'self'"])
})

t.test('an app that injects styles may, and nothing else changes', async t => {
  const injecting = pageSecurity(front(merchant('https://shop.example', { appInjectsStyles: true })), [])
  const usual = pageSecurity(front(merchant('https://shop.example')), [])
  t.strictSame(injecting.contentSecurityPolicy.directives.styleSrc, ["'unsafe-inline'"], 'a hash would switch it off')
  usual.contentSecurityPolicy.directives.styleSrc = ["'unsafe-inline'"]
  t.strictSame(injecting, usual)
})

t.test('the frame around a page, with a merchant and without one', async t => {
  const words = wordsFor('ar-AE')
  const language = { lang: 'ar-AE', direction: 'rtl', otherLang: undefined, say: words.say }
  t.strictSame(frame('Checkout', front(merchant()), words), {
    ...language,
    title: 'Checkout – The Shop',
    shopName: 'The Shop',
    continueUrl: 'shop://continue',
    logo: undefined,
    links: [{ href: 'https://shop.example/terms', text: words.say('terms') }],
    css: CSS
  })
  t.strictSame(frame('Page not found', front(undefined), words), {
    ...language,
    title: 'Page not found',
    shopName: undefined,
    continueUrl: undefined,
    logo: undefined,
    links: [],
    css: CSS
  })
})
