// The metrics, on a port of their own: counted as things happen, or looked up at each scrape. README.md lists them all.
import { once } from 'node:events'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { PaymentStore } from '../../checkout/orders/payment.ts'
import type { OutboxStore } from '../../checkout/webhook/outbox.ts'
import { OperatorError, problems, StoreDamaged } from '../../errors.ts'
import { createNodeServer } from '../../http/node-server.ts'
import { isLoopback } from '../../integrations/destination/shop-page.ts'
import type { FeedCatalogue } from '../../merchant/catalogue/followed-feed.ts'
import type { Merchant } from '../../merchant/merchant.ts'
import type { Observer } from '../../observer.ts'

/** In seconds: a page takes a few milliseconds, a merchant's own shop up to 14 seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** How long the store may take to answer, in milliseconds: less than Prometheus' scrape timeout. */
const PATIENCE = 5000

/** Each may hold the 3 MB of a thousand merchants. */
const MAX_CONNECTIONS = 20

export type LookedUp = {
  shops: { merchant: Merchant; catalogue: FeedCatalogue }[]
  store: Pick<OutboxStore, 'countUndelivered'> & Pick<PaymentStore, 'countPayments'>
  /** Rejects if no bag could be stored. */
  checkReady: () => Promise<void>
  clock: () => Date
  /** How long the store may take, in milliseconds. */
  patience?: number
}

export type MetricsServer = Awaited<ReturnType<typeof serveMetrics>>

/**
 * Counts from the start of the server, and serves once everything is open.
 * @param merchants whose counters start at zero: Prometheus would miss the first increase otherwise
 */
export function meterServer(merchants: Merchant[]) {
  const registry = new Registry()
  // Sampled once a second, not ten times as by default.
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1000 })
  const make = metricsOf(registry)
  const observer = counters(make, merchants)
  const lookUp = gauges(make)
  const scrape = async (parts: LookedUp) => {
    await lookUp(parts)
    let text = ''
    for (const { name } of registry.getMetricsAsArray()) {
      text += `${await registry.getSingleMetricAsString(name)}\n`
      // A thousand merchants have 3 MB of metrics: requests go on in between.
      await nextTurn()
    }
    return text
  }
  const serve = (host: string, port: number, parts: LookedUp) => serveMetrics(host, port, () => scrape(parts))
  return { observer, serve }
}

