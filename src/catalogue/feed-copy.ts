// Keeps the last good feed of an address in a file, so that a restart needs no network. The file's first line has what the
// server recognises the feed by, the rest is the feed as it was sent; its time of change is when the feed was last known to
// be current.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FetchedFeed, Validators } from './fetch-feed.ts'

/** A feed in a file, of which chunks can be read. */
type StoredFeed = { chunks: () => AsyncIterable<Uint8Array> }

/** A feed that may become the copy: `keep` makes it so, `discard` must be called in any case. */
export type FeedPart = StoredFeed & { keep: (now: Date) => Promise<void>; discard: () => Promise<void> }

export type FeedCopy = {
  /** The copy, if there is one of this address. */
  read: () => Promise<(StoredFeed & { validators: Validators; asOf: Date }) | undefined>
  write: (fetched: FetchedFeed) => Promise<FeedPart>
  /** Notes that the copy is still current. @returns whether there is one */
  confirm: (now: Date) => Promise<boolean>
}

/** The first line of a copy; `address` is a hash, because an address may hold a secret. */
type CopyHeader = { address: string; validators: Validators }

/** How long the first line may be, in bytes. */
const LONGEST_HEADER = 16 * 1024

/** A part that a process left behind when it was killed is deleted after a day, in milliseconds. */
const PART_AGE = 24 * 60 * 60 * 1000

/** @param file where the copy is kept; its folder is created if needed */
export function feedCopy(file: string, url: string): FeedCopy {
  const address = createHash('sha256').update(url).digest('hex')
  return {
    read: async () => {
      const header = await readHeader(file)
      if (header?.address !== address) return undefined
      const { mtime } = await stat(file)
      return { validators: header.validators, asOf: mtime, chunks: () => readAfterHeader(file) }
    },
    write: async ({ validators, body }) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await deleteOldParts(file)
      const part = `${file}.${randomUUID()}.part`
      const discard = () => rm(part, { force: true })
      try {
        const handle = await open(part, 'wx', 0o600)
        try {
          const header: CopyHeader = { address, validators }
          await handle.writeFile(`${JSON.stringify(header)}\n`)
          await handle.writeFile(body)
        } finally {
          await handle.close()
        }
      } catch (error) {
        await discard()
        throw error
      }
      const keep = async (now: Date) => {
        await utimes(part, now, now)
        await rename(part, file)
      }
      return { chunks: () => readAfterHeader(part), keep, discard }
    },
    confirm: now =>
      utimes(file, now, now).then(
        () => true,
        () => false
      )
  }
}

/** The first line of a copy; undefined if there is no copy, or it cannot be read. */
async function readHeader(file: string): Promise<CopyHeader | undefined> {
  try {
    const handle = await open(file)
    try {
      const { buffer } = await handle.read({ buffer: Buffer.alloc(LONGEST_HEADER), position: 0 })
      return JSON.parse(buffer.toString('utf8', 0, buffer.indexOf('\n')))
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

async function* readAfterHeader(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file)
  let isHeader = true
  for await (const chunk of handle.createReadStream() as AsyncIterable<Buffer>) {
    yield isHeader ? chunk.subarray(chunk.indexOf('\n') + 1) : chunk
    isHeader = false
  }
}

async function deleteOldParts(file: string): Promise<void> {
  const folder = dirname(file)
  const parts = (await readdir(folder)).filter(name => name.startsWith(`${basename(file)}.`) && name.endsWith('.part'))
  // One that another process has just deleted is no matter.
  await Promise.allSettled(
    parts.map(async name => {
      const { mtimeMs } = await stat(join(folder, name))
      if (mtimeMs < Date.now() - PART_AGE) await rm(join(folder, name))
    })
  )
}
