// The checkout page in every state and by every way to request it, as an app or a browser gets it.
import { createHash } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { merchantFile, uuid } from '../build.ts'
import { elements, linesOf, malformedTags, readPolicy, textOf, valuesOf } from './read-page.ts'
import { BAG, openShop, type Shop } from './shopper.ts'

const FORM = 'application/x-www-form-urlencoded'
const DAY = 24 * 60 * 60 * 1000

/** Sends this body to the address of all checkouts. */
function post({ app }: Shop, payload: string, contentType = FORM): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/shop/checkout', headers: { 'content-type': contentType }, payload })
}

/** What a script reads from a page. */
function machineView({ body }: LightMyRequestResponse) {
  const read = (attribute: string) => elements(body).filter(({ attributes }) => attribute in attributes)
  const amounts = (attribute: string) =>
    read(attribute).map(({ attributes }) => `${attributes[attribute]} ${attributes['data-currency']}`)
  const lines = read('data-sku').map(({ attributes }) => ({
    sku: attributes['data-sku'],
    quantity: attributes['data-quantity']
  }))
  return {
    lines,
    quantities: read('data-quantity').length,
    subtotal: amounts('data-subtotal'),
    total: amounts('data-total'),
    currencies: read('data-currency').length
  }
}

const noAmounts = { subtotal: [], total: [], currencies: 0 }
const nothing = { lines: [], quantities: 0, ...noAmounts }

/** The headers common to all pages. */
function headersOf({ headers }: LightMyRequestResponse) {
  const names = ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options']
  return Object.fromEntries(names.map(name => [name, headers[name]]))
}
const pageHeaders = (cacheControl: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': cacheControl,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff'
})

const bagLines = BAG.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) }))
const shown = { lines: bagLines, quantities: 2, subtotal: ['14500 GBP'], total: ['14500 GBP'], currencies: 2 }

/** What brings a checkout into a state, and the status of its page and what programs read there. */
const states: Record<string, [reach: (shop: Shop) => unknown, status: number, shows: object]> = {
  open: [() => {}, 200, shown],
  'open, a line no longer sellable': [
    ({ change }) => change('MUG', { availability: 'out_of_stock' }),
    200,
    { lines: bagLines, quantities: 2, ...noAmounts }
  ],
  superseded: [({ transfer }) => transfer([{ sku: 'BASKET', quantity: 1 }]), 200, nothing],
  expired: [({ tick }) => tick(DAY), 410, nothing]
}

for (const [name, [reach, status, shows]] of Object.entries(states)) {
  t.test(`the page of a checkout that is ${name} is the same by every method`, async t => {
    const shop = await openShop(t, '1')
    const token = await shop.transfer()
    await reach(shop)
    const before = await shop.store.findCheckout('shop', token)

    const got = await shop.page(token)
    t.equal(got.statusCode, status)
    t.strictSame(malformedTags(got.body), [])
    t.strictSame(machineView(got), shows)
    const mayStore = /<h1>Checkout/.test(got.body)
    t.strictSame(headersOf(got), pageHeaders(mayStore ? 'private, no-cache' : 'no-store'))

    const posted = await post(shop, `token=${token}`)
    t.strictSame([posted.statusCode, headersOf(posted)], [status, pageHeaders('private, no-cache')], 'POST')
    t.equal(posted.body.replace(/\s/g, ''), got.body.replace(/\s/g, ''), 'shows the same page')

    const head = await shop.app.inject({ method: 'HEAD', url: `/shop/checkout/${token}` })
    t.strictSame([head.statusCode, head.body], [status, ''], 'HEAD')
    t.strictSame(headersOf(head), headersOf(got))

    t.strictSame(await shop.store.findCheckout('shop', token), before, 'showing the page changes nothing')
    t.notMatch(JSON.stringify(shop.logs), token, 'the token is not logged')
  })
}

