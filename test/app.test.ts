// The app as a whole: the form of a refusal, requests that reach no route, the server's own responses.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { StoreUnavailable, StoreUncertain } from '../src/errors.ts'
import { languages } from '../src/messages/messages.ts'
import { build, buildListening, merchantFile, uuid } from './build.ts'
import { sendRaw } from './raw-http.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const HTML = { accept: 'text/html,application/xhtml+xml' }
const CART = { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', reference: uuid() }

const merchants = [
  merchantFile('1', { id: 'one', publicUrl: 'http://127.0.0.1:3000/one' }),
  merchantFile('2A', { id: 'two-a', publicUrl: 'http://127.0.0.1:3000/two-a' }),
  merchantFile('2B', { id: 'two-b', publicUrl: 'http://127.0.0.1:3000/two-b' })
]

t.test('a refusal has the right status, as a page or as problem+json depending on the address', async t => {
  const { app } = await build(t, { merchants })
  const cases = [
    ['GET', '/nothing', {}, 404, 'problem+json'],
    ['GET', '/nothing', HTML, 404, 'page'],
    ['GET', '/one/nothing', {}, 404, 'problem+json'],
    ['GET', '/one/nothing', HTML, 404, 'page'],
    ['GET', '/two-a/nothing', {}, 404, 'page'],
    ['GET', '/two-b/nothing', {}, 404, 'page'],
    ['GET', '/oneness', {}, 404, 'problem+json'],
    ['GET', '/one/checkout', {}, 405, 'page'],
    ['HEAD', '/one/checkout', {}, 405, 'page'],
    ['GET', '/one/checkout/unknown', {}, 404, 'page'],
    ['GET', '/one/checkout/x/y', {}, 404, 'page'],
    ['GET', '/two-a/pictures/no.svg', {}, 404, 'page'],
    ['GET', '/one/cart', HTML, 405, 'problem+json'],
    ['HEAD', '/one/cart', {}, 405, 'problem+json'],
    ['PUT', '/two-a/cart', {}, 405, 'page'],
    ['HEAD', '/two-b/cart', {}, 405, 'page'],
    ['POST', '/two-b/cart', JSON_TYPE, 405, 'page'],
    ['DELETE', '/one/checkout/unknown', {}, 405, 'page'],
    ['POST', '/healthz', JSON_TYPE, 405, 'problem+json'],
    ['POST', '/one/cart', HTML, 415, 'problem+json']
  ] as const
  for (const [method, url, headers, status, form] of cases) {
    const response = await app.inject({ method, url, headers })
    t.match(
      { status: response.statusCode, type: response.headers['content-type'] },
      { status, type: form === 'page' ? /^text\/html/ : /^application\/problem\+json/ },
      `${method} ${url} ${headers === HTML ? 'for a browser ' : ''}gets ${status} as ${form}`
    )
  }
})

t.test('405 lists the allowed methods', async t => {
  const { app } = await build(t, { merchants })
  const cases = [
    ['/one/cart', 'POST'],
    ['/two-a/cart', 'POST'],
    ['/two-b/cart', 'GET'],
    ['/one/checkout', 'POST'],
    ['/one/checkout/token', 'GET, HEAD'],
    ['/one/pictures/mug.svg', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD']
  ] as const
  for (const [url, allow] of cases) {
    const response = await app.inject({ method: 'PATCH', url, headers: JSON_TYPE, payload: '{}' })
    t.match({ status: response.statusCode, allow: response.headers.allow }, { status: 405, allow }, url)
  }
})

t.test(
  'a web view that loads the page of a POST again is told how to go on, in the language of its shopper',
  async t => {
    const shop = (id: string, option: string) =>
      merchantFile(option, { id, publicUrl: `http://localhost/${id}`, locales: ['de', 'fr', 'es', 'ja', 'ar'] })
    const { app } = await build(t, { merchants: [shop('one', '1'), shop('two-a', '2A')] })
    const sentences = {
      en: 'Open the checkout again from the app. Your bag is still there.',
      de: 'Öffnen Sie die Kasse noch einmal aus der App. Ihr Warenkorb ist noch da.',
      fr: 'Rouvrez la commande depuis l’appli. Votre panier vous y attend.',
      es: 'Vuelve a abrir la compra desde la app. Tu cesta sigue ahí.',
      ja: 'アプリからもう一度ご注文手続きへお進みください。カートの中身はそのままです。',
      ar: 'يُرجى فتح صفحة إتمام الشراء من جديد من التطبيق. سلتك ما زالت كما هي.'
    }
    for (const [language, sentence] of Object.entries(sentences)) {
      const headers = { 'accept-language': language }
      for (const url of ['/two-a/cart', '/one/checkout', '/two-a/checkout']) {
        const { statusCode, headers: answered, body } = await app.inject({ url, headers })
        t.match([statusCode, answered], [405, { allow: 'POST', 'cache-control': 'no-store' }], url)
        t.match(body, sentence)
        t.notMatch(body, languages[language as 'en']['nothing-here'])
      }
    }
  }
)

t.test('unusual methods get 405 too', async t => {
  const { port } = await buildListening(t, { merchants })
  for (const method of ['PROPFIND', 'QUERY', 'TRACE', 'M-SEARCH']) {
    const answer = await sendRaw(port, `${method} /one/cart HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    t.match(answer, { status: 405, headers: { allow: 'POST' } }, method)
  }
})

t.test('requests that never reach a route get a complete response in the right form, and are logged', async t => {
  const { port, logs } = await buildListening(t, { merchants })
  const close = 'Host: x\r\nConnection: close'
  const long = 'x'.repeat(70_000)
  const cases: [name: string, request: string, status: number, type: RegExp][] = [
    ['malformed path, option 1', `POST /one/%zz HTTP/1.1\r\n${close}\r\n\r\n`, 400, /problem\+json/],
    ['malformed path, option 2A', `POST /two-a/%zz HTTP/1.1\r\n${close}\r\n\r\n`, 400, /html/],
    ['malformed path, a browser', `GET /%zz HTTP/1.1\r\n${close}\r\nAccept: text/html\r\n\r\n`, 400, /html/],
    ['unparsable', 'what is this\r\n\r\n', 400, /html/],
    ['unparsable header, option 2A', 'POST /two-a/cart HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400, /html/],
    [
      'unparsable header, a browser',
      'GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nbad header\r\n\r\n',
      400,
      /html/
    ],
    ['no Host', 'POST /one/cart HTTP/1.1\r\nConnection: close\r\n\r\n', 400, /problem\+json/],
    ['URL over 64 KiB, option 2B', `GET /two-b/cart?a=${long} HTTP/1.1\r\n${close}\r\n\r\n`, 431, /html/],
    ['URL of 60 KB, option 2B', `GET /two-b/cart?a=${'x'.repeat(60_000)} HTTP/1.1\r\n${close}\r\n\r\n`, 414, /html/],
    ['a very long token', `GET /one/checkout/${'x'.repeat(50_000)} HTTP/1.1\r\n${close}\r\n\r\n`, 404, /html/]
  ]
  for (const [name, request, status, type] of cases) {
    const answer = await sendRaw(port, request)
    t.match(answer, { status, headers: { 'content-type': type, 'cache-control': 'no-store' } }, name)
    const length = Number(answer.headers['content-length'])
    t.equal(length, Buffer.byteLength(answer.body), `${name}: the body is complete`)
  }
  const lines = logs.filter(({ msg }) => msg === 'unroutable request refused')
  t.match(lines, [{ status: 400, problem: 'malformed-request' }])
  t.notMatch(JSON.stringify(lines), /127\.0\.0\.1/)
})

t.test('a request has a minute to arrive', async t => {
  t.equal((await build(t)).app.server.requestTimeout, 60_000)
})

t.test('once the database file is gone no bag is taken, and what is there can still be read', async t => {
  const { app, folder } = await build(t)
  const send = (n: number) =>
    app.inject({ method: 'POST', url: '/shop/cart', headers: JSON_TYPE, payload: { ...CART, reference: uuid(n) } })
  const { body } = (await send(1)).json()
  const page = { method: 'POST', url: '/shop/checkout', headers: FORM, payload: body } as const
  rmSync(join(folder, 'data/test.sqlite'))
  for (const response of [await send(2), await send(1)]) {
    t.match(response, { statusCode: 503, headers: { 'retry-after': '5' } })
    t.notMatch(response.body, 'sqlite')
  }
  for (const response of [await app.inject(page), await app.inject('/healthz')]) t.equal(response.statusCode, 200)
})

t.test(
  'an order that cannot be stored is said not to have been placed, or if nobody knows, to place it again',
  async t => {
    const cases: [error: Error, says: RegExp][] = [
      [new StoreUnavailable('the disk is full'), /<h1>Your order has not been placed/],
      [new StoreUncertain('the connection broke'), /It will be placed only once/]
    ]
    for (const [error, says] of cases) {
      const findCheckout = () => Promise.reject(error)
      const { app } = await build(t, { merchants, store: store => ({ ...store, findCheckout }) })
      const url = `/two-b/checkout/${'x'.repeat(32)}`
      const order = await app.inject({ method: 'POST', url, payload: '', headers: FORM })
      t.match(order, { statusCode: 503, headers: { 'retry-after': '5' }, body: says })
      const page = await app.inject(url)
      t.match(page, { statusCode: 503, body: /<h1>Sorry, we can’t take your bag/ }, 'a page is not an order')
    }
  }
)

t.test('an internal error shows the request id from the log, and never the cause', async t => {
  const fail = async () => {
    throw new TypeError('kaputt')
  }
  const { app, logs } = await build(t, { merchants, store: store => ({ ...store, addCheckout: fail }) })
  const json = await app.inject({ method: 'POST', url: '/one/cart', headers: JSON_TYPE, payload: JSON.stringify(CART) })
  const page = await app.inject('/two-b/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r')
  const errors = logs.filter(({ level }) => level === 50)
  t.equal(errors.length, 2)
  for (const [i, response] of [json, page].entries()) {
    t.equal(response.statusCode, 500)
    t.notMatch(response.body, 'kaputt')
    t.match(response.body, String(errors[i]?.reqId))
    t.match(errors[i], { err: { message: 'kaputt' } })
  }
})

t.test('/favicon.ico is 204: there is no icon', async t => {
  const { app } = await build(t)
  t.match(await app.inject('/favicon.ico'), { statusCode: 204, body: '' })
})

t.test('/healthz reports ok while the process lives, whatever the store', async t => {
  const fail = async () => {
    throw new StoreUnavailable('the disk is full')
  }
  const { app } = await build(t, { store: store => ({ ...store, checkReady: fail, addCheckout: fail }) })
  const response = await app.inject('/healthz')
  t.match(response, { statusCode: 200, headers: { 'cache-control': 'no-store' }, body: '{"status":"ok"}' })
})

t.test('addresses are built from publicUrl, never from the Host header', async t => {
  const { app } = await build(t, { merchants: [merchantFile('1', { publicUrl: 'https://shop.example/app' })] })
  const response = await app.inject({
    method: 'POST',
    url: '/app/cart',
    headers: { ...JSON_TYPE, host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    payload: JSON.stringify(CART)
  })
  t.equal(response.json().url, 'https://shop.example/app/checkout')
})

t.test('a publicUrl that is only a path uses the address the process listens on', async t => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const { app } = await build(t, { merchants: [merchantFile('1', { publicUrl: '/shop' })] })
    await app.listen({ host, port: 0 })
    const origin = `http://127.0.0.1:${new URL(app.listeningOrigin).port}`
    const request = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(CART) }
    t.match(await (await fetch(`${origin}/shop/cart`, request)).json(), { url: `${origin}/shop/checkout` }, host)
  }
})

t.test('a merchant may be served at the root', async t => {
  const { app } = await build(t, { merchants: [merchantFile('1', { publicUrl: 'https://shop.example' })] })
  const response = await app.inject({ method: 'POST', url: '/cart', headers: JSON_TYPE, payload: JSON.stringify(CART) })
  t.equal(response.json().url, 'https://shop.example/checkout')
  const page = await app.inject(`/checkout/${response.json().body.slice('token='.length)}`)
  t.match(page.body, '<img src="/pictures/mug.svg"')
  t.equal((await app.inject('/pictures/mug.svg')).statusCode, 200)
})
