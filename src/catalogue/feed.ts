// Reads Google Merchant's product feed: every product that can be served, and every line that cannot, with the reason.
import { MAX_SKU } from '../cart/cart.ts'
import { FeedError, type FileChunks, openFeed } from './feed-bytes.ts'
import { type FeedRow, RowError, type RowHandlers, readFeedRow, readImage, readVariant } from './feed-row.ts'
import { readTable } from './feed-table.ts'
import { readXml } from './feed-xml.ts'
import type { Product } from './product.ts'
import { type ProductTable, productTable } from './product-table.ts'

/**
 * A line of the file, counted from 1, the beginning of the product's id if it has one (an XML file may be a single
 * line), and why it is not served; with `isServed`, why its product is served without its picture or its variant.
 */
export type FeedProblem = { line: number; id?: string; reason: string; isServed?: true }

/** The products, the currencies of their prices, the first problems, and how many there are. */
export type Feed = {
  products: ProductTable
  currencies: Set<string>
  problems: FeedProblem[]
  problemCount: number
}

export type ReadFeedOptions = {
  /** Whether pictures are shown on pages served over https. */
  isHttps?: boolean
  /** How large the feed may be, unpacked; by default, of any size. */
  maxBytes?: number
}

export { FeedError }

/** More problems are only counted: a file of nothing else could have more than fit into memory. */
const MAX_PROBLEMS = 100

/**
 * Reads tab- or comma-separated columns or XML, packed by gzip or not: what is in the file tells.
 * @param bytes the file, in chunks of any size
 * @throws FeedError if it cannot be read as a whole, or no product of it could be read
 */
export async function readFeed(
  bytes: FileChunks,
  { isHttps = false, maxBytes = Number.POSITIVE_INFINITY }: ReadFeedOptions = {}
): Promise<Feed> {
  const feed: Feed = { products: productTable(), currencies: new Set(), problems: [], problemCount: 0 }
  const handlers: RowHandlers = {
    onRow: (line, row) => addRow(feed, line, row, isHttps),
    onSkipped: (line, reason, id) => addProblem(feed, line, id, { reason })
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

function addProblem(
  feed: Feed,
  line: number,
  id: string | undefined,
  problem: Pick<FeedProblem, 'reason' | 'isServed'>
): void {
  feed.problemCount += 1
  if (feed.problems.length === MAX_PROBLEMS) return
  feed.problems.push({ line, ...(id !== undefined && { id: id.slice(0, MAX_SKU) }), ...problem })
}

/** Without its picture or its variant a product is served too. */
const SERVED = { isServed: true } as const

function addRow(feed: Feed, line: number, row: FeedRow, isHttps: boolean): void {
  const { products, currencies } = feed
  const report = (error: unknown, part?: { isServed: true }) =>
    addProblem(feed, line, row('id'), { reason: (error as RowError).message, ...part })
  try {
    const { sku, title, currency, offer } = readFeedRow(row)
    currencies.add(currency)
    if (products.has(sku)) {
      if (!products.addOffer(sku, currency, offer)) {
        throw new RowError(`id ${JSON.stringify(sku)} in ${currency} is in an earlier line, which is kept`)
      }
      return
    }
    const product: Product = { sku, title, offers: { [currency]: offer } }
    try {
      const variant = readVariant(row)
      if (variant !== undefined) product.variant = variant
    } catch (error) {
      report(error, SERVED)
    }
    try {
      const image = readImage(row, isHttps)
      if (image !== undefined) product.image = image
    } catch (error) {
      report(error, SERVED)
    }
    products.add(product)
  } catch (error) {
    report(error)
  }
}
