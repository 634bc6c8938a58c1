// The checkout page in every state and by every way to request it, as an app or a browser gets it.
import { createHash } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import type { Offer } from '../../src/catalogue/product.ts'
import { type Build, type Built, build, merchantFile, uuid } from '../build.ts'
import { elements, linesOf, malformedTags, readPolicy, textOf, valuesOf } from './read-page.ts'

const FORM = 'application/x-www-form-urlencoded'
const DAY = 24 * 60 * 60 * 1000
const BAG: Item[] = [
  { sku: 'MUG', quantity: 2 },
  { sku: 'CLOCK', quantity: 1 }
]
const OTHER: Item[] = [{ sku: 'BASKET', quantity: 1 }]

type Site = Built & {
  /** Sends a cart through option 1. @returns the token in the description */
  transfer: (items?: Item[], reference?: string, currency?: string) => Promise<string>
  /** GET /<token>. */
  page: (token: string) => Promise<LightMyRequestResponse>
  /** POST with this body. */
  post: (body: string, contentType?: string) => Promise<LightMyRequestResponse>
  /** Changes the offer of a SKU in pounds. */
  change: (sku: string, offer: Partial<Offer>) => void
}

async function site(t: Test, parts?: Build): Promise<Site> {
  const built = await build(t, parts)
  const { app, changeOffer } = built
  return {
    ...built,
    transfer: async (items = BAG, reference = uuid(), currency = 'GBP') => {
      const payload = { items, currency, reference }
      const response = await app.inject({ method: 'POST', url: '/shop/cart', payload })
      return new URLSearchParams(response.json().body).get('token') as string
    },
    page: token => app.inject(`/shop/checkout/${token}`),
    post: (payload, contentType = FORM) =>
      app.inject({ method: 'POST', url: '/shop/checkout', headers: { 'content-type': contentType }, payload }),
    change: changeOffer
  }
}

/** A site that receives carts through option 2A: the response is the page itself. */
async function formSite(t: Test, parts: Build = { merchants: [merchantFile('2A')] }) {
  const built = await build(t, parts)
  const send = (items: Item[], reference = 'order-1', currency = 'GBP') => {
    const body = built.merchants[0]?.option.request({ items, currency, reference }, '').body
    const headers = { 'content-type': FORM }
    return built.app.inject({ method: 'POST', url: '/shop/cart', headers, payload: body ?? '' })
  }
  return { ...built, send }
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
  const names = ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options', 'x-frame-options']
  return Object.fromEntries(names.map(name => [name, headers[name]]))
}
const pageHeaders = (cacheControl: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': cacheControl,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN'
})

type State = {
  reach: (site: Site) => Promise<unknown>
  status: number
  says: RegExp
  shows: object
  /** Whether an order can be placed. */
  hasForm: boolean
  sameCart: 'the same token' | 'a new checkout'
}

const bagLines = BAG.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) }))
const shown = { lines: bagLines, quantities: 2, subtotal: ['14500 GBP'], total: ['14500 GBP'], currencies: 2 }

const states: Record<string, State> = {
  open: {
    reach: async () => {},
    status: 200,
    says: /^Checkout – The Shop The Shop Checkout Your bag 3 items Sea-glass mug .* Total £145\.00/,
    shows: shown,
    hasForm: true,
    sameCart: 'the same token'
  },
  'open, a line no longer sellable': {
    reach: async ({ change }) => change('MUG', { availability: 'out_of_stock' }),
    status: 200,
    says: /^Checkout – .* Some items in your bag aren’t available right now Go back to the app, change your bag/,
    shows: { lines: bagLines, quantities: 2, ...noAmounts },
    hasForm: false,
    sameCart: 'the same token'
  },
  superseded: {
    reach: ({ transfer }) => transfer(OTHER),
    status: 200,
    says: /^Your bag has changed – .* Go back to the app/,
    shows: nothing,
    hasForm: false,
    sameCart: 'a new checkout'
  },
  expired: {
    reach: async ({ tick }) => tick(DAY),
    status: 410,
    says: /^This checkout has expired – .* Go back to the app/,
    shows: nothing,
    hasForm: false,
    sameCart: 'a new checkout'
  },
  'superseded and expired': {
    reach: async ({ transfer, tick }) => {
      await transfer(OTHER)
      tick(2 * DAY)
    },
    status: 200,
    says: /^Your bag has changed – /,
    shows: nothing,
    hasForm: false,
    sameCart: 'a new checkout'
  }
}

