// A catalogue that follows a feed file: a changed file is reloaded while the server runs, and one that cannot be read
// never replaces the last good one.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Feed, FeedError, type FeedProblem, readFeed } from './feed.ts'
import type { ListedCatalogue } from './product.ts'

export type FeedEvents = {
  /** `problems` are the first of them, and `problemCount` is how many there are. */
  onLoad: (loaded: {
    products: number
    problems: FeedProblem[]
    problemCount: number
    milliseconds: number
  }) => void
  /** A changed file cannot be read; the last good one stays in use. */
  onFailure: (error: Error) => void
}

export type FeedCatalogue = ListedCatalogue & {
  /** Stops following the file. */
  close: () => Promise<void>
}

/**
 * @param interval how often the file is checked for changes, in milliseconds
 * @throws if the file cannot be read at the start
 */
export async function followFeed(file: string, events: FeedEvents, interval: number): Promise<FeedCatalogue> {
  let seen = await fingerprint(file)
  let feed = await load()
  let pending: string | undefined
  let reported: string | undefined
  let busy: Promise<void> | undefined

  async function load(): Promise<Feed> {
    const started = performance.now()
    const loaded = await readFeed(createReadStream(file))
    const { products, problems, problemCount } = loaded
    const milliseconds = performance.now() - started
    events.onLoad({ products: products.size(), problems, problemCount, milliseconds })
    return loaded
  }
  /**
   * Reloads a changed file once two checks in a row find it the same: before that it may still be being written. A file
   * that cannot be read is tried again; one that is not a feed only once it changes. Either is reported once.
   */
  async function check(): Promise<void> {
    let current: string | undefined
    try {
      current = await fingerprint(file)
      if (current === seen) return
      if (current !== pending) {
        pending = current
        reported = undefined
        return
      }
      feed = await load()
      seen = current
    } catch (error) {
      if (error instanceof FeedError) seen = String(current)
      const { message } = error as Error
      if (message !== reported) events.onFailure(error as Error)
      reported = message
    }
  }
  const timer = setInterval(() => {
    busy ??= check().finally(() => {
      busy = undefined
    })
  }, interval)
  timer.unref()

  return {
    product: sku => feed.products.get(sku),
    products: () => feed.products.values(),
    close: async () => {
      clearInterval(timer)
      await busy
    }
  }
}

/** Changes whenever the file does. */
async function fingerprint(file: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(file)
  return `${mtimeMs} ${size} ${ino}`
}
