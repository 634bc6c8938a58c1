// Where a shop of the merchant's own reports orders: signed, checked, kept once, and logged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../src/errors.ts'
import { signatureHeaders, signMessage } from '../../src/secrets.ts'
import type { Store } from '../../src/store/store.ts'
import { type Built, build, uuid } from '../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../destination/own-shop.ts'

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
  const msg = 'order reported, but no bag of its reference has arrived'
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

t.test('the example in the README is signed right, and is an order', async t => {
  const readme = readFileSync(join(import.meta.dirname, '../../src/destination/README.md'), 'utf8')
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
  t.match(await report(built, REPORT), { statusCode: 201 })
  t.match(await report(built, REPORT), { statusCode: 429 })
  t.strictSame(lines(built, 'order not kept'), [])
})

t.test('a merchant with our own page has no such address', async t => {
  const built = await build(t)
  t.match(await report(built, REPORT), { statusCode: 404 })
})
