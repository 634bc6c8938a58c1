// What following a feed means, wherever it is: a feed that cannot be read never replaces the last good one.
import { type Feed, FeedError, type ReadFeedOptions, readFeed } from './feed.ts'
import type { ListedCatalogue } from './product.ts'

/** `problems` are the first of them, `problemCount` is how many there are; `currencies` are those of the prices. */
export type FeedLoad = Pick<Feed, 'currencies' | 'problems' | 'problemCount'> & {
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
  /** The feed in use, and how long ago it was last known to be the newest, in milliseconds. Absent if there is no feed. */
  status?: () => { products: number; problems: number; age: number }
  /** Stops following the feed; a load in progress is abandoned. */
  close: () => Promise<void>
}

/** The catalogue of a merchant without a feed, whose own shop knows what it sells. */
export const noFeed: FeedCatalogue = { product: () => undefined, products: () => [], close: async () => {} }

/** `maxShrink` is how many percent of the products in use a changed feed may lack; by default, any number. */
export type FollowFeedOptions = ReadFeedOptions & { maxShrink?: number }

/** What is kept of a feed that is in use. */
export type LoadedFeed = Pick<Feed, 'products' | 'problemCount'>

/**
 * Reads a feed and reports it as loaded.
 * @param of.inUse the one that it replaces
 * @throws FeedError if it is no feed, or lacks too many of the products in use; whatever else, once `signal` is aborted
 */
export async function loadFeed(
  chunks: AsyncIterable<Uint8Array>,
  { maxShrink = 100, ...options }: FollowFeedOptions,
  { onLoad }: Pick<FeedEvents, 'onLoad'>,
  { signal, inUse, asOf }: { signal: AbortSignal; inUse?: LoadedFeed | undefined; asOf?: Date }
): Promise<LoadedFeed> {
  const started = performance.now()
  const { products, problemCount, ...rest } = await readFeed(untilAborted(chunks, signal), options)
  signal.throwIfAborted()
  const count = products.size()
  if (inUse) refuseShrunk(inUse.products.size(), count, maxShrink)
  const milliseconds = performance.now() - started
  onLoad({ ...rest, problemCount, products: count, milliseconds, ...(asOf && { asOf }) })
  return { products, problemCount }
}

async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    yield chunk
  }
}

/** A feed that suddenly lacks most of the products is probably an export that failed. */
function refuseShrunk(before: number, after: number, maxShrink: number): void {
  if (after * 100 >= before * (100 - maxShrink)) return
  const remedy = 'if that is right, raise catalogue.maxShrink and restart'
  throw new FeedError(`products fell from ${before} to ${after}, by more than ${maxShrink} %; ${remedy}`)
}

/** The catalogue of whichever feed is in use. @param age how long ago it was known to be the newest, in milliseconds */
export function catalogueOf(inUse: () => LoadedFeed, age: () => number, close: FeedCatalogue['close']): FeedCatalogue {
  return {
    product: sku => inUse().products.get(sku),
    products: () => inUse().products.values(),
    status: () => ({ products: inUse().products.size(), problems: inUse().problemCount, age: age() }),
    close
  }
}