for (const [name, { reach, status, says, shows, hasForm, sameCart }] of Object.entries(states)) {
  t.test(`the page of a checkout that is ${name}`, async t => {
    const here = await site(t)
    const token = await here.transfer()
    await reach(here)
    const before = await here.store.findCheckout('shop', token)

    const got = await here.page(token)
    t.equal(got.statusCode, status)
    t.match(textOf(got.body), says)
    t.strictSame(malformedTags(got.body), [])
    t.strictSame(machineView(got), shows)
    const mayStore = /<h1>Checkout/.test(got.body)
    t.strictSame(headersOf(got), pageHeaders(mayStore ? 'private, no-cache' : 'no-store'))
    t.equal(/<(button|form|input)\b/.test(got.body), hasForm, hasForm ? 'a form to order with' : 'no form or button')

    const posted = await here.post(`token=${token}`)
    t.strictSame([posted.statusCode, headersOf(posted)], [status, pageHeaders('private, no-cache')], 'POST')
    t.equal(posted.body.replace(/\s/g, ''), got.body.replace(/\s/g, ''), 'shows the same page')

    const head = await here.app.inject({ method: 'HEAD', url: `/shop/checkout/${token}` })
    t.strictSame([head.statusCode, head.body], [status, ''], 'HEAD')
    t.strictSame(headersOf(head), headersOf(got))

    t.strictSame(await here.store.findCheckout('shop', token), before, 'showing the page changes nothing')
    t.notMatch(JSON.stringify(here.logs), token, 'the token is not logged')

    const again = await here.transfer()
    t.equal(again === token, sameCart === 'the same token', `the same cart again: ${sameCart}`)
    const other = await here.transfer([{ sku: 'THROW', quantity: 1 }])
    t.notOk([token, again].includes(other), 'another cart under this reference: a new checkout')
    t.match(textOf((await here.page(token)).body), /^Your bag has changed/, 'this one is now superseded')
  })
}

t.test('a page needs its exact token, in the body of a form or in the path', async t => {
  const here = await site(t, {
    merchants: [merchantFile('1'), merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })]
  })
  const token = await here.transfer()
  const requests: [string, () => Promise<LightMyRequestResponse>, number][] = [
    ['POST with the token', () => here.post(`token=${token}`), 200],
    ['other fields next to the token', () => here.post(`a=b&token=${token}&user=7`), 200],
    ['parameters of the Content-Type', () => here.post(`token=${token}`, `${FORM}; charset=utf-8`), 200],
    ['the Content-Type in capitals', () => here.post(`token=${token}`, FORM.toUpperCase()), 200],
    ['GET with a query', () => here.page(`${token}?user=7&token=other`), 200],
    ['a wrong token', () => here.post(`token=${token}x`), 404],
    ['a token in lower case', () => here.post(`token=${token.toLowerCase()}X`), 404],
    ['an empty token', () => here.post('token='), 404],
    ['an empty body', () => here.post(''), 404],
    ['no token', () => here.post('user=7'), 404],
    ['a token twice', () => here.post(`token=${token}&token=${token}`), 404],
    ['a token in brackets', () => here.post(`token[]=${token}`), 404],
    ['a malformed encoding', () => here.post('token=%zz%ff'), 404],
    ['a wrong token in the path', () => here.page('nobody'), 404],
    ['a very long token', () => here.page('x'.repeat(20_000)), 404],
    ['NUL as token', () => here.page('%00'), 404],
    ['a trailing slash', () => here.page(`${token}/`), 404],
    ['a further path segment', () => here.page(`${token}/complete`), 404],
    ['GET without a token', () => here.app.inject('/shop/checkout'), 404],
    ['GET with the token in the query', () => here.app.inject(`/shop/checkout?token=${token}`), 404],
    ['another merchant’s page', () => here.app.inject(`/other/checkout/${token}`), 404],
    ['JSON', () => here.post(JSON.stringify({ token }), 'application/json'), 415],
    ['text', () => here.post(`token=${token}`, 'text/plain'), 415],
    ['a multipart form', () => here.post(`token=${token}`, 'multipart/form-data; boundary=x'), 415],
    ['a body that is too large', () => here.post(`token=${'x'.repeat(70_000)}`), 413]
  ]
  for (const [what, ask, status] of requests) {
    const response = await ask()
    t.equal(response.statusCode, status, `${what}: ${status}`)
    const isGet = response.raw.req.method === 'GET'
    t.strictSame(headersOf(response), pageHeaders(isGet && status !== 200 ? 'no-store' : 'private, no-cache'))
    t.strictSame(machineView(response), status === 200 ? shown : nothing)
    if (status !== 200) t.match(textOf(response.body), /to the app/)
    if (status === 404) t.match(textOf(response.body), /Go back to the app and tap checkout again/)
  }
  t.notMatch(JSON.stringify(here.logs), token, 'the token is not logged')
})

