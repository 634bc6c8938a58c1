// What a collector sees of real requests: one trace from the platform to the merchant's own shop, and nothing about a
// person in it.
import { once } from 'node:events'
import { request } from 'node:http'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { deliverMessages } from '../../../src/checkout/webhook/outbox.ts'
import type { TracingSettings } from '../../../src/environment.ts'
import { type Fetch, httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { noopObserver } from '../../../src/observer.ts'
import { openTracing } from '../../../src/start/tracing/open-tracing.ts'
import { anyMerchant } from '../../any-merchant.ts'
import { type Build, build, holdCheckouts, merchantFile, uuid } from '../../build.ts'
import { openReceiver, status } from '../../checkout/webhook/receiver.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { ADA, formOf, PERSONAL } from '../../pages/shopper.ts'
import { openSocket } from '../../raw-http.ts'
import { newOrder, place } from '../../store/new-order.ts'
import { until } from '../../until.ts'
import { openCollector } from './collector.ts'
import type { SentSpan } from './read-spans.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'platform=abc' }
const JSON_TYPE = { 'content-type': 'application/json' }
const INTERNAL = 1
const SERVER = 2
const CLIENT = 3

const SETTINGS: TracingSettings = { sampler: 'parentbased_always_on', ratio: 1, batch: { scheduledDelayMillis: 10 } }

const answerAtOnce: Fetch = async (_url, { signal }) => {
  signal.throwIfAborted()
  return new Response()
}

type Traced = Awaited<ReturnType<typeof open>>

/** Sets OpenTelemetry's variables until the test ends: its exporter reads them by itself. */
function setVariables(t: Test, variables: Record<string, string>): void {
  Object.assign(process.env, variables)
  t.teardown(() => {
    for (const name of Object.keys(variables)) delete process.env[name]
  })
}

async function open(t: Test, parts: Build = {}, settings: Partial<TracingSettings> = {}) {
  const collector = await openCollector(t)
  setVariables(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
    OTEL_SERVICE_NAME: 'shop-of-ada',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test'
  })
  let tracing: ReturnType<typeof openTracing> | undefined
  const built = await build(t, {
    ...parts,
    trace: async logger => {
      tracing = openTracing({ ...SETTINGS, ...settings }, { fetch: httpFetch, logger })
      return tracing
    }
  })
  const opened = tracing as unknown as ReturnType<typeof openTracing>
  t.teardown(opened.close)
  return {
    ...built,
    collector,
    tracing: opened,
    /** Those of a name, once there are so many. */
    spansOf: async (name: string, least = 1) => {
      const found = () => collector.spans.filter(span => span.name === name)
      await until(name, () => found().length >= least)
      return found()
    }
  }
}

