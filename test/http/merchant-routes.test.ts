// All routes of a merchant: the pictures next to its feed, and the log line of every transfer.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build, buildListening, merchantFile, uuid } from '../build.ts'
import { textOf } from '../pages/read-page.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

t.test('each transfer is logged in one line, with what reconciling needs and no personal data', async t => {
  const { app, logs } = await build(t)
  const headers = { 'user-agent': 'secret-agent', 'x-forwarded-for': '203.0.113.9' }
  const send = (payload: object) => app.inject({ method: 'POST', url: '/shop/cart', headers, payload })
  const cart = { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', reference: uuid(1) }
  const first = await send(cart)
  await send(cart)
  const unsellable = [
    { sku: 'LAMP', quantity: 1 },
    { sku: 'X', quantity: 1 }
  ]
  await send({ ...cart, reference: uuid(2), items: [...cart.items, ...unsellable] })
  await send({ ...cart, reference: 5, items: [{}] })
  const token = first.json().body.slice('token='.length)
  await app.inject(`/shop/checkout/${token}`)

  const common = { level: 30, merchant: 'shop', option: '1', msg: 'transfer' }
  const lines = logs.map(({ time, reqId, durationMs, ...line }) => {
    t.match({ time, reqId, durationMs }, { time: Number, reqId: /^[0-9a-f-]{36}$/, durationMs: Number })
    return line
  })
  const unsold = { problem: 'cart-not-sellable', mistakes: ['out-of-stock', 'sku-unknown'] }
  const broken = { problem: 'contract-broken', mistakes: ['field-missing', 'field-type'] }
  t.strictSame(lines, [
    { ...common, reference: uuid(1), lines: 1, outcome: 'accepted', status: 200 },
    { ...common, reference: uuid(1), lines: 1, outcome: 'repeated', status: 200 },
    { ...common, ...unsold, reference: uuid(2), lines: 3, outcome: 'refused', status: 422 },
    { ...common, ...broken, lines: 1, outcome: 'refused', status: 400 }
  ])
  t.notMatch(JSON.stringify(logs), new RegExp(`${token}|secret-agent|203\\.0\\.113|127\\.0\\.0\\.1`))
})

t.test('index-free prices that do not pair up with the lines are logged; no prices at all are not', async t => {
  const { app, logs } = await build(t, { merchants: [merchantFile('2A')] })
  const bag = 'items[][sku]=MUG&items[][quantity]=1&items[][sku]=ROPE&items[][quantity]=1&currency=GBP&reference='
  for (const payload of [`${bag}r-1`, `${bag}r-2&items[][price]=1`]) {
    t.equal((await app.inject({ method: 'POST', url: '/shop/cart', headers: FORM, payload })).statusCode, 200)
  }
  t.match(logs, [{ reference: 'r-1' }, { level: 40, prices: 1 }, { reference: 'r-2', outcome: 'accepted' }])
})

t.test('a cart refused for a quantity names the item: by title to a shopper, by SKU to a program', async t => {
  const bag = 'item_0_sku=MUG&item_0_quantity=10000&item_1_sku=NONE&item_1_quantity=0'
  const { app } = await build(t, {
    merchants: [merchantFile('2B'), merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })]
  })
  const page = await app.inject(`/shop/cart?${bag}&currency=GBP&reference=r-1`)
  t.equal(page.statusCode, 400)
  t.match(
    textOf(page.body),
    /available right now .* change your bag .* Your bag Sea-glass mug This item isn’t available in this quantity NONE This item isn’t/
  )
  t.match(page.body, '<img src="/shop/pictures/mug.svg" alt>')
  t.match(page.headers['content-security-policy'], "img-src 'self'")
  t.match(page.body, '<a href="shop://continue">Back to the app</a>')
  const items = [{ sku: 'MUG', quantity: 10_000 }]
  const payload = { items, currency: 'GBP', reference: uuid() }
  const answer = await app.inject({ method: 'POST', url: '/other/cart', payload })
  t.strictSame(Object.keys(answer.json().errors[0]), ['pointer', 'code', 'detail', 'sku'])
  t.match(answer.json().errors, [{ pointer: '#/items/0/quantity', code: 'quantity-invalid', sku: 'MUG' }])
})

