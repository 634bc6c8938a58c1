// The metrics that are counted as things happen. README.md lists them all.
import type { Registry } from '@prometheus-io/client'
import { problems } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Observer } from '../observer.ts'

/** In seconds: a page takes a few milliseconds, a merchant's own shop up to ten seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export type MeteredMerchant = Pick<Merchant, 'id' | 'option' | 'webhook' | 'destination'>

/** The library, loaded when somebody wants metrics. */
export type Client = typeof import('@prometheus-io/client')

export type Metrics = { client: Client; registry: Registry; observer: Observer }

/** @param merchants whose counters are there from the start, at zero: a first increase would not be seen otherwise */
export async function createMetrics(merchants: MeteredMerchant[]): Promise<Metrics> {
  const client = await import('@prometheus-io/client')
  const registry = new client.Registry()
  // Sampled once a second, not ten times as by default.
  client.collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1000 })
  const metrics = { client, registry }
  return { ...metrics, observer: { ...requestMetrics(metrics), ...domainMetrics(metrics, merchants) } }
}

type Parts = Pick<Metrics, 'client' | 'registry'>

type RequestEvents = Pick<Observer, 'requestBegan' | 'requestEnded' | 'refused' | 'committed'>

function requestMetrics({ client: { Counter, Gauge, Histogram }, registry }: Parts): RequestEvents {
  const registers = [registry]
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took until their answers were sent.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers
  })
  let inProgress = 0
  new Gauge({
    name: 'http_requests_in_progress',
    help: 'Requests that have no answer yet.',
    registers,
    collect() {
      this.set(inProgress)
    }
  })
  const refusals = new Counter({
    name: 'cart_transfer_refusals_total',
    help: 'Requests of any kind that were refused, by the problem that the answer names.',
    labelNames: ['code'],
    registers
  })
  for (const code of Object.keys(problems)) refusals.inc({ code }, 0)
  const commits = new Histogram({
    name: 'cart_transfer_store_commit_duration_seconds',
    help: 'How long commits of the store took, its sync to disk included.',
    buckets: COMMIT_BUCKETS,
    registers
  })
  return {
    requestBegan: () => {
      inProgress++
    },
    requestEnded: ({ method, route, status, duration: milliseconds }) => {
      inProgress--
      duration.observe({ method, route, status }, milliseconds / 1000)
    },
    refused: code => refusals.inc({ code }),
    committed: milliseconds => commits.observe(milliseconds / 1000)
  }
}

type DomainEvents = Omit<Observer, keyof RequestEvents>

function domainMetrics(
  { client: { Counter, Gauge, Histogram }, registry }: Parts,
  merchants: MeteredMerchant[]
): DomainEvents {
  const registers = [registry]
  const transfers = new Counter({
    name: 'cart_transfer_transfers_total',
    help: 'Carts that arrived; of a refused one, code is the problem that the answer names.',
    labelNames: ['merchant', 'option', 'outcome', 'code'],
    registers
  })
  const durations = new Histogram({
    name: 'cart_transfer_transfer_duration_seconds',
    help: 'How long carts took until their answers were sent.',
    labelNames: ['merchant', 'option'],
    buckets: REQUEST_BUCKETS,
    registers
  })
  const mistakes = new Counter({
    name: 'cart_transfer_mistakes_total',
    help: 'Refused carts by what was wrong with them; each code counts once for a cart.',
    labelNames: ['merchant', 'code'],
    registers
  })
  const checkouts = new Counter({
    name: 'cart_transfer_checkouts_shown_total',
    help: 'Pages of checkouts that were shown, by the state of the checkout.',
    labelNames: ['merchant', 'state'],
    registers
  })
  const orders = new Counter({
    name: 'cart_transfer_orders_total',
    help: "Orders: placed here, or reported by the merchant's own shop.",
    labelNames: ['merchant', 'origin'],
    registers
  })
  const webhooks = new Counter({
    name: 'cart_transfer_webhook_attempts_total',
    help: 'Attempts to deliver an order to the webhook of its merchant.',
    labelNames: ['merchant', 'outcome'],
    registers
  })
  const circuitOpen = new Gauge({
    name: 'cart_transfer_destination_left_alone',
    help: "1 while the circuit to the merchant's own shop is open as it kept failing, and carts for it are refused.",
    labelNames: ['merchant'],
    registers
  })
  for (const { id: merchant, option, webhook, destination } of merchants) {
    for (const outcome of ['accepted', 'repeated']) {
      transfers.inc({ merchant, option: option.name, outcome, code: '' }, 0)
    }
    durations.zero({ merchant, option: option.name })
    if (destination) circuitOpen.set({ merchant }, 0)
    else checkouts.inc({ merchant, state: 'open' }, 0)
    orders.inc({ merchant, origin: destination ? 'reported' : 'placed' }, 0)
    if (webhook) for (const outcome of ['delivered', 'refused']) webhooks.inc({ merchant, outcome }, 0)
  }
  return {
    transferred: ({ merchant, option, outcome, problem: code = '', mistakes: codes, duration }) => {
      transfers.inc({ merchant, option, outcome, code })
      durations.observe({ merchant, option }, duration / 1000)
      for (const code of codes) mistakes.inc({ merchant, code })
    },
    checkoutShown: (merchant, state) => checkouts.inc({ merchant, state }),
    ordered: (merchant, origin) => orders.inc({ merchant, origin }),
    webhookAttempted: (merchant, outcome) => webhooks.inc({ merchant, outcome }),
    shopCircuit: (merchant, isOpen) => circuitOpen.set({ merchant }, isOpen ? 1 : 0)
  }
}