t.test('a page needs its exact token, in the body of a form or in the path', async t => {
  const merchants = [merchantFile('1'), merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })]
  const here = await openShop(t, '1', {}, { merchants })
  const token = await here.transfer()
  const requests: [string, () => Promise<LightMyRequestResponse>, number][] = [
    ['POST with the token', () => post(here, `token=${token}`), 200],
    ['other fields next to the token', () => post(here, `a=b&token=${token}&user=7`), 200],
    ['parameters of the Content-Type', () => post(here, `token=${token}`, `${FORM}; charset=utf-8`), 200],
    ['the Content-Type in capitals', () => post(here, `token=${token}`, FORM.toUpperCase()), 200],
    ['GET with a query', () => here.page(`${token}?user=7&token=other`), 200],
    ['a wrong token', () => post(here, `token=${token}x`), 404],
    ['a token in lower case', () => post(here, `token=${token.toLowerCase()}X`), 404],
    ['an empty token', () => post(here, 'token='), 404],
    ['an empty body', () => post(here, ''), 404],
    ['no token', () => post(here, 'user=7'), 404],
    ['a token twice', () => post(here, `token=${token}&token=${token}`), 404],
    ['a token in brackets', () => post(here, `token[]=${token}`), 404],
    ['a malformed encoding', () => post(here, 'token=%zz%ff'), 404],
    ['a wrong token in the path', () => here.page('nobody'), 404],
    ['a very long token', () => here.page('x'.repeat(20_000)), 404],
    ['NUL as token', () => here.page('%00'), 404],
    ['a trailing slash', () => here.page(`${token}/`), 404],
    ['a further path segment', () => here.page(`${token}/complete`), 404],
    ['GET without a token', () => here.app.inject('/shop/checkout'), 405],
    ['GET with the token in the query', () => here.app.inject(`/shop/checkout?token=${token}`), 405],
    ['another merchant’s page', () => here.app.inject(`/other/checkout/${token}`), 404],
    ['JSON', () => post(here, JSON.stringify({ token }), 'application/json'), 415],
    ['text', () => post(here, `token=${token}`, 'text/plain'), 415],
    ['a multipart form', () => post(here, `token=${token}`, 'multipart/form-data; boundary=x'), 415],
    ['a body that is too large', () => post(here, `token=${'x'.repeat(70_000)}`), 413]
  ]
  for (const [what, ask, status] of requests) {
    const response = await ask()
    t.equal(response.statusCode, status, `${what}: ${status}`)
    const isGet = response.raw.req.method === 'GET'
    t.strictSame(headersOf(response), pageHeaders(isGet && status !== 200 ? 'no-store' : 'private, no-cache'))
    t.strictSame(machineView(response), status === 200 ? shown : nothing)
    if (status !== 200) t.match(textOf(response.body), /to the app/)
    if (status === 413) t.match(textOf(response.body), 'The body may have at most 65536 bytes; this one has more.')
    if (status === 404) t.match(textOf(response.body), /Go back to the app and tap checkout again/)
  }
  t.notMatch(JSON.stringify(here.logs), token, 'the token is not logged')
})

t.test('a web view gets the page, whatever its Origin and cookies', async t => {
  const { app, transfer } = await openShop(t, '1')
  const payload = `token=${await transfer()}`
  const cases: Record<string, string>[] = [
    { origin: 'null' },
    { origin: 'https://evil.example', referer: 'https://evil.example/', 'sec-fetch-site': 'cross-site' },
    { cookie: 'token=old; session=1; a=%zz' },
    { host: 'evil.example' }
  ]
  for (const more of cases) {
    const headers = { 'content-type': FORM, ...more }
    const response = await app.inject({ method: 'POST', url: '/shop/checkout', headers, payload })
    t.strictSame([response.statusCode, machineView(response)], [200, shown], JSON.stringify(more))
    t.notOk('set-cookie' in response.headers)
    t.notMatch(response.body, 'evil.example')
  }
})

t.test('the page shows exactly the lines of the cart, in order, a repeated SKU as separate lines', async t => {
  const { transfer, page } = await openShop(t, '1')
  const items = [
    { sku: 'THROW', quantity: 1 },
    { sku: 'MUG', quantity: 3 },
    { sku: 'THROW', quantity: 9999 }
  ]
  const response = await page(await transfer(items))
  const total = ['64953750 GBP']
  t.strictSame(machineView(response), {
    lines: items.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) })),
    quantities: 3,
    subtotal: total,
    total,
    currencies: 2
  })
  const lines = linesOf(response.body).map(textOf)
  t.match(lines, [
    /^Herring throw Qty 1 £64\.95 Was £80\.00 · You save £15\.05$/,
    /Qty 3 · £12\.50 each £37\.50$/,
    /Qty 9,999 · .* £649,435\.05 /
  ])
  t.equal(lines.length, 3)
  t.match(
    textOf(response.body),
    /Subtotal £649,537\.50 Total £649,537\.50 .* Back to the app Need help\? Reference 0{31}1$/
  )
})

