// Builds a merchant site for a test as server.ts does: real merchant files, a real feed, a real SQLite file, all in a
// folder that is deleted with the test.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { type Logger, pino } from 'pino'
import type { Test } from 'tap'
import { type AppParts, buildApp } from '../src/app.ts'
import type { TransferRecord } from '../src/checkout/checkout-store.ts'
import type { Destination } from '../src/integrations/destination/destination.ts'
import { destinations as knownDestinations } from '../src/integrations/destination/index.ts'
import { type Fetch, httpFetch } from '../src/integrations/outgoing/http-client.ts'
import { paymentProviders } from '../src/integrations/payment/index.ts'
import type { PaymentProvider } from '../src/integrations/payment/provider.ts'
import { connectProviders, type PaymentGateway } from '../src/integrations/payment/provider-call.ts'
import type { FaultInjection } from '../src/kit/fault-injection/fault-injection.ts'
import { openSimulator } from '../src/kit/simulator/open-simulator.ts'
import { followFeed } from '../src/merchant/catalogue/feed-source.ts'
import { type FeedCatalogue, noFeed } from '../src/merchant/catalogue/followed-feed.ts'
import { followFeeds } from '../src/merchant/catalogue/merged-feeds.ts'
import type { Offer } from '../src/merchant/catalogue/product.ts'
import type { Merchant } from '../src/merchant/merchant.ts'
import { noopObserver, type Observer } from '../src/observer.ts'
import { findPageMistakes } from '../src/pages/check-pages.ts'
import { SIMULATOR_PATH, type SimulatorSettings, simulatorAccess } from '../src/start/simulator-access.ts'
import type { openTracing } from '../src/start/tracing/open-tracing.ts'
import { openSqlite } from '../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../src/store/store.ts'
import { transferOptions } from '../src/transfer/index.ts'
import type { TransferOption } from '../src/transfer/option.ts'
import { readMerchantFiles } from './read-merchants.ts'
import { writeDatabase } from './store/sqlite/write-database.ts'

/** In memory if the system has such a folder: there a commit waits for no disk. */
const TEMPORARY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Products of every kind: a plain one, on sale, sold out, in two currencies, with a hostile title. */
export const FEED = [
  'id\ttitle\timage_link\tavailability\tprice\tsale_price',
  'MUG\tSea-glass mug\tpictures/mug.svg\tin_stock\t12.50 GBP\t',
  'THROW\tHerring throw\thttps://images.example/throw.jpg\tin_stock\t80.00 GBP\t64.95 GBP',
  'LAMP\tBrass lantern\t\tout_of_stock\t45.00 GBP\t',
  'CLOCK\tTide clock\t\tpreorder\t120.00 GBP\t',
  'BASKET\tWillow basket\t\tback order\t38.00 GBP\t',
  'ROPE\tRope mat\thttp://images.example/rope.jpg\tin_stock\t20.00 GBP\t',
  'ROPE\tRope mat\t\tin_stock\t30.00 USD\t',
  'DOLLAR\tDollar only\t\tin_stock\t5.00 USD\t',
  '<script>alert("sku")</script>\t<script>alert("title")</script> & "quotes" \u202eRTL ☕\t\tin_stock\t1.00 GBP\t',
  'a+b c\tSpaces and a plus\t\tin_stock\t2.00 GBP\t',
  'ソ-☕\tカップ\t\tin_stock\t3.00 GBP\t'
].join('\n')

export const SIMULATOR_KEY = 'a-key-for-the-simulator-of-every-test'

/** What a browser sends to the simulator of a listening app, once it has been let in. */
export function simulatorCookie({ listeningOrigin }: FastifyInstance): { cookie: string } {
  return { cookie: `simulator-${new URL(listeningOrigin).port}=${SIMULATOR_KEY}` }
}

