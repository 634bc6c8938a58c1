// The OpenAPI document of a merchant: valid, with its own address and limits, without a secret; and every answer of the
// server is one that it describes.
import t, { type Test } from 'tap'
import { mistakes, type ProblemCode, problems, StoreUnavailable } from '../../../src/errors.ts'
import { signatureHeaders } from '../../../src/secrets.ts'
import type { Store } from '../../../src/store/store.ts'
import { type Build, build, buildListening, merchantFile, uuid } from '../../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { KEY, PAYMENT, SECRET } from '../../pages/paying-shop.ts'
import { sendRaw } from '../../raw-http.ts'
import { servedDocument } from './served-document.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const WEBHOOK = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const variables = {
  PLATFORM_TOKEN: TOKEN,
  PLATFORM_SECRET: WEBHOOK,
  SHOP_SECRET,
  STRIPE_KEY: KEY,
  STRIPE_SECRET: SECRET
}
const SHOP_URL = 'https://shop.example/carts'

const asksFor = (type: string, variable: string) => ({ authentication: { type, secretVariables: [variable] } })

const everySetting = merchantFile('1', {
  publicUrl: 'https://shop.example/a.b-c',
  currencies: ['GBP', 'USD'],
  transfer: {
    maxItems: 1,
    maxQuantity: 3,
    acceptHyphenated: true,
    ...asksFor('bearer', 'PLATFORM_TOKEN'),
    description: {
      httpMethod: 'GET',
      headers: [{ name: 'X-Gate', value: 'open sesame' }],
      cookies: [
        { name: 'gate', value: 'sesame', path: '/', isSecure: true, expiresAfterMinutes: 60 },
        { name: 'gate', value: 'sesame2', expireDate: '2027-01-31T12:00:00+01:00' }
      ]
    }
  },
  checkout: { maxTotal: { GBP: '100', USD: '100' } }
})

const signing = merchantFile('1', { transfer: asksFor('standard-webhooks', 'PLATFORM_SECRET') })

const TRANSFER = '/transfers/{reference}'
const merchants: [name: string, file: object, paths: string[]][] = [
  ['option 1', merchantFile('1'), ['/cart']],
  ['option 1 with a path as publicUrl', merchantFile('1', { publicUrl: '/shop' }), ['/cart']],
  ['option 1 with every setting', everySetting, ['/cart', TRANSFER]],
  ['option 1 with signatures', signing, ['/cart', TRANSFER]],
  ['option 1 into an own shop', shopFile('1', SHOP_URL), ['/cart', '/orders']],
  ['option 1 without a feed', shopFile('1', SHOP_URL, { hasFeed: false }), ['/cart', '/orders']],
  ['option 2A into an own shop', shopFile('2A', SHOP_URL), ['/orders']]
]

/** The document of a merchant. */
async function describe(t: Test, file: object) {
  const { app, merchants } = await build(t, { merchants: [file], variables })
  return servedDocument(app, merchants[0]?.path)
}

for (const [name, file, paths] of merchants) {
  t.test(`valid, without a secret, with examples that fit: ${name}`, async t => {
    const { document, problems, requestMistakes, answerMistakes, operationAt } = await describe(t, file)
    t.strictSame(problems, [])
    t.strictSame(Object.keys(document.paths), paths)
    for (const secret of [TOKEN, WEBHOOK, SHOP_SECRET, SHOP_URL, 'sesame', '_SECRET', '_TOKEN']) {
      t.notMatch(JSON.stringify(document), secret, 'no secret, described value, or address of a shop')
    }
    for (const path of paths) {
      const { requestBody = { content: {} }, responses = {} } = operationAt(path) ?? {}
      const examplesOf = (content: object) =>
        Object.entries(content).flatMap(([type, { examples }]) =>
          Object.values(examples as object).map(({ value }) => ({ type, value }))
        )
      for (const { value } of examplesOf(requestBody.content)) t.strictSame(requestMistakes(path, value), [])
      for (const [status, { content, headers = {} }] of Object.entries(responses)) {
        const sent = Object.fromEntries(Object.keys(headers).map(name => [name.toLowerCase(), '1']))
        for (const { type, value } of examplesOf(content)) {
          const answer = { status: Number(status), headers: { ...sent, 'content-type': type } }
          t.strictSame(answerMistakes(path, { ...answer, body: JSON.stringify(value) }), [], status)
        }
      }
    }
  })
}

