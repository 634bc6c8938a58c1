// What a scrape says of things that really happened.

import type { Server } from 'node:http'
import { networkInterfaces } from 'node:os'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { deliverMessages } from '../../../src/checkout/webhook/outbox.ts'
import { StoreDamaged, StoreUnavailable } from '../../../src/errors.ts'
import { noFeed } from '../../../src/merchant/catalogue/followed-feed.ts'
import { untraced } from '../../../src/observer.ts'
import { signatureHeaders } from '../../../src/secrets.ts'
import { serveMetrics } from '../../../src/start/metrics/metrics.ts'
import { anyMerchant } from '../../any-merchant.ts'
import { holdCheckouts, merchantFile, uuid } from '../../build.ts'
import { openReceiver, SECRET, status } from '../../checkout/webhook/receiver.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { ADA, formOf, PERSONAL } from '../../pages/shopper.ts'
import { openSocket, sendRaw } from '../../raw-http.ts'
import { newOrder, place } from '../../store/new-order.ts'
import { opened, refundWhole, settle } from '../../store/payments-suite.ts'
import { until } from '../../until.ts'
import { type MeteredShop, openMetered } from './metered-shop.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const cartOf = (n: number, sku = 'MUG') => ({ items: [{ sku, quantity: 1 }], currency: 'GBP', reference: uuid(n) })

const post = ({ app }: MeteredShop, cart: object | string, url = '/shop/cart') =>
  app.inject({ method: 'POST', url, headers: JSON_TYPE, payload: cart })

/** Reports an order as the own shop of a merchant does. */
function report({ app, clock }: MeteredShop) {
  const order = { reference: uuid(1), number: '1001', currency: 'GBP', total: '25', items: [{ sku: 'A', quantity: 2 }] }
  const payload = JSON.stringify(order)
  const headers = { ...JSON_TYPE, ...signatureHeaders(SHOP_SECRET, 'an-id', payload, clock()) }
  return app.inject({ method: 'POST', url: '/shop/orders', headers, payload })
}

t.test('transfers count by merchant, option and outcome, refused ones by their code and mistakes', async t => {
  const files = [merchantFile('1'), merchantFile('2B', { id: 'two-b', publicUrl: 'http://127.0.0.1:3000/two-b' })]
  const metered = await openMetered(t, { merchants: files })
  const accepted = 'cart_transfer_transfers_total{merchant="shop",option="1",outcome="accepted"}'
  t.equal((await metered.scrape()).values[accepted], 0, 'there before the first: its increase can be seen')
  await post(metered, cartOf(1))
  await post(metered, cartOf(1))
  await post(metered, cartOf(2, 'LAMP'))
  await post(metered, cartOf(3, 'NO-SUCH'))
  await post(metered, '{')
  await metered.app.inject('/two-b/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r-1')
  const { values } = await metered.scrape()
  const ofOne = 'merchant="shop",option="1"'
  t.match(values, {
    [accepted]: 1,
    [`cart_transfer_transfers_total{${ofOne},outcome="repeated"}`]: 1,
    [`cart_transfer_transfers_total{code="cart-not-sellable",${ofOne},outcome="refused"}`]: 2,
    [`cart_transfer_transfers_total{code="contract-broken",${ofOne},outcome="refused"}`]: 1,
    'cart_transfer_transfers_total{merchant="two-b",option="2B",outcome="accepted"}': 1,
    'cart_transfer_mistakes_total{code="out-of-stock",merchant="shop"}': 1,
    'cart_transfer_mistakes_total{code="sku-unknown",merchant="shop"}': 1,
    'cart_transfer_refusals_total{code="cart-not-sellable"}': 2,
    'cart_transfer_refusals_total{code="overloaded"}': 0,
    [`cart_transfer_transfer_duration_seconds_count{${ofOne}}`]: 5,
    'cart_transfer_checkouts_shown_total{merchant="shop",state="open"}': 0,
    'cart_transfer_checkouts_shown_total{merchant="two-b",state="open"}': 1
  })
  t.ok(Number(values.cart_transfer_store_commit_duration_seconds_count) >= 2, 'commits are timed')
})