/** What a test may change in a merchant file. */
export type MerchantChanges = {
  id?: string
  name?: string
  publicUrl?: string
  locale?: string
  locales?: string[]
  messages?: Record<string, Record<string, string>>
  currencies?: string[]
  transfer?: Record<string, unknown>
  catalogue?: { freeProducts: boolean }
  checkout?: Record<string, unknown>
  theme?: object
  links?: Record<string, string>
  countries?: string[] | Record<string, string[]>
  delivery?: {
    id: string
    label: string | Record<string, string>
    price: string | Record<string, string>
    freeFrom?: string | Record<string, string>
    countries?: string[]
    days?: number[]
  }[]
  payment?: { text: string | Record<string, string> }
}

/** A merchant file for an option, with the changes applied. */
export function merchantFile(option: string, { transfer, catalogue, checkout, ...changes }: MerchantChanges = {}) {
  return {
    id: 'shop',
    name: 'The Shop',
    publicUrl: 'http://127.0.0.1:3000/shop',
    locale: 'en-GB',
    currencies: ['GBP'],
    ...changes,
    transfer: { option, path: '/cart', ...transfer },
    catalogue: { feed: 'feed.tsv', ...catalogue },
    checkout: { path: '/checkout', continueShoppingUrl: 'shop://continue', ...checkout }
  }
}

export type Build = {
  /** Merchant files; by default one, for option 1. */
  merchants?: object[]
  feed?: string
  /** Further feeds in the folder of the merchant files, by their names. */
  feeds?: Record<string, string>
  options?: TransferOption[]
  destinations?: Destination[]
  providers?: PaymentProvider[]
  /** Wraps the store that the app gets. */
  store?: (store: Store) => Store
  /** For the simulator page; without this, there is none. */
  simulator?: Partial<SimulatorSettings> & { key?: string; faults?: FaultInjection }
  rateLimit?: AppParts['rateLimit']
  bodyMemory?: number
  /** Told of what happens; needs the merchants. */
  observe?: (merchants: Merchant[]) => Promise<Observer>
  /** Traces everything; is given what logs. */
  trace?: (logger: () => Logger) => Promise<ReturnType<typeof openTracing>>
  /** Other servers, instead of the network. */
  fetch?: Fetch
  /** The environment variables that merchant files may name. */
  variables?: Record<string, string>
  /** Whether the clock starts now, for commands that have their own; by default it starts on 20 November 2026. */
  isNow?: boolean
}

export type Built = {
  app: FastifyInstance
  store: Store
  merchants: Merchant[]
  catalogues: FeedCatalogue[]
  /** Changes the first merchant's offer in pounds, as a new feed does. */
  changeOffer: (sku: string, offer: Partial<Offer>) => void
  clock: () => Date
  /** Moves the clock forward. */
  tick: (milliseconds: number) => void
  gateways: Map<string, PaymentGateway>
  /** Every log line so far. */
  logs: Record<string, unknown>[]
  /** The folder of the merchant files, the feed and the database. */
  folder: string
}

