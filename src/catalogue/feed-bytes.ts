// The bytes of a feed: unpacked, limited, and their beginning, which tells the format.
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

export type FileChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The file is not a product feed. */
export class FeedError extends Error {}

/** In bytes; the first line of a table may be long. */
const BEGINNING = 64 * 1024

/** `close` must be called in any case: a generator that nobody has begun to read would leave its file open. */
type OpenedFeed = { beginning: Buffer; chunks: FileChunks; close: () => Promise<unknown> }

/** @throws FeedError, also later from `chunks`, if it is larger than `maxBytes`, unpacked, or its gzip is broken */
export async function openFeed(bytes: FileChunks, maxBytes: number): Promise<OpenedFeed> {
  const packed = await withBeginning(bytes)
  const isGzip = packed.beginning[0] === 0x1f && packed.beginning[1] === 0x8b
  return withBeginning(limitBytes(isGzip ? unpacked(packed.chunks) : packed.chunks, maxBytes))
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

/** @throws FeedError once there are more bytes */
export async function* limitBytes(chunks: FileChunks, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw new FeedError(`it is larger than ${maxBytes} bytes; raise catalogue.maxMegabytes`)
    yield chunk
  }
}