t.test('the ways of a merchant are counted apart, each from the start', async t => {
  const ways = [
    { option: '2B', path: '/cart' },
    { option: '2B', path: '/cart-of-b' },
    { option: 'permalink', path: '/buy' }
  ]
  const metered = await openMetered(t, { merchants: [{ ...merchantFile('2B'), transfer: ways }] })
  const countOf = (option: string) =>
    `cart_transfer_transfers_total{merchant="shop",option="${option}",outcome="accepted"}`
  const bag = 'item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r-1'
  t.match(
    (await metered.scrape()).values,
    Object.fromEntries(['2B /cart', '2B /cart-of-b', 'permalink'].map(name => [countOf(name), 0]))
  )
  await metered.app.inject(`/shop/cart-of-b?${bag}`)
  await metered.app.inject('/shop/buy/MUG:1')
  t.match((await metered.scrape()).values, {
    [countOf('2B /cart')]: 0,
    [countOf('2B /cart-of-b')]: 1,
    [countOf('permalink')]: 1,
    'http_request_duration_seconds_count{method="GET",route="/{merchant}/{transfer}",status="200"}': 1,
    'http_request_duration_seconds_count{method="GET",route="/{merchant}/{transfer}",status="303"}': 1
  })
})

t.test('requests are timed by the pattern of their route, the same for every merchant', async t => {
  const files = ['a', 'b'].map(id =>
    merchantFile('2A', {
      id,
      publicUrl: `http://127.0.0.1:3000/${id}`,
      transfer: { path: `/${id}-in` },
      checkout: { path: `/${id}-out` }
    })
  )
  const { app, scrape } = await openMetered(t, { merchants: files })
  for (const id of ['a', 'b']) {
    await app.inject(`/${id}/${id}-out/no-such-token-${id}`)
    await app.inject({ method: 'POST', url: `/${id}/${id}-out`, headers: JSON_TYPE, payload: '{}' })
    await app.inject({ method: 'PUT', url: `/${id}/${id}-in` })
    await app.inject(`/${id}/pictures/mug.svg`)
    await app.inject(`/${id}/no-such-page`)
  }
  await app.inject('/healthz')
  await app.inject({ method: 'PROPFIND' as 'GET', url: '/no-such-page' })
  const { values, text } = await scrape()
  const expected: [labels: string, requests: number][] = [
    ['method="GET",route="/{merchant}/{checkout}/:token",status="404"', 2],
    ['method="POST",route="/{merchant}/{checkout}",status="415"', 2],
    ['method="PUT",route="/{merchant}/{transfer}",status="405"', 2],
    ['method="GET",route="/{merchant}/pictures/*",status="200"', 2],
    ['method="GET",route="none",status="404"', 2],
    ['method="GET",route="/healthz",status="200"', 1],
    ['method="PROPFIND",route="none",status="404"', 1]
  ]
  for (const [labels, requests] of expected) {
    t.equal(values[`http_request_duration_seconds_count{${labels}}`], requests, labels)
  }
  t.notMatch(text, /no-such|mug\.svg/, 'no label has what a request says')
})

t.test('times are in seconds', async t => {
  const catalogue = { ...noFeed, status: () => ({ products: 1, problems: 0, age: 90_000, isNewestRefused: true }) }
  const shops = [{ merchant: anyMerchant(), catalogue }]
  // A check makes a commit.
  const { observer, scrape } = await openMetered(t, {}, { shops, checkReady: async () => {} })
  observer.requestEnded({ method: 'GET', route: '/slow', status: 200, duration: 1500 })
  observer.transferred({ merchant: 'slow', option: '1', outcome: 'accepted', mistakes: [], duration: 1500 })
  observer.committed(1500)
  t.match((await scrape()).values, {
    'http_request_duration_seconds_sum{method="GET",route="/slow",status="200"}': 1.5,
    'cart_transfer_transfer_duration_seconds_sum{merchant="slow",option="1"}': 1.5,
    cart_transfer_store_commit_duration_seconds_sum: 1.5,
    'cart_transfer_catalogue_age_seconds{merchant="shop"}': 90,
    'cart_transfer_catalogue_newest_refused{merchant="shop"}': 1
  })
})

