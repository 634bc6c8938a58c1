// All routes of a merchant: the pictures next to its feed, the log line of every transfer, and where a shop of its own reports
// orders: signed, checked, kept once, and logged.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../src/errors.ts'
import { signatureHeaders, signMessage } from '../../src/secrets.ts'
import type { Store } from '../../src/store/store.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { type Built, build, buildListening, merchantFile, uuid } from '../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../integrations/destination/own-shop.ts'
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
  const unsold = {
    problem: 'cart-not-sellable',
    mistakes: ['out-of-stock', 'sku-unknown'],
    reason:
      '#/items/1/sku: The product "LAMP" is out of stock. | #/items/2/sku: No product has the SKU "X"; SKUs are compared exactly.'
  }
  const broken = {
    problem: 'contract-broken',
    mistakes: ['field-missing', 'field-type'],
    reason:
      '#/items/0/sku: This field is required. | #/items/0/quantity: This field is required. | #/reference: This must be a string, not the number 5.'
  }
  t.strictSame(lines, [
    { ...common, reference: uuid(1), lines: 1, outcome: 'accepted', status: 200 },
    { ...common, reference: uuid(1), lines: 1, outcome: 'repeated', status: 200 },
    { ...common, ...unsold, reference: uuid(2), lines: 3, outcome: 'refused', status: 422 },
    { ...common, ...broken, lines: 1, outcome: 'refused', status: 400 }
  ])
  t.notMatch(JSON.stringify(logs), new RegExp(`${token}|secret-agent|203\\.0\\.113|127\\.0\\.0\\.1`))
})

/** The id and address of one of several merchants. */
const byOption = (name: string) => ({ id: `by-${name.toLowerCase()}`, publicUrl: `/by-${name.toLowerCase()}` })

t.test('the log names up to five wrong lines of a refused cart by SKU, by every option', async t => {
  const merchants = transferOptions.map(({ name }) => merchantFile(name, byOption(name)))
  const { app, logs, merchants: shops } = await build(t, { merchants })
  const unknown = ['NEW\u202e1', ...Array.from({ length: 5 }, (_, i) => `NEW-${i}`)]
  const carts: [string[], number, RegExp][] = [
    [['NEW-2026', 'MUG'], 1, /^\S*0\S*: No product has the SKU "NEW-2026"; SKUs are compared exactly\.$/],
    [
      unknown,
      1,
      /^\S+: [^|]*"NEW\u202e1"(?:[^|]* \| \S+: [^|]*"NEW-[0-3]"){4}; SKUs are compared exactly\. \| and 1 more$/
    ],
    [['MUG'], 10_000, /^\S*0\S* of "MUG": [^|]*10000/]
  ]
  for (const { path, ways } of shops) {
    const [{ option, transfer }] = ways
    for (const [skus, quantity, reason] of carts) {
      const items = skus.map(sku => ({ sku, quantity }))
      const sent = option.request({ items, currency: 'GBP', reference: uuid() }, path + transfer.path)
      const { method, url, body } = sent
      const headers = Object.fromEntries(sent.headers.map(({ name, value }) => [name, value]))
      await app.inject({ method: method as 'GET', url, headers, ...(body !== undefined && { payload: body }) })
      t.match(logs.at(-1), { option: option.name, outcome: 'refused', reason }, `${option.name}: ${skus}`)
    }
  }
})

t.test('the log says why a cart was refused, also if no line is wrong', async t => {
  const { app, logs } = await build(t, { merchants: [merchantFile('1', { publicUrl: '/shop' })] })
  await app.inject({ method: 'POST', url: '/shop/cart', headers: FORM, payload: 'a=b' })
  t.match(logs.at(-1), { outcome: 'refused', status: 415, mistakes: [], reason: /application\/json/ })
})

