// Orchard Lane's own shop, as `npm start` runs it: it takes bags by the hook, shows them, takes orders and reports them.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CartRefused, compareCart, readHandoff } from '../../../src/integrations/destination/destination.ts'
import { hook } from '../../../src/integrations/destination/hook/hook.ts'
import { destinations } from '../../../src/integrations/destination/index.ts'
import { httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { paymentProviders } from '../../../src/integrations/payment/index.ts'
import { openDemoShop } from '../../../src/kit/demo/demo-shop.ts'
import type { Merchant } from '../../../src/merchant/merchant.ts'
import { signatureHeaders, signMessage } from '../../../src/secrets.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import { freePort, listen } from '../../listen.ts'
import { ROOT } from '../../node-process.ts'
import { readMerchantFiles } from '../../read-merchants.ts'

const CONFIG = join(ROOT, 'config')
const REFERENCE = '<b>order-1'

const cartOf = (...skus: string[]) => ({
  reference: REFERENCE,
  currency: 'EUR',
  items: skus.map((sku, i) => ({ sku, quantity: i + 1 }))
})

async function open(t: Test, { port = 0, metricsPort = 0, ownOrigin = (): string => 'http://127.0.0.1:1' } = {}) {
  let now = Date.now()
  const clock = () => new Date(now)
  const shop = await openDemoShop({ port, metricsPort, ownOrigin, clock })
  let isOpen = true
  const close = async () => {
    if (isOpen) await shop.close()
    isOpen = false
  }
  t.teardown(close)
  const files = ['harbour', 'orchard'].map(id => join(CONFIG, `${id}.json`))
  const read = readMerchantFiles(files, {
    options: transferOptions,
    destinations,
    providers: paymentProviders,
    variables: shop.variables
  })
  const [harbour, merchant] = read.map(shop.lead)
  const { webhook, ...led } = harbour as Merchant
  t.strictSame(led, read[0], 'other merchants lead where they did')
  const secret = String(merchant?.destination?.secret)
  const { url = '' } = { ...merchant?.destination?.settings } as { url?: string }
  const signal = AbortSignal.timeout(60_000)
  const send = async (cart = cartOf('OL-JUICE', 'OL-CHUTNEY'), key = 'a-key') =>
    readHandoff(await hook.open(cart, { settings: { url }, key, signal, fetch: httpFetch, clock, secret }), clock())
  const tick = (milliseconds: number) => {
    now += milliseconds
  }
  return { url, secret, webhook, send, tick, close }
}

const pageOf = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, location: response.headers.get('location'), html: await response.text() }
}

t.test('a bag is shown line by line, and a repeat leads to the same', async t => {
  const { send } = await open(t)
  const cart = cartOf('OL-JUICE', 'OL-CHUTNEY', 'OL-JUICE')
  const handover = await send(cart)
  compareCart(cart, handover)
  const { html } = await pageOf(handover.description.url)
  t.strictSame(
    Array.from(html.matchAll(/data-article="([^"]+)"/g), ([, sku]) => sku),
    cart.items.map(({ sku }) => sku)
  )
  t.match(html, /<title>Your bag – Orchard Lane<\/title>/)
  t.match(html, /class="count">2<\/span> pieces, €5\.50 each/)
  t.match(html, /Order and pay €35\.10</)
  t.notMatch(html, 'Pre-order')
  for (const name of ['Delivery', 'Returns', 'Terms', 'Privacy', 'Legal notice']) t.match(html, `>${name}</a>`)
  t.match(html, /By ordering you accept our <a [^>]*>terms<\/a>/)
  const later = await pageOf((await send(cartOf('OL-JUICE', 'OL-TREE'), 'third-key')).description.url)
  t.match(later.html, /Bramley apple tree.*Pre-order: we send it as soon as we have it/s)
  t.equal(later.html.match(/Pre-order/g)?.length, 1)
  const { origin } = new URL(handover.description.url)
  for (const [, src = ''] of html.matchAll(/<img src="([^"]+)"/g)) {
    t.match((await fetch(origin + src)).headers.get('content-type'), 'image/svg+xml')
  }
  t.equal((await send(cart)).description.url, handover.description.url)
  t.not((await send(cart, 'another-key')).description.url, handover.description.url)
})

