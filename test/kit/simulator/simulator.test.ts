// The routes of the simulator: the page, the catalogue, the transfer with every step, and the cached responses.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { HOSTILE_SKU } from '../../../src/kit/simulator/merchant-view.ts'
import type { RequestView, StepView } from '../../../src/kit/simulator/steps-view.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import type { WebRequest } from '../../../src/transfer/option.ts'
import { CART, NEWEST } from '../../../src/ucp/versions.ts'
import { type Build, build, FEED, type MerchantChanges, merchantFile, simulatorCookie, uuid } from '../../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { linesIn } from '../../transfer/answers.ts'
import { newSigner } from '../../ucp/sign-request.ts'
import { answeredBy, describedOtherwise } from './described-otherwise.ts'

type SentTransfer = { steps: StepView[]; page?: { frame: string; url: string; status: number } }
type TypedItem = { sku: string; quantity: string; price?: string }

const EXPOSED = { setting: 'on', host: '0.0.0.0' } as const

async function open(t: Test, parts: Build = {}) {
  const built = await build(t, {
    merchants: [merchantFile('1', { publicUrl: '/shop' })],
    simulator: {},
    ...parts
  })
  const { app } = built
  await app.listen({ host: '127.0.0.1', port: 0 })
  const cookie = simulatorCookie(app)
  const get = (url: string) => app.inject({ url, headers: cookie })
  const post = (payload: unknown, more: Record<string, string> = {}, path = 'transfers') => {
    const headers = { 'content-type': 'application/json', ...cookie, ...more }
    return app.inject({ method: 'POST', url: `/simulator/${path}`, headers, payload: payload as string })
  }
  /** Sends a request in place of the option's own. */
  const resend = async (sender: 'platform' | 'web view', request: Partial<WebRequest>, more: object = {}) => {
    const typed = { method: 'GET', headers: [], ...request }
    const payload = { merchant: 'shop', sender, request: typed, ...more }
    const response = await post(payload, {}, 'requests')
    t.equal(response.statusCode, 200)
    return response.json<SentTransfer>()
  }
  const send = async (
    items: TypedItem[],
    { merchant = 'shop', currency = 'GBP', reference = uuid(), language = '' } = {}
  ) => {
    const response = await post({ merchant, language, cart: { items, currency, reference } })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['cache-control'], 'no-store')
    return response.json<SentTransfer>()
  }
  return { ...built, get, post, send, resend }
}

const option = (name: string, changes: MerchantChanges = {}) =>
  merchantFile(name, { id: `by-${name.toLowerCase()}`, publicUrl: `/by-${name.toLowerCase()}`, ...changes })

t.test('if it is off, its routes do not exist', async t => {
  const { app } = await build(t)
  for (const url of ['/simulator', '/simulator/simulator.js', '/simulator/products?merchant=shop']) {
    t.equal((await app.inject(url)).statusCode, 404, url)
  }
})