t.test('a plus that a form has made a space is told by the product that has it', async t => {
  const feed = 'id\ttitle\tavailability\tprice\nA+B\tPlus\tin stock\t1.00 GBP\nC+D E+\tMore\tin stock\t1.00 GBP'
  const six = 'F+G+H+I+J+K'
  const merchants = ['1', '2A', '2B'].map(name => merchantFile(name, byOption(name)))
  const { app, logs } = await build(t, { merchants, feed: `${feed}\n${six}\tSix\tin stock\t1.00 GBP` })
  const cases: [sent: string, meant: string | undefined][] = [
    ['A+B', 'A+B'],
    ['C+D%20E+', 'C+D E+'],
    [six, six],
    ['A+C', undefined],
    ['A-B', undefined]
  ]
  for (const [sent, meant] of cases) {
    const read = JSON.stringify(decodeURIComponent(sent.replaceAll('+', ' ')))
    const hint = `there is a product ${JSON.stringify(meant)}: a plus is sent as %2B, as + is a space in a form.`
    const detail = `No product has the SKU ${read}; ${meant === undefined ? 'SKUs are compared exactly.' : hint}`
    const rest = 'currency=GBP&reference=r-1'
    const payload = `items[0][sku]=${sent}&items[0][quantity]=1&${rest}`
    const pages = [
      await app.inject({ method: 'POST', url: '/by-2a/cart', headers: FORM, payload }),
      await app.inject(`/by-2b/cart?item_0_sku=${sent}&item_0_quantity=1&${rest}`)
    ]
    for (const page of pages) {
      t.equal(page.statusCode, 422)
      t.match(textOf(page.body), detail)
    }
    const reasons = logs.slice(-2).map(({ reason }) => reason)
    t.strictSame(reasons, [`items[0][sku]: ${detail}`, `item_0_sku: ${detail}`])
  }
  const items = [{ sku: 'A B', quantity: 1 }]
  await app.inject({ method: 'POST', url: '/by-1/cart', payload: { items, currency: 'GBP', reference: uuid() } })
  t.match(logs.at(-1)?.reason, /SKUs are compared exactly/, 'in JSON a plus is a plus')
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
  const bag = 'item_0_sku=MUG&item_0_quantity=0&item_1_sku=NONE&item_1_quantity=0'
  const { app } = await build(t, {
    merchants: [merchantFile('2B'), merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })]
  })
  const page = await app.inject(`/shop/cart?${bag}&currency=GBP&reference=r-1`)
  t.equal(page.statusCode, 400)
  t.match(
    textOf(page.body),
    /available right now .* change your bag .* Your bag Sea-glass mug This item isn’t available in this quantity NONE This item isn’t/
  )
  const tooMany = 'item_0_sku=MUG&item_0_quantity=10000'
  t.match(
    textOf((await app.inject(`/shop/cart?${tooMany}&currency=GBP&reference=r-2`)).body),
    /We can’t sell that many Go back .* change your bag .* Sea-glass mug You can buy up to 9,999 of this item/
  )
  t.match(page.body, '<img src="/shop/pictures/mug.svg" alt>')
  t.match(page.headers['content-security-policy'], "img-src 'self'")
  t.match(page.body, '<a href="shop://continue">Back to the app</a>')
  const items = [{ sku: 'MUG', quantity: 10_000 }]
  const payload = { items, currency: 'GBP', reference: uuid() }
  const answer = await app.inject({ method: 'POST', url: '/other/cart', payload })
  t.strictSame(Object.keys(answer.json().errors[0]), ['pointer', 'code', 'detail', 'sku', 'limit'])
  const error = { pointer: '#/items/0/quantity', code: 'quantity-invalid', sku: 'MUG', limit: 9999 }
  t.match(answer.json().errors, [error])
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

