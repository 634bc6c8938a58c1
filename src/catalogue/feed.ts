// Reads Google Merchant's product feed, a table or XML, packed or not: every product that can be served, and why others cannot.
import { MAX_SKU } from '../cart/cart.ts'
import { FeedError, type FileChunks, openFeed } from './feed-bytes.ts'
import { type FeedRow, RowError, readFeedRow, readImage, readVariant } from './feed-row.ts'
import { readTable } from './feed-table.ts'
import { readXml } from './feed-xml.ts'
import { type ProductTable, productTable } from './product-table.ts'

export type Feed = {
  products: ProductTable
  currencies: Set<string>
  /** Why rows are not served or, with `isServed`, served without picture or variant; lines count from 1. The first of them. */
  problems: { line: number; id?: string; reason: string; isServed?: true }[]
  problemCount: number
}

export type ReadFeedOptions = {
  /** Whether pictures are shown on pages served over https. */
  isHttps?: boolean
  /** Of the feed, unpacked. */
  maxBytes?: number
}

/** More are only counted: they might not fit into memory. */
const MAX_PROBLEMS = 100

/** @throws FeedError if the feed cannot be read as a whole, or no product of it could be read */
export async function readFeed(
  bytes: FileChunks,
  { isHttps = false, maxBytes = Number.POSITIVE_INFINITY }: ReadFeedOptions = {}
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
      const { sku, title, currency, offer } = readFeedRow(row)
      feed.currencies.add(currency)
      if (!feed.products.add(sku, currency, offer, () => [title, part(readVariant), part(readImage)])) {
        throw new RowError(`id ${JSON.stringify(sku)} in ${currency} is in an earlier line, which is kept`)
      }
    } catch (error) {
      report(error)
    }
  }
  const { beginning, chunks, close } = await openFeed(bytes, maxBytes)
  try {
    const text = new TextDecoder().decode(beginning).trimStart()
    if (/^<(!doctype )?html/i.test(text)) throw new FeedError('it is a web page, not a feed')
    if (text.startsWith('<')) await readXml(chunks, text, { onRow, onSkipped })
    else await readTable(chunks, String(text.split('\n', 1)[0]), { onRow, onSkipped })
  } finally {
    await close()
  }

  if (feed.products.size() === 0) {
    const [first] = feed.problems
    throw new FeedError(`it holds no product that can be read${first ? `; line ${first.line}: ${first.reason}` : ''}`)
  }
  return feed
}
