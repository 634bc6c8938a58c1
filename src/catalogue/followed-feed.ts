// A catalogue that follows a feed, wherever it is: a feed that cannot be read never replaces the last good one. Here, it
// follows a file: a changed one is reloaded while the server runs.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
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

/** A check that has not ended after so many more, as on a network mount that is gone, is reported. */
const HUNG_AFTER = 15

/**
 * @param interval how often the file is checked for changes, in milliseconds
 * @throws if the file cannot be read at the start
 */
export async function followFeed(
  file: string,
  events: FeedEvents,
  interval: number,
  options: FollowFeedOptions = {},
  read: (file: string) => AsyncIterable<Uint8Array> = createReadStream
): Promise<FeedCatalogue> {
  const closing = new AbortController()
  const { signal } = closing
  let seen = await fingerprint(file)
  let feed = await loadFeed(read(file), options, events, { signal })
  /** When the feed in use was last known to be what the file holds. */
  let current = performance.now()
  let isRefused = false
  let pending: string | undefined
  let reported: string | undefined

  /**
   * Reloads a changed file once two checks in a row find it the same: before that it may still be being written. A file
   * that cannot be read is tried again; one that is not a feed only once it changes. Either is reported once.
   */
  async function check(): Promise<void> {
    let found: string | undefined
    try {
      found = await fingerprint(file)
      if (found === seen) {
        reported = undefined
        if (!isRefused) current = performance.now()
        return
      }
      if (found !== pending) {
        pending = found
        reported = undefined
        return
      }
      feed = await loadFeed(read(file), options, events, { signal, inUse: feed })
      seen = found
      current = performance.now()
      isRefused = false
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof FeedError) {
        isRefused = true
        seen = String(found)
      }
      const { message } = error as Error
      if (message !== reported) events.onFailure(error as Error)
      reported = message
    }
  }
  let isBusy = false
  /** How many checks were left out, as one was still under way. */
  let leftOut = 0
  const timer = setInterval(async () => {
    if (isBusy) {
      leftOut += 1
      const seconds = (HUNG_AFTER * interval) / 1000
      if (leftOut === HUNG_AFTER) events.onFailure(new Error(`the file system has not answered for ${seconds} s`))
      return
    }
    isBusy = true
    leftOut = 0
    await check()
    isBusy = false
  }, interval)
  timer.unref()
  const close = async () => {
    clearInterval(timer)
    closing.abort()
  }
  return catalogueOf(
    () => feed,
    () => performance.now() - current,
    close
  )
}

/** Changes whenever the file does. */
async function fingerprint(file: string): Promise<string> {
  const found = await stat(file)
  if (!found.isFile()) throw new Error('it is not a regular file')
  return `${found.mtimeMs} ${found.size} ${found.ino}`
}