t.test('the page and its assets have a strict policy', async t => {
  const { get } = await open(t)
  const page = await get('/simulator')
  t.match(page, { statusCode: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  const policy = page.headers['content-security-policy']
  for (const name of ['default-src', 'form-action', 'frame-ancestors', 'base-uri']) t.match(policy, `${name} 'none'`)
  for (const name of ['script', 'style', 'connect', 'frame', 'img']) t.match(policy, `${name}-src 'self'`)
  const files = [...page.body.matchAll(/(?:src|href)="(\/simulator\/[^"]+)"/g)].map(([, file = '']) => file)
  t.strictSame(files, ['/simulator/simulator.css', '/simulator/simulator.js'])
  const folder = join(import.meta.dirname, '../../../views/simulator')
  const modules = globSync('simulator-*.js', { cwd: folder }).map(name => `/simulator/${name}`)
  for (const url of [...files, ...modules]) {
    const file = await get(url)
    const type = url.endsWith('.css') ? 'text/css' : 'text/javascript'
    t.match(file.headers, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' }, url)
    t.equal(file.statusCode, 200, url)
    t.equal(file.headers['content-security-policy'], policy, url)
  }
  // No other file, be it there or not.
  for (const name of ['simulator.eta', 'simulator-none.js', 'simulator.', 'simulator-..%2fframe.js']) {
    t.equal((await get(`/simulator/${name}`)).statusCode, 404, name)
  }
})

t.test('the page has every merchant, and a hostile name cannot break out of the data', async t => {
  const merchants = [
    option('1'),
    option('2A', { name: '</script><script>alert(1)</script>', currencies: ['GBP', 'USD'] }),
    option('2B')
  ]
  const { get } = await open(t, { merchants })
  const { body } = await get('/simulator')
  t.equal(body.match(/<\/script>/g)?.length, 2, 'only the two scripts of the page end')
  const [, json = ''] = /id="merchants">(.*)<\/script>/.exec(body) ?? []
  t.match(JSON.parse(json), [
    {
      id: 'by-1',
      ways: [{ way: '1', title: 'API Endpoint Integration', meaning: /description/, sendsPrices: false }]
    },
    {
      id: 'by-2a',
      name: '</script><script>alert(1)</script>',
      ways: [{ meaning: /posts/, currencies: ['GBP', 'USD'], sendsPrices: true }]
    },
    {
      id: 'by-2b',
      ways: [
        {
          meaning: /a web address that contains the whole bag/,
          currencies: ['GBP'],
          presets: [{ name: 'Normal bag', lines: [{ sku: 'MUG', quantity: '1' }, { sku: 'THROW' }] }, {}, {}, {}, {}]
        }
      ],
      products: [{ sku: 'MUG', title: 'Sea-glass mug', image: '/by-2b/pictures/mug.svg' }, { sku: 'THROW' }],
      app: { completeTitle: 'Order complete', completeUrl: '/complete?order=', continueUrl: 'shop://continue' }
    }
  ])
})

t.test('the catalogue is searched, and never sent in full', async t => {
  const rows = Array.from({ length: 30 }, (_, i) => `S-${i}\tSpoon ${i}\t\tin_stock\t1.00 GBP\t`)
  const { get } = await open(t, { feed: [FEED, ...rows].join('\n') })
  const find = async (query: string) => (await get(`/simulator/products?merchant=shop&${query}`)).json()
  t.equal((await find('q=spoon')).length, 20)
  t.equal((await find('')).length, 20)
  t.strictSame(await find('q=throw'), [
    {
      sku: 'THROW',
      title: 'Herring throw',
      offers: [{ currency: 'GBP', amount: '64.95', text: '£64.95', availability: 'in stock', isSellable: true }]
    }
  ])
  t.match(await find('q=MUG'), [{ image: '/shop/pictures/mug.svg' }])
  t.match(await find('q=LAMP'), [{ offers: [{ availability: 'out of stock', isSellable: false }] }])
  t.match(await find('q=%E3%82%AB%E3%83%83%E3%83%97'), [{ sku: 'ソ-☕' }])
  t.equal((await find('q=rope'))[0].offers.length, 2)
  t.match(await find('sku=THROW&sku=NONE&sku=THROW&sku=MUG'), [{ sku: 'THROW' }, { sku: 'MUG' }], 'or by SKU')
  t.equal((await get('/simulator/products?merchant=none&q=x')).statusCode, 404)
  t.equal((await get('/simulator/products')).statusCode, 404)
})

t.test('every option transfers a bag, and its page is cached as received', async t => {
  const { send, get } = await open(t, { merchants: transferOptions.map(({ name }) => option(name)) })
  const items = [
    { sku: 'MUG', quantity: '2' },
    { sku: 'ソ-☕', quantity: '1' }
  ]
  for (const { name, answer } of transferOptions) {
    const { steps, page } = await send(items, { merchant: `by-${name.toLowerCase()}` })
    const count = { page: 2, description: 4, redirect: 4, protocol: 6 }[answer]
    t.equal(steps.length, count, `option ${name}`)
    t.notOk(
      steps.find(({ isFailure }) => isFailure),
      `option ${name}`
    )
    t.match(page, { status: 200, url: /^http:\/\/127\.0\.0\.1:\d+\/by-/, frame: /^\/simulator\/frames\/[0-9a-f]{32}$/ })
    const frame = await get(page?.frame ?? '')
    t.equal(frame.statusCode, 200)
    t.strictSame(linesIn(frame.body), [
      { sku: 'MUG', quantity: 2 },
      { sku: 'ソ-☕', quantity: 1 }
    ])
    const own = steps
      .at(-1)
      ?.answer?.headers.filter(({ name }) => !/^(date|connection|keep-alive|transfer-)/i.test(name))
    for (const { name: header, value } of own ?? []) t.equal(frame.headers[header.toLowerCase()], value, header)
  }
})

t.test(
  'a bag is sent by any way of a shop, as that way writes and proves it, and by the first if none is named',
  async t => {
    const authentication = { type: 'bearer', secretVariables: ['SHOP_TOKEN'] }
    const transfer = [
      { option: '1', path: '/cart', authentication },
      { option: 'meta', path: '/meta', itemId: 'SKU_{sku}', currency: 'USD' },
      { option: '2A', path: '/app' },
      { option: 'ucp', path: '/ucp', currency: 'USD' }
    ]
    const merchants = [{ ...merchantFile('1', { publicUrl: '/shop', currencies: ['GBP', 'USD'] }), transfer }]
    const variables = { SHOP_TOKEN: 'a-token-of-at-least-32-characters' }
    const { app, get, post, resend } = await open(t, { merchants, variables })
    const [, json = ''] = /id="merchants">(.*)<\/script>/.exec((await get('/simulator')).body) ?? []
    t.match(JSON.parse(json)[0].ways, [
      { way: '1', currencies: ['GBP', 'USD'] },
      {
        way: 'meta',
        meaning: /leads it on/,
        currencies: ['USD'],
        legs: [{ says: 'The bag, in a web address' }, {}, {}]
      },
      { way: '2A', sendsPrices: true },
      {
        way: 'ucp',
        meaning: /makes a cart at the shop/,
        currencies: ['GBP', 'USD'],
        legs: [{ byPlatform: true }, { says: 'The cart, priced, and an address' }, { says: 'That address' }, {}, {}]
      }
    ])
    const cart = { items: [{ sku: 'ROPE', quantity: '2' }], currency: 'USD', reference: 'a'.repeat(32) }
    const send = async (way?: string) =>
      (await post({ merchant: 'shop', ...(way && { way }), cart })).json<SentTransfer>()
    t.match(await send(), { steps: [{ request: { method: 'POST', url: /\/shop\/cart$/ } }], page: { status: 200 } })
    const { steps, page } = await send('meta')
    t.match(steps, [
      { request: { method: 'GET', url: /\/shop\/meta\?products=SKU_ROPE%3A2&reference=a+$/ } },
      { answer: { status: 303 } },
      {},
      {}
    ])
    t.match(page, { status: 200, url: /\/shop\/checkout\/\w+$/ })
    t.match(await send('2A'), { steps: [{ request: { method: 'POST', url: /\/shop\/app$/ } }], page: { status: 200 } })
    t.match(await send('ucp'), {
      steps: [
        { leg: 'bag', request: { method: 'POST', url: /\/shop\/ucp\/carts$/, body: /"currency":"USD"/ } },
        { leg: 'description', title: 'The shop answers with the cart', answer: { status: 201 } },
        { leg: 'request', title: 'The app opens the address of the answer' },
        { leg: 'request', answer: { status: 303 } },
        { leg: 'request', title: 'The web view follows the redirect' },
        { leg: 'page' }
      ],
      page: { status: 200, url: /\/shop\/checkout\/\w+$/ }
    })
    t.match(await post({ merchant: 'shop', way: '2B', cart }), { statusCode: 404, body: /No way into this shop/ })
    const url = `${app.listeningOrigin}/shop/meta?products=SKU_ROPE%3A1`
    t.match(await resend('web view', { url }, { way: 'meta' }), { page: { status: 200 } }, 'edited')
  }
)

t.test('a shop that asks who calls gets its secret, by the clock of the server, and the page never does', async t => {
  const secrets = {
    SHOP_TOKEN: 'a-token-of-at-least-thirty-two-characters',
    SHOP_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  }
  const asking = (name: string, type: string, variable: string) =>
    merchantFile('1', {
      id: name,
      publicUrl: `/${name}`,
      transfer: { authentication: { type, secretVariables: [variable] } }
    })
  const merchants = [asking('token', 'bearer', 'SHOP_TOKEN'), asking('signed', 'standard-webhooks', 'SHOP_SECRET')]
  const { send, logs, get } = await open(t, { merchants, variables: secrets })
  const shown: string[] = [(await get('/simulator')).body]
  for (const merchant of ['token', 'signed']) {
    const sent = await send([{ sku: 'MUG', quantity: '1' }], { merchant })
    t.match(sent, { page: { status: 200 }, steps: [{}, { answer: { status: 200 } }, {}, {}] }, merchant)
    shown.push(JSON.stringify(sent))
  }
  t.match(shown[1], "curl -X POST -H 'Content-Type: application/json'")
  t.match(JSON.parse(shown[1] ?? '').steps[0].request.curl, /-H "Authorization: Bearer \$\{SHOP_TOKEN:\?\}"/)
  t.match(shown[2], '"webhook-signature"')
  for (const text of [...shown, JSON.stringify(logs)]) {
    for (const secret of Object.values(secrets)) t.notOk(text.includes(secret.replace('whsec_', '')), 'no secret')
  }
})

t.test(
  'of the platforms of a list it plays the first that needs no signature, and says so if there is none',
  async t => {
    const KEY = 'a-key-of-at-least-thirty-two-characters'
    const folder = t.testdir({
      'copy.json': JSON.stringify({
        ucp: { version: NEWEST, capabilities: { [CART]: [{ version: NEWEST }] } },
        keys: [newSigner().jwk]
      })
    })
    const platform = (name: string, authentication: object) => ({
      profile: `https://${name}.example/`,
      copy: `${folder}/copy.json`,
      authentication
    })
    const signing = platform('signing', { type: 'signature' })
    const keyed = platform('keyed', { type: 'x-api-key', secretVariables: ['KEY'] })
    const shop = (...platforms: object[]) => [merchantFile('ucp', { publicUrl: '/shop', transfer: { platforms } })]
    const { send, resend, get } = await open(t, { merchants: shop(signing, keyed), variables: { KEY } })
    const signed = await open(t, { merchants: shop(signing) })
    const meaningOf = (page: string) =>
      JSON.parse(/id="merchants">(.*)<\/script>/.exec(page)?.[1] ?? '')[0].ways[0].meaning
    t.notMatch(meaningOf((await get('/simulator')).body), 'sign')
    t.match(
      meaningOf((await signed.get('/simulator')).body),
      /All platforms that the shop lists sign .*, so the shop refuses the bag\./
    )
    const items = [{ sku: 'MUG', quantity: '1' }]
    const sent = await send(items)
    t.match(sent, { page: { status: 200 } })
    const first = sent.steps[0]?.request as RequestView
    t.match(first.curl, /keyed\.example.* -H "X-API-Key: \$\{KEY:\?\}"/)
    const { method, url, body = '', editable: headers } = first
    t.match(await resend('platform', { method, url, body, headers }), { page: { status: 200 } }, 'edited')
    t.match(await signed.send(items), {
      steps: [{}, { answer: { status: 401, text: /"signature_missing"/ } }, { isFailure: true }]
    })
  }
)

t.test('the page is in the language of the phone, or else of the browser', async t => {
  const { send, post, get } = await open(t, {
    merchants: transferOptions.map(({ name }) => option(name, { locales: ['de', 'fr'] }))
  })
  const items = [{ sku: 'MUG', quantity: '1' }]
  const languageOf = async ({ page }: SentTransfer) => (await get(page?.frame ?? '')).headers['content-language']
  for (const { name } of transferOptions) {
    const merchant = `by-${name.toLowerCase()}`
    t.equal(await languageOf(await send(items, { merchant, language: 'de' })), 'de', `option ${name}`)
    t.equal(await languageOf(await send(items, { merchant })), 'en-GB', 'without any, in that of the shop')
    const cart = { items, currency: 'GBP', reference: uuid() }
    const sent = await post({ merchant, cart }, { 'accept-language': 'fr-CA,fr;q=0.9' })
    t.equal(await languageOf(sent.json()), 'fr')
    const last = sent.json<SentTransfer>().steps.findLast(({ request }) => request)?.request
    t.match(JSON.stringify(last?.headers), 'fr-CA,fr;q=0.9', 'and the step shows the header')
  }
})

t.test('an edited request is sent in place of the bag, and what follows it follows', async t => {
  const { app, send, resend, logs, get } = await open(t, {
    merchants: [
      merchantFile('1', {
        publicUrl: '/shop',
        transfer: { authentication: { type: 'bearer', secretVariables: ['SHOP_TOKEN'] } }
      }),
      option('2B')
    ],
    variables: { SHOP_TOKEN: 'a-token-of-at-least-thirty-two-characters' }
  })
  const { steps } = await send([{ sku: 'MUG', quantity: '1' }])
  const [first, , built] = steps.map(({ request }) => request as RequestView)
  if (!first || !built) throw new Error('there are four steps')
  const { method, url, editable: headers, body } = first
  const edited = { method, url, headers, body: String(body).replace('"quantity":1', '"quantity": 7') }
  const sent = await resend('platform', edited)
  t.match(sent.steps, [
    { leg: 'bag', title: 'The platform sends the request as edited', request: { body: /"quantity": 7/ } },
    { leg: 'description', described: [{ at: 'url' }, {}, {}] },
    { leg: 'request' },
    { leg: 'page' }
  ])
  t.strictSame(linesIn((await get(sent.page?.frame ?? '')).body), [{ sku: 'MUG', quantity: 7 }])
  const own = [...headers, { name: 'Authorization', value: 'Bearer wrong' }]
  const [wrong, refused] = (await resend('platform', { ...edited, headers: own })).steps
  t.equal(refused?.answer?.status, 401)
  t.strictSame(
    wrong?.request?.headers.filter(({ name }) => name === 'Authorization'),
    [{ name: 'Authorization', value: 'Bearer wrong' }],
    'its own proof is the only one'
  )
  const alone = await resend('web view', built)
  t.match(alone, { page: { status: 200 }, steps: [{ leg: 'request' }, { leg: 'page' }] })
  const query = `${app.listeningOrigin}/by-2b/cart?item_0_sku=MUG&item_0_quantity=3&currency=GBP&reference=r-1`
  const queried = await resend('web view', { url: query }, { merchant: 'by-2b', language: 'de' })
  t.match(queried.steps, [
    { leg: 'bag', request: { headers: [{}, {}, { name: 'Accept-Language', value: 'de' }, {}] } },
    {}
  ])
  t.strictSame(linesIn((await get(queried.page?.frame ?? '')).body), [{ sku: 'MUG', quantity: 3 }])
  t.notMatch(JSON.stringify(logs), /a-token-of/)
})

t.test('an edited request that cannot be sent is a failed step', async t => {
  const { app, resend } = await open(t)
  const url = `${app.listeningOrigin}/shop/cart`
  const cases: [name: string, request: Partial<WebRequest>, says: RegExp][] = [
    ['another site', { url: 'https://shop.example/' }, /nothing was sent to https:\/\/shop\.example/],
    ['another part of this server', { url: `${app.listeningOrigin}/healthz` }, /nothing was sent to/],
    ['no method', { url, method: 'GET /' }, /No response/],
    ['no header', { url, headers: [{ name: 'a b', value: '' }] }, /No response/],
    ['a header of two lines', { url, headers: [{ name: 'a', value: 'b\r\nc: d' }] }, /No response/]
  ]
  for (const [name, request, says] of cases) {
    for (const sender of ['platform', 'web view'] as const) {
      const { steps, page } = await resend(sender, request)
      t.match(steps.at(-1), { isFailure: true, says }, `${name}, ${sender}`)
      t.equal(page, undefined)
    }
  }
})

t.test('mistakes in a bag are sent as typed, and refused by the shop', async t => {
  const { send, get } = await open(t, { merchants: transferOptions.map(({ name }) => option(name)) })
  const cases: [what: string, item: Partial<TypedItem>, rest: { reference?: string }, status?: number][] = [
    ['a word as quantity', { quantity: 'abc' }, {}, 400],
    ['no quantity', { quantity: '' }, {}, 400],
    ['a SKU with NUL', { sku: 'M\u0000UG' }, {}, 400],
    ['half a character', { sku: '\ud800' }, {}],
    ['a reference of 40 characters', {}, { reference: 'r'.repeat(40) }, 400],
    ['a hostile SKU', { sku: HOSTILE_SKU }, {}, 422]
  ]
  for (const { name, answer } of transferOptions) {
    for (const [what, item, rest, status] of cases) {
      const items = [{ sku: 'MUG', quantity: '1', ...item }]
      const { steps, page } = await send(items, { merchant: `by-${name.toLowerCase()}`, ...rest })
      // A platform that keeps carts has no reference, and is answered with 200 what is wrong with one.
      if (answer === 'protocol') {
        const says = rest.reference ? { answer: { status: 201 } } : { isFailure: true, answer: { text: /"error"/ } }
        t.match(steps[1], says, `option ${name}: ${what}`)
        continue
      }
      const refused = steps.find(({ answer }) => answer && answer.status >= 400)
      t.match(refused, { isFailure: true, answer: status === undefined ? {} : { status } }, `option ${name}: ${what}`)
      t.equal(page !== undefined, answer !== 'description', `option ${name}: ${what}: whether there is a page`)
      if (page) t.equal((await get(page.frame)).statusCode, page.status, `option ${name}: ${what}: its status`)
    }
  }
})

t.test('nothing is sent to anyone but the merchant, whatever is described', async t => {
  let described = ''
  const { app, send, merchants } = await open(t, { options: describedOtherwise(() => ({ url: described })) })
  const elsewhere = [
    'https://shop.example/shop/checkout',
    'http://127.0.0.1:9/shop/checkout',
    `${app.listeningOrigin}/healthz`,
    `${app.listeningOrigin}/shopping`,
    `${app.listeningOrigin}/shop/../simulator`
  ]
  for (described of elsewhere) {
    const { steps, page } = await send([{ sku: 'MUG', quantity: '1' }])
    t.match(steps.at(-1), { isFailure: true, says: /nothing was sent to http/ }, described)
    t.equal(steps.length, 3, 'a request that was not sent is not a step')
    t.equal(page, undefined)
  }
  described = `${app.listeningOrigin}${merchants[0]?.path}/checkout/x`
  t.match((await send([{ sku: 'MUG', quantity: '1' }])).page, { status: 404 }, 'its own URLs are requested')
})

t.test('a shop that does not respond does not fail the simulator', async t => {
  const { send } = await open(t, { simulator: { faults: answeredBy('') } })
  const { steps, page } = await send([{ sku: 'MUG', quantity: '1' }])
  t.match(steps, [
    { request: { method: 'POST' } },
    { isFailure: true, says: /^No response: http:.* closed the connection without a complete response\. / }
  ])
  t.equal(page, undefined)
})

t.test('redirects are followed only to the merchant', async t => {
  const faults = answeredBy('HTTP/1.1 303 See Other\r\nLocation: https://shop.example/\r\nContent-Length: 0\r\n\r\n')
  const { send } = await open(t, { merchants: [merchantFile('2A', { publicUrl: '/shop' })], simulator: { faults } })
  const { steps } = await send([{ sku: 'MUG', quantity: '1' }])
  t.match(steps, [{}, { answer: { status: 303 } }, { isFailure: true, says: /nothing was sent to https:\/\/shop/ }])
})

const ownShopFile = (name: string, url: string, more: object = {}) =>
  shopFile(name, url, { id: `by-${name.toLowerCase()}`, publicUrl: `/by-${name.toLowerCase()}`, ...more })

t.test('a bag is followed into the shop that a merchant has of its own, and no further', async t => {
  const shop = await openOwnShop(t)
  const merchants = transferOptions.map(({ name }) => ownShopFile(name, shop.url))
  const { app, send, resend, get } = await open(t, { merchants, variables: { SHOP_SECRET } })
  const { origin } = new URL(shop.url)
  const visit = (url: string, more: object = {}) =>
    resend('web view', { url }, { merchant: 'by-1', ...more }).then(({ steps, page }) => ({ last: steps.at(-1), page }))
  const refused = { last: { isFailure: true, says: /nothing was sent to http/ }, page: undefined }
  t.match(await visit(`${origin}/checkout`), refused, 'before any bag has led there')

  for (const { name, answer } of transferOptions) {
    const { steps, page } = await send([{ sku: 'MUG', quantity: '2' }], { merchant: `by-${name.toLowerCase()}` })
    const titles = steps.map(({ title }) => title)
    t.match(titles.at(-1), 'A page of the shop’s own opens in the web view', name)
    t.equal(titles.includes('The web view is led into the shop'), answer !== 'description', name)
    t.match(steps.at(-1)?.says, origin)
    t.match(page?.url, `${origin}/checkout?cart=`)
    const { headers, body } = await get(String(page?.frame))
    t.match(body, `<base href="${page?.url}">`)
    t.strictSame(linesIn(body), [{ sku: 'MUG', quantity: 2 }])
    t.match(headers, { 'content-type': 'text/html', 'content-security-policy': /^sandbox .*; script-src 'none'/ })
  }
  t.match(
    await visit(`${origin}/checkout`),
    { page: { status: 404, url: `${origin}/checkout` } },
    'what is pressed there'
  )
  t.match(await visit('http://127.0.0.1:9/'), refused, 'another site')
  t.match(await visit(`${app.listeningOrigin}/healthz`), refused, 'the server itself')
})

t.test("what proves the platform is sent to the merchant, and not to the merchant's own shop", async t => {
  const shop = await openOwnShop(t)
  const file = ownShopFile('1', shop.url)
  const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
  const { send, resend } = await open(t, {
    merchants: [{ ...file, transfer: { ...file.transfer, authentication } }],
    variables: { SHOP_SECRET, TOKEN: 'a-token-of-at-least-thirty-two-characters' }
  })
  const { steps } = await send([{ sku: 'MUG', quantity: '1' }], { merchant: 'by-1' })
  t.match(steps[0]?.request?.curl, 'Authorization: Bearer ')
  const edited = await resend('platform', { method: 'POST', url: shop.url, body: '{}' }, { merchant: 'by-1' })
  t.match(edited.steps, [{}, { answer: { status: 401 } }, {}])
  t.notMatch(JSON.stringify(edited.steps[0]), /authorization/i)
})

t.test('if others can reach it, the phone goes no further into a shop than its bag leads', async t => {
  const shop = await openOwnShop(t)
  const merchants = [shopFile('2B', shop.url)]
  const { send, resend } = await open(t, { merchants, variables: { SHOP_SECRET }, simulator: EXPOSED })
  t.match((await send([{ sku: 'MUG', quantity: '2' }])).page, { status: 200 })
  const { steps } = await resend('web view', { url: new URL('/checkout', shop.url).href })
  t.match(steps, [{ isFailure: true, says: /nothing was sent to/ }])
})

t.test('without a product feed, SKUs are typed', async t => {
  const shop = await openOwnShop(t)
  const { send, get } = await open(t, {
    merchants: [ownShopFile('2A', shop.url, { hasFeed: false })],
    variables: { SHOP_SECRET }
  })
  const [, json = ''] = /id="merchants">(.*)<\/script>/.exec((await get('/simulator')).body) ?? []
  const ways = [{ meaning: /hands each bag on/, presets: [{ name: 'A bag by hand' }] }]
  t.match(JSON.parse(json), [{ hasFeed: false, ways }])
  t.match((await send([{ sku: 'ANY', quantity: '1' }], { merchant: 'by-2a' })).page, { status: 200 })
})

t.test('requests to a merchant with a public URL use that URL, but connect to this process', async t => {
  const { send } = await open(t, {
    merchants: [merchantFile('1', { publicUrl: 'https://shop.example/app' })],
    simulator: EXPOSED
  })
  const { steps, page } = await send([{ sku: 'MUG', quantity: '1' }])
  t.match(steps[0]?.request, { url: 'https://shop.example/app/cart' })
  t.match(page, { status: 200, url: 'https://shop.example/app/checkout' })
})

t.test('repeated headers are all kept', async t => {
  const fields = 'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Type: text/html\r\nContent-Length: 3'
  const faults = answeredBy(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n<p>`)
  const merchants = [merchantFile('2A', { publicUrl: '/shop' })]
  const { send, get } = await open(t, { merchants, simulator: { faults } })
  const { page } = await send([{ sku: 'MUG', quantity: '1' }])
  t.strictSame((await get(page?.frame ?? '')).headers['set-cookie'], ['a=1', 'b=2'])
})

t.test('a response is cached for ten minutes', async t => {
  const { send, tick, get } = await open(t)
  const { page } = await send([{ sku: 'MUG', quantity: '1' }])
  tick(10 * 60_000)
  t.equal((await get(page?.frame ?? '')).statusCode, 200)
  tick(1)
  t.equal((await get(page?.frame ?? '')).statusCode, 404)
  t.equal((await get('/simulator/frames/x')).statusCode, 404)
})

t.test('anything but a bag or a request in JSON is refused', async t => {
  const { get, post } = await open(t)
  const cart = { items: [], currency: 'GBP', reference: uuid() }
  const request = { method: 'GET', url: 'no address', headers: [] }
  const cases: [path: string, payload: unknown, type: string | undefined, status: number][] = [
    ['transfers', { merchant: 'none', cart }, undefined, 404],
    ['transfers', { merchant: 'shop' }, undefined, 400],
    ['transfers', { merchant: 'shop', cart: { ...cart, items: [{}] } }, undefined, 400],
    ['transfers', '{', undefined, 400],
    ['transfers', `"${'x'.repeat(1024 * 1024)}"`, undefined, 413],
    ['transfers', '{}', 'text/plain', 415],
    ['transfers', 'merchant=shop', 'application/x-www-form-urlencoded', 415],
    ['requests', { merchant: 'shop', sender: 'shop', request }, undefined, 400],
    ['requests', { merchant: 'shop', sender: 'platform', request }, undefined, 400]
  ]
  for (const [path, payload, type = 'application/json', status] of cases) {
    const response = await post(payload, { 'content-type': type }, path)
    t.equal(response.statusCode, status, JSON.stringify(payload))
  }
  t.equal((await get('/simulator/transfers')).statusCode, 404)
  t.strictSame((await get('/simulator/messages')).json(), [], 'no journey has no messages')
})
