// Reads Google Merchant's product feed, a table or XML, packed or not: every product that can be served, and why others cannot.
import { MAX_SKU } from '../cart/cart.ts'
import { FeedError, type FileChunks, openFeed } from './feed-bytes.ts'
import { type FeedRow, RowError, type RowHandlers, readFeedRow, readImage, readVariant } from './feed-row.ts'
import { readTable } from './feed-table.ts'
import { readXml } from './feed-xml.ts'
import { type ProductTable, productTable } from './product-table.ts'

/** Why the row on this line, counted from 1, is not served; with `isServed`, served without its picture or variant. */
type FeedProblem = { line: number; id?: string; reason: string; isServed?: true }

export type Feed = {
  products: ProductTable
  currencies: Set<string>
  /** The first of them. */
  problems: FeedProblem[]
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
  const handlers: RowHandlers = {
    onRow: (line, row) => addRow(feed, line, row, isHttps),
    onSkipped: (line, reason, id) => addProblem(feed, line, id, reason)
  }
  const { beginning, chunks, close } = await openFeed(bytes, maxBytes)
  try {
    const text = new TextDecoder().decode(beginning).trimStart()
    if (/^<(!doctype )?html/i.test(text)) throw new FeedError('it is a web page, not a feed')
    if (text.startsWith('<')) await readXml(chunks, text, handlers)
    else await readTable(chunks, String(text.split('\n', 1)[0]), handlers)
  } finally {
    await close()
  }

  if (feed.products.size() === 0) {
    const [first] = feed.problems
    throw new FeedError(`it holds no product that can be read${first ? `; line ${first.line}: ${first.reason}` : ''}`)
  }
  return feed
}

function addProblem(feed: Feed, line: number, id: string | undefined, reason: string, more?: { isServed: true }): void {
  feed.problemCount += 1
  if (feed.problems.length === MAX_PROBLEMS) return
  feed.problems.push({ line, ...(id !== undefined && { id: id.slice(0, MAX_SKU) }), reason, ...more })
}

function addRow(feed: Feed, line: number, row: FeedRow, isHttps: boolean): void {
  const { products, currencies } = feed
  const report = (error: unknown, more?: { isServed: true }) =>
    addProblem(feed, line, row('id'), (error as RowError).message, more)
  const part = (read: typeof readVariant | typeof readImage) => {
    try {
      return read(row, isHttps)
    } catch (error) {
      report(error, { isServed: true })
    }
  }
  try {
    const { sku, title, currency, offer } = readFeedRow(row)
    currencies.add(currency)
    if (!products.add(sku, currency, offer, () => [title, part(readVariant), part(readImage)])) {
      throw new RowError(`id ${JSON.stringify(sku)} in ${currency} is in an earlier line, which is kept`)
    }
  } catch (error) {
    report(error)
  }
}
