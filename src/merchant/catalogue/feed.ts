// Reads Google Merchant's product feed, a table or XML, packed or not: what can be served, and why the rest cannot.
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MAX_SKU } from '../../cart/cart.ts'
import {
  CurrencyError,
  FeedError,
  type FeedRow,
  type FileChunks,
  RowError,
  readFeedRow,
  readImage,
  readVariant
} from './feed-row.ts'
import { readTable } from './feed-table.ts'
import { readXml } from './feed-xml.ts'
import { type ProductTable, productTable } from './product-table.ts'

export type Feed = {
  products: ProductTable
  currencies: Set<string>
  /** Why rows are not served or, with `isServed`, served without picture or variant; lines count from 1. The first of them. */
  problems: { line: number; id?: string; reason: string; isServed?: true }[]
  problemCount: number
  /** Rows whose sale_price of 0 is no sale: how many, and the first. */
  noSales?: { rows: number; line: number; id: string }
}

export type ReadFeedOptions = {
  /** Whether pictures are shown on pages served over https. */
  isHttps?: boolean
  /** Of the feed, unpacked. */
  maxBytes?: number
  /** Whether a price of 0 is meant. */
  hasFreeProducts?: boolean
  /** Those sold, if known: a feed without a price in any of them is of no use. */
  sold?: string[]
}

/** More are only counted: they might not fit into memory. */
const MAX_PROBLEMS = 100

/** @throws FeedError if the feed cannot be read as a whole, or no product of it could be read, or sold */
export async function readFeed(
  bytes: FileChunks,
  { isHttps = false, maxBytes = Number.POSITIVE_INFINITY, hasFreeProducts = false, sold = [] }: ReadFeedOptions = {}
): Promise<Feed> {
  const feed: Feed = { products: productTable(), currencies: new Set(), problems: [], problemCount: 0 }
  const onSkipped = (line: number, reason: string, id?: string, more?: { isServed: true }) => {
    feed.problemCount += 1
    if (feed.problems.length === MAX_PROBLEMS) return
    feed.problems.push({ line, ...(id !== undefined && { id: id.slice(0, MAX_SKU) }), reason, ...more })
  }
  const onRow = (line: number, row: FeedRow) => {
    const report = (error: unknown, more?: { isServed: true }) =>
      onSkipped(line, (error as RowError).message, row('id'), more)
    const part = (read: typeof readVariant | typeof readImage) => {
      try {
        return read(row, isHttps)
      } catch (error) {
        report(error, { isServed: true })
      }
    }
    try {
      const { sku, title, currency, offer, isNoSale } = readFeedRow(row, hasFreeProducts)
      feed.currencies.add(currency)
      if (!feed.products.add(sku, currency, offer, () => [title, part(readVariant), part(readImage)])) {
        throw new RowError(`id ${JSON.stringify(sku)} in ${currency} is in an earlier line, which is kept`)
      }
      if (isNoSale) {
        feed.noSales ??= { rows: 0, line, id: sku }
        feed.noSales.rows += 1
      }
    } catch (error) {
      report(error)
    }
  }
  const { beginning, chunks, close } = await openFeed(bytes, maxBytes)
  try {
    const text = new TextDecoder().decode(beginning).trimStart()
    const other = otherFormat(beginning, text)
    if (other !== undefined) throw new FeedError(other)
    // In UTF-16, NUL stands beside it.
    if (/^<[^\0]/.test(text)) await readXml(chunks, text, { onRow, onSkipped })
    else await readTable(chunks, String(text.split('\n', 1)[0]), { onRow, onSkipped })
  } finally {
    await close()
  }

  if (feed.products.size() === 0) {
    const [first] = feed.problems
    throw new FeedError(`it holds no product that can be read${first ? `; line ${first.line}: ${first.reason}` : ''}`)
  }
  if (sold.length > 0 && feed.currencies.isDisjointFrom(new Set(sold))) {
    throw new CurrencyError(`it has no price in ${sold.join(', ')}, only in ${[...feed.currencies].join(', ')}`)
  }
  return feed
}

const PACKED = 'pack it with gzip, or not at all'
const ARCHIVE = 'give the file in it, as it is or packed with gzip'
const WORKBOOK = 'it is a workbook; save its sheet as CSV in UTF-8'

/** What is no feed, by its first bytes in Latin-1, and what to give instead. */
const OTHER_FORMATS = [
  ['\x1f\x8b', 'it is packed with gzip twice; pack it once'],
  ['\x1f\x9d', `it is packed with compress; ${PACKED}`],
  ['BZh', `it is packed with bzip2; ${PACKED}`],
  ['\xfd7zXZ\0', `it is packed with xz; ${PACKED}`],
  ['\x28\xb5\x2f\xfd', `it is packed with Zstandard; ${PACKED}`],
  ['\x04\x22\x4d\x18', `it is packed with LZ4; ${PACKED}`],
  ['PK\x03\x04', `it is a zip archive; ${ARCHIVE}`],
  ['PK\x05\x06', 'it is a zip archive with nothing in it'],
  ['7z\xbc\xaf\x27\x1c', `it is a 7z archive; ${ARCHIVE}`],
  ['Rar!\x1a\x07', `it is a RAR archive; ${ARCHIVE}`],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', WORKBOOK],
  ['%PDF-', 'it is a PDF; give a table or XML']
] as const

const WEB_PAGE = /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i

/** @returns what is wrong with something that is neither XML nor a table */
function otherFormat(beginning: Buffer, text: string): string | undefined {
  const bytes = beginning.toString('latin1')
  const isZip = bytes.startsWith('PK\x03\x04')
  if (isZip && /\[Content_Types\]\.xml|docProps\/|xl\/workbook|opendocument\.spreadsheet/.test(bytes)) return WORKBOOK
  const [, known] = OTHER_FORMATS.find(([start]) => bytes.startsWith(start)) ?? []
  if (known !== undefined) return known
  if (bytes.startsWith('ustar', 257)) return `it is a tar archive; ${ARCHIVE}`
  if (/^[[{]/.test(text)) return 'it is JSON; give a table or XML'
  return WEB_PAGE.test(text) ? 'it is a web page, not a feed' : undefined
}

/** In bytes; the first line of a table may be long. */
const BEGINNING = 64 * 1024

/** `close` must be called in any case: a generator that nobody has begun to read would leave its file open. */
type OpenedFeed = { beginning: Buffer; chunks: FileChunks; close: () => Promise<unknown> }

/** @throws FeedError, also later from `chunks`, if it is larger than `maxBytes`, unpacked, or its gzip is broken */
async function openFeed(bytes: FileChunks, maxBytes: number): Promise<OpenedFeed> {
  const packed = await withBeginning(bytes)
  const isGzip = packed.beginning[0] === 0x1f && packed.beginning[1] === 0x8b
  return withBeginning(limitBytes(isGzip ? unpacked(packed.chunks) : packed.chunks, maxBytes))
}

export async function withBeginning(chunks: FileChunks): Promise<OpenedFeed> {
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