t.test("it has the merchant's own address and limits", async t => {
  const { document, operationAt } = await describe(t, everySetting)
  t.strictSame(document.servers, [{ url: 'https://shop.example/a.b-c' }])
  t.match(document.components, {
    schemas: {
      CartTransfer: {
        properties: {
          items: { maxItems: 1, items: { properties: { quantity: { maximum: 3 } } } },
          currency: { enum: ['GBP', 'USD'] },
          reference: { maxLength: 36 }
        }
      },
      WebRequest: {
        properties: {
          url: { pattern: '^https://shop\\.example/a\\.b-c/checkout/[A-Za-z0-9_-]{1,64}$' },
          httpMethod: { const: 'GET' },
          cookies: { minItems: 2, maxItems: 2, items: { properties: { name: { enum: ['gate'] } } } },
          headers: { maxItems: 1 }
        },
        additionalProperties: false
      },
      CartNotSellable: {}
    },
    securitySchemes: { platform: { type: 'http', scheme: 'bearer' } }
  })
  t.match(operationAt('/cart'), {
    description: /67584 bytes and 2080 JSON values/,
    security: [{ platform: [] }],
    responses: {
      401: { headers: { 'WWW-Authenticate': {} } },
      429: { headers: { 'Retry-After': {} } },
      503: { headers: { 'Retry-After': {} } }
    }
  })
})

t.test('who need not prove who they are, and who has to sign', async t => {
  const free = await describe(t, merchantFile('1'))
  t.equal(free.document.components.securitySchemes, undefined)
  t.match(free.operationAt('/cart'), { security: [], responses: { 401: undefined } })
  const signed = await describe(t, signing)
  const parameters = [{ name: 'webhook-id' }, { name: 'webhook-timestamp' }]
  t.match(signed.operationAt('/cart'), { parameters, responses: { 401: {} } })
  t.match(signed.operationAt(TRANSFER), { parameters: [{ name: 'reference', in: 'path' }, ...parameters] })
  const platform = { type: 'apiKey', in: 'header', name: 'webhook-signature' }
  t.match(signed.document.components, { securitySchemes: { platform } })
})

t.test('what can be wrong with a cart depends on the merchant', async t => {
  const always = ['currency-not-sold', 'sku-unknown', 'out-of-stock', 'price-missing', 'quantity-too-large']
  for (const [file, codes] of [
    [merchantFile('1'), always],
    [merchantFile('1', { checkout: { maxTotal: '100' } }), [...always, 'total-too-large']],
    [
      merchantFile('1', { checkout: { payment: PAYMENT } }),
      [...always, 'total-too-large', 'total-too-small', 'total-inexact']
    ],
    [shopFile('1', SHOP_URL), [...always, 'destination-differs']]
  ] as const) {
    const { schemas } = (await describe(t, file)).document.components
    const [, named] = /"enum":(\[.*?\])/.exec(JSON.stringify(schemas.CartNotSellable)) ?? []
    t.strictSame(JSON.parse(String(named)), codes)
  }
})

t.test('the example is accepted, and its answer is as described', async t => {
  const { app } = await build(t)
  const { operationAt, answerMistakes } = await servedDocument(app)
  const { example } = operationAt('/cart')?.requestBody.content['application/json']?.examples ?? {}
  const headers = { 'content-type': 'application/json' }
  const payload = JSON.stringify(example?.value)
  const answer = await app.inject({ method: 'POST', url: '/shop/cart', headers, payload })
  t.equal(answer.statusCode, 200)
  t.strictSame(answerMistakes('/cart', { ...answer, status: answer.statusCode }), [])
})

type Request = { body?: unknown; headers?: Record<string, string>; url?: string }

const CART = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid() }
const JSON_TYPE = { 'content-type': 'application/json' }

