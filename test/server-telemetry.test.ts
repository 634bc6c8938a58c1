// What an operator sees of a running server: metrics on a port of their own, from the start until it has stopped, and
// traces in a collector.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FEED, merchantFile, uuid } from './build.ts'
import { scrape } from './metrics/metered-shop.ts'
import { startServer } from './server-process.ts'
import { openCollector } from './tracing/collector.ts'
import { until } from './until.ts'

function folderOf(t: Test): string {
  const folder = t.testdir({ 'feed.tsv': FEED })
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(merchantFile('1', { publicUrl: '/shop' })))
  return folder
}

t.test('METRICS_PORT serves metrics until the server has stopped, and OpenTelemetry gets its traces', async t => {
  const collector = await openCollector(t)
  const env = { METRICS_PORT: '0', DRAIN_SECONDS: '2', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
  const server = await startServer(t, { folder: folderOf(t), args: ['shop.json'], env, coverage: true })
  const { origin, logs, child, exited } = server
  const { url } = logs().find(({ msg }) => msg === 'metrics on') as { url: string }
  t.not(new URL(url).port, new URL(origin).port)
  const cart = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid() }
  const headers = { 'content-type': 'application/json' }
  const sent = await fetch(`${origin}/shop/cart`, { method: 'POST', headers, body: JSON.stringify(cart) })
  t.equal(sent.status, 200)
  t.equal((await fetch(`${origin}/metrics`)).status, 404, 'shoppers do not meet them')
  const { value } = await scrape(url)
  t.equal(value('cart_transfer_transfers_total{merchant="shop",option="1",outcome="accepted"}'), 1)
  t.equal(value('cart_transfer_ready'), 1)
  t.ok(Number(value('cart_transfer_store_commit_duration_seconds_count')) > 0)

  child.kill('SIGTERM')
  await until('the drain', async () => (await scrape(url)).value('cart_transfer_ready') === 0)
  t.match(await exited, { code: 0 })
  const [span] = collector.spans.filter(({ name }) => name === 'POST /shop/cart')
  t.match(span, { resource: { 'service.name': 'cart-transfer' } }, 'a stop sends the last spans')
  t.match(
    logs().find(({ msg }) => msg === 'transfer'),
    { trace_id: span?.traceId, span_id: span?.spanId }
  )
})