t.test('no link leads out of pictures/, and those within it are followed, as is one to all of it', async t => {
  const { app, folder } = await build(t)
  const pictures = join(folder, 'pictures')
  mkdirSync(join(folder, 'pictures-of-others'))
  writeFileSync(join(folder, 'pictures-of-others/a.svg'), 'secret')
  symlinkSync('../merchant-0.json', join(pictures, 'file.svg'))
  symlinkSync(folder, join(pictures, 'folder'))
  symlinkSync('../pictures-of-others', join(pictures, 'others'))
  symlinkSync('file.svg', join(pictures, 'further.svg'))
  symlinkSync('itself.svg', join(pictures, 'itself.svg'))
  t.equal(spawnSync('mkfifo', [join(pictures, 'pipe.svg')]).status, 0, 'which nobody writes into')
  const links = ['file.svg', 'folder/merchant-0.json', 'folder/data/test.sqlite', 'others/a.svg', 'further.svg']
  for (const path of [...links, 'itself.svg', 'pipe.svg']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const headers = { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() }
      t.equal((await app.inject({ method, url: `/shop/pictures/${path}`, headers })).statusCode, 404, path)
    }
    const { statusCode, headers } = await app.inject(`/shop/pictures/${path}`)
    t.match({ statusCode, ...headers }, { statusCode: 404, etag: undefined, 'last-modified': undefined }, path)
  }
  // As Kubernetes mounts a ConfigMap.
  mkdirSync(join(pictures, '..version-1'))
  writeFileSync(join(pictures, '..version-1/mug.png'), 'a mug')
  symlinkSync('..version-1', join(pictures, '..data'))
  symlinkSync('..data/mug.png', join(pictures, 'mug.png'))
  t.match(await app.inject('/shop/pictures/mug.png'), { statusCode: 200, body: 'a mug' })
  renameSync(pictures, join(folder, 'release-2'))
  symlinkSync('release-2', pictures)
  t.match(await app.inject('/shop/pictures/mug.png'), { statusCode: 200, body: 'a mug' })
  t.equal((await app.inject('/shop/pictures/file.svg')).statusCode, 404)
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

const NOW = new Date('2026-11-20T10:00:00.000Z')
const REPORT = {
  reference: uuid(1),
  number: '#1001',
  currency: 'GBP',
  total: '25.00',
  items: [{ sku: 'MUG', quantity: 2 }]
}
const KEPT = {
  orderNumber: '#1001',
  merchant: 'shop',
  reference: uuid(1),
  currency: 'GBP',
  items: REPORT.items,
  total: '25.00',
  status: 'placed',
  reportedAt: NOW.toISOString(),
  arrivedAt: null
}

const open = (t: Test, store?: (store: Store) => Store, option = '1', url = 'https://shop.example/carts') =>
  build(t, { merchants: [shopFile(option, url)], variables: { SHOP_SECRET }, ...(store && { store }) })

type Sent = { body?: string; secret?: string; headers?: Record<string, string> }

/** Reports an order as a shop does, signed as Standard Webhooks. */
function report({ app }: Built, order: unknown, { body, secret = SHOP_SECRET, headers }: Sent = {}) {
  const payload = body ?? JSON.stringify(order)
  const signed = { 'content-type': 'application/json', ...signatureHeaders(secret, 'an-id', payload, NOW) }
  return app.inject({ method: 'POST', url: '/shop/orders', headers: { ...signed, ...headers }, payload })
}

const lines = ({ logs }: Built, ...messages: string[]) =>
  logs.filter(({ msg }) => messages.some(text => String(msg).startsWith(text))).map(({ time, reqId, ...line }) => line)

t.test('an order is kept and answered with 201, the same again with 200', async t => {
  const built = await open(t)
  const first = await report(built, { ...REPORT, customer: { email: 'ada@example.com' } })
  t.equal(first.statusCode, 201)
  t.match(first.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' })
  t.strictSame(first.json(), KEPT)
  built.tick(60_000)
  const again = await report(built, REPORT)
  t.strictSame([again.statusCode, again.json()], [200, KEPT])
  t.match(await built.store.listOrders({}, undefined, 10), [{ number: '#1001', total: 2500 }])
  const line = { level: 40, merchant: 'shop', order: '#1001', reference: uuid(1), total: '25.00', currency: 'GBP' }
  const msg = 'order for unknown reference'
  t.strictSame(lines(built, 'order'), [
    { ...line, isRepeat: false, msg },
    { ...line, isRepeat: true, msg }
  ])
  t.notMatch(JSON.stringify(built.logs), /ada@/)
})

t.test('an order of a bag that was handed on says when it arrived', async t => {
  const shop = await openOwnShop(t)
  const built = await open(t, undefined, '1', shop.url)
  const { reference, currency, items } = REPORT
  const payload = { reference, currency, items }
  const transfer = await built.app.inject({ method: 'POST', url: '/shop/cart', payload })
  t.equal(transfer.statusCode, 200)
  built.tick(60_000)
  const answer = await report(built, REPORT)
  t.match(answer.json(), { arrivedAt: NOW.toISOString(), reportedAt: '2026-11-20T10:01:00.000Z' })
  t.match(lines(built, 'order'), [{ level: 30, msg: 'order reported', isRepeat: false }])
  t.equal(shop.received.length, 1, 'the shop is told nothing')
})

t.test('what becomes of an order is reported with a status, and the order kept with it', async t => {
  const built = await open(t)
  await report(built, REPORT)
  const states: [status: string | undefined, kept: string, msg: string][] = [
    ['cancelled', 'cancelled', 'order status changed'],
    [undefined, 'cancelled', 'order for unknown reference'],
    ['refunded', 'refunded', 'order status changed'],
    ['placed', 'placed', 'order status changed']
  ]
  for (const [status, kept, msg] of states) {
    built.tick(1000)
    const answer = await report(built, { ...REPORT, status })
    t.match([answer.statusCode, answer.json()], [200, { status: kept }])
    t.match(lines(built, 'order').at(-1), { msg })
  }
  built.tick(1000)
  const other = await report(built, { ...REPORT, total: '26.00', status: 'cancelled' })
  t.match(other.json().detail, 'The order kept under this reference has the total 25.00 GBP; it is not changed.')
  t.match(await built.store.listOrders({}, undefined, 10), [{ status: 'placed' }])
  const wrong = await report(built, { ...REPORT, status: 'shipped' })
  const detail = 'It is "shipped"; give "placed", "cancelled" or "refunded", or leave it out.'
  t.match(wrong.json(), { errors: [{ pointer: '#/status', code: 'field-type', detail }] })
  const first = await report(built, { ...REPORT, number: '7', reference: uuid(7), status: 'cancelled' })
  t.match([first.statusCode, first.json()], [201, { status: 'cancelled' }])
})

t.test('an order with other items than its bag is kept, and the warning names them', async t => {
  const shop = await openOwnShop(t)
  const built = await open(t, undefined, '1', shop.url)
  const { reference, currency } = REPORT
  const items = [
    { sku: 'MUG', quantity: 1 },
    { sku: 'ROPE', quantity: 1 }
  ]
  await built.app.inject({ method: 'POST', url: '/shop/cart', payload: { reference, currency, items } })
  t.match(await report(built, REPORT), { statusCode: 201 })
  t.match(lines(built, 'items differ'), [
    { level: 40, skus: ['MUG', 'ROPE'], msg: 'items differ from transferred cart' }
  ])
})

t.test('the example in the README is signed right, and is an order', async t => {
  const readme = readFileSync(join(import.meta.dirname, '../../src/integrations/destination/README.md'), 'utf8')
  const [, example = ''] = /```http\n(POST \/orders.*?)\n```/s.exec(readme) ?? []
  const [, secret = ''] = /Signed with `(.*?)`/.exec(readme) ?? []
  const [head = '', body = ''] = example.split('\n\n')
  const header = (name: string) => String(new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1])
  const signed = { id: header('webhook-id'), timestamp: header('webhook-timestamp'), body }
  t.equal(header('webhook-signature'), signMessage(secret, signed))
  t.match(await report(await open(t), JSON.parse(body)), { statusCode: 201 })
})

t.test('another order under one reference or number is refused with 409, as problem+json', async t => {
  const built = await open(t)
  await report(built, REPORT)
  const answer = await report(built, { ...REPORT, total: '26.00' })
  t.equal(answer.statusCode, 409)
  t.match(answer.headers, { 'content-type': /^application\/problem\+json/ })
  t.match(answer.json(), {
    type: /order-differs/,
    title: 'Another order is kept under this reference or number',
    detail: 'The order kept under this reference has the total 25.00 GBP; it is not changed.'
  })
  t.match(await report(built, { ...REPORT, reference: uuid(2) }), { statusCode: 409 })
  const line = { level: 40, merchant: 'shop', problem: 'order-differs', mistakes: [] }
  t.match(lines(built, 'order not kept'), [
    { ...line, reference: uuid(1), reason: /25\.00 GBP/ },
    { ...line, reference: uuid(2) }
  ])
})

t.test('a report with mistakes is refused with all of them, also where transfers are pages', async t => {
  for (const option of ['1', '2A']) {
    const built = await open(t, undefined, option)
    const answer = await report(built, { ...REPORT, total: 25, items: [{ sku: 'MUG' }] })
    t.match(answer, { statusCode: 400, headers: { 'content-type': /^application\/problem\+json/ } })
    t.match(answer.json(), {
      detail: '2 mistakes in the report; the order was not kept.',
      errors: [
        { pointer: '#/total', code: 'field-type' },
        { pointer: '#/items/0/quantity', code: 'field-missing' }
      ]
    })
    const reason = /^order "#1001": #\/total: It is 25; give .* \| #\/items\/0\/quantity: Missing; give a whole number/
    const mistakes = ['field-type', 'field-missing']
    t.match(lines(built, 'order not kept'), [{ problem: 'contract-broken', mistakes, reference: uuid(1), reason }])
    t.strictSame(await built.store.listOrders({}, undefined, 10), [])
  }
})

t.test('whoever has no valid signature is refused before anything is read', async t => {
  const built = await open(t)
  const secret = `whsec_${Buffer.from('another secret of the same length').toString('base64')}`
  const answer = await report(built, REPORT, { body: 'no JSON', secret })
  t.match(answer, { statusCode: 401, headers: { 'www-authenticate': /^Standard-Webhooks/ } })
  const reason = 'The webhook-signature holds no valid signature.'
  t.match(answer.json(), { title: 'The caller has not proved who it is', detail: reason })
  t.match(lines(built, 'order not kept'), [{ problem: 'unauthorized', reason }])
})

t.test('other media types, methods and sizes are refused', async t => {
  const built = await open(t)
  t.match(await report(built, REPORT, { headers: { 'content-type': 'text/plain' } }), { statusCode: 415 })
  t.match(await report(built, { ...REPORT, note: 'x'.repeat(1024 * 1024) }), { statusCode: 413 })
  t.match(await built.app.inject('/shop/orders'), { statusCode: 405, headers: { allow: 'POST' } })
  t.match(await built.app.inject({ method: 'POST', url: '/shop/orders/1' }), { statusCode: 404 })
})

t.test('while the store is out of reach the answer is 503, and the next report is kept', async t => {
  let isAway = true
  const built = await open(t, store => ({
    ...store,
    keepReport: order => (isAway ? Promise.reject(new StoreUnavailable('locked')) : store.keepReport(order))
  }))
  t.match(await report(built, REPORT), { statusCode: 503, headers: { 'retry-after': '5' } })
  isAway = false
  t.match(await report(built, REPORT), { statusCode: 201 })
})

t.test('what is refused for its load is not logged as an order', async t => {
  const merchants = [shopFile('1', 'https://shop.example/carts')]
  const rateLimit = { requestsPerMinute: 1, trustedProxies: [] }
  const built = await build(t, { merchants, variables: { SHOP_SECRET }, rateLimit })
  for (const statusCode of [201, 200]) t.match(await report(built, REPORT), { statusCode }, 'signed, and not counted')
  t.match(await built.app.inject('/shop/nothing'), { statusCode: 404 })
  t.match(await report(built, REPORT), { statusCode: 429 })
  t.strictSame(lines(built, 'order not kept'), [])
})

t.test('a merchant with our own page has no such address', async t => {
  const built = await build(t)
  t.match(await report(built, REPORT), { statusCode: 404 })
})