t.test('what is refused for the limit of an address has its code', async t => {
  const metered = await openMetered(t, { rateLimit: { requestsPerMinute: 1, trustedProxies: [] } })
  for (let n = 1; n <= 3; n++) await post(metered, cartOf(n))
  const refused = 'code="too-many-requests",merchant="shop",option="1",outcome="refused"'
  t.match((await metered.scrape()).values, {
    'cart_transfer_refusals_total{code="too-many-requests"}': 2,
    [`cart_transfer_transfers_total{${refused}}`]: 2
  })
})

t.test('a request in progress is counted, and as 499 once its client has left', async t => {
  const { hold, release, held } = holdCheckouts()
  const { app, scrape } = await openMetered(t, { store: hold })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const body = JSON.stringify(cartOf(1))
  const socket = openSocket(t, Number(new URL(origin).port))
  socket.write(
    `POST /shop/cart HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
  await until('the request', () => held() === 1)
  t.equal((await scrape()).values.http_requests_in_progress, 1)
  socket.destroy()
  await until('its end', async () => (await scrape()).values.http_requests_in_progress === 0)
  t.match((await scrape()).values, {
    'http_request_duration_seconds_count{method="POST",route="/{merchant}/{transfer}",status="499"}': 1
  })
  release()
})

const outboxOf = async ({ scrape }: MeteredShop, merchant = 'shop') => {
  const { values } = await scrape()
  return [
    values[`cart_transfer_outbox_messages{merchant="${merchant}",state="pending"}`],
    values[`cart_transfer_outbox_messages{merchant="${merchant}",state="failed"}`],
    values[`cart_transfer_outbox_oldest_pending_age_seconds{merchant="${merchant}"}`]
  ]
}

t.test('an order is counted once, and its way to the webhook; nothing is about a person', async t => {
  const receiver = await openReceiver(t)
  const webhook = { url: receiver.webhook.url, secretVariable: 'SECRET' }
  const metered = await openMetered(t, {
    merchants: [{ ...merchantFile('2B'), webhook }],
    variables: { SECRET }
  })
  const { app, store, merchants, clock, tick, observer, scrape } = metered
  t.strictSame(await outboxOf(metered), [0, 0, 0])
  const page = await app.inject('/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=a-reference')
  const { action, fields } = formOf(page.body) as NonNullable<ReturnType<typeof formOf>>
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `${new URLSearchParams({ ...fields, ...ADA })}`
  const placed = await app.inject({ method: 'POST', url: action, headers, payload })
  await app.inject({ method: 'POST', url: action, headers, payload })
  await app.inject(String(placed.headers.location))
  await app.inject(action)
  tick(-1000)
  t.strictSame(await outboxOf(metered), [1, 0, 0], 'a clock that was set back')
  tick(91_000)
  t.strictSame(await outboxOf(metered), [1, 0, 90])
  const { values, text } = await scrape()
  const complete = 'method="GET",route="/{merchant}/{checkout}/:token/complete",status="200"'
  t.match(values, {
    'cart_transfer_orders_total{merchant="shop",origin="placed"}': 1,
    'cart_transfer_checkouts_shown_total{merchant="shop",state="open"}': 1,
    'cart_transfer_checkouts_shown_total{merchant="shop",state="placed"}': 1,
    [`http_request_duration_seconds_count{${complete}}`]: 1
  })
  for (const secret of [...PERSONAL, 'a-reference', 'MUG', action.split('/').at(-1)?.replace('?', '') as string]) {
    if (text.includes(secret)) t.fail(`${secret} is in the scrape`)
  }

  receiver.answer(status(500))
  const logger = pino({ enabled: false })
  const parts = { store, merchants, clock, observer, logger, fetch, trace: untraced }
  t.teardown(deliverMessages({ ...parts, random: () => 0, interval: 5 }))
  const attempts = async (outcome: string) =>
    (await scrape()).values[`cart_transfer_webhook_attempts_total{merchant="shop",outcome="${outcome}"}`]
  await until('an attempt', async () => (await attempts('refused')) === 1)
  receiver.answer(status(204))
  tick(60_000)
  await until('the delivery', async () => (await attempts('delivered')) === 1)
  t.strictSame(await outboxOf(metered), [0, 0, 0])
})

t.test('messages of merchants that are no longer served are counted while they are there', async t => {
  const metered = await openMetered(t, {})
  const { store } = metered
  await place(store, newOrder(1, { merchantId: 'gone' }))
  t.match(await outboxOf(metered, 'gone'), [1, 0, Number])
  const leased = await store.leaseMessage('gone', '2027', '2028')
  if (leased) await store.settleMessage(leased, { state: 'delivered', attempts: 0, dueAt: '2027' })
  t.strictSame(await outboxOf(metered, 'gone'), [undefined, undefined, undefined])
})

t.test('the own shop of a merchant: its orders, and whether it is left alone', async t => {
  const shop = await openOwnShop(t)
  const metered = await openMetered(t, { merchants: [shopFile('1', shop.url)], variables: { SHOP_SECRET } })
  const values = async () => (await metered.scrape()).values
  const leftAlone = 'cart_transfer_destination_left_alone{merchant="shop"}'
  const reported = 'cart_transfer_orders_total{merchant="shop",origin="reported"}'
  t.match(await values(), { [leftAlone]: 0, [reported]: 0 })
  shop.answer(() => ({ status: 500 }))
  for (let n = 1; n <= 5; n++, metered.tick(1250)) await post(metered, cartOf(n))
  t.match(await values(), { [leftAlone]: 1, 'cart_transfer_refusals_total{code="destination-unavailable"}': 5 })
  shop.answer((_cart, kept) => ({ json: kept }))
  await post(metered, cartOf(6))
  for (const status of [201, 200]) t.equal((await report(metered)).statusCode, status)
  const after = await values()
  t.match(after, { [leftAlone]: 0, [reported]: 1 })
  t.notOk('cart_transfer_checkouts_shown_total{merchant="shop",state="open"}' in after)
})

t.test('payments count by what became of them; whether their provider is left alone', async t => {
  const payment = { provider: 'stripe', secretVariable: 'KEY', webhookSecretVariable: 'WEBHOOK_SECRET' }
  const { observer, scrape } = await openMetered(t, {
    merchants: [merchantFile('1', { checkout: { payment } })],
    variables: { KEY: 'sk_test_of_the_metrics', WEBHOOK_SECRET: 'whsec_of_the_metrics_here' }
  })
  const leftAlone = 'cart_transfer_payment_provider_left_alone{merchant="shop"}'
  t.match((await scrape()).values, {
    'cart_transfer_payments_settled_total{merchant="shop",outcome="paid"}': 0,
    'cart_transfer_payments_settled_total{merchant="shop",outcome="refunding"}': 0,
    'cart_transfer_payment_provider_failures_total{call="open",merchant="shop"}': 0,
    [leftAlone]: 0
  })
  observer.paymentSettled('shop', 'pending')
  observer.paymentSettled('shop', 'paid')
  observer.paymentSettled('shop', 'paid')
  observer.providerFailed('shop', 'open')
  observer.providerCircuit('shop', true)
  t.match((await scrape()).values, {
    'cart_transfer_payments_settled_total{merchant="shop",outcome="pending"}': 1,
    'cart_transfer_payments_settled_total{merchant="shop",outcome="paid"}': 2,
    'cart_transfer_payment_provider_failures_total{call="open",merchant="shop"}': 1,
    [leftAlone]: 1
  })
  observer.providerCircuit('shop', false)
  t.match((await scrape()).values, { [leftAlone]: 0 })
})

t.test('payments that somebody waits for, by state, and the age of the oldest', async t => {
  const { store, clock, tick, scrape } = await openMetered(t, {})
  await opened(store, 1, { placedAt: clock().toISOString() })
  tick(60_000)
  const second = await opened(store, 2, { placedAt: clock().toISOString() })
  tick(30_000)
  const of = (name: string, state: string) => `cart_transfer_payments_${name}{merchant="shop",state="${state}"}`
  t.match((await scrape()).values, { [of('waiting', 'open')]: 2, [of('oldest_age_seconds', 'open')]: 90 })
  await settle(store, second, 'paid', { amount: 1 })
  tick(-90_000)
  const { values } = await scrape()
  t.match(values, { [of('waiting', 'open')]: 1, [of('waiting', 'refunding')]: 1 })
  t.equal(values[of('oldest_age_seconds', 'refunding')], 0, 'a clock that was set back')
  await refundWhole(store, second)
  t.notOk(of('waiting', 'refunding') in (await scrape()).values)
})

t.test('catalogues: products, problems, age and refusal; none for a merchant without a feed', async t => {
  const shop = await openOwnShop(t)
  const { scrape } = await openMetered(t, {
    feed: 'id\ttitle\tavailability\tprice\nA\tA thing\tin_stock\t1.00 GBP\nB\t\tin_stock\t1.00 GBP',
    merchants: [
      merchantFile('1'),
      shopFile('1', shop.url, { hasFeed: false, id: 'feedless', publicUrl: 'http://127.0.0.1:3000/feedless' })
    ],
    variables: { SHOP_SECRET }
  })
  const { values } = await scrape()
  t.match(values, {
    'cart_transfer_catalogue_products{merchant="shop"}': 1,
    'cart_transfer_catalogue_problems{merchant="shop"}': 1,
    'cart_transfer_catalogue_age_seconds{merchant="shop"}': Number,
    'cart_transfer_catalogue_newest_refused{merchant="shop"}': 0
  })
  t.notOk('cart_transfer_catalogue_products{merchant="feedless"}' in values)
})

t.test('a store that has met damage says so, and goes on saying so', async t => {
  let failure: Error | undefined
  const checkReady = async () => {
    if (failure) throw failure
  }
  const { scrape } = await openMetered(t, {}, { checkReady })
  t.match((await scrape()).values, { cart_transfer_ready: 1, cart_transfer_store_damaged: 0 })
  failure = new StoreUnavailable('full')
  t.match((await scrape()).values, { cart_transfer_ready: 0, cart_transfer_store_damaged: 0 })
  failure = new StoreDamaged('damaged')
  t.match((await scrape()).values, { cart_transfer_ready: 0, cart_transfer_store_damaged: 1 })
})

t.test('a store that fails, or does not answer, costs only what it would have told', async t => {
  const full = () => Promise.reject(new StoreUnavailable('full'))
  const failing = await openMetered(t, {}, { checkReady: full, store: { countUndelivered: full, countPayments: full } })
  t.equal((await failing.scrape()).values.cart_transfer_ready, 0)
  const hanging = await openMetered(t, {}, { checkReady: () => new Promise(() => {}), patience: 10 })
  t.match((await hanging.scrape()).values, { cart_transfer_ready: 0, process_start_time_seconds: Number })
  t.equal((await (await openMetered(t, {})).scrape()).values.cart_transfer_ready, 1)
})

t.test('only GET and HEAD of /metrics are served', async t => {
  const { url } = await openMetered(t, {})
  const answers = await Promise.all([
    fetch(`${url}?x=1`),
    fetch(url, { method: 'HEAD' }),
    fetch(url, { method: 'POST', body: '{}' }),
    fetch(url.replace('/metrics', '/')),
    fetch(`${url}/shop`)
  ])
  const statuses = answers.map(({ status }) => status)
  t.strictSame(statuses, [200, 200, 404, 404, 404])
  t.equal(answers[0]?.headers.get('cache-control'), 'no-store')
})

async function serve(t: Test, scrape: () => Promise<string>, host = '127.0.0.1', port = 0) {
  const server = await serveMetrics(host, port, scrape)
  t.teardown(server.close)
  return server
}

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))))

t.test('several who ask at once share one look, and those after them get another', async t => {
  let looks = 0
  const look = Promise.withResolvers<void>()
  const { url, server } = await serve(t, async () => {
    looks++
    await look.promise
    return `look ${looks}`
  })
  let asked = 0
  server.on('request', () => asked++)
  const ask = async () => (await fetch(url)).text()
  const asking = [ask(), ask(), ask()]
  await until('three to ask', () => asked === 3)
  look.resolve()
  t.strictSame(await Promise.all(asking), ['look 1', 'look 1', 'look 1'])
  t.equal(await ask(), 'look 2')
})

t.test('a scrape that fails is answered 500, and the next one is another', async t => {
  let scrapes = 0
  const { url } = await serve(t, async () => {
    if (++scrapes === 1) throw new Error('no memory left')
    return 'x'
  })
  const failed = await fetch(url)
  t.strictSame([failed.status, await failed.text()], [500, 'no memory left\n'])
  t.equal(await (await fetch(url)).text(), 'x')
})

t.test('a port that is taken, and an address that is not of this machine, are refused in a sentence', async t => {
  const { url } = await openMetered(t, {})
  const scrape = async () => 'x'
  await t.rejects(serve(t, scrape, '127.0.0.1', Number(new URL(url).port)), {
    message: /^METRICS_PORT: listen EADDRINUSE: .*; give a free port$/
  })
  const isSix = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))
  const other = await serve(t, scrape, isSix ? '::1' : '127.0.0.1')
  t.match(other.url, isSix ? /^http:\/\/\[::1\]:\d+\/metrics$/ : /^http:\/\/127/)
  t.equal(await (await fetch(other.url)).text(), 'x')
})

const get = (host: string | undefined, more = '') =>
  `GET /metrics HTTP/1.1${host === undefined ? '' : `\r\nHost: ${host}`}${more}\r\nConnection: close\r\n\r\n`
const AS_BROWSER = '\r\nAccept-Language:'

t.test('a page whose name leads to this machine gets nothing, and Prometheus may ask for any name of it', async t => {
  const own = [
    '127.0.0.1:9464',
    'localhost',
    'LOCALHOST:9464',
    'shop.localhost',
    '[::1]:9464',
    '10.0.0.5:9464',
    '[fd00::1]'
  ]
  const others = [
    'evil.example',
    'evil.example:9464',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'shop-1:9464'
  ]
  const odd = ['', ':9464', 'evil.example@localhost', 'localhost.']
  const statusOf = async ({ url }: { url: string }, ...request: Parameters<typeof get>) =>
    (await sendRaw(Number(new URL(url).port), get(...request))).status
  const [here, everywhere] = [await serve(t, async () => 'x'), await serve(t, async () => 'x', '0.0.0.0')]
  for (const server of [here, everywhere]) {
    for (const host of [...own, undefined]) t.equal(await statusOf(server, host, AS_BROWSER), 200, `${host}`)
  }
  for (const host of [...others, ...odd]) {
    t.equal(await statusOf(here, host), 421, host)
    t.equal(await statusOf(everywhere, host), 200, host)
    t.equal(await statusOf(everywhere, host, AS_BROWSER), 421, host)
  }
  const { body } = await sendRaw(Number(new URL(here.url).port), get('evil.example:9464'))
  t.match(body, 'The Host is "evil.example:9464"; ask for an IP address or localhost.\n')
})

t.test('who does not read is cut off, and no more than 20 can be connected', async t => {
  const large = 'x'.repeat(16 * 1024 * 1024)
  const { url, server } = await serve(t, async () => large)
  const port = Number(new URL(url).port)
  t.equal(server.timeout, 10_000)
  // On a busy machine, half a second passes without a turn of the event loop.
  server.setTimeout(2000)
  const sockets = Array.from({ length: 20 }, () => openSocket(t, port))
  for (const socket of sockets) socket.write(get('localhost'))
  await until('20 connections', async () => (await connectionsOf(server)) === 20)
  const dropped = new Promise(resolve => server.once('drop', resolve))
  await t.rejects(fetch(url))
  await dropped
  await until('nobody to be connected', async () => (await connectionsOf(server)) === 0)
  t.equal((await (await fetch(url)).text()).length, large.length)
})

t.test('a connection is for one scrape: 20 that idle would keep everybody else out', async t => {
  const { url } = await serve(t, async () => 'x')
  for (const path of ['/metrics', '/']) {
    const socket = openSocket(t, Number(new URL(url).port))
    const closed = new Promise(resolve => socket.once('close', resolve))
    let answer = ''
    socket.on('data', data => {
      answer += data
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await closed
    t.match(answer, /^connection: close\r$/im)
  }
})

t.test('of the requests of one packet, no more than 16 wait', async t => {
  let looks = 0
  const { url } = await serve(t, async () => `look ${++looks}`)
  const socket = openSocket(t, Number(new URL(url).port))
  const closed = new Promise(resolve => socket.resume().once('close', resolve))
  socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000))
  await closed
  t.ok(looks <= 1, `${looks} looks`)
})