t.test('prices are looked up each time the page is shown', async t => {
  const { transfer, page, change } = await openShop(t, '1')
  const token = await transfer([{ sku: 'MUG', quantity: 2 }])
  const total = async () => machineView(await page(token)).total
  t.strictSame(await total(), ['2500 GBP'])
  change('MUG', { price: 1300 })
  t.strictSame(await total(), ['2600 GBP'])
  change('MUG', { sale: { price: 1000 } })
  t.strictSame(await total(), ['2000 GBP'])
  change('MUG', { availability: 'out_of_stock' })
  t.strictSame(await total(), [])
  change('MUG', { availability: 'in_stock' })
  t.strictSame(await total(), ['2000 GBP'], 'back in stock, it can be bought again')
})

t.test('only the line that can no longer be sold is marked, and the others keep their prices', async t => {
  const { transfer, page, change } = await openShop(t, '1', { checkout: { taxText: 'Prices include <VAT>.' } })
  const token = await transfer([...BAG, { sku: 'MUG', quantity: 1 }])
  t.match(textOf((await page(token)).body), 'Total £157.50 Prices include <VAT>. ')
  change('CLOCK', { availability: 'out_of_stock' })
  const { body } = await page(token)
  t.notMatch(textOf(body), 'Prices include', 'without a total')
  const lines = linesOf(body)
  t.strictSame(lines.map(textOf), [
    'Sea-glass mug Qty 2 · £12.50 each £25.00',
    'Tide clock Qty 1 This item is out of stock',
    'Sea-glass mug Qty 1 £12.50'
  ])
  t.strictSame(
    lines.map(line => line.includes(' class=off>')),
    [false, true, false]
  )
})

t.test('markup in names, SKUs and references stays text', async t => {
  const { send } = await openShop(t, '2A', { name: '</title><script>alert("name")</script>' })
  const skus = ['<script>alert("sku")</script>', 'a+b c', 'ソ-☕']
  const reference = `'"><script>alert(1)</script>`
  const response = await send(
    skus.map(sku => ({ sku, quantity: 1, price: '"><img src=x onerror=alert(1)>' })),
    reference
  )
  t.equal(response.statusCode, 200)
  t.strictSame(
    machineView(response).lines.map(({ sku }) => sku),
    skus,
    'each SKU is read back as sent'
  )
  const names = new Set(elements(response.body).map(({ name }) => name))
  t.strictSame([names.has('script'), names.has('img')], [false, false])
  t.notMatch(response.body, '<script')
  const text = textOf(response.body)
  t.match(text, '<script>alert("title")</script> & "quotes" \u202eRTL ☕')
  t.match(text, `Reference ${reference}`)
  t.match(response.body, /<p>[^<]*\u202eRTL[^<]*<p>/, 'a right-to-left override affects nothing around it')
})

t.test('markup in titles and SKUs stays text on the refusal page of an unsellable cart', async t => {
  const feed = 'id\ttitle\tavailability\tprice\n<b">\t<script>alert(1)</script>\tout_of_stock\t1.00 GBP'
  const { send } = await openShop(t, '2A', {}, { feed })
  const response = await send([
    { sku: '<b">', quantity: 1 },
    { sku: '</bdi><img src=x>', quantity: 1 }
  ])
  t.equal(response.statusCode, 422)
  t.notMatch(response.body, /<script|<img/)
  t.strictSame(malformedTags(response.body), [])
  t.match(textOf(response.body), /<script>alert\(1\)<\/script> Qty 1 This item is out of stock/)
  t.match(textOf(response.body), /<\/bdi><img src=x> Qty 1 We couldn’t find this item/)
  t.strictSame(machineView(response), nothing)
})

