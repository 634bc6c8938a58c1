// What following a feed means, wherever it is: a feed that cannot be read never replaces the last good one.
import { type Feed, FeedError, type ReadFeedOptions, readFeed } from './feed.ts'
import type { FileChunks } from './feed-bytes.ts'
import type { ListedCatalogue } from './product.ts'
import { recentProducts } from './recent-products.ts'

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

/** The feed in use. */
export type FeedStatus = {
  products: number
  problems: number
  /** How long ago it was last known to be the newest, in milliseconds. */
  age: number
}

export type FeedCatalogue = ListedCatalogue & {
  /** Absent if there is no feed. */
  status?: () => FeedStatus
  /** Stops following the feed; a load in progress is abandoned. */
  close: () => Promise<void>
}

/** `maxShrink` is how many percent of the products in use a changed feed may lack; by default, any number. */
export type FollowFeedOptions = ReadFeedOptions & { maxShrink?: number }

/**
 * Reads a feed and reports it as loaded. @param inUse the one that it replaces
 * @throws FeedError if it is no feed, or lacks too many of the products in use
 */
export async function loadFeed(
  chunks: FileChunks,
  { maxShrink = 100, ...options }: FollowFeedOptions,
  { onLoad }: Pick<FeedEvents, 'onLoad'>,
  inUse?: Feed,
  asOf?: Date
): Promise<Feed> {
  const started = performance.now()
  const loaded = await readFeed(chunks, options)
  const products = loaded.products.size()
  if (inUse) refuseShrunk(inUse.products.size(), products, maxShrink)
  onLoad({ ...loaded, products, milliseconds: performance.now() - started, ...(asOf && { asOf }) })
  return { ...loaded, products: { ...loaded.products, get: recentProducts(loaded.products.get) } }
}

/** A feed that suddenly lacks most of the products is probably an export that failed. */
function refuseShrunk(before: number, after: number, maxShrink: number): void {
  if (after * 100 >= before * (100 - maxShrink)) return
  const remedy = 'if that is right, raise catalogue.maxShrink and restart'
  throw new FeedError(`products fell from ${before} to ${after}, by more than ${maxShrink} %; ${remedy}`)
}