/** Builds a merchant site that `app.inject` can query; it is closed when the test ends. */
export async function build(
  t: Pick<Test, 'teardown'>,
  {
    merchants,
    feed = FEED,
    feeds = {},
    options = transferOptions,
    destinations = knownDestinations,
    providers = paymentProviders,
    store: wrap,
    simulator,
    rateLimit,
    bodyMemory = 128 * 1024 * 1024,
    observe,
    trace,
    fetch: otherServers,
    variables,
    isNow = false
  }: Build = {}
): Promise<Built> {
  // Not tap's own folder, which a second build of the same test would empty.
  const folder = mkdtempSync(join(TEMPORARY, 'cart-transfer-test-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const files = (merchants ?? [merchantFile('1')]).map((content, i) => {
    const file = join(folder, `merchant-${i}.json`)
    writeFileSync(file, JSON.stringify(content))
    return file
  })
  for (const [name, text] of Object.entries({ 'feed.tsv': feed, ...feeds })) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'pictures'))
  writeFileSync(join(folder, 'pictures/mug.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')

  let now = isNow ? Date.now() : Date.parse('2026-11-20T10:00:00.000Z')
  const clock = () => new Date(now)
  const logs: Record<string, unknown>[] = []
  const tracing = await trace?.(() => logger)
  const mixin = tracing && { mixin: tracing.logFields }
  const logger: Logger = pino({ base: null, ...mixin }, { write: line => void logs.push(JSON.parse(line)) })
  const read = readMerchantFiles(files, {
    options,
    destinations,
    providers,
    ...(variables && { variables }),
    findPageMistakes
  })
  const events = { onLoad: () => {}, onFailure: () => {} }
  const catalogues = await Promise.all(
    read.map(async ({ catalogue }) => {
      if (!catalogue) return noFeed
      const listed = catalogue.feeds.map(({ address, language }) => ({
        language,
        follow: () => followFeed(address, events, 60_000, { hasFreeProducts: catalogue.freeProducts })
      }))
      const fail = (error: unknown) => {
        throw error
      }
      return (await followFeeds(listed, () => {}, fail)) as FeedCatalogue
    })
  )
  const observer = await observe?.(read)
  const database = join(folder, 'data/test.sqlite')
  writeDatabase(database)
  const opened = openSqlite(database, observer && { onCommit: observer.committed })
  const store = wrap?.(opened) ?? opened
  const fetch = otherServers ?? tracing?.fetch ?? httpFetch
  const shops = read.map((merchant, i) => ({ merchant, catalogue: catalogues[i] as FeedCatalogue }))
  const access = simulatorAccess({ host: '127.0.0.1', ...simulator }, shops)
  const { isExposed } = access
  const otherSide =
    simulator && access.isOn
      ? openSimulator({ key: SIMULATOR_KEY, path: SIMULATOR_PATH, isExposed, ...simulator })
      : undefined
  const watched = otherSide?.watch(fetch) ?? fetch
  const connected = connectProviders(read, { fetch: watched, clock, logger, observer: observer ?? noopObserver })
  const gateways = otherSide?.watchGateways(connected, read) ?? connected
  const app = await buildApp({
    merchants: shops,
    store,
    bodyMemory,
    ...(rateLimit && { rateLimit }),
    ...(observer && { observer }),
    clock,
    logger,
    fetch,
    gateways,
    ...(tracing && { tracing }),
    simulator: otherSide?.plugin
  })
  // As a request that arrives does, each begins in a turn of its own: what a test computes before it is not the server's load.
  const inject = app.inject.bind(app)
  app.inject = (async (request: InjectOptions) => {
    await setImmediate()
    await setImmediate()
    return inject(request)
  }) as typeof app.inject
  t.teardown(async () => {
    await app.close()
    await Promise.all(catalogues.map(catalogue => catalogue.close()))
    await store.close()
  })
  const tick = (milliseconds: number) => {
    now += milliseconds
  }
  const changeOffer = (sku: string, offer: Partial<Offer>) => {
    const catalogue = catalogues[0] as FeedCatalogue
    const product = catalogue.product(sku)
    if (!product?.offers.GBP) throw new Error(`the feed has no ${sku} in pounds`)
    const changed = { ...product, offers: { ...product.offers, GBP: { ...product.offers.GBP, ...offer } } }
    const { product: find } = catalogue
    catalogue.product = asked => (asked === sku ? changed : find(asked))
  }
  return { app, store, merchants: read, catalogues, clock, changeOffer, tick, gateways, logs, folder }
}

/** The same, listening on a port of its own. */
export async function buildListening(t: Test, parts?: Build): Promise<Built & { port: number }> {
  const built = await build(t, parts)
  await built.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...built, port: Number(new URL(built.app.listeningOrigin).port) }
}

/** Holds checkouts back, on their way to the store, until they are released. */
export function holdCheckouts() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let held = 0
  const hold = (store: Store): Store => ({
    ...store,
    addCheckout: async (...args) => {
      held++
      await released
      return store.addCheckout(...args)
    }
  })
  return { hold, release, held: () => held }
}

/** Collects the records of transfers on their way to the store. */
export function collectRecords() {
  const records: TransferRecord[] = []
  const collect = (store: Store): Store => ({
    ...store,
    addTransfer: async record => {
      records.push(record)
      await store.addTransfer(record)
    }
  })
  return { collect, records }
}

/** A reference in the form that option 1 requires; the number makes it unique within a test. */
export function uuid(n = 1): string {
  return n.toString(16).padStart(32, '0')
}