t.test('pictures/ next to the feed is served, and nothing else in that folder', async t => {
  const { app, folder } = await build(t)
  writeFileSync(join(folder, 'pictures/.hidden'), 'secret')
  writeFileSync(join(folder, 'pictures/50% ?'), 'half')
  mkdirSync(join(folder, 'pictures/more'))
  const picture = await app.inject('/shop/pictures/mug.svg')
  t.match(picture, {
    statusCode: 200,
    headers: {
      'content-type': /^image\/svg\+xml/,
      'cache-control': 'public, max-age=3600',
      'content-security-policy': /sandbox/,
      'x-content-type-options': 'nosniff'
    }
  })
  for (const range of ['bytes=0-1', 'bytes=99999999-', 'bytes=-0', 'lines=1']) {
    const whole = await app.inject({ url: '/shop/pictures/mug.svg', headers: { range } })
    t.match(whole, { statusCode: 200, body: picture.body, headers: { 'content-type': /^image\/svg\+xml/ } }, range)
  }
  const head = await app.inject({ method: 'HEAD', url: '/shop/pictures/mug.svg' })
  t.match(head, { statusCode: 200, body: '', headers: { 'content-length': picture.headers['content-length'] } })
  const headers = { 'if-none-match': String(picture.headers.etag) }
  const same = await app.inject({ url: '/shop/pictures/mug.svg', headers })
  t.match(same, { statusCode: 304, body: '', headers: { 'content-type': undefined } })
  const changed = await app.inject({ url: '/shop/pictures/mug.svg', headers: { 'if-match': '"other"' } })
  t.equal(changed.statusCode, 400)
  const untyped = await app.inject('/shop/pictures/50%25%20%3F')
  t.match(untyped, { statusCode: 200, body: 'half', headers: { 'content-type': 'application/octet-stream' } })
  const hidden = ['', 'more', 'none.svg', '.hidden', '../feed.tsv', '..%2ffeed.tsv', '%2e%2e%2ffeed.tsv']
  for (const url of [...hidden.map(path => `/shop/pictures/${path}`), '/shop/feed.tsv', '/shop/merchant-0.json']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 404, url)
    t.notMatch(response.body, /secret|sea-glass/i, url)
  }
})

const ADDRESS = '/shop/openapi.json'

t.test('anybody may read it, a script of another site included, and ask whether it is still the same', async t => {
  const { app } = await build(t)
  const first = await app.inject({ url: ADDRESS, headers: { origin: 'https://docs.example' } })
  const { etag } = first.headers
  const always = { 'cache-control': 'no-cache', 'access-control-allow-origin': '*' }
  t.match(first, { statusCode: 200, headers: { ...always, etag: /^"\S+"$/, 'content-type': /^application\/json/ } })
  t.match(first.json(), { openapi: '3.1.0', servers: [{ url: 'http://127.0.0.1:3000/shop' }] })
  for (const [known, statusCode] of [
    [etag, 304],
    [`W/"other", W/${etag}`, 304],
    ['"other"', 200]
  ] as const) {
    const again = await app.inject({ url: ADDRESS, headers: { 'if-none-match': String(known) } })
    t.match(again, { statusCode, body: statusCode === 304 ? '' : first.body, headers: { ...always, etag } })
  }
  t.match(await app.inject({ method: 'HEAD', url: ADDRESS }), { statusCode: 200, body: '' })
  t.match(await app.inject({ method: 'POST', url: ADDRESS }), { statusCode: 405, headers: { allow: 'GET, HEAD' } })
})

t.test('a merchant whose publicUrl is a path has the address at which this process listens', async t => {
  const { app } = await buildListening(t, { merchants: [merchantFile('1', { publicUrl: '/shop' })] })
  t.match((await app.inject(ADDRESS)).json(), { servers: [{ url: `${app.listeningOrigin}/shop` }] })
})

t.test('where nothing takes JSON there is none', async t => {
  for (const option of ['2A', '2B']) {
    const { app } = await build(t, { merchants: [merchantFile(option)] })
    t.match(await app.inject(ADDRESS), { statusCode: 404 }, option)
  }
})