/** Sends requests to a merchant, and compares each answer with the document. */
async function open(t: Test, parts: Build) {
  const { app, port } = await buildListening(t, { variables, ...parts })
  const { answerMistakes } = await servedDocument(app)
  const send = async ({ body, headers = {}, url = '/shop/cart' }: Request) => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await app.inject({ method: 'POST', url, headers: { ...JSON_TYPE, ...headers }, payload })
    const { statusCode: status } = answer
    t.strictSame(answerMistakes(url.replace('/shop', ''), { ...answer, status }), [], `${status} ${answer.body}`)
    return status === 200 || status === 201 ? 'taken' : answer.json().type.replace(/.*:/, '')
  }
  return { port, send, answerMistakes }
}

const breaking = (store: Store): Store => ({
  ...store,
  addCheckout: async checkout => {
    const { reference } = checkout.cart
    if (reference === uuid(503)) throw new StoreUnavailable('locked')
    if (reference === uuid(500)) throw new Error('why')
    return store.addCheckout(checkout)
  }
})

t.test('every refusal of a cart is one that is described', async t => {
  const parts = {
    merchants: [
      merchantFile('1', {
        transfer: { maxItems: 2, maxQuantity: 5, ...asksFor('bearer', 'PLATFORM_TOKEN') },
        checkout: { maxTotal: '50' }
      })
    ],
    store: breaking
  }
  const { port, send, answerMistakes } = await open(t, parts)
  const authorization = `Bearer ${TOKEN}`
  const item = (sku: string, quantity: unknown = 1) => ({ ...CART, items: [{ sku, quantity }] })
  const cases: [problem: string, request: Request][] = [
    ['taken', { body: CART }],
    ['contract-broken', { body: 'no JSON' }],
    ['contract-broken', { body: [] }],
    ['contract-broken', { body: { items: [], currency: '', reference: 5 } }],
    ['contract-broken', { body: { ...item('', '1'), currency: null } }],
    ['contract-broken', { body: '{"items":[{"sku":"A","sku":"B","quantity":0}]}' }],
    ['unauthorized', { body: CART, headers: { authorization: 'Bearer other' } }],
    ['too-many-lines', { body: { ...CART, items: [1, 2, 3] } }],
    ['body-too-large', { body: ' '.repeat(70_000) }],
    ['body-too-large', { body: { ...CART, more: Array(3000).fill(0) } }],
    ['media-type-unsupported', { body: CART, headers: { 'content-type': 'text/plain' } }],
    ['cart-not-sellable', { body: { ...item('NONE'), currency: 'USD' } }],
    ['cart-not-sellable', { body: item('LAMP') }],
    ['cart-not-sellable', { body: item('DOLLAR') }],
    ['cart-not-sellable', { body: item('MUG', 6) }],
    ['cart-not-sellable', { body: item('CLOCK') }],
    ['internal-error', { body: { ...CART, reference: uuid(500) } }],
    ['store-unavailable', { body: { ...CART, reference: uuid(503) } }]
  ]
  t.equal(await send({ body: CART }), 'unauthorized')
  for (const [problem, { body, headers }] of cases) {
    t.equal(await send({ body, headers: { authorization, ...headers } }), problem)
  }
  const raw: [problem: string, head: string][] = [
    ['malformed-request', 'Host: a\r\nHost: b'],
    ['headers-too-large', `Host: a\r\nX-Much: ${'x'.repeat(70_000)}`]
  ]
  for (const [problem, head] of raw) {
    const answer = await sendRaw(port, `POST /shop/cart HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`)
    t.match(answer.body, problem)
    t.strictSame(answerMistakes('/cart', answer), [], problem)
  }
})