/** @param port 0 lets the system choose @returns where /metrics is @throws OperatorError if the port cannot be used */
export async function serveMetrics(host: string, port: number, scrape: () => Promise<string>) {
  /** Shared by concurrent scrapes. */
  let scraping: Promise<string> | undefined
  const answer: RequestListener = async ({ method = '', url, headers }, response) => {
    // Connections are few, and an idle one would keep its place.
    response.setHeader('Cache-Control', 'no-store').setHeader('Connection', 'close')
    const refuse = (status: number, text: string) =>
      response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`)
    if (isMisled(headers, host)) {
      return refuse(421, `The Host is ${JSON.stringify(headers.host)}; ask for an IP address or localhost.`)
    }
    if (!['GET', 'HEAD'].includes(method) || url?.replace(/\?.*/s, '') !== '/metrics') {
      return refuse(404, 'Only GET /metrics is served here.')
    }
    scraping ??= scrape().finally(() => {
      scraping = undefined
    })
    try {
      const text = await scraping
      response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text)
    } catch (error) {
      // Unhandled, it would stop the server.
      refuse(500, (error as Error).message)
    }
  }
  const server = createNodeServer(answer, new Map(), () => {})
  server.maxConnections = MAX_CONNECTIONS
  // Without progress; a client that stops reading has made some at first, and gets twice as long.
  server.setTimeout(2 * PATIENCE)
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(`METRICS_PORT: ${(error as Error).message}; give a free port`)
  }
  const { address, port: taken } = server.address() as AddressInfo
  return {
    server,
    // An address of IPv6 has brackets in a URL.
    url: `http://${address.replace(/.*:.*/, '[$&]')}:${taken}/metrics`,
    close: async () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/**
 * Whether a web page may have made a browser ask: its name leads to this machine (DNS rebinding), and is the Host. Beyond
 * loopback, Prometheus asks for names too; unlike browsers, it has no language.
 */
function isMisled({ host = 'localhost', ...headers }: IncomingHttpHeaders, listensOn: string): boolean {
  const name = host.replace(/:\d+$/, '')
  if (isLoopback(name) || isIP(name.replace(/^\[|\]$/g, ''))) return false
  return isLoopback(listensOn) || 'accept-language' in headers
}

const HELP = {
  http_request_duration_seconds: 'How long requests took until their answers were sent.',
  http_requests_in_progress: 'Requests that have no answer yet.',
  cart_transfer_refusals_total: 'Requests of any kind that were refused, by the problem that the answer names.',
  cart_transfer_store_commit_duration_seconds: 'How long commits of the store took, its sync to disk included.',
  cart_transfer_transfers_total: 'Carts that arrived; of a refused one, code is the problem that the answer names.',
  cart_transfer_transfer_duration_seconds: 'How long carts took until their answers were sent.',
  cart_transfer_mistakes_total: 'Refused carts by what was wrong with them; each code counts once for a cart.',
  cart_transfer_checkouts_shown_total: 'Pages of checkouts that were shown, by the state of the checkout.',
  cart_transfer_orders_total: "Orders: placed here, or reported by the merchant's own shop.",
  cart_transfer_webhook_attempts_total: 'Attempts to deliver an order to the webhook of its merchant.',
  cart_transfer_destination_left_alone:
    "1 while the circuit to the merchant's own shop is open as it kept failing, and carts for it are refused.",
  cart_transfer_payments_waiting:
    'Payments that somebody waits for: opening, open, pending, or refunding, which is money for no order.',
  cart_transfer_payments_oldest_age_seconds: 'How long ago the oldest of them began.',
  cart_transfer_payments_settled_total:
    'Payments by what became of them; one may be pending first, and refunded in the end.',
  cart_transfer_payment_provider_failures_total: 'Calls that the payment provider did not answer, or refused.',
  cart_transfer_payment_provider_left_alone:
    "1 while the circuit to the merchant's payment provider is open as it kept failing.",
  cart_transfer_catalogue_products: 'Products of the feeds in use.',
  cart_transfer_catalogue_problems:
    'Lines of the feeds in use that are not served, or without their picture or variant.',
  cart_transfer_catalogue_newest_refused: '1 while the newest feed cannot be used, and an earlier one stays in use.',
  cart_transfer_catalogue_age_seconds: 'How long ago the oldest feed in use was last known to be the newest.',
  cart_transfer_ready: '1 if a bag could be stored, as /readyz says.',
  cart_transfer_store_damaged: '1 once this process has met damage in its database, which then takes nothing more.',
  cart_transfer_outbox_messages:
    'Orders that have not been delivered to the webhook of their merchant: pending, or failed for good.',
  cart_transfer_outbox_oldest_pending_age_seconds:
    'How long the longest-pending order has been in the outbox; 0 if none is pending.'
}

type Name = keyof typeof HELP

function metricsOf(registry: Registry) {
  const partsOf = (name: Name, labelNames: string[]) => ({ name, help: HELP[name], labelNames, registers: [registry] })
  return {
    counter: (name: Name, ...labels: string[]) => new Counter(partsOf(name, labels)),
    gauge: (name: Name, ...labels: string[]) => new Gauge(partsOf(name, labels)),
    histogram: (name: Name, buckets: number[], ...labels: string[]) =>
      new Histogram({ ...partsOf(name, labels), buckets })
  }
}

type Metrics = ReturnType<typeof metricsOf>
function counters({ counter, gauge, histogram }: Metrics, merchants: Merchant[]): Observer {
  const requestDurations = histogram('http_request_duration_seconds', REQUEST_BUCKETS, 'method', 'route', 'status')
  const inProgress = gauge('http_requests_in_progress')
  const refusals = counter('cart_transfer_refusals_total', 'code')
  for (const code of Object.keys(problems)) refusals.inc({ code }, 0)
  const commits = histogram('cart_transfer_store_commit_duration_seconds', COMMIT_BUCKETS)
  const transfers = counter('cart_transfer_transfers_total', 'merchant', 'option', 'outcome', 'code')
  const transferDurations = histogram('cart_transfer_transfer_duration_seconds', REQUEST_BUCKETS, 'merchant', 'option')
  const mistakes = counter('cart_transfer_mistakes_total', 'merchant', 'code')
  const checkouts = counter('cart_transfer_checkouts_shown_total', 'merchant', 'state')
  const orders = counter('cart_transfer_orders_total', 'merchant', 'origin')
  const webhooks = counter('cart_transfer_webhook_attempts_total', 'merchant', 'outcome')
  const circuitOpen = gauge('cart_transfer_destination_left_alone', 'merchant')
  const payments = counter('cart_transfer_payments_settled_total', 'merchant', 'outcome')
  const failures = counter('cart_transfer_payment_provider_failures_total', 'merchant', 'call')
  const providerOpen = gauge('cart_transfer_payment_provider_left_alone', 'merchant')
  for (const { id: merchant, ways, webhook, payment, destination } of merchants) {
    for (const { name: option } of ways) {
      for (const outcome of ['accepted', 'repeated']) transfers.inc({ merchant, option, outcome, code: '' }, 0)
      transferDurations.zero({ merchant, option })
    }
    if (destination) circuitOpen.set({ merchant }, 0)
    else checkouts.inc({ merchant, state: 'open' }, 0)
    orders.inc({ merchant, origin: destination ? 'reported' : 'placed' }, 0)
    if (webhook) for (const outcome of ['delivered', 'refused']) webhooks.inc({ merchant, outcome }, 0)
    if (!payment) continue
    for (const outcome of ['paid', 'refunding']) payments.inc({ merchant, outcome }, 0)
    for (const call of ['open', 'look', 'cancel', 'refund']) failures.inc({ merchant, call }, 0)
    providerOpen.set({ merchant }, 0)
  }
  return {
    requestBegan: () => inProgress.inc(),
    requestEnded: ({ method, route, status, duration }) => {
      inProgress.dec()
      requestDurations.observe({ method, route, status }, duration / 1000)
    },
    refused: code => refusals.inc({ code }),
    committed: milliseconds => commits.observe(milliseconds / 1000),
    transferred: ({ merchant, option, outcome, problem: code = '', mistakes: codes, duration }) => {
      transfers.inc({ merchant, option, outcome, code })
      transferDurations.observe({ merchant, option }, duration / 1000)
      for (const code of codes) mistakes.inc({ merchant, code })
    },
    checkoutShown: (merchant, state) => checkouts.inc({ merchant, state }),
    ordered: (merchant, origin) => orders.inc({ merchant, origin }),
    webhookAttempted: (merchant, outcome) => webhooks.inc({ merchant, outcome }),
    shopCircuit: (merchant, isOpen) => circuitOpen.set({ merchant }, isOpen ? 1 : 0),
    paymentSettled: (merchant, outcome) => payments.inc({ merchant, outcome }),
    providerFailed: (merchant, call) => failures.inc({ merchant, call }),
    providerCircuit: (merchant, isOpen) => providerOpen.set({ merchant }, isOpen ? 1 : 0)
  }
}

/** @returns a function that sets the gauges, for a scrape */
function gauges({ gauge }: Metrics): (parts: LookedUp) => Promise<void> {
  const products = gauge('cart_transfer_catalogue_products', 'merchant')
  const problemLines = gauge('cart_transfer_catalogue_problems', 'merchant')
  const age = gauge('cart_transfer_catalogue_age_seconds', 'merchant')
  const newestRefused = gauge('cart_transfer_catalogue_newest_refused', 'merchant')
  const ready = gauge('cart_transfer_ready')
  const damaged = gauge('cart_transfer_store_damaged')
  const messages = gauge('cart_transfer_outbox_messages', 'merchant', 'state')
  const pendingAge = gauge('cart_transfer_outbox_oldest_pending_age_seconds', 'merchant')
  const waiting = gauge('cart_transfer_payments_waiting', 'merchant', 'state')
  const paymentAge = gauge('cart_transfer_payments_oldest_age_seconds', 'merchant', 'state')

  async function lookUpOutbox({ store, shops, clock }: LookedUp): Promise<void> {
    const counts = await store.countUndelivered()
    const now = clock().getTime()
    // Otherwise a gauge would keep its last value. An empty outbox is reported as 0.
    messages.reset()
    pendingAge.reset()
    const empty = shops.flatMap(({ merchant: { id: merchantId, webhook } }) =>
      webhook ? { merchantId, pending: 0, failed: 0, pendingSince: undefined } : []
    )
    for (const { merchantId: merchant, pending, failed, pendingSince } of [...empty, ...counts]) {
      messages.set({ merchant, state: 'pending' }, pending)
      messages.set({ merchant, state: 'failed' }, failed)
      const seconds = pendingSince === undefined ? 0 : (now - Date.parse(pendingSince)) / 1000
      pendingAge.set({ merchant }, Math.max(seconds, 0))
    }
  }

  async function lookUpPayments({ store, clock }: LookedUp): Promise<void> {
    const counts = await store.countPayments()
    const now = clock().getTime()
    waiting.reset()
    paymentAge.reset()
    for (const { merchantId: merchant, state, payments, since } of counts) {
      waiting.set({ merchant, state }, payments)
      paymentAge.set({ merchant, state }, Math.max((now - Date.parse(since)) / 1000, 0))
    }
  }

  return async parts => {
    const { shops, checkReady, patience = PATIENCE } = parts
    for (const { merchant, catalogue } of shops) {
      const status = catalogue.status?.()
      if (!status) continue
      products.set({ merchant: merchant.id }, status.products)
      problemLines.set({ merchant: merchant.id }, status.problems)
      age.set({ merchant: merchant.id }, status.age / 1000)
      newestRefused.set({ merchant: merchant.id }, Number(status.isNewestRefused))
    }
    // If the store cannot be read in time, the gauges of outbox and payments keep their last values.
    const checked = checkReady().catch(error => {
      if (error instanceof StoreDamaged) damaged.set(1)
      throw error
    })
    const looks = [checked, lookUpOutbox(parts), lookUpPayments(parts)].map(look => isDoneIn(patience, look))
    const [isReady] = await Promise.all(looks)
    ready.set(isReady ? 1 : 0)
  }
}

function isDoneIn(patience: number, work: Promise<void>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false
  )
  return Promise.race([done, sleep(patience, false, { ref: false })])
}
