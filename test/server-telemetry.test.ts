// What an operator sees of a running server: metrics on a port of their own, from the start until it has stopped, and
// traces in a collector.
import t from 'tap'
import { uuid } from './build.ts'
import { bagOf, sendBag, startShop } from './running-shop.ts'
import { HELD_DRAIN } from './server-process.ts'
import { scrape } from './start/metrics/metered-shop.ts'
import { openCollector } from './start/tracing/collector.ts'
import { until } from './until.ts'

t.test('METRICS_PORT serves metrics until the server has stopped, and OpenTelemetry gets its traces', async t => {
  const collector = await openCollector(t)
  const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' }
  const env = { METRICS_PORT: '0', DRAIN_SECONDS: '60', ...OTEL }
  const { origin, logs, child, exited } = await startShop(t, { env, preload: HELD_DRAIN, coverage: true })
  const logged = (wanted: string) => logs().find(({ msg }) => msg === wanted)
  await until('the address of the metrics', () => logged('metrics on'))
  const { url } = logged('metrics on') as { url: string }
  t.not(new URL(url).port, new URL(origin).port)
  collector.answer(400)
  await fetch(`${origin}/shop/nothing`)
  await until('the log', () => logs().some(({ level, msg }) => level === 40 && /traces/.test(String(msg))))
  collector.answer(200)
  t.equal((await sendBag(origin, bagOf(uuid()))).status, 200)
  t.equal((await fetch(`${origin}/metrics`)).status, 404, 'shoppers do not meet them')
  const { values } = await scrape(url)
  t.match(values, {
    'cart_transfer_transfers_total{merchant="shop",option="1",outcome="accepted"}': 1,
    cart_transfer_ready: 1
  })
  t.ok(Number(values.cart_transfer_store_commit_duration_seconds_count) > 0)

  child.kill('SIGTERM')
  await until('the drain', async () => (await scrape(url)).values.cart_transfer_ready === 0)
  child.kill('SIGWINCH')
  t.match(await exited, { code: 0 })
  const [span] = collector.spans.filter(({ name }) => name === 'POST /shop/cart')
  t.match(span, { resource: { 'service.name': 'cart-transfer' } }, 'a stop sends the last spans')
  t.match(logged('transfer'), { trace_id: span?.traceId, span_id: span?.spanId })
})