t.test('what it does not sell is refused by line', async t => {
  const { send } = await open(t)
  const refusal = await send({ ...cartOf('OL-JUICE', 'OL-PRESS', 'NONE'), currency: 'USD' }).catch(error => error)
  t.type(refusal, CartRefused)
  t.match(refusal.mistakes, [
    { line: 1, code: 'out-of-stock' },
    { line: 2, code: 'sku-unknown' },
    { field: 'currency', code: 'currency-not-sold' }
  ])
})

t.test('a bag is ordered once, and the order is reported with the shared secret', async t => {
  const reports: { path: string; isSigned: boolean; order: Record<string, unknown> }[] = []
  const { origin } = await listen(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(of =>
      String(request.headers[`webhook-${of}`])
    )
    const expected = signMessage(shop.secret, { id: String(id), timestamp: String(timestamp), body })
    reports.push({ path: String(request.url), isSigned: signature === expected, order: JSON.parse(body) })
    response.writeHead(201).end()
  })
  const shop = await open(t, { ownOrigin: () => origin })
  const { url } = (await shop.send()).description
  t.equal((await pageOf(`${url}/complete`)).status, 200, 'without an order, the bag')
  const placed = await pageOf(url, { method: 'POST' })
  t.match(placed, { status: 303, location: /^\/bag\/a-key\/complete\?order=OL-\d+$/ })
  t.equal((await pageOf(url, { method: 'POST' })).location, placed.location)
  t.equal((await pageOf(url)).location, placed.location)
  const { html } = await pageOf(new URL(String(placed.location), url).href)
  t.match(html, /<title>Order complete – Orchard Lane<\/title>/)
  t.match(html, `class="number">${new URL(String(placed.location), url).searchParams.get('order')}<`)
  for (const text of [origin, '/orchard/orders', 'order-1']) t.notMatch(html, text, 'nothing that is not for shoppers')
  t.match(html, 'href="orchard://continue"')
  t.strictSame(reports, [
    {
      path: '/orchard/orders',
      isSigned: true,
      order: {
        reference: REFERENCE,
        number: new URL(String(placed.location), url).searchParams.get('order'),
        currency: 'EUR',
        total: '20.70',
        items: [
          { sku: 'OL-JUICE', quantity: 1 },
          { sku: 'OL-CHUTNEY', quantity: 2 }
        ]
      }
    }
  ])
})

t.test('an order that cannot be reported is an order', async t => {
  const { send } = await open(t)
  const { url } = (await send()).description
  const { location } = await pageOf(url, { method: 'POST' })
  t.match((await pageOf(new URL(String(location), url).href)).html, /Thank you/)
})

t.test('a bag is forgotten after an hour', async t => {
  const { send, tick } = await open(t)
  const { description, expiresAt } = await send()
  t.ok(expiresAt)
  tick(61 * 60_000)
  await send(cartOf('OL-HONEY'), 'later')
  t.match(await pageOf(description.url), { status: 404, html: /There is no bag here/ })
  t.match(await pageOf(new URL('/', description.url).href), { status: 404, html: /There is no bag here/ })
})

t.test('it takes nothing that is not signed, and answers nothing to what it cannot read', async t => {
  const { url, secret } = await open(t)
  t.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401)
  const [id, timestamp] = ['a-key', String(Math.floor(Date.now() / 1000))]
  const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  const headers = { ...signed, 'webhook-signature': signMessage(secret, { id, timestamp, body: 'no JSON' }) }
  await t.rejects(fetch(url, { method: 'POST', headers, body: 'no JSON' }))
})

t.test('it takes the webhooks of the other merchants, if they are signed', async t => {
  const { webhook, secret } = await open(t)
  t.equal(webhook?.secret, secret)
  const body = '{"type":"order.placed"}'
  const headers = signatureHeaders(secret, 'order_placed_A', body, new Date())
  const post = (init: RequestInit) => fetch(String(webhook?.url), { method: 'POST', body, ...init })
  t.equal((await post({ headers })).status, 204)
  t.equal((await post({})).status, 401)
})

t.test('it listens next to the server, and elsewhere if that port is taken or for metrics', async t => {
  const first = await open(t)
  const { port } = new URL(first.url)
  const second = await open(t, { port: Number(port) - 1 })
  t.not(new URL(second.url).port, port)
  await first.close()
  const third = await open(t, { port: Number(port) - 1 })
  t.equal(new URL(third.url).port, port)
  const next = await freePort()
  const metered = await open(t, { port: next - 1, metricsPort: next })
  t.not(new URL(metered.url).port, String(next))
})
