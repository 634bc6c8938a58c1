// A catalogue that follows a feed file: a changed file is reloaded while the server runs.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type FeedCatalogue, type FeedEvents, type FollowFeedOptions, followSource } from './followed-feed.ts'

/** @param interval in milliseconds @throws if the file cannot be read at the start */
export function followFeed(
  file: string,
  events: FeedEvents,
  interval: number,
  options: FollowFeedOptions = {}
): Promise<FeedCatalogue> {
  let settled: string | undefined
  let pending: string | undefined
  const find = async () => {
    const found = await fingerprint(file)
    if (found === settled) return 'unchanged'
    const isWhole = settled === undefined || found === pending
    pending = found
    // Until two checks in a row find it the same, it may still be being written.
    if (!isWhole) return undefined
    const settle = () => {
      settled = found
    }
    return { chunks: createReadStream(file), settle }
  }
  return followSource({ isFile: true, find }, events, interval, options)
}

async function fingerprint(file: string): Promise<string> {
  const found = await stat(file)
  if (!found.isFile()) throw new Error('it is not a regular file')
  return `${found.mtimeMs} ${found.size} ${found.ino}`
}
