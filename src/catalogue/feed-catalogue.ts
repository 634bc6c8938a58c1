// A catalogue that follows a feed file: a changed file is reloaded while the server runs, and one that cannot be read
// never replaces the last good one.
import type { Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { FeedError } from './feed.ts'
import { type FeedCatalogue, type FeedEvents, type FollowFeedOptions, loadFeed } from './followed-feed.ts'

/** How a feed file is read. */
export type FeedAccess = {
  stat: (file: string) => Promise<Pick<Stats, 'mtimeMs' | 'size' | 'ino' | 'isFile'>>
  /** Must not read ahead: an operation that nobody waits for could hang unnoticed. */
  read: (file: string) => AsyncIterable<Uint8Array>
  /** How long the file system may take for each answer, in milliseconds. */
  patience: number
}

const FILE_ACCESS: FeedAccess = { stat, read: readChunks, patience: 30_000 }

/** In bytes: a read takes a tenth of a millisecond, however much it reads. */
const CHUNK = 64 * 1024

/** How long an answer of the file system is waited for when the feed is closed, in milliseconds. */
const CLOSE_PATIENCE = 1000

/** A process that exits waits for its threads, so it would wait for ever for one that is stuck in the file system. */
const killProcess = process.kill.bind(process, process.pid, 'SIGKILL')

/**
 * @param interval how often the file is checked for changes, in milliseconds
 * @throws if the file cannot be read at the start
 */
export async function followFeed(
  file: string,
  events: FeedEvents,
  interval: number,
  options: FollowFeedOptions = {},
  { stat, read, patience }: FeedAccess = FILE_ACCESS
): Promise<FeedCatalogue> {
  let isClosing = false
  /** Shortens the wait for the operation in progress. */
  let hurry: (() => void) | undefined
  /** Whether an operation that was given up still occupies one of the four threads for files: no other is begun. */
  let isStuck = false
  let seen = await fingerprint()
  let feed = await loadFeed(chunks(), options, events)
  /** When the feed in use was last known to be what the file holds. */
  let current = performance.now()
  let isRefused = false
  let pending: string | undefined
  let reported: string | undefined
  let busy: Promise<void> | undefined

  function stopIfClosing(): void {
    if (isClosing) throw new Error('the feed is no longer followed')
  }
  /** The result of an operation of the file system, unless it takes too long, as on a network mount that is gone. */
  async function answer<T>(begin: () => Promise<T>): Promise<T> {
    stopIfClosing()
    const operation = begin()
    // Feeds are polled at the same time: as many listeners as operations are no leak.
    process.setMaxListeners(process.getMaxListeners() + 1).once('exit', killProcess)
    const release = () => {
      isStuck = false
      process.off('exit', killProcess).setMaxListeners(process.getMaxListeners() - 1)
    }
    operation.then(release, release)
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    const giveUp = () => {
      isStuck = true
      reject(new Error(`the file system has not answered for ${patience / 1000} s`))
    }
    let timer = setTimeout(giveUp, patience)
    hurry = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, CLOSE_PATIENCE)
    }
    try {
      const result = await Promise.race([operation, givenUp])
      stopIfClosing()
      return result
    } finally {
      clearTimeout(timer)
      hurry = undefined
    }
  }
  /** Changes whenever the file does. */
  async function fingerprint(): Promise<string> {
    const found = await answer(() => stat(file))
    if (!found.isFile()) throw new Error('it is not a regular file')
    return `${found.mtimeMs} ${found.size} ${found.ino}`
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const iterator = read(file)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await answer(() => iterator.next())
        if (done) return
        yield value
      }
    } finally {
      // Closes the file, at the latest when an operation that was given up ends; nothing waits for that.
      Promise.allSettled([iterator.return?.()])
    }
  }
  /**
   * Reloads a changed file once two checks in a row find it the same: before that it may still be being written. A file
   * that cannot be read is tried again; one that is not a feed only once it changes. Either is reported once.
   */
  async function check(): Promise<void> {
    let found: string | undefined
    try {
      found = await fingerprint()
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
      feed = await loadFeed(chunks(), options, events, feed)
      seen = found
      current = performance.now()
      isRefused = false
    } catch (error) {
      if (isClosing) return
      if (error instanceof FeedError) {
        isRefused = true
        seen = String(found)
      }
      const { message } = error as Error
      if (message !== reported) events.onFailure(error as Error)
      reported = message
    }
  }
  const timer = setInterval(() => {
    if (isStuck) return
    busy ??= check().finally(() => {
      busy = undefined
    })
  }, interval)
  timer.unref()

  return {
    product: sku => feed.products.get(sku),
    products: () => feed.products.values(),
    status: () => ({
      products: feed.products.size(),
      problems: feed.problemCount,
      age: performance.now() - current
    }),
    close: async () => {
      clearInterval(timer)
      isClosing = true
      hurry?.()
      await busy
    }
  }
}

/** Unlike a stream, begins no read before the last one has been used. */
async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file)
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