t.test('each way that takes JSON has its own address, limits and sender', async t => {
  const ways = [
    { option: '2A', path: '/form' },
    { option: '1', path: '/a', maxItems: 1, ...asksFor('bearer', 'PLATFORM_TOKEN') },
    { option: '1', path: '/b', maxQuantity: 5, ...asksFor('standard-webhooks', 'PLATFORM_SECRET') }
  ]
  const { app } = await build(t, { merchants: [{ ...merchantFile('1'), transfer: ways }], variables })
  const { document, problems, requestMistakes, operationAt } = await servedDocument(app)
  t.strictSame(problems, [])
  t.match(document, { tags: [{ name: 'transfer' }], paths: { '/a': {}, '/b': {} } })
  t.strictSame(Object.keys(document.paths), ['/a', '/b', TRANSFER])
  t.match(
    [operationAt('/a'), operationAt('/b')],
    [
      { operationId: 'transferCart', security: [{ platform: [] }] },
      { operationId: 'transferCart2', security: [{ platform2: [] }] }
    ]
  )
  const { securitySchemes } = document.components
  t.match(securitySchemes, { platform: { scheme: 'bearer' }, platform2: { name: 'webhook-signature' } })
  const two = { ...CART, items: ['MUG', 'CLOCK'].map(sku => ({ sku, quantity: 6 })) }
  t.match(requestMistakes('/a', two), ['/items must NOT have more than 1 items'])
  t.match(requestMistakes('/b', two), ['/items/0/quantity must be <= 5', '/items/1/quantity must be <= 5'])
})

t.test('so is the refusal of a cart that was ordered, and of one too many', async t => {
  const rateLimit = { requestsPerMinute: 3, trustedProxies: [] }
  const store = (store: Store): Store => ({
    ...store,
    addCheckout: async checkout => {
      const newest = await store.newestCheckout(checkout.merchantId, checkout.cart.reference)
      return newest ? { ...newest, orderNumber: '7KQM-3XH9' } : store.addCheckout(checkout)
    }
  })
  const { send } = await open(t, { rateLimit, store })
  t.equal(await send({ body: CART }), 'taken')
  t.equal(await send({ body: { ...CART, items: [{ sku: 'ROPE', quantity: 1 }] } }), 'reference-ordered')
  t.equal(await send({ body: CART }), 'too-many-requests')
})

t.test("so is what becomes of a cart that goes to the merchant's own shop", async t => {
  const shop = await openOwnShop(t)
  const { send } = await open(t, { merchants: [shopFile('1', shop.url)] })
  const cookies = [{ name: 'shop_cart', value: '1', path: '/', isSecure: true }]
  shop.answer((_cart, kept) => ({ json: { ...kept, method: 'POST', body: 'a=b', cookies } }))
  t.equal(await send({ body: CART }), 'taken')
  shop.answer((_cart, kept) => ({ json: { ...kept, lines: [] } }))
  t.equal(await send({ body: { ...CART, reference: uuid(2) } }), 'cart-not-sellable')
  shop.answer(() => ({ status: 500 }))
  t.equal(await send({ body: { ...CART, reference: uuid(3) } }), 'destination-unavailable')
  const looping = { 'user-agent': 'cart-transfer' }
  t.equal(await send({ body: { ...CART, reference: uuid(4) }, headers: looping }), 'destination-unusable')
  const second = { ...CART, items: [{ sku: 'ROPE', quantity: 1 }], reference: uuid(5) }
  shop.answer(async (cart, kept) => {
    if (cart.items[0]?.sku === 'MUG') t.equal(await send({ body: second }), 'taken')
    return { json: kept }
  })
  t.equal(await send({ body: { ...CART, reference: uuid(5) } }), 'checkout-superseded')
})

t.test('so is every answer to a report of an order', async t => {
  const { send } = await open(t, { merchants: [shopFile('2A', SHOP_URL)] })
  const items = [{ sku: 'A', quantity: 2 }]
  const report = { reference: uuid(), number: '1001', currency: 'GBP', total: '25.00', items }
  const post = (body: unknown, changes: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const signed = signatureHeaders(SHOP_SECRET, 'an-id', text, new Date('2026-11-20T10:00:00Z'))
    return send({ url: '/shop/orders', body: text, headers: { ...signed, ...changes } })
  }
  t.equal(await post(report), 'taken')
  t.equal(await post(report), 'taken')
  t.equal(await post({ ...report, total: '26.00' }), 'order-differs')
  t.equal(await post(report, { 'webhook-signature': 'v1,' }), 'unauthorized')
  t.equal(await post('no JSON'), 'contract-broken')
  t.equal(await post({ reference: '', number: '', currency: '', total: '', items: [] }), 'contract-broken')
  t.equal(await post({ ...report, items: [{ sku: '', quantity: 0 }, 5] }), 'contract-broken')
  t.equal(await post({ ...report, total: '1.234' }), 'contract-broken')
  t.equal(await post(' '.repeat(1_100_000)), 'body-too-large')
})

