// A catalogue that follows the feed of an address, and keeps a copy of the last good one.
import { confirmCopy, readCopy, writePart } from './feed-copy.ts'
import { type FeedAddress, fetchFeed, type Validators } from './fetch-feed.ts'
import { type FeedCatalogue, type FeedEvents, type FollowFeedOptions, followSource } from './followed-feed.ts'

export type FollowUrlOptions = Omit<FollowFeedOptions, 'maxBytes'> & {
  address: FeedAddress
  /** The file in which a copy is kept; its folder is created if needed. */
  copy: string
  /** How often the address is asked, in milliseconds. */
  interval: number
}

/** @throws if the address gives no feed, and there is no copy */
export function followFeedUrl(
  { address, copy, interval, ...options }: FollowUrlOptions,
  events: Required<FeedEvents>
): Promise<FeedCatalogue> {
  const { url, maxBytes } = address
  /** Those of the last answer, whether its feed is in use or was refused. */
  let validators: Validators = {}
  const kept = async () => {
    const found = await readCopy(copy, url)
    const settle = (isGood: boolean) => {
      if (isGood && found) validators = found.validators
    }
    return found && { ...found, settle }
  }
  const find = async (now: Date, signal: AbortSignal) => {
    const fetched = await fetchFeed(address, validators, signal)
    if (!fetched) return 'unchanged'
    const { chunks, keep, discard } = await writePart(copy, url, fetched)
    const settle = async (isGood: boolean) => {
      if (isGood) await keep(now)
      validators = fetched.validators
    }
    return { chunks, settle, discard }
  }
  const confirm = (now: Date) =>
    confirmCopy(copy, now).catch(() => {
      // Without a copy, the whole feed is asked for the next time.
      validators = {}
    })
  return followSource({ isFile: false, kept, find, confirm }, events, interval, { ...options, maxBytes })
}
