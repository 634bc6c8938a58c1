// Follows a feed, wherever it is: it is checked at intervals, and one that cannot be read never replaces the last good one.
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Feed, type ReadFeedOptions, readFeed } from './feed.ts'
import { FeedError } from './feed-row.ts'
import { isSellable, type ListedCatalogue, type Product } from './product.ts'
import type { ProductTable } from './product-table.ts'

type FeedLoad = Pick<Feed, 'currencies' | 'problems' | 'problemCount' | 'noSales'> & {
  products: number
  milliseconds: number
  /** Of the kept copy of a feed by address: when it was last known to be current. */
  asOf?: Date
}

export type FeedEvents = {
  onLoad: (loaded: FeedLoad) => void
  /** A changed feed cannot be read; the last good one stays in use. */
  onFailure: (error: Error) => void
  /** An address gave no feed; `asOf` is when the one in use was last known to be current. */
  onUnreachable?: (error: Error, asOf: Date) => void
}

export type FeedCatalogue = ListedCatalogue & {
  /**
   * The feed in use, how long ago it was last known to be the newest, in milliseconds, and whether the newest was refused.
   * Absent if there is no feed.
   */
  status?: () => { products: number; problems: number; age: number; isNewestRefused: boolean }
  close: () => Promise<void>
}

export type FollowedFeed = Required<Omit<FeedCatalogue, 'products'>> & { products: () => Iterable<Product> }

/** For a merchant whose own shop knows what it sells. */
export const noFeed: FeedCatalogue = { product: () => undefined, products: () => [], close: async () => {} }

export type FollowFeedOptions = ReadFeedOptions & {
  /** How many percent of what can be bought a changed feed may lack or give no price; by default, any number. */
  maxShrink?: number
  clock?: () => Date
  /** Called whenever a feed has come into use. */
  onUse?: () => void
}

type FoundFeed = {
  chunks: AsyncIterable<Uint8Array>
  /** When it was known to be current, if that is not now. */
  asOf?: Date
  /** Called once it is known whether it is good; either way, it is not to be found again. */
  settle: (isGood: boolean) => void | Promise<void>
  /** Called in the end, in any case. */
  discard?: () => Promise<void>
}

type FeedSource = {
  /** Reading a file may hang for good, as on a network mount that is gone: no close waits for it. */
  isFile: boolean
  /** Of the moments at which it is checked; absent if it is checked from its start on. In milliseconds. */
  phase?: number
  /** The last good feed, kept when the server stopped. */
  kept?: () => Promise<FoundFeed | undefined>
  /** A feed that is not the one settled last; 'unchanged' if that is still the newest; undefined if it is not known yet. */
  find: (now: Date, signal: AbortSignal) => Promise<FoundFeed | 'unchanged' | undefined>
  /** The feed in use is still the newest. */
  confirm?: (now: Date) => Promise<void>
}

/** The longest wait after an error that is not in the feed, in milliseconds. */
const RETRY = 5 * 60 * 1000

/**
 * @param interval how often it is checked, in milliseconds
 * @throws if there is neither a feed that can be read, nor a good one that was kept
 */
