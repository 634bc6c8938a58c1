// The metrics that are looked up when somebody asks: the catalogues, what waits in the outbox, whether a bag could be
// stored. README.md lists them all.
import type { FeedCatalogue } from '../catalogue/followed-feed.ts'
import type { OutboxStore } from '../webhook/outbox.ts'
import type { Metrics } from './metrics.ts'

export type LookedUp = {
  catalogues: { merchant: string; catalogue: Pick<FeedCatalogue, 'status'> }[]
  /** Their outboxes are there when they are empty, too. */
  withWebhook: string[]
  store: Pick<OutboxStore, 'countUndelivered'>
  /** Rejects if no bag could be stored. */
  checkReady: () => Promise<void>
  clock: () => Date
  /** How long the store may take, in milliseconds. */
  patience?: number
}

/** Less than Prometheus waits for an answer. */
const PATIENCE = 5000

type Parts = Pick<Metrics, 'client' | 'registry'>

/** @returns a function that looks everything up */
export function addGauges(parts: Parts, lookedUp: LookedUp): () => Promise<void> {
  const lookUpCatalogues = addCatalogues(parts, lookedUp)
  const lookUpStore = addStore(parts, lookedUp)
  return async () => {
    lookUpCatalogues()
    await lookUpStore()
  }
}

function addCatalogues({ client: { Gauge }, registry }: Parts, { catalogues }: LookedUp): () => void {
  const ofMerchant = { labelNames: ['merchant'], registers: [registry] }
  const products = new Gauge({
    name: 'cart_transfer_catalogue_products',
    help: 'Products of the feed in use.',
    ...ofMerchant
  })
  const problems = new Gauge({
    name: 'cart_transfer_catalogue_problems',
    help: 'Lines of the feed in use that are not served, or without their picture or variant.',
    ...ofMerchant
  })
  const age = new Gauge({
    name: 'cart_transfer_catalogue_age_seconds',
    help: 'How long ago the feed in use was last known to be the newest.',
    ...ofMerchant
  })
  return () => {
    for (const { merchant, catalogue } of catalogues) {
      const status = catalogue.status?.()
      if (!status) continue
      products.set({ merchant }, status.products)
      problems.set({ merchant }, status.problems)
      age.set({ merchant }, status.age / 1000)
    }
  }
}

function addStore({ client: { Gauge }, registry }: Parts, lookedUp: LookedUp): () => Promise<void> {
  const { store, checkReady, clock, withWebhook, patience = PATIENCE } = lookedUp
  const registers = [registry]
  const ready = new Gauge({
    name: 'cart_transfer_ready',
    help: '1 if a bag could be stored, as /readyz says.',
    registers
  })
  const messages = new Gauge({
    name: 'cart_transfer_outbox_messages',
    help: 'Orders that have not been delivered to the webhook of their merchant: pending, or failed for good.',
    labelNames: ['merchant', 'state'],
    registers
  })
  const age = new Gauge({
    name: 'cart_transfer_outbox_oldest_pending_age_seconds',
    help: 'How long the longest-pending order has been in the outbox; 0 if none is pending.',
    labelNames: ['merchant'],
    registers
  })
  const lookUpOutbox = async () => {
    const counts = await store.countUndelivered()
    // What was there before is not there any more.
    const empty = withWebhook.map(merchantId => ({ merchantId, pending: 0, failed: 0, pendingSince: undefined }))
    messages.reset()
    age.reset()
    const now = clock().getTime()
    for (const { merchantId: merchant, pending, failed, pendingSince } of [...empty, ...counts]) {
      messages.set({ merchant, state: 'pending' }, pending)
      messages.set({ merchant, state: 'failed' }, failed)
      const seconds = pendingSince === undefined ? 0 : (now - Date.parse(pendingSince)) / 1000
      age.set({ merchant }, Math.max(seconds, 0))
    }
  }
  return async () => {
    const isReady = isDoneIn(patience, checkReady())
    // An outbox that cannot be looked at is left as it was.
    const [is] = await Promise.all([isReady, isDoneIn(patience, lookUpOutbox())])
    ready.set(is ? 1 : 0)
  }
}

/** Whether work succeeds within a time, in milliseconds. */
async function isDoneIn(patience: number, work: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), patience)
  const done = work.then(
    () => true,
    () => false
  )
  return Promise.race([done, late]).finally(() => clearTimeout(timer))
}
