// Where a platform asks what became of its bag: only for who proves to be one, and nothing of a person in it.
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import { type Build, build, merchantFile, uuid } from '../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../integrations/destination/own-shop.ts'
import { ADA, formOf, PERSONAL } from '../pages/shopper.ts'
import { until } from '../until.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const OTHER_TOKEN = 'another-token-of-at-least-32-characters'
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const variables = { TOKEN, OTHER_TOKEN, SECRET, SHOP_SECRET }
const bearer = { authorization: `Bearer ${TOKEN}` }

const asking = (type: string, variable: string) => ({ authentication: { type, secretVariables: [variable] } })
const FILE = merchantFile('1', { transfer: asking('bearer', 'TOKEN') })

async function open(t: Test, parts: Build = {}) {
  const built = await build(t, { merchants: [FILE], variables, ...parts })
  const { app, merchants } = built
  const { path } = merchants[0] as Merchant
  const send = async (reference: string, items: object[] = [{ sku: 'MUG', quantity: 2 }], url = '/shop/cart') => {
    const headers = { ...bearer, 'content-type': 'application/json' }
    const payload = JSON.stringify({ items, currency: 'GBP', reference })
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    return answer.json()
  }
  const ask = (reference: string, headers: Record<string, string> = bearer, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    app.inject({ method, url: `${path}/transfers/${reference}`, headers })
  return {
    ...built,
    send,
    ask,
    stateOf: async (reference: string) => (await ask(reference)).json(),
    log: (msg: string) => built.logs.filter(line => line.msg === msg)
  }
}

t.test('a bag is open until it is ordered, expires, or is replaced by one that is refused', async t => {
  const { store, send, stateOf, tick, log } = await open(t)
  const [accepted, refused] = [uuid(1), uuid(2)]
  await send(accepted)
  const at = '2026-11-20T10:00:00.000Z'
  t.strictSame(await stateOf(accepted), { reference: accepted, state: 'open', at })
  await send(refused, [{ sku: 'LAMP', quantity: 1 }])
  // Recorded once the answer has gone.
  await until('the record', async () => (await store.referenceHistories(['shop'], [refused])).flat().length > 0)
  t.strictSame(await stateOf(refused), {
    reference: refused,
    state: 'refused',
    at,
    problem: 'cart-not-sellable',
    errorCodes: ['out-of-stock']
  })
  t.match(log('transfer looked up'), [
    { level: 30, merchant: 'shop', reference: accepted, state: 'open' },
    { level: 30, merchant: 'shop', reference: refused, state: 'refused' }
  ])
  tick(24 * 60 * 60_000)
  t.match(await stateOf(accepted), { state: 'expired', at: '2026-11-21T10:00:00.000Z' })
})

t.test('of an order it tells number, total, currency and time, and nothing of a person', async t => {
  const { app, store, send, ask } = await open(t)
  await send(uuid(1))
  const page = `/shop/checkout/${(await store.newestCheckout('shop', uuid(1)))?.token}`
  const { action = '', fields } = formOf((await app.inject(page)).body) ?? {}
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `${new URLSearchParams({ ...fields, ...ADA })}`
  const { headers: placed } = await app.inject({ method: 'POST', url: action, headers, payload })
  const [, orderNumber] = /order=([^&]*)/.exec(String(placed.location)) ?? []
  const answer = await ask(uuid(1))
  t.match(answer.headers, { 'cache-control': 'no-store', 'content-type': /^application\/json/ })
  const at = '2026-11-20T10:00:00.000Z'
  t.strictSame(answer.json(), {
    reference: uuid(1),
    state: 'ordered',
    at,
    orderNumber,
    total: '25.00',
    currency: 'GBP'
  })
  for (const text of PERSONAL) t.notMatch(answer.body, text)
})

t.test("of a bag that led to the merchant's own shop it tells what that has reported", async t => {
  const shop = await openOwnShop(t)
  const file = shopFile('1', shop.url)
  const { app, send, stateOf, tick } = await open(t, {
    merchants: [{ ...file, transfer: { ...file.transfer, ...asking('bearer', 'TOKEN') } }]
  })
  await send(uuid(1))
  t.match(await stateOf(uuid(1)), { state: 'open' })
  tick(60_000)
  const report = async (status: string) => {
    const items = [{ sku: 'MUG', quantity: 2 }]
    const payload = JSON.stringify({
      reference: uuid(1),
      number: '1001',
      currency: 'GBP',
      total: '29.5',
      items,
      status
    })
    const at = new Date('2026-11-20T10:01:00.000Z')
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'm',
      'webhook-timestamp': String(at.getTime() / 1000),
      'webhook-signature': new Webhook(SHOP_SECRET).sign('m', at, payload)
    }
    return app.inject({ method: 'POST', url: '/shop/orders', headers, payload })
  }
  const known = {
    reference: uuid(1),
    at: '2026-11-20T10:01:00.000Z',
    orderNumber: '1001',
    total: '29.50',
    currency: 'GBP'
  }
  t.equal((await report('placed')).statusCode, 201)
  t.strictSame(await stateOf(uuid(1)), { state: 'ordered', ...known })
  tick(60_000)
  t.equal((await report('refunded')).statusCode, 200)
  t.strictSame(await stateOf(uuid(1)), { state: 'refunded', ...known })
})