export async function followSource(
  { isFile, phase, kept, find, confirm }: FeedSource,
  events: FeedEvents,
  interval: number,
  { maxShrink = 100, clock = () => new Date(), onUse, ...options }: FollowFeedOptions
): Promise<FollowedFeed> {
  const closing = new AbortController()
  const { signal } = closing
  let feed: Pick<Feed, 'products' | 'currencies' | 'problemCount'> | undefined
  /** When the feed in use was last known to be the newest. */
  let asOf = clock()
  /** Whether the newest feed is not the one in use. */
  let isRefused = false
  let reported: string | undefined

  /** @throws FeedError if it is no feed, or takes too many products, or a currency, away; the one in use then stays */
  async function load(found: FoundFeed, now: Date): Promise<void> {
    const started = performance.now()
    try {
      const { products, ...rest } = await readFeed(Readable.from(found.chunks, { signal }), options)
      const { currencies, problemCount } = rest
      signal.throwIfAborted()
      if (feed) {
        const lost = [...new Set(options.sold).intersection(feed.currencies).difference(currencies)].join(', ')
        const remedy = `if that is right, take ${lost} out of currencies and restart`
        if (lost) throw new FeedError(`it has no price in ${lost} any more; ${remedy}`)
        const loss = await lossIn(feed.products, products, options.sold, maxShrink)
        // Of a file there is no copy that a start could compare it with.
        const restart = `if that is right, ${isFile ? '' : 'raise catalogue.maxShrink and '}restart`
        if (loss) throw new FeedError(`${loss}, and maxShrink is ${maxShrink} %; ${restart}`)
        signal.throwIfAborted()
      }
      const milliseconds = performance.now() - started
      const known = found.asOf && { asOf: found.asOf }
      events.onLoad({ ...rest, products: products.size(), milliseconds, ...known })
      await found.settle(true)
      feed = { products, currencies, problemCount }
      asOf = found.asOf ?? now
      isRefused = false
      onUse?.()
    } catch (error) {
      if (error instanceof FeedError) {
        isRefused = true
        await found.settle(false)
      }
      throw error
    } finally {
      await found.discard?.()
    }
  }
  async function check(): Promise<void> {
    const now = clock()
    const found = await find(now, signal)
    if (found === undefined || (found === 'unchanged' && isRefused)) return
    if (found !== 'unchanged') return load(found, now)
    asOf = now
    await confirm?.(now)
  }
  /** What stays wrong is reported once, except that an address gives nothing. */
  async function poll(): Promise<void> {
    let longest = interval
    try {
      await check()
      reported = undefined
    } catch (error) {
      if (signal.aborted) return
      const { message } = error as Error
      const isInFeed = error instanceof FeedError
      if (!isInFeed) longest = RETRY
      if (!isInFeed && !isFile) events.onUnreachable?.(error as Error, asOf)
      else if (message !== reported) events.onFailure(error as Error)
      reported = message
    }
    if (!signal.aborted) pollIn(Math.min(untilNext(), longest))
  }
  /** By the wall clock, so that replicas that started at different times have the same prices. */
  const untilNext = () => (phase === undefined ? interval : interval - ((clock().getTime() + phase) % interval))
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  function pollIn(wait: number): void {
    timer = setTimeout(() => {
      polling = poll()
    }, wait).unref()
  }

  const last = await kept?.()
  // One that cannot be read is as good as none.
  if (last) await load(last, asOf).catch(() => {})
  const isKept = feed !== undefined
  if (!isKept) await check()
  const inUse = () => feed as NonNullable<typeof feed>
  // A check of an address that does not answer would hold up the start.
  pollIn(isKept ? 0 : untilNext())
  return {
    product: sku => inUse().products.get(sku),
    products: () => inUse().products.values(),
    status: () => ({
      products: inUse().products.size(),
      problems: inUse().problemCount,
      age: clock().getTime() - asOf.getTime(),
      isNewestRefused: isRefused
    }),
    close: async () => {
      clearTimeout(timer)
      closing.abort()
      if (!isFile) await polling
    }
  }
}

/** Products that are compared between two pauses. */
const SLICE = 200

/**
 * An export that failed may lack most products, or their prices.
 * @param sold the currencies that count; if there are none, all
 * @returns what is lost, if in any currency more than `maxShrink` percent of the products that could be bought are gone or free
 */
async function lossIn(
  before: ProductTable,
  after: ProductTable,
  sold: string[] = [],
  maxShrink: number
): Promise<string | undefined> {
  const counts = new Map<string, { all: number; lost: number }>()
  let looked = 0
  for (const { sku, offers } of before.values()) {
    looked += 1
    if (looked % SLICE === 0) await setImmediate()
    const offersAfter = after.get(sku)?.offers
    for (const [currency, offer] of Object.entries(offers)) {
      if (!isSellable(offer) || offer.price === 0 || (sold.length > 0 && !sold.includes(currency))) continue
      const count = counts.get(currency) ?? { all: 0, lost: 0 }
      counts.set(currency, count)
      count.all += 1
      if (!offersAfter?.[currency]?.price) count.lost += 1
    }
  }
  const [currency, count] = [...counts].find(([, { all, lost }]) => lost * 100 > all * maxShrink) ?? []
  if (count)
    return `of the ${count.all} products that can be bought in ${currency}, ${count.all - count.lost} would keep a price`
}