t.test('HEAD without a token is 404; other methods are 405', async t => {
  const { app, transfer } = await site(t)
  const token = await transfer()
  const head = await app.inject({ method: 'HEAD', url: '/shop/checkout' })
  t.strictSame([head.statusCode, head.body], [404, ''])
  const cases = [
    ['PUT', '/shop/checkout', 'GET, HEAD, POST'],
    ['DELETE', '/shop/checkout', 'GET, HEAD, POST'],
    ['OPTIONS', '/shop/checkout', 'GET, HEAD, POST'],
    ['PUT', `/shop/checkout/${token}`, /^GET, HEAD/],
    ['DELETE', `/shop/checkout/${token}`, /^GET, HEAD/]
  ] as const
  for (const [method, url, allow] of cases) {
    const response = await app.inject({ method, url })
    t.equal(response.statusCode, 405, `${method} ${url.replace(token, '<token>')}`)
    t.match(response.headers, { allow, 'content-type': 'text/html; charset=utf-8' })
  }
})

t.test('a web view gets the page, whatever its Origin and cookies', async t => {
  const { app, transfer } = await site(t)
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
  const { transfer, page } = await site(t)
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

t.test('every currency is shown with its own minor units', async t => {
  const feed = [
    'id\ttitle\tavailability\tprice',
    'CUP\tCup\tin_stock\t1200 JPY',
    'CUP\tCup\tin_stock\t12.00 GBP',
    'CUP\tCup\tin_stock\t4.500 BHD'
  ].join('\n')
  const { transfer, page } = await site(t, {
    merchants: [merchantFile('1', { currencies: ['GBP', 'JPY', 'BHD'] })],
    feed
  })
  const cases = [
    ['JPY', '2400 JPY', 'JP¥2,400'],
    ['GBP', '2400 GBP', '£24.00'],
    ['BHD', '9000 BHD', 'BHD 9.000']
  ] as const
  for (const [i, [currency, total, text]] of cases.entries()) {
    const response = await page(await transfer([{ sku: 'CUP', quantity: 2 }], uuid(i), currency))
    t.match(machineView(response), { subtotal: [total], total: [total] })
    t.match(textOf(response.body), `Total ${text}`)
  }
})

t.test('prices are looked up each time the page is shown', async t => {
  const { transfer, page, change } = await site(t)
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
  const { transfer, page, change } = await site(t)
  const token = await transfer([...BAG, { sku: 'MUG', quantity: 1 }])
  change('CLOCK', { availability: 'out_of_stock' })
  const lines = linesOf((await page(token)).body)
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

t.test('pre-order and back-order notes are only on their lines', async t => {
  const { transfer, page } = await site(t)
  const items = ['MUG', 'CLOCK', 'BASKET'].map(sku => ({ sku, quantity: 1 }))
  const lines = linesOf((await page(await transfer(items))).body).map(textOf)
  t.notMatch(lines[0], /-order/)
  t.match(lines.slice(1), [/Pre-order: ships on release/, /On back order: ships when back in stock/])
})

t.test('a price claim that differs is noted on its line, and the catalogue’s price is charged', async t => {
  const { send, store } = await formSite(t)
  const items = [
    { sku: 'MUG', quantity: 1, price: '12.50' },
    { sku: 'THROW', quantity: 1, price: '80.00' },
    { sku: 'MUG', quantity: 1, price: 'about ten' }
  ]
  const response = await send(items)
  t.strictSame([response.statusCode, headersOf(response)], [200, pageHeaders('private, no-cache')])
  t.strictSame(machineView(response).total, ['8995 GBP'])
  const lines = linesOf(response.body).map(textOf)
  const differs = 'The app showed £80.00. The price shown here applies.'
  t.strictSame(
    lines.map(line => line.includes(differs)),
    [false, true, false]
  )
  t.match(lines, [/£12\.50$/, /Qty 1 £64\.95 /, /£12\.50$/])
  t.match(await store.newestCheckout('shop', 'order-1'), { cart: { items } }, 'claims are stored as sent')
})

t.test('the tax text is under the total, and absent if there is no total', async t => {
  const merchants = [merchantFile('1', { checkout: { taxText: 'Prices include <VAT> & more.' } })]
  const { transfer, page, change } = await site(t, { merchants })
  const token = await transfer()
  t.match(textOf((await page(token)).body), 'Total £145.00 Prices include <VAT> & more. ')
  change('MUG', { availability: 'out_of_stock' })
  t.notMatch(textOf((await page(token)).body), 'Prices include')
})

t.test('markup in names, SKUs and references stays text', async t => {
  const merchants = [merchantFile('2A', { name: '</title><script>alert("name")</script>' })]
  const { send } = await formSite(t, { merchants })
  const skus = ['<script>alert("sku")</script>', ' a+b c ', 'ソ-☕']
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
  const { send } = await formSite(t, { merchants: [merchantFile('2A')], feed })
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

t.test('the CSP allows the style sheet of the page and the hosts of its pictures, and nothing else', async t => {
  const { transfer, page } = await site(t)
  const cases: [string[], string][] = [
    [['CLOCK'], "'none'"],
    [['MUG', 'MUG'], "'self'"],
    [['THROW'], 'https://images.example'],
    [['ROPE'], 'http://images.example'],
    [['MUG', 'THROW', 'THROW'], "'self' https://images.example"]
  ]
  for (const [i, [skus, sources]] of cases.entries()) {
    const items = skus.map(sku => ({ sku, quantity: 1 }))
    const { headers, body } = await page(await transfer(items, uuid(i)))
    const [, css = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? []
    t.ok(css.length > 1000)
    t.strictSame(
      readPolicy(headers['content-security-policy']),
      {
        'default-src': "'none'",
        'style-src': `'sha256-${createHash('sha256').update(css).digest('base64')}'`,
        'img-src': sources,
        'form-action': "'self'",
        'frame-ancestors': "'self'",
        'base-uri': "'none'"
      },
      skus.join(', ')
    )
    t.notOk('strict-transport-security' in headers)
  }
})

t.test('the rules that few pages need are sent only with them, and the CSP allows them', async t => {
  const { app, transfer, page, change } = await site(t)
  const token = await transfer([{ sku: 'MUG', quantity: 1 }])
  const submit = (digest: string) =>
    app.inject({
      method: 'POST',
      url: `/shop/checkout/${token}`,
      headers: { 'content-type': FORM },
      payload: `${new URLSearchParams({ digest, country: 'GB', shown: 'GB' })}`
    })
  const open = await page(token)
  const cases: [number, boolean, LightMyRequestResponse][] = [
    [200, false, open],
    [422, true, await submit(String(/name=digest value="(.*?)"/.exec(open.body)?.[1]))],
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
    t.match(headers['content-security-policy'], createHash('sha256').update(css).digest('base64'))
  }
})

t.test('pages of a merchant on https demand https and leave out http pictures', async t => {
  const checkout = { appInjectsStyles: true }
  const merchants = [merchantFile('1', { publicUrl: 'https://shop.example/shop', checkout })]
  const { transfer, page } = await site(t, { merchants })
  const items = ['ROPE', 'MUG'].map(sku => ({ sku, quantity: 1 }))
  const token = await transfer(items)
  const response = await page(token)
  const policy = readPolicy(response.headers['content-security-policy'])
  t.match(policy, { 'upgrade-insecure-requests': '', 'img-src': "'self'", 'style-src': "'unsafe-inline'" })
  t.match(response.headers['strict-transport-security'], /^max-age=31536000/)
  const [rope = '', mug = ''] = linesOf(response.body)
  t.notMatch(rope, /<img/, 'an http picture would be blocked')
  t.match(rope, /<i class=img data-letter="\w"><\/i>/, 'so there is a placeholder')
  t.strictSame(valuesOf(mug, 'src'), ['/shop/pictures/mug.svg'])
  const missing = await page('nobody')
  t.match(readPolicy(missing.headers['content-security-policy']), {
    'upgrade-insecure-requests': '',
    'style-src': "'unsafe-inline'"
  })
  t.match(missing.headers['strict-transport-security'], /^max-age=31536000/)
})

t.test('no page uses a script, another origin or a relative address', async t => {
  const { transfer, page, app, tick } = await site(t)
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
