// A catalogue that follows the feed of an address: it is asked at intervals for a newer one, and while it gives none the
// last good one stays in use. A kept copy of that one lets a restart do without the network.
import { setTimeout as pause } from 'node:timers/promises'
import { FeedError } from './feed.ts'
import type { FeedCopy } from './feed-copy.ts'
import { type FeedAddress, fetchFeed, type Validators } from './fetch-feed.ts'
import {
  catalogueOf,
  type FeedCatalogue,
  type FeedEvents,
  type FollowFeedOptions,
  type LoadedFeed,
  loadFeed
} from './followed-feed.ts'

export type FollowUrlOptions = Omit<FollowFeedOptions, 'maxBytes'> & {
  address: FeedAddress
  copy: FeedCopy
  /** How often the address is asked, in milliseconds. */
  interval: number
  clock: () => Date
}

/** An address that gives no feed is asked again at the latest after five minutes, in milliseconds. */
const RETRY = 5 * 60 * 1000

/** @throws if the address gives no feed, and there is no copy */
export async function followFeedUrl(
  { address, copy, interval, clock, ...rest }: FollowUrlOptions,
  events: Required<FeedEvents>
): Promise<FeedCatalogue> {
  const options: FollowFeedOptions = { ...rest, maxBytes: address.maxBytes }
  const closing = new AbortController()
  const { signal } = closing
  /** Those of the last answer, whether its feed is in use or was refused. */
  let validators: Validators = {}
  let isRefused = false
  let reported: string | undefined
  let asOf = clock()

  async function loadCopy(): Promise<LoadedFeed | undefined> {
    const kept = await copy.read()
    if (!kept) return undefined
    try {
      const loaded = await loadFeed(kept.chunks(), options, events, { signal, asOf: kept.asOf })
      ;({ validators, asOf } = kept)
      return loaded
    } catch {
      // As good as none: the address is asked.
      return undefined
    }
  }
  /** Asks the address. @returns undefined if it has no newer feed; @throws FeedError if it is none */
  async function fetchNewer(inUse?: LoadedFeed): Promise<LoadedFeed | undefined> {
    const now = clock()
    const fetched = await fetchFeed(address, validators, signal)
    if (!fetched) {
      if (isRefused) return undefined
      asOf = now
      // Without a copy, the whole feed is asked for the next time.
      if (!(await copy.confirm(now))) validators = {}
      return undefined
    }
    const part = await copy.write(fetched)
    try {
      const loaded = await loadFeed(part.chunks(), options, events, { signal, inUse }).catch(error => {
        if (error instanceof FeedError) {
          isRefused = true
          ;({ validators } = fetched)
        }
        throw error
      })
      await part.keep(now)
      asOf = now
      isRefused = false
      reported = undefined
      ;({ validators } = fetched)
      return loaded
    } finally {
      await part.discard()
    }
  }
  const kept = await loadCopy()
  let feed = kept ?? ((await fetchNewer()) as LoadedFeed)

  /** Asks again and again until the feed is closed. @param first when to begin: in so many milliseconds */
  async function poll(first: number): Promise<void> {
    let wait = first
    while (!signal.aborted) {
      try {
        await pause(wait, undefined, { signal, ref: false })
        wait = interval
        feed = (await fetchNewer(feed)) ?? feed
      } catch (error) {
        if (error instanceof FeedError) {
          if (error.message !== reported) events.onFailure(error)
          reported = error.message
        } else if (!signal.aborted) {
          wait = Math.min(interval, RETRY)
          events.onUnreachable(error as Error, asOf)
        }
      }
    }
  }
  // Not for the start: an address that does not answer would hold it up.
  const polling = poll(kept ? 0 : interval)
  const close = async () => {
    closing.abort()
    await polling
  }
  return catalogueOf(
    () => feed,
    () => clock().getTime() - asOf.getTime(),
    close
  )
}