const hashOf = (css: string) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`

t.test('the rules that few pages need are sent only with them, and the CSP allows them', async t => {
  const shop = await openShop(t, '1')
  const { transfer, page, change } = shop
  const token = await transfer([{ sku: 'MUG', quantity: 1 }])
  const submit = (digest: string) => shop.post(token, `${new URLSearchParams({ digest, country: 'GB', shown: 'GB' })}`)
  const open = await page(token)
  const cases: [number, boolean, LightMyRequestResponse][] = [
    [200, false, open],
    [422, true, await submit(String(/name=digest value=([\w-]+)/.exec(open.body)?.[1]))],
    [409, true, await submit('x')]
  ]
  change('MUG', { availability: 'out_of_stock' })
  cases.push([200, true, await page(token)])
  const withoutPicture = await page(await transfer([{ sku: 'CLOCK', quantity: 1 }], uuid(2)))
  t.match(/<style>(.*?)<\/style>/s.exec(withoutPicture.body)?.[1], '.img::before')
  for (const [status, hasAlert, { statusCode, headers, body }] of cases) {
    const [, css = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? []
    t.equal(statusCode, status)
    t.equal(body.includes('role="alert"'), hasAlert)
    t.equal(css.includes('.alert{'), hasAlert, `${status}: its rules`)
    t.match(headers['content-security-policy'], hashOf(css))
  }
})

t.test('pages of a merchant on https have HSTS and leave out http pictures', async t => {
  const checkout = { appInjectsStyles: true }
  const { transfer, page } = await openShop(t, '1', { publicUrl: 'https://shop.example/shop', checkout })
  const items = ['ROPE', 'MUG'].map(sku => ({ sku, quantity: 1 }))
  const token = await transfer(items)
  const response = await page(token)
  const policy = readPolicy(response.headers['content-security-policy'])
  t.match(policy, { 'img-src': "'self'", 'style-src': "'unsafe-inline'" })
  t.match(response.headers['strict-transport-security'], /^max-age=31536000/)
  const [rope = '', mug = ''] = linesOf(response.body)
  t.notMatch(rope, /<img/, 'an http picture would be blocked')
  t.match(rope, /<i class=img data-letter="\w"><\/i>/, 'so there is a placeholder')
  t.strictSame(valuesOf(mug, 'src'), ['/shop/pictures/mug.svg'])
  const missing = await page('nobody')
  t.match(readPolicy(missing.headers['content-security-policy']), { 'style-src': "'unsafe-inline'" })
  t.match(missing.headers['strict-transport-security'], /^max-age=31536000/)
})

t.test('no page uses a script, another origin or a relative address', async t => {
  const { transfer, page, app, tick } = await openShop(t, '1')
  const token = await transfer(['MUG', 'THROW', 'ROPE', 'CLOCK'].map(sku => ({ sku, quantity: 1 })))
  const pages = [await page(token), await page('nobody'), await app.inject('/shop/checkout')]
  tick(DAY)
  pages.push(await page(token))
  for (const { body } of pages) {
    t.notMatch(body, /<(script|link|iframe|object|base)\b|\son[a-z]+=|\sstyle=/i)
    for (const address of ['href', 'src', 'action'].flatMap(name => valuesOf(body, name))) {
      t.match(address, /^(\/shop\/|shop:\/\/continue$|https?:\/\/images\.example\/)/)
    }
    t.match(valuesOf(body, 'href'), ['shop://continue'], 'each page leads back to the app')
    t.notMatch(textOf(body), 'Order complete')
  }
})

t.test('a page with a sale has the rule and the colour of sales, and nothing of alerts', async t => {
  const feed = [
    'id\ttitle\timage_link\tavailability\tprice\tsale_price',
    'PLAIN\tPlain\thttps://images.example/a.jpg\tin_stock\t10.00 GBP\t',
    'LESS\tReduced\thttps://images.example/b.jpg\tin_stock\t10.00 GBP\t8.00 GBP'
  ].join('\n')
  const shop = await openShop(t, '1', {}, { feed })
  for (const [sku, hasSale] of [
    ['PLAIN', false],
    ['LESS', true]
  ] as const) {
    const reference = uuid(hasSale ? 1 : 2)
    const { body } = await shop.page(await shop.transfer([{ sku, quantity: 1 }], reference))
    t.equal(/<p class=sale>/.test(body), hasSale)
    t.equal(/--sale:#/.test(body) && /\.sale\{color:var\(--sale\)\}/.test(body), hasSale, sku)
    t.notMatch(body, /\.alert\{|--bad:/, sku)
  }
})
