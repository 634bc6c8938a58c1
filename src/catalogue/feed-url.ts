// A catalogue that follows the feed of an address. A copy of the last good one is kept, so that a restart needs no network: a
// line of JSON, then the feed as it was sent. The copy's time of change is when the feed was last known to be current.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type FeedAddress, type FetchedFeed, fetchFeed, type Validators } from './fetch-feed.ts'
import { type FeedCatalogue, type FeedEvents, type FollowFeedOptions, followSource } from './followed-feed.ts'

export type FollowUrlOptions = Omit<FollowFeedOptions, 'maxBytes'> & {
  address: FeedAddress
  /** The file in which a copy is kept; its folder is created if needed. */
  copy: string
  /** How often the address is asked, in milliseconds. */
  interval: number
}

/** The first line of a copy; `address` is a hash, because an address may hold a secret. */
type CopyHeader = { address: string; validators: Validators }

/** How long the first line may be, in bytes. */
const LONGEST_HEADER = 16 * 1024

/** A part that a process left behind when it was killed is deleted after a day, in milliseconds. */
const PART_AGE = 24 * 60 * 60 * 1000

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
    const { part, chunks } = await writePart(copy, url, fetched)
    const settle = async (isGood: boolean) => {
      if (isGood) {
        await utimes(part, now, now)
        await rename(part, copy)
      }
      validators = fetched.validators
    }
    return { chunks, settle, discard: () => rm(part, { force: true }) }
  }
  const confirm = (now: Date) =>
    utimes(copy, now, now).catch(() => {
      // Without a copy, the whole feed is asked for the next time.
      validators = {}
    })
  return followSource({ isFile: false, kept, find, confirm }, events, interval, { ...options, maxBytes })
}

/** @returns undefined if there is no copy of this address */
async function readCopy(copy: string, url: string) {
  try {
    await using handle = await open(copy)
    const { buffer } = await handle.read({ buffer: Buffer.alloc(LONGEST_HEADER), position: 0 })
    const end = buffer.indexOf('\n')
    const { address, validators }: CopyHeader = JSON.parse(buffer.toString('utf8', 0, end))
    if (address !== hashOf(url)) return undefined
    return { chunks: readFrom(copy, end + 1), validators, asOf: (await handle.stat()).mtime }
  } catch {
    return undefined
  }
}

/** Writes what may become the copy to a file of its own, `part`. */
async function writePart(copy: string, url: string, { validators, body }: FetchedFeed) {
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
  await deleteOldParts(copy)
  const part = `${copy}.${randomUUID()}.part`
  const header: CopyHeader = { address: hashOf(url), validators }
  const firstLine = Buffer.from(`${JSON.stringify(header)}\n`)
  try {
    await using handle = await open(part, 'wx', 0o600)
    await handle.writeFile(firstLine)
    await handle.writeFile(body)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return { part, chunks: readFrom(part, firstLine.length) }
}

function hashOf(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

async function* readFrom(file: string, start: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { start })
}

async function deleteOldParts(copy: string): Promise<void> {
  const folder = dirname(copy)
  const parts = (await readdir(folder)).filter(name => name.startsWith(`${basename(copy)}.`) && name.endsWith('.part'))
  // One that another process has just deleted is no matter.
  await Promise.allSettled(
    parts.map(async name => {
      const { mtimeMs } = await stat(join(folder, name))
      if (mtimeMs < Date.now() - PART_AGE) await rm(join(folder, name))
    })
  )
}