/** What no endpoint that takes JSON answers a POST with: pages, other options, other methods and addresses. */
const ELSEWHERE: ProblemCode[] = [
  'not-found',
  'checkout-not-found',
  'method-not-allowed',
  'order-placed',
  'checkout-expired',
  'url-too-long',
  'order-not-placed',
  'order-uncertain',
  'payment-returned',
  'payment-unknown',
  // Of UCP, which has a description of its own.
  'invalid-profile-url',
  'digest-mismatch',
  'algorithm-unsupported',
  'signature-missing',
  'signature-invalid',
  'key-not-found',
  'profile-not-trusted',
  'cart-in-payment',
  'capabilities-incompatible',
  'idempotency-conflict',
  'profile-malformed',
  'version-unsupported',
  'profile-unreachable'
]
const FORM_MISTAKES = [
  'value-malformed',
  'quantity-unit-mismatch',
  'names-mixed',
  'fields-unpaired',
  'index-malformed',
  'index-gap'
]

t.test('so is every answer to who asks what became of a bag', async t => {
  const { app, port } = await buildListening(t, {
    merchants: [merchantFile('1', { transfer: asksFor('bearer', 'PLATFORM_TOKEN') })],
    variables,
    store: store => ({
      ...store,
      referenceHistories: async (...asked) => {
        if (asked[1].includes(uuid(503))) throw new StoreUnavailable('locked')
        if (asked[1].includes(uuid(500))) throw new Error('why')
        return store.referenceHistories(...asked)
      }
    })
  })
  const { answerMistakes } = await servedDocument(app)
  const authorization = `Bearer ${TOKEN}`
  await app.inject({ method: 'POST', url: '/shop/cart', headers: { ...JSON_TYPE, authorization }, payload: CART })
  const ask = async (reference: string, headers: Record<string, string> = { authorization }) => {
    const answer = await app.inject({ url: `/shop/transfers/${reference}`, headers })
    t.strictSame(answerMistakes(TRANSFER, { ...answer, status: answer.statusCode }), [], answer.body)
    return answer.json().state ?? answer.json().type.replace(/.*:/, '')
  }
  t.equal(await ask(CART.reference), 'open')
  t.equal(await ask('other'), 'transfer-unknown')
  t.equal(await ask(CART.reference, {}), 'unauthorized')
  t.equal(await ask(CART.reference, { authorization, 'content-encoding': 'gzip' }), 'media-type-unsupported')
  t.equal(await ask(uuid(500)), 'internal-error')
  t.equal(await ask(uuid(503)), 'store-unavailable')
  const answer = await sendRaw(
    port,
    'GET /shop/transfers/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'
  )
  t.strictSame(answerMistakes(TRANSFER, answer), [])
})

t.test('every problem and every mistake is described, or belongs elsewhere', async t => {
  const paid = merchantFile('1', { checkout: { payment: PAYMENT } })
  const documents = await Promise.all([shopFile('1', SHOP_URL), everySetting, paid].map(file => describe(t, file)))
  const text = JSON.stringify(documents.map(({ document }) => document.components.schemas))
  const described = Object.keys(problems).filter(code => text.includes(`"urn:problem-type:cart-transfer:${code}"`))
  const ofJson = Object.keys(problems).filter(code => !ELSEWHERE.includes(code as ProblemCode))
  t.strictSame(described, ofJson)
  const named = Object.keys(mistakes).filter(code => text.includes(`"${code}"`))
  const mistakesOfJson = Object.keys(mistakes).filter(code => !FORM_MISTAKES.includes(code))
  t.strictSame(named, mistakesOfJson)
})
