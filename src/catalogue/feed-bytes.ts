// The bytes of a feed: unpacked if they are gzip, up to a limit, and their beginning, which tells what format they are.
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** A file, from its start to its end. */
export type FileChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The file is not a product feed. */
export class FeedError extends Error {}

/** How much of a feed is looked at to tell its format, in bytes: the first line of a table may be long. */
const BEGINNING = 64 * 1024

/**
 * A feed and its first bytes, at most 64 KiB and what follows them in their chunk. `close` must be called in any case: a
 * generator that nobody has begun to read would leave its file open.
 */
export type OpenedFeed = { beginning: Buffer; chunks: FileChunks; close: () => Promise<unknown> }

/**
 * @param maxBytes how large the feed may be, unpacked
 * @throws FeedError, also later from `chunks`, if it is larger or its gzip is broken
 */
export async function openFeed(bytes: FileChunks, maxBytes: number): Promise<OpenedFeed> {
  const packed = await withBeginning(bytes)
  const isGzip = packed.beginning[0] === 0x1f && packed.beginning[1] === 0x8b
  return withBeginning(limited(isGzip ? unpacked(packed.chunks) : packed.chunks, maxBytes))
}

async function withBeginning(chunks: FileChunks): Promise<OpenedFeed> {
  const iterator = (async function* () {
    yield* chunks
  })()
  const first: Uint8Array[] = []
  let size = 0
  while (size < BEGINNING) {
    const { done, value } = await iterator.next()
    if (done) break
    first.push(value)
    size += value.length
  }
  const beginning = Buffer.concat(first)
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield beginning
      yield* iterator
    } finally {
      await iterator.return()
    }
  }
  return { beginning, chunks: all(), close: () => iterator.return() }
}

async function* unpacked(chunks: FileChunks): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  // Errors reach the loop below; one chunk at a time, so that nothing is read ahead.
  pipeline(Readable.from(chunks, { highWaterMark: 1 }), gunzip, () => {})
  try {
    yield* gunzip
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('Z_')) throw new FeedError(`its gzip is broken: ${message}`)
    throw error
  }
}

async function* limited(chunks: FileChunks, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw new FeedError(`it is larger than ${maxBytes} bytes; raise catalogue.maxMegabytes`)
    yield chunk
  }
}