/** Tracing without a shop. */
async function openAlone(t: Test, settings: Partial<TracingSettings>, patience?: number) {
  const collector = await openCollector(t)
  setVariables(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  const logger = () => pino({ enabled: false })
  const parts = { fetch: answerAtOnce, logger, ...(patience && { patience }) }
  return { collector, tracing: openTracing({ ...SETTINGS, ...settings }, parts) }
}

const cartOf = (n = 1) => ({ items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(n) })

const post = ({ app }: Traced, cart: object, headers: Record<string, string> = SAMPLED) =>
  app.inject({ method: 'POST', url: '/shop/cart', headers: { ...JSON_TYPE, ...headers }, payload: cart })

t.test(
  "a transfer into a merchant's own shop is one trace, which the platform began and the shop goes on with",
  async t => {
    const shop = await openOwnShop(t)
    const merchants = [shopFile('1', shop.url)]
    const { app, collector, logs, spansOf } = await open(t, { merchants, variables: { SHOP_SECRET } })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const sent = request(`${origin}/shop/cart`, { method: 'POST', headers: { ...JSON_TYPE, ...SAMPLED } })
    // Its body arrives in a turn of its own.
    sent.flushHeaders()
    await once(app.server, 'request')
    sent.end(JSON.stringify(cartOf()))
    const [answer] = await once(sent, 'response')
    t.equal(answer.resume().statusCode, 200)
    const [server] = await spansOf('POST /shop/cart')
    t.match(server, {
      traceId: TRACE,
      parentSpanId: PARENT,
      traceState: 'platform=abc',
      kind: SERVER,
      status: 0,
      resource: { 'service.name': 'shop-of-ada', 'deployment.environment.name': 'test', 'service.instance.id': String }
    })
    const posted = { 'http.request.method': 'POST', 'http.response.status_code': 200 }
    t.strictSame(server?.attributes, { ...posted, 'http.route': '/shop/cart' })
    const [handOff] = await spansOf('hand over')
    t.match(handOff, { traceId: TRACE, parentSpanId: server?.spanId, kind: INTERNAL })
    for (const name of ['store newestCheckout', 'store beginHandoff', 'store finishHandoff']) {
      t.match(await spansOf(name), [{ traceId: TRACE, parentSpanId: handOff?.spanId, kind: INTERNAL }], name)
    }
    const [call] = await spansOf('POST')
    t.match(call, { traceId: TRACE, parentSpanId: handOff?.spanId, kind: CLIENT })
    const address = { 'server.address': '127.0.0.1', 'server.port': Number(new URL(shop.url).port) }
    t.strictSame(call?.attributes, { ...posted, ...address })
    const passedOn = { traceparent: `00-${TRACE}-${call?.spanId}-01`, tracestate: 'platform=abc' }
    t.match(shop.received[0]?.headers, passedOn)
    const line = logs.find(({ msg }) => msg === 'transfer')
    t.match(line, { trace_id: TRACE, span_id: server?.spanId, trace_flags: '01' })
    t.match(collector.requests[0], {
      url: '/v1/traces',
      headers: { authorization: 'Bearer collector', 'content-type': 'application/x-protobuf' }
    })
  }
)

t.test(
  'a request without a trace begins one; what the platform does not sample is not kept, but passed on',
  async t => {
    const shop = await openOwnShop(t)
    const traced = await open(t, { merchants: [shopFile('1', shop.url)], variables: { SHOP_SECRET } })
    await post(traced, cartOf(1), { traceparent: `00-${TRACE}-${PARENT}-00` })
    await post(traced, cartOf(2), {})
    await post(traced, cartOf(3), { traceparent: 'nonsense' })
    t.match(shop.received[0]?.headers.traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
    for (const { traceId, parentSpanId } of await traced.spansOf('POST /shop/cart', 2)) {
      t.not(traceId, TRACE)
      t.equal(parentSpanId, '')
    }
  }
)

t.test('a shop that fails, and one that cannot be reached, are errors of their span', async t => {
  const shop = await openOwnShop(t)
  const traced = await open(t, { merchants: [shopFile('1', shop.url)], variables: { SHOP_SECRET } })
  shop.answer(() => ({ status: 500 }))
  await post(traced, cartOf(1))
  await shop.disappear()
  await post(traced, cartOf(2))
  t.match(await traced.spansOf('POST', 2), [
    { status: 2, attributes: { 'error.type': '500', 'http.response.status_code': 500 } },
    { status: 2, attributes: { 'error.type': 'ECONNREFUSED' } }
  ])
  t.match(await traced.spansOf('hand over', 2), [{ status: 2, attributes: { 'error.type': 'Problem' }, events: 0 }, {}])
  const failed = { 'http.response.status_code': 503, 'error.type': '503' }
  const attributes = { ...failed, 'cart_transfer.problem': 'destination-unavailable' }
  t.match((await traced.spansOf('POST /shop/cart'))[0], { status: 2, attributes })
  await shop.comeBack()
})

t.test('the pages of a checkout, to the order: no span has a token, a reference, or what was typed', async t => {
  const traced = await open(t, { merchants: [merchantFile('2B')] })
  const { app, collector, spansOf } = traced
  const page = await app.inject('/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=a-reference')
  const { action, fields } = formOf(page.body) as NonNullable<ReturnType<typeof formOf>>
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `${new URLSearchParams({ ...fields, ...ADA })}`
  const placed = await app.inject({ method: 'POST', url: action, headers, payload })
  await app.inject(String(placed.headers.location))
  await app.inject('/shop/checkout/no-such-token')
  await app.inject('/shop/no-such-page')
  await app.inject('/healthz')
  await spansOf('GET')
  const names = collector.spans.filter(({ kind }) => kind === SERVER).map(({ name }) => name)
  t.strictSame(names, [
    'GET /shop/cart',
    'POST /shop/checkout/:token',
    'GET /shop/checkout/:token/complete',
    'GET /shop/checkout/:token',
    'GET'
  ])
  t.match(await spansOf('GET /shop/checkout/:token'), [
    { status: 0, attributes: { 'cart_transfer.problem': 'checkout-not-found', 'http.response.status_code': 404 } }
  ])
  const [{ spanId }] = (await spansOf('POST /shop/checkout/:token')) as [SentSpan]
  t.match(await spansOf('store placeOrder'), [{ parentSpanId: spanId }])
  const all = JSON.stringify(collector.spans)
  const token = String(action.split('/').at(-1)).replace('?', '')
  for (const secret of [...PERSONAL, 'a-reference', 'no-such', 'MUG', token]) {
    if (all.includes(secret)) t.fail(`a span has ${secret}`)
  }
})

t.test('a client that leaves is in the span, and the line of the log has its trace', async t => {
  const { hold, release, held } = holdCheckouts()
  const traced = await open(t, { store: hold })
  const origin = await traced.app.listen({ host: '127.0.0.1', port: 0 })
  const body = JSON.stringify(cartOf())
  const socket = openSocket(t, Number(new URL(origin).port))
  socket.write(`POST /shop/cart HTTP/1.1\r\nHost: shop\r\nTraceparent: ${SAMPLED.traceparent}\r\n`)
  socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`)
  socket.write(body)
  await until('the request', () => held() === 1)
  socket.destroy()
  t.match(await traced.spansOf('POST /shop/cart'), [
    { traceId: TRACE, status: 0, attributes: { 'error.type': 'client_left' } }
  ])
  release()
  await until('the line', () => traced.logs.some(({ msg }) => msg === 'transfer'))
  const line = traced.logs.find(({ msg }) => msg === 'transfer')
  t.match(line, { trace_id: TRACE, aborted: true })
})

t.test('an order on its way to the webhook is a trace of its own, which the receiver can go on with', async t => {
  const receiver = await openReceiver(t)
  const traced = await open(t)
  const { store, tracing, spansOf } = traced
  await place(store, newOrder(1))
  await store.stopMessages('nobody', '2026')
  const lines: object[] = []
  const logger = pino({ mixin: tracing.logFields }, { write: line => void lines.push(JSON.parse(line)) })
  receiver.answer(status(204))
  const merchants = [anyMerchant({ webhook: receiver.webhook })]
  const traces = { fetch: tracing.fetch, trace: tracing.task, observer: noopObserver, logger }
  t.teardown(deliverMessages({ store, merchants, clock: () => new Date(), ...traces, random: () => 0, interval: 5 }))
  const [delivery] = await spansOf('deliver order')
  const [call] = await spansOf('POST')
  t.match(delivery, { parentSpanId: '', kind: INTERNAL })
  t.match(call, { traceId: delivery?.traceId, parentSpanId: delivery?.spanId, kind: CLIENT })
  t.equal(receiver.received[0]?.headers.traceparent, `00-${delivery?.traceId}-${call?.spanId}-01`)
  t.match(lines, [{ outcome: 'delivered', trace_id: delivery?.traceId }])
  t.strictSame(tracing.logFields(), {}, 'nothing is traced beyond it')
})

t.test('outside of a trace, nothing is: fetch is as it was, a part is no span', async t => {
  const receiver = await openReceiver(t)
  const { tracing, collector } = await open(t)
  const { fetch } = tracing
  const { signal } = new AbortController()
  receiver.answer(status(404))
  await fetch(new URL(receiver.webhook.url), { method: 'POST', body: '{"data":{}}', signal })
  t.equal(receiver.received[0]?.headers.traceparent, undefined)
  t.equal(await tracing.part('nothing', async () => 1), 1)
  await tracing.task('one', async () => {
    const headers = { 'x-kept': 'yes' }
    await fetch(receiver.webhook.url, { method: 'PUT', headers, body: '{"data":{}}', signal })
    t.match(receiver.received[1]?.headers, { 'x-kept': 'yes', traceparent: String })
  })
  // Before it has a promise.
  await t.rejects(
    tracing.task('two', () => JSON.parse('')),
    { name: 'SyntaxError' }
  )
  await tracing.close()
  t.strictSame(collector.spans.map(({ name }) => name).sort(), ['PUT', 'one', 'two'])
  const { port } = new URL(receiver.webhook.url)
  t.match(collector.spans[0], { status: 2, attributes: { 'server.port': Number(port), 'error.type': '404' } })
})

t.test('the port of an address without one is that of its scheme; a call that is given up says so', async t => {
  const { collector, tracing } = await openAlone(t, {})
  await tracing.task('calls', async () => {
    const { signal } = new AbortController()
    await tracing.fetch('https://shop.example/carts?secret=1', { signal })
    await tracing.fetch('http://shop.example/', { method: 'POST', signal })
    await t.rejects(tracing.fetch('http://shop.example/', { signal: AbortSignal.abort() }), { name: 'AbortError' })
  })
  await tracing.close()
  const calls = collector.spans.filter(({ kind }) => kind === CLIENT)
  t.match(calls, [
    { name: 'GET', attributes: { 'server.address': 'shop.example', 'server.port': 443 } },
    { name: 'POST', attributes: { 'server.port': 80, 'http.response.status_code': 200 } },
    { status: 2, attributes: { 'error.type': 'AbortError' } }
  ])
})

t.test('each sampler keeps what OpenTelemetry says that it does', async t => {
  const requests = { sampled: SAMPLED, unsampled: { traceparent: `00-${TRACE}-${PARENT}-00` }, fresh: {} }
  for (const [sampler, ...kept] of [
    ['always_on', 'sampled', 'unsampled', 'fresh'],
    ['always_off'],
    ['traceidratio'],
    ['parentbased_always_on', 'sampled', 'fresh'],
    ['parentbased_always_off', 'sampled'],
    ['parentbased_traceidratio', 'sampled']
  ] as const) {
    const { collector, tracing } = await openAlone(t, { sampler, ratio: 0 })
    for (const [route, headers] of Object.entries(requests)) {
      tracing.beginRequest({ method: 'GET', route, headers }).end(200, undefined)
    }
    await tracing.close()
    const names = collector.spans.map(({ name }) => name.slice('GET '.length))
    t.strictSame(names, kept, sampler)
  }
})

t.test('a collector that is down costs nobody anything, and the log two lines', async t => {
  const traced = await open(t)
  const { collector, logs } = traced
  const lines = () => logs.filter(({ msg }) => String(msg).startsWith('traces'))
  collector.answer(400)
  t.equal((await post(traced, cartOf(1))).statusCode, 200)
  await until('the line', () => lines().length === 1)
  const seen = collector.requests.length
  t.equal((await post(traced, cartOf(2))).statusCode, 200)
  await until('another failure', () => collector.requests.length > seen)
  collector.answer(200)
  await post(traced, cartOf(3))
  await traced.spansOf('POST /shop/cart')
  await until('the other line', () => lines().length > 1)
  t.match(lines(), [
    { level: 40, reason: '400: Bad Request', msg: 'traces cannot be sent, and are dropped until they can' },
    { level: 30, msg: 'traces are sent again' }
  ])
  t.equal(lines().length, 2)
  for (const line of lines()) t.notOk('trace_id' in line, 'it belongs to no request')
})

t.test('a stop sends what has not been sent, and waits for a collector that hangs no longer than it may', async t => {
  const prompt = await open(t, {}, { batch: {} })
  await post(prompt, cartOf(1))
  t.equal(prompt.collector.spans.length, 0)
  await prompt.tracing.close()
  t.equal((await prompt.spansOf('POST /shop/cart')).length, 1)

  // The exporter itself goes on for so long, in milliseconds.
  setVariables(t, { OTEL_EXPORTER_OTLP_TIMEOUT: '200' })
  const { collector, tracing } = await openAlone(t, {}, 10)
  collector.answer(0)
  await tracing.task('work', async () => {})
  await tracing.close()
})
