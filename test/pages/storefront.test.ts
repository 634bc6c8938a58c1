// A shop's branding on its pages: logo, colours, links, and its own templates; the style sheet and the security headers of a
// page (DECISIONS.md, "Pages").
import { createHash } from 'node:crypto'
import fs, { rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { minifyStyles, openStorefront, securityHeaders } from '../../src/pages/storefront.ts'
import { anyMerchant } from '../any-merchant.ts'
import { sendRawText } from '../raw-http.ts'
import { readPolicy } from './read-page.ts'
import { formOf, openShop } from './shopper.ts'

const LINKS = { contact: 'mailto:help@shop.example', terms: 'https://shop.example/terms' }

t.test('colours, corners and links are on every page', async t => {
  const theme = { radius: 3, light: { accent: '#123456' }, dark: { accent: '#fedcba' } }
  const privacy = 'https://shop.example/privacy'
  const terms = `<a href="${LINKS.terms}">Terms</a>`
  const { transfer, page } = await openShop(t, '1', { theme, links: { ...LINKS, privacy } })
  for (const [{ body }, before] of [
    [await page('nobody'), terms],
    // There they are linked above the button.
    [await page(await transfer()), '']
  ] as const) {
    t.match(body, /<style>:root\{[^}]*#123456[^}]*:3px\}@media[^}]*#fedcba/)
    t.match(body, /Need help\?<.*<p><a href="mailto:help@shop\.example">Contact<\/a>/)
    t.match(body, `<footer>${before}<a href="${privacy}">Privacy</a></footer>`)
    t.equal(body.match(/>Contact<\/a>/g)?.length, 1)
    t.notMatch(body, 'Returns')
  }
})

t.test('whoever orders accepts the terms: it is said, and linked, right above the button', async t => {
  const sentence = '<a href="https://shop.example/terms">By ordering you accept our terms and conditions.</a>'
  const { transfer, page, change } = await openShop(t, '1', { links: LINKS })
  const token = await transfer()
  t.match((await page(token)).body, `<p class=quiet>${sentence}<div class=pay>`)
  change('MUG', { availability: 'out_of_stock' })
  t.notMatch((await page(token)).body, 'By ordering', 'without a button there is nothing to accept')
  const without = await openShop(t, '1')
  t.notMatch((await without.page(await without.transfer())).body, 'By ordering')
})

t.test('a logo file is served next to the pages', async t => {
  const file = join(t.testdir({ 'logo.png': 'png' }), 'logo.png')
  const { app, transfer, page } = await openShop(t, '2A', { theme: { logo: file } })
  const response = await page(await transfer([{ sku: 'CLOCK', quantity: 1 }]))
  t.match(response.body, '<div class=shop><img class=logo src="/shop/logo" alt="The Shop">')
  t.equal(readPolicy(response.headers['content-security-policy'])['img-src'], "'self'")
  t.match(await app.inject('/shop/logo'), {
    statusCode: 200,
    body: 'png',
    headers: {
      'content-type': 'image/png',
      'cache-control': 'public, max-age=3600',
      'content-security-policy': /sandbox/,
      'x-content-type-options': 'nosniff'
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = new URL(app.listeningOrigin)
  const bare = await sendRawText(
    Number(port),
    'GET /shop/%zz HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n'
  )
  t.match(bare, /img-src 'self';/, 'without a route too')
  t.match(bare, '<img class=logo')
})

t.test('another logo is shown in dark mode, which can be off', async t => {
  const folder = t.testdir({ 'logo.png': 'png', 'night.svg': 'svg' })
  const logo = join(folder, 'logo.png')
  const { app, page } = await openShop(t, '1', { theme: { logo, dark: { logo: join(folder, 'night.svg') } } })
  const source = '<source media="screen and (prefers-color-scheme:dark)" srcset="/shop/logo-dark">'
  const picture = `<picture>${source}<img class=logo src="/shop/logo" alt="The Shop"></picture>`
  t.match((await page('nobody')).body, `<div class=shop>${picture}`)
  t.match(await app.inject('/shop/logo-dark'), { body: 'svg', headers: { 'content-type': 'image/svg+xml' } })

  const far = await openShop(t, '1', { theme: { logo, dark: { logo: 'https://cdn.example/night.svg' } } })
  const response = await far.page('nobody')
  t.match(response.body, 'srcset="https://cdn.example/night.svg"')
  t.equal(readPolicy(response.headers['content-security-policy'])['img-src'], "'self' https://cdn.example")

  const light = await openShop(t, '1', { theme: { logo, dark: false } })
  const { body } = await light.page('nobody')
  t.match(body, '<style>:root{color-scheme:only light;')
  t.notMatch(body, 'prefers-color-scheme')
})

t.test('a font of the shop’s own is preloaded on every page, and kept for good', async t => {
  const font = 'wOF2\0\0\0\0\0\0\0\f'
  const fontFile = join(t.testdir({ 'own.woff2': font }), 'own.woff2')
  const { app, transfer, page } = await openShop(t, '1', { theme: { fontFile, font: 'serif' } })
  for (const { body, headers } of [await page(await transfer()), await page('nobody')]) {
    const [, address = ''] =
      /<link rel=preload as=font crossorigin href="(\/shop\/font\?[0-9a-f]{8})">/.exec(body) ?? []
    t.match(body, `<style>@font-face{font-family:own;src:url(${address});font-display:optional}`)
    t.match(body, ';font-family:own,ui-serif,Georgia,serif;')
    t.equal(readPolicy(headers['content-security-policy'])['font-src'], "'self'")
    t.match(await app.inject(address), {
      statusCode: 200,
      body: font,
      headers: { 'content-type': 'font/woff2', 'cache-control': 'public, max-age=31536000, immutable' }
    })
  }
  const { body, headers } = await (await openShop(t, '1')).page('nobody')
  t.notMatch(body, /preload|@font-face/)
  t.notMatch(headers['content-security-policy'], 'font-src')
})

t.test('a picture stands above the checkout page only', async t => {
  const hero = join(t.testdir({ 'quay.jpg': 'jpg' }), 'quay.jpg')
  const pictured = '<img class=hero src="/shop/hero" alt><main>'
  const { app, transfer, page } = await openShop(t, '1', { theme: { hero } })
  const checkout = await page(await transfer([{ sku: 'CLOCK', quantity: 1 }]))
  t.match(checkout.body, pictured)
  t.match(checkout.body, '.hero{display:block;')
  t.equal(readPolicy(checkout.headers['content-security-policy'])['img-src'], "'self'")
  t.match(await app.inject('/shop/hero'), { body: 'jpg', headers: { 'content-security-policy': /sandbox/ } })
  const problem = await page('nobody')
  t.notMatch(problem.body, '<img class=hero')
  t.equal(readPolicy(problem.headers['content-security-policy'])['img-src'], "'none'")

  const far = await openShop(t, '1', { theme: { hero: 'https://cdn.example/quay.jpg' } })
  const response = await far.page(await far.transfer())
  t.match(response.body, 'src="https://cdn.example/quay.jpg"')
  t.equal(readPolicy(response.headers['content-security-policy'])['img-src'], "https://cdn.example 'self'")
})

t.test('another picture can stand there on phones', async t => {
  const folder = t.testdir({ 'quay.jpg': 'jpg', 'boat.webp': 'webp' })
  const [hero, phoneHero] = [join(folder, 'quay.jpg'), join(folder, 'boat.webp')]
  const { app, transfer, page } = await openShop(t, '1', { theme: { hero, phoneHero } })
  const source = '<source media="(max-width:36rem)" srcset="/shop/hero-phone">'
  const { body } = await page(await transfer())
  t.match(body, `<picture>${source}<img class=hero src="/shop/hero" alt></picture><main>`)
  t.match(await app.inject('/shop/hero-phone'), { body: 'webp', headers: { 'content-type': 'image/webp' } })

  const far = await openShop(t, '1', { theme: { hero, phoneHero: 'https://cdn.example/boat.webp' } })
  const { headers } = await far.page(await far.transfer())
  t.match(readPolicy(headers['content-security-policy'])['img-src'], 'https://cdn.example')
})

t.test('brand.css comes after all rules of a page, and replaces none', async t => {
  const { transfer, page } = await openShop(t, '1', { views: t.testdir({ 'brand.css': 'h1{color:red}' }) })
  for (const { body } of [await page(await transfer()), await page('nobody')]) {
    t.match(body, /\*\{box-sizing:.*h1\{color:red\}<\/style>/)
  }
})

t.test('a shop’s own templates and style sheets replace ours; the others stay', async t => {
  const folder = t.testdir({
    'order-form.eta': '<form id="ours" action="<%= it.action %>"></form>',
    'page.css': 'a { top: 0 }'
  })
  const { transfer, page } = await openShop(t, '1', { views: folder })
  const { body } = await page(await transfer())
  t.match(body, '<form id="ours" action="/shop/checkout/')
  t.match(body, /<style>[^<]*\}a \{ ?top: 0 ?\}/)
  t.match(body, '<h2>Your bag</h2>')
  t.ok(formOf(body))
})

t.test('if a shop’s own template fails at run time, the default one is rendered and the error logged', async t => {
  const folder = t.testdir({
    'leave.eta': '<% if (/find this checkout|whole bag/.test(it.heading)) include(it.heading) %>'
  })
  const { page, app, logs } = await openShop(t, '1', { views: folder })
  const response = await page('nobody')
  t.equal(response.statusCode, 404)
  t.match(response.headers['content-type'], 'text/html')
  t.match(response.body, 'Back to the app')
  t.match(logs, [{ level: 50, merchant: 'shop', msg: 'template failed; the default one is rendered' }])
  const unread = await app.inject('/shop/checkout/%zz')
  t.match(unread, { statusCode: 400, body: /Back to the app/ }, 'without a route too')
})

t.test('only the pages of a form have rules for its choices', async t => {
  const method = { id: 'post', label: 'Post', price: 450 }
  const { sheets } = openStorefront({ merchant: anyMerchant({ delivery: { GBP: [method, method] } }) })
  const has = Object.entries(sheets).flatMap(([name, { css }]) => (css.includes('#m1:checked') ? name : []))
  t.strictSame(has, ['checkout', 'sale', 'extra'])
})

t.test('comments, line breaks and indentation are removed; the meaning stays', async t => {
  const cases: [string, string, string][] = [
    ['a comment', '/* why */\na{color:red}\n/* of\ntwo lines */', 'a{color:red}'],
    ['line breaks', 'a,\nb {\n  color: red;\n  margin: 0\n}\n\nc{top:0}\n', 'a,b {color: red;margin: 0}c{top:0}'],
    ['a line break between words is a space', 'a\nb{margin:0\n  auto}', 'a b{margin:0 auto}'],
    ['strings are left alone', 'a{\n  content:"/* --ink */ \\"\n";\n}', 'a{content:"/* --ink */ \\"\n";}'],
    [
      'an apostrophe in a comment does not begin a string',
      "/* don't */\na{content:'--ink'}\n/* can't */",
      "a{content:'--ink'}"
    ],
    ['an empty sheet', '\n', ''],
    [
      'properties of the theme are short; others, and class names that end like one, stay',
      'a{color:var(--ink);--ink-2:var(--line)}.b--page{--mine:var(--tint)}',
      'a{color:var(--I);--ink-2:var(--L)}.b--page{--mine:var(--tint)}'
    ]
  ]
  for (const [what, css, minified] of cases) t.equal(minifyStyles(css), minified, what)
})

t.test('a page defines the colours that it uses; a shop’s own templates may use all', async t => {
  const sheetsOf = (views?: string) =>
    openStorefront({ merchant: anyMerchant(views === undefined ? {} : { views }) }).sheets
  const { checkout, sale, extra } = sheetsOf()
  t.notMatch(checkout.css, /--(sale|note|bad|tint):/)
  t.match(sale.css, /--sale:.*\.sale\{color:var\(--sale\)\}/)
  t.notMatch(sale.css, /--(note|bad|tint):/)
  t.match(extra.css, /--sale:.*--note:.*--bad:.*--tint:/)
  t.match(sheetsOf(t.testdir({})).checkout.css, /--sale:.*--note:.*--bad:.*--tint:/)
})

const CSS = 'body{margin:0}'
const HASH = `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`

const headersOf = securityHeaders(anyMerchant(), CSS, [])

t.test('the CSP of a page allows no scripts, no other origins and no framing by others', async t => {
  t.strictSame(headersOf([]), {
    'Content-Security-Policy': `default-src 'none';style-src ${HASH};img-src 'none';form-action 'self';frame-ancestors 'self';base-uri 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin'
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

t.test('beyond 20 hosts a page allows all pictures, so that its headers stay short, and the log says so', async t => {
  const hosts = (count: number, first = '') => [
    ...(first ? [first] : []),
    ...Array.from({ length: count }, (_, n) => `https://images-${n}.example/1.jpg`)
  ]
  const sourcesFor = (images: string[], merchant = anyMerchant()) =>
    readPolicy(securityHeaders(merchant, CSS, [])(images)['Content-Security-Policy'])['img-src']
  t.equal(sourcesFor(hosts(20))?.split(' ').length, 20)
  t.equal(sourcesFor(hosts(21)), "'self' http: https:")
  t.equal(sourcesFor(hosts(20, '/shop/pictures/mug.svg')), "'self' http: https:", 'our own host is one of them')
  const secure = anyMerchant({ origin: 'https://shop.example' })
  t.equal(sourcesFor(hosts(21), secure), "'self' https:")

  const skus = Array.from({ length: 500 }, (_, n) => `SKU-${n}`)
  const rows = skus.map(sku => `${sku}\tTitle\thttps://${sku.toLowerCase()}.example/1.jpg\tin_stock\t1.00 GBP`)
  const feed = ['id\ttitle\timage_link\tavailability\tprice', ...rows].join('\n')
  const { transfer, page, logs } = await openShop(t, '1', { transfer: { maxItems: 500 } }, { feed })
  const token = await transfer(skus.map(sku => ({ sku, quantity: 1 })))
  const { headers, body } = await page(token)
  t.equal(body.match(/<img/g)?.length, 500)
  const size = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length + 4, 0)
  t.ok(size < 1500, `${size} bytes of headers`)
  await page(token)
  const msg = 'pictures of over 20 hosts on a page, which then allows all hosts'
  t.match(
    logs.filter(({ level }) => level === 40),
    [{ merchant: 'shop', msg }]
  )
})

t.test(
  'templates are read at start: a process that can open no file any more still answers with its pages',
  async t => {
    const folder = t.testdir({ 'leave.eta': '<a id=own href="<%= it.continueUrl %>">Back</a>' })
    const { transfer, page, app, logs } = await openShop(t, '1', { views: folder })
    const token = await transfer()
    rmSync(folder, { recursive: true })
    t.intercept(fs, 'readFileSync', {
      value: () => {
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
      }
    })
    syncBuiltinESMExports()
    t.teardown(syncBuiltinESMExports)
    t.match(await page(token), { statusCode: 200, body: /<h2>Your bag<\/h2>/ })
    t.match(await page('nobody'), { statusCode: 404, body: /<a id=own/ })
    t.match(await app.inject({ url: '/nowhere', headers: { accept: 'text/html' } }), { statusCode: 404, body: /<h1/ })
    t.strictSame(
      logs.filter(({ level }) => Number(level) > 30),
      []
    )
  }
)
