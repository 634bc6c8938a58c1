// A merchant with several ways in: each has its own path, settings and sender; the checkout, its reference and its page are shared.
import t, { type Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { meta } from '../../src/transfer/meta/meta.ts'
import { MAX_URL } from '../../src/transfer/option.ts'
import { permalink } from '../../src/transfer/permalink/permalink.ts'
import { type Build, build, buildListening, collectRecords, FEED, merchantFile, uuid } from '../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../integrations/destination/own-shop.ts'
import { ADA, formOf } from '../pages/shopper.ts'
import { sendRaw } from '../raw-http.ts'
import { linesIn } from '../transfer/answers.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
const WAYS = [
  { option: '1', path: '/api', authentication },
  { option: '2A', path: '/cart', maxQuantity: 5 },
  { option: '2A', path: '/cart-of-b', keepRecordsDays: 0 },
  { option: '2B', path: '/get' },
  { option: 'meta', path: '/link' },
  { option: 'permalink', path: '/buy' }
]
/** After which a checkout has expired, in milliseconds. */
const DAY = 24 * 60 * 60 * 1000
const NAMES = ['1', '2A /cart', '2A /cart-of-b', '2B', 'meta', 'permalink']

const parts: Build = {
  merchants: [{ ...merchantFile('2A'), transfer: WAYS }],
  variables: { TOKEN, SHOP_SECRET }
}

const cartOf = (n: number, sku = 'MUG', quantity = 2): Cart => ({
  reference: uuid(n),
  currency: 'GBP',
  items: [{ sku, quantity }]
})

async function open(t: Test, changes: Build = {}) {
  const { collect, records } = collectRecords()
  const built = await build(t, { ...parts, store: collect, ...changes })
  const { path, ways } = built.merchants[0] as Merchant
  /** Sends a cart by a way; with `query`, more of a query. */
  const send = (name: string, cart: Cart, query = '', headers: Record<string, string> = {}) => {
    const way = ways.find(one => one.name === name)
    if (!way) throw new Error(`no way is called ${name}`)
    const { method, url, headers: sent, body } = way.option.request(cart, path + way.transfer.path)
    return built.app.inject({
      method: method as 'GET',
      url: url + query,
      headers: {
        ...Object.fromEntries(sent.map(({ name, value }) => [name, value])),
        ...(way.authentication && { authorization: `Bearer ${TOKEN}` }),
        ...headers
      },
      ...(body !== undefined && { payload: body })
    })
  }
  return { ...built, send, records, transfers: () => built.logs.filter(({ msg }) => msg === 'transfer') }
}

t.test('each takes bags at its path, and is named in the log, with the checkout and in records', async t => {
  const { send, store, transfers, records } = await open(t)
  for (const [i, name] of NAMES.entries()) {
    await send(name, cartOf(i))
    t.match(await store.newestCheckout('shop', uuid(i)), { option: name, cart: cartOf(i) })
    await send(name, cartOf(i, 'NO-SUCH-SKU'))
  }
  t.match(
    transfers(),
    NAMES.flatMap(option => ['accepted', 'refused'].map(outcome => ({ option, outcome })))
  )
  const recorded = NAMES.filter(name => name !== '2A /cart-of-b')
  t.match(
    records,
    recorded.map(option => ({ option, outcome: 'refused', mistakes: ['sku-unknown'] }))
  )
  t.equal(records.length, recorded.length, 'a way without days keeps no records')
})

t.test('settings and sender are those of the way; a reference is the merchant’s', async t => {
  const { app, send } = await open(t)
  t.equal((await send('1', cartOf(1), '', { authorization: 'Bearer other' })).statusCode, 401)
  t.equal((await send('2A /cart', cartOf(2, 'MUG', 6))).statusCode, 422, 'more than maxQuantity of this way')
  t.equal((await send('2A /cart-of-b', cartOf(2, 'MUG', 6))).statusCode, 200)
  const described = (await send('1', cartOf(3))).json()
  const { headers } = await send('meta', cartOf(3))
  t.equal(headers.location, `${described.url}/${described.body.slice('token='.length)}`, 'the same checkout')
  for (const url of ['/shop/cart/', '/shop/link/', '/shop/cart/MUG:1', '/shop/buyer/x']) {
    t.equal((await app.inject(url)).statusCode, 404, url)
  }
})

t.test('a link is redirected to the checkout’s own address, which shows exactly the bag', async t => {
  for (const name of ['meta', 'permalink']) {
    const { app, send, logs } = await open(t)
    const answer = await send(name, cartOf(1, 'MUG', 3))
    t.equal(answer.statusCode, 303)
    t.match(answer.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const location = String(answer.headers.location)
    t.match(location, /^http:\/\/127\.0\.0\.1:3000\/shop\/checkout\/[A-Za-z0-9]{32}$/)
    for (const visit of ['first', 'reload']) {
      const page = await app.inject(location)
      t.equal(page.statusCode, 200, visit)
      t.strictSame(linesIn(page.body), [{ sku: 'MUG', quantity: 3 }], visit)
    }
    t.equal(logs.filter(({ outcome }) => outcome === 'accepted').length, 1, 'one bag came in')
  }
})

t.test('what an option passes on is in that address, unless it would be too long', async t => {
  const { app, send } = await open(t)
  const long = `utm_term=${'x'.repeat(MAX_URL)}`
  for (const name of ['meta', 'permalink']) {
    const { headers } = await send(name, cartOf(1), '&utm_source=app&access_token=1&utm_term=a%2Fb/c')
    t.match(headers.location, /\/checkout\/[A-Za-z0-9]{32}\?utm_source=app&utm_term=a%2Fb%2Fc$/)
    t.equal((await app.inject(String(headers.location))).statusCode, 200)
    const lengthWith = async (query: string) =>
      String((await send(name, cartOf(1), `&${query}`)).headers.location).length
    const bare = await lengthWith(long)
    t.match((await send(name, cartOf(1), `&${long}`)).headers.location, /\/checkout\/[A-Za-z0-9]{32}$/)
    t.equal(await lengthWith(`a=${'x'.repeat(MAX_URL - bare - '?a='.length)}`), MAX_URL, 'as long as may be')
    t.equal(await lengthWith(`a=${'x'.repeat(MAX_URL - bare - '?a'.length)}`), bare)
  }
})

t.test('a HEAD, as for a preview, opens no checkout', async t => {
  const { app, store } = await open(t)
  for (const option of [meta, permalink]) {
    const path = option === meta ? '/shop/link' : '/shop/buy'
    const { url } = option.request(cartOf(1), path)
    const answer = await app.inject({ method: 'HEAD', url })
    t.equal(answer.statusCode, 405)
    t.equal(answer.headers.allow, 'GET')
    t.equal(await store.newestCheckout('shop', uuid(1)), undefined)
  }
})

t.test('a refusal is a page wherever a browser asks, and JSON where the platform does', async t => {
  const { app, send } = await open(t)
  for (const name of NAMES) {
    const isPage = name !== '1'
    const refused = await send(name, cartOf(1, 'LAMP'))
    t.equal(refused.statusCode, 422)
    const type = isPage ? 'text/html' : 'application/problem+json'
    t.match(refused.headers['content-type'], type, name)
    if (isPage) t.match(refused.body, 'Brass lantern', `${name}: the line is named`)
    const path = WAYS[NAMES.indexOf(name)]?.path
    const wrong = await app.inject({ method: 'PUT', url: `/shop${path}${name === 'permalink' ? '/x' : ''}` })
    t.equal(wrong.statusCode, 405)
    t.match(wrong.headers['content-type'], type, `${name}: also before its route`)
  }
  const lost = (accept: string) => app.inject({ url: '/shop/lost', headers: { accept } })
  t.match((await lost('text/html')).headers['content-type'], 'text/html', 'elsewhere by what is asked for')
  t.match((await lost('*/*')).headers['content-type'], 'application/problem+json')
})

t.test('a link may be longer than the contract allows, as long as the server can read it', async t => {
  const { port, app, merchants, logs } = await buildListening(t, { ...parts })
  const { ways } = merchants[0] as Merchant
  const items = Array.from({ length: 400 }, () => ({ sku: 'MUG', quantity: 1 }))
  for (const { name, option, transfer } of ways.slice(3)) {
    const { url } = option.request({ ...cartOf(1), items }, `/shop${transfer.path}`)
    t.ok(url.length > MAX_URL)
    const answer = await app.inject(url)
    t.equal(answer.statusCode, name === '2B' ? 414 : 303, name)
  }
  const head = `GET /shop/link?x=${'x'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
  t.match(await sendRaw(port, head), { status: 431, body: '<html' }, 'a page')
  t.match(logs.at(-1), { problem: 'headers-too-large' })
})

t.test('what follows the path arrives as it was sent, also if the path itself is escaped', async t => {
  const { app, store } = await open(t)
  const sent = `~${Buffer.from('<script>alert("sku")</script>').toString('base64url')}:1`
  t.equal((await app.inject(`/shop/%62uy/${sent}?/reference=a%2Fb&a=/b/c`)).statusCode, 303)
  t.match(await store.newestCheckout('shop', 'a/b'), { cart: { items: [{ sku: '<script>alert("sku")</script>' }] } })
})

t.test('a permalink without items is an empty bag, with the slash or without', async t => {
  const { app, transfers } = await open(t)
  for (const query of ['', '?reference=a/b&utm_source=/x/y?z']) {
    const [plain, slashed] = await Promise.all(['', '/'].map(slash => app.inject(`/shop/buy${slash}${query}`)))
    t.equal(plain?.statusCode, 400, query)
    t.match(plain?.body, 'Your bag is empty')
    t.equal(plain?.body, slashed?.body)
    t.match(transfers().slice(-2), Array(2).fill({ option: 'permalink', mistakes: ['items-empty'] }))
  }
})

t.test('a refusal is offered in the other languages of the shop, at the address of each link', async t => {
  const file = { ...merchantFile('2A', { locales: ['de'] }), transfer: WAYS }
  const { app } = await open(t, { merchants: [file] })
  for (const url of [meta.request(cartOf(1, 'LAMP'), '/shop/link').url, '/shop/buy/']) {
    const { body } = await app.inject(url)
    const [, link = ''] = /href="([^"]*page-lang=de)"/.exec(body) ?? []
    t.match((await app.inject(link.replaceAll('&amp;', '&'))).headers['content-language'], 'de', url)
  }
})

/** The way back that a page offers, and whether it speaks of an app. */
const wayBackOf = ({ body }: { body: string }) => ({
  link: / href="([^"]*)">(?:Back to the app|Continue shopping)</.exec(body)?.[1],
  hasApp: /the app\b/.test(body)
})

t.test('shoppers of links read nothing of the app, and get no link that only it opens', async t => {
  const cases: [leads: { continueShoppingUrl: string; shopUrl?: string }, othersTo: string | undefined][] = [
    [{ continueShoppingUrl: 'shop://continue' }, undefined],
    [{ continueShoppingUrl: 'https://shop.example/' }, 'https://shop.example/'],
    [{ continueShoppingUrl: 'shop://continue', shopUrl: 'https://shop.example/all' }, 'https://shop.example/all']
  ]
  for (const [leads, othersTo] of cases) {
    const { continueShoppingUrl } = leads
    const checkout = { ...merchantFile('2A').checkout, ...leads }
    const file = { ...merchantFile('2A', { checkout, countries: ['GB'] }), transfer: WAYS }
    const { app, send, store, tick } = await open(t, { merchants: [file] })
    for (const [i, { name, isOfApp }] of [
      { name: '2A /cart', isOfApp: true },
      { name: '1', isOfApp: true },
      { name: 'meta', isOfApp: false },
      { name: 'permalink', isOfApp: false }
    ].entries()) {
      const link = isOfApp ? continueShoppingUrl : othersTo
      const told = { link, hasApp: isOfApp }
      if (name !== '1') t.strictSame(wayBackOf(await send(name, cartOf(i, 'LAMP'))), told, `${name}: a refusal`)
      await send(name, cartOf(i))
      const { token = '' } = (await store.newestCheckout('shop', uuid(i))) ?? {}
      const page = await app.inject(`/shop/checkout/${token}`)
      t.strictSame(wayBackOf(page), told, `${name}: the checkout`)
      const { action = '', fields } = formOf(page.body) ?? {}
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const payload = `${new URLSearchParams({ ...fields, ...ADA })}`
      const { headers: placed } = await app.inject({ method: 'POST', url: action, headers, payload })
      t.equal(wayBackOf(await app.inject(String(placed.location))).link, link, `${name}: the confirmation`)

      await send(name, cartOf(i + 10))
      const late = await store.newestCheckout('shop', uuid(i + 10))
      tick(DAY)
      t.strictSame(wayBackOf(await app.inject(`/shop/checkout/${late?.token}`)), told, `${name}: an expired one`)
    }
    const unknown = wayBackOf(await app.inject('/shop/checkout/unknown'))
    t.strictSame(unknown, { link: continueShoppingUrl, hasApp: true }, 'a checkout of nobody knows whom')
  }
})

t.test('a shop without an app never speaks of one', async t => {
  const file = { ...merchantFile('2A'), transfer: WAYS.slice(4) }
  const { app } = await open(t, { merchants: [file] })
  for (const path of ['checkout/unknown', 'unknown', 'link?products=NONE:1']) {
    t.strictSame(wayBackOf(await app.inject(`/shop/${path}`)), { link: undefined, hasApp: false }, path)
  }
})

t.test('a link into a shop of the merchant’s own is redirected there', async t => {
  const shop = await openOwnShop(t)
  const file = { ...shopFile('2A', shop.url), transfer: WAYS }
  const { send, transfers } = await open(t, { merchants: [file] })
  for (const [i, name] of ['meta', 'permalink'].entries()) {
    const { statusCode, headers } = await send(name, cartOf(i))
    t.equal(statusCode, 303)
    t.match(
      headers,
      { location: /^http:\/\/127\.0\.0\.1:\d+\/checkout\?cart=/, 'referrer-policy': 'no-referrer' },
      name
    )
  }
  const reason = 'the shop leads back to where bags arrive (publicUrl and transfer.path)'
  for (const path of ['/api', '/cart-of-b', '/link?x=1', '/buy/MUG:1']) {
    shop.answer((_cart, kept) => ({ json: { ...kept, url: `http://127.0.0.1:3000/shop${path}` } }))
    await send('1', cartOf(9))
    t.match(transfers().at(-1), { problem: 'destination-unusable', reason }, path)
  }
})

t.test('a link is in the currency of its way, by default the first of the shop', async t => {
  const ways = [
    { option: 'meta', path: '/link', currency: 'USD' },
    { option: 'permalink', path: '/buy' }
  ]
  const { merchants } = await open(t, {
    merchants: [{ ...merchantFile('2A', { currencies: ['GBP', 'USD'] }), transfer: ways }],
    feed: FEED
  })
  t.match(
    merchants[0]?.ways.map(({ transfer }) => transfer.currency),
    ['USD', 'GBP']
  )
})