t.test('a UUID is found however it is written, any other reference only as it is', async t => {
  const { send, stateOf, app } = await open(t, {
    merchants: [{ ...FILE, transfer: [FILE.transfer, { option: '2B', path: '/get' }] }]
  })
  await send('abcdef00112233445566778899aabbcc')
  for (const reference of ['ABCDEF00112233445566778899AABBCC', 'abcdef00-1122-3344-5566-778899aabbcc']) {
    t.match(await stateOf(reference), { reference, state: 'open' })
  }
  const odd = 'a/b?c%d#;="~'
  const cart = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: odd }
  await app.inject(queryGet.request(cart, '/shop/get').url)
  t.match(await stateOf(encodeURIComponent(odd)), { reference: odd, state: 'open' }, 'by whatever way it came')
  t.match(await stateOf(encodeURIComponent(odd.toUpperCase())), { status: 404 })
})

t.test("what is not on record is unknown, and so is another merchant's", async t => {
  const other = {
    ...merchantFile('1', { id: 'other', publicUrl: '/other', transfer: asking('bearer', 'OTHER_TOKEN') })
  }
  const { app, send, ask, log } = await open(t, { merchants: [FILE, other] })
  const headers = { authorization: `Bearer ${OTHER_TOKEN}`, 'content-type': 'application/json' }
  const payload = JSON.stringify({ items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(1) })
  t.equal((await app.inject({ method: 'POST', url: '/other/cart', headers, payload })).statusCode, 200)
  const long = 'x'.repeat(37)
  for (const reference of [uuid(1), uuid(2), 'a%00b', 'a%20b', '%E2%98%95', long, `${uuid(1)}/`]) {
    const answer = await ask(reference)
    t.match([answer.statusCode, answer.headers['content-type']], [404, /^application\/problem\+json/], reference)
    if (reference.endsWith('/')) continue
    t.match(answer.json(), { type: 'urn:problem-type:cart-transfer:transfer-unknown' })
  }
  t.match(log('transfer not looked up'), [
    { level: 30, merchant: 'shop', reference: uuid(1), problem: 'transfer-unknown' },
    { reference: uuid(2) },
    { reference: undefined }
  ])
  t.match(await send(uuid(1)), { url: /./ }, 'its own may have the same')
  t.equal((await ask(uuid(1))).json().state, 'open')
})

t.test('who does not prove to be the platform is told nothing', async t => {
  const { send, ask, log } = await open(t)
  await send(uuid(1))
  for (const reference of [uuid(1), uuid(2)]) {
    for (const headers of [{}, { authorization: `Bearer ${OTHER_TOKEN}` }] as Record<string, string>[]) {
      const answer = await ask(reference, headers)
      t.match(answer, { statusCode: 401, headers: { 'www-authenticate': /^Bearer realm=/ } })
      t.match(answer.json(), { type: /unauthorized$/ })
    }
  }
  t.match(log('transfer not looked up')[0], { problem: 'unauthorized', reason: /no Authorization header/ })
})

