// A copy of the last good feed of an address, so that a restart needs no network: a line of JSON, then the feed as it was
// sent. The file's time of change is when the feed was last known to be current.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FetchedFeed, Validators } from './fetch-feed.ts'

/** The first line of a copy; `address` is a hash, because an address may hold a secret. */
type CopyHeader = { address: string; validators: Validators }

/** How long the first line may be, in bytes. */
const LONGEST_HEADER = 16 * 1024

/** A part that a process left behind when it was killed is deleted after a day, in milliseconds. */
const PART_AGE = 24 * 60 * 60 * 1000

/** @returns undefined if there is no copy of this address */
export async function readCopy(
  file: string,
  url: string
): Promise<{ chunks: AsyncIterable<Uint8Array>; validators: Validators; asOf: Date } | undefined> {
  try {
    await using handle = await open(file)
    const { buffer } = await handle.read({ buffer: Buffer.alloc(LONGEST_HEADER), position: 0 })
    const end = buffer.indexOf('\n')
    const { address, validators }: CopyHeader = JSON.parse(buffer.toString('utf8', 0, end))
    if (address !== hashOf(url)) return undefined
    return { chunks: readFrom(file, end + 1), validators, asOf: (await handle.stat()).mtime }
  } catch {
    return undefined
  }
}

/** Notes that the copy is still current. @throws if there is none */
export function confirmCopy(file: string, now: Date): Promise<void> {
  return utimes(file, now, now)
}

/** Writes what may become the copy: `keep` makes it so, `discard` must be called in any case. */
export async function writePart(
  file: string,
  url: string,
  { validators, body }: FetchedFeed
): Promise<{ chunks: AsyncIterable<Uint8Array>; keep: (now: Date) => Promise<void>; discard: () => Promise<void> }> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await deleteOldParts(file)
  const part = `${file}.${randomUUID()}.part`
  const header: CopyHeader = { address: hashOf(url), validators }
  const firstLine = Buffer.from(`${JSON.stringify(header)}\n`)
  const discard = () => rm(part, { force: true })
  try {
    await using handle = await open(part, 'wx', 0o600)
    await handle.writeFile(firstLine)
    await handle.writeFile(body)
  } catch (error) {
    await discard()
    throw error
  }
  const keep = async (now: Date) => {
    await utimes(part, now, now)
    await rename(part, file)
  }
  return { chunks: readFrom(part, firstLine.length), keep, discard }
}

function hashOf(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

async function* readFrom(file: string, start: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { start })
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
