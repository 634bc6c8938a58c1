// A catalogue that follows a feed file: a changed file is reloaded while the server runs.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { FeedError } from './feed.ts'
import { catalogueOf, type FeedCatalogue, type FeedEvents, type FollowFeedOptions, loadFeed } from './followed-feed.ts'

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
      if (leftOut === HUNG_AFTER)
        events.onFailure(new Error(`a look at it has taken ${seconds} s so far; its file system may hang`))
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