t.test('a signature is that of an empty body', async t => {
  const { ask } = await open(t, { merchants: [merchantFile('1', { transfer: asking('standard-webhooks', 'SECRET') })] })
  const at = new Date('2026-11-20T10:00:00.000Z')
  const signed = (body: string, time = at) => ({
    'webhook-id': 'm',
    'webhook-timestamp': String(time.getTime() / 1000),
    'webhook-signature': new Webhook(SECRET).sign('m', time, body)
  })
  t.equal((await ask(uuid(1), signed(''))).statusCode, 404)
  t.equal((await ask(uuid(1), signed('{}'))).statusCode, 401)
  t.equal((await ask(uuid(1), signed('', new Date(at.getTime() - 301_000)))).statusCode, 401)
  t.equal((await ask(uuid(1), {})).statusCode, 401)
})

t.test('any of several platforms may ask, each with its own secret', async t => {
  const ways = [
    { option: '1', path: '/cart', ...asking('bearer', 'TOKEN') },
    { option: '1', path: '/b', ...asking('standard-webhooks', 'SECRET') },
    { option: '1', path: '/c', ...asking('bearer', 'OTHER_TOKEN') },
    { option: '2A', path: '/form' }
  ]
  const { app, send, ask } = await open(t, { merchants: [{ ...FILE, transfer: ways }] })
  await send(uuid(1))
  const at = new Date('2026-11-20T10:00:00.000Z')
  const signed = {
    'webhook-id': 'm',
    'webhook-timestamp': String(at.getTime() / 1000),
    'webhook-signature': new Webhook(SECRET).sign('m', at, '')
  }
  for (const headers of [bearer, signed, { authorization: `Bearer ${OTHER_TOKEN}` }]) {
    t.match((await ask(uuid(1), headers)).json(), { state: 'open' })
  }
  t.equal((await ask(uuid(1), {})).statusCode, 401)
  const { paths, components } = (await app.inject('/shop/openapi.json')).json()
  const { security, parameters } = paths['/transfers/{reference}'].get
  t.strictSame(security, [{ platform: [] }, { platform2: [] }, { platform3: [] }])
  t.equal(parameters.length, 1, 'no header is needed by all of them')
  t.strictSame(Object.keys(components.securitySchemes), ['platform', 'platform2', 'platform3'])
})

t.test('without authentication there is no such address, and the path is free', async t => {
  const { app } = await build(t, { merchants: [merchantFile('1', { transfer: { path: '/transfers' } })] })
  const payload = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(1) }
  t.equal((await app.inject({ method: 'POST', url: '/shop/transfers', payload })).statusCode, 200)
  const { statusCode, body } = await app.inject(`/shop/transfers/${uuid(1)}`)
  t.match([statusCode, JSON.parse(body).type], [404, /not-found$/])
})

t.test('RATE_LIMIT counts who does not prove to be the platform', async t => {
  const { ask } = await open(t, { rateLimit: { requestsPerMinute: 2, trustedProxies: [] } })
  for (let i = 0; i < 4; i++) t.equal((await ask(uuid(1))).statusCode, 404)
  for (const status of [401, 401, 429]) t.equal((await ask(uuid(1), {})).statusCode, status)
  t.equal((await ask(uuid(1))).statusCode, 429, 'then nobody is let in from there')
})

t.test('a HEAD is answered as a GET, and other methods are not', async t => {
  const { send, ask } = await open(t)
  await send(uuid(1))
  t.match(await ask(uuid(1), bearer, 'HEAD'), { statusCode: 200, body: '' })
  t.match(await ask(uuid(1), bearer, 'POST'), { statusCode: 405, headers: { allow: /GET/ } })
})
