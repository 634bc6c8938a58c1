// Reads Google Merchant's product feed: every product that can be served, and every line that cannot, with the reason.
import { FeedError, type FileChunks, readLines } from './feed-lines.ts'
import { type FeedRow, type RowError, readFeedRow, readImage, readVariant } from './feed-row.ts'
import { type ProductTable, productTable } from './product-table.ts'

/**
 * A line of the file, counted from 1, and why it is not served; with `isServed`, why its product is served without its
 * picture or its variant.
 */
export type FeedProblem = { line: number; reason: string; isServed?: true }

/** The products, the currencies of their prices, the first problems, and how many there are. */
export type Feed = {
  products: ProductTable
  currencies: Set<string>
  problems: FeedProblem[]
  problemCount: number
}

/** `isHttps` is whether pictures are shown on pages served over https. */
export type ReadFeedOptions = { isHttps?: boolean }

export { FeedError }

const REQUIRED = ['id', 'title', 'price', 'availability']

/** Several times the number of attributes that Google defines. */
const MAX_COLUMNS = 1000

/** More problems are only counted: a file of nothing else could have more than fit into memory. */
const MAX_PROBLEMS = 100

/**
 * @param bytes the file, in chunks of any size
 * @throws FeedError if the columns cannot be read, a required one is missing, or no row could be read
 */
export async function readFeed(bytes: FileChunks, { isHttps = false }: ReadFeedOptions = {}): Promise<Feed> {
  const feed: Feed = { products: productTable(), currencies: new Set(), problems: [], problemCount: 0 }
  let columns: Columns | undefined

  const take = (line: number, fields: string[]) => {
    if (!columns) columns = readHeader(fields)
    else addRow(feed, line, columns, fields, isHttps)
  }
  await readLines(bytes, take, (line, reason) => {
    if (!columns) throw new FeedError(`line ${line}, which must name the columns: ${reason}`)
    addProblem(feed, { line, reason })
  })

  if (!columns) throw new FeedError('the file is empty')
  if (feed.products.size() === 0) {
    const [first] = feed.problems
    throw new FeedError(`it holds no product that can be read${first ? `; line ${first.line}: ${first.reason}` : ''}`)
  }
  return feed
}

function addProblem(feed: Feed, problem: FeedProblem): void {
  feed.problemCount += 1
  if (feed.problems.length < MAX_PROBLEMS) feed.problems.push(problem)
}

/** The position of each attribute in a row, and the number of fields of a row. */
type Columns = { at: Map<string, number>; count: number }

function readHeader(fields: string[]): Columns {
  if (fields.some(name => name.includes('\0'))) {
    throw new FeedError('the first line holds NUL: the file is UTF-16, or no text; save it as UTF-8')
  }
  if (fields.length > MAX_COLUMNS) {
    throw new FeedError(`the first line names ${fields.length} columns; at most ${MAX_COLUMNS} are read`)
  }
  const at = new Map(fields.map((name, i) => [name.trim().toLowerCase().replaceAll(' ', '_'), i]))
  const missing = REQUIRED.filter(name => !at.has(name))
  if (missing.length > 0) {
    throw new FeedError(`the first line names no ${missing.join(', ')}; it must name the columns, separated by tabs`)
  }
  return { at, count: fields.length }
}

function addRow(feed: Feed, line: number, columns: Columns, fields: string[], isHttps: boolean): void {
  const { products, currencies } = feed
  const report = (reason: string) => addProblem(feed, { line, reason })
  if (fields.length !== columns.count) {
    report(`${fields.length} fields where the first line names ${columns.count}`)
    return
  }
  if (fields.some(field => field.includes('\ufffd'))) {
    report('it holds bytes that are not UTF-8')
    return
  }
  const row: FeedRow = name => fields[columns.at.get(name) ?? -1] || undefined
  try {
    const { sku, title, currency, offer } = readFeedRow(row)
    currencies.add(currency)
    if (products.has(sku)) {
      if (!products.addOffer(sku, currency, offer)) {
        report(`id ${JSON.stringify(sku)} in ${currency} is in an earlier line, which is kept`)
      }
      return
    }
    const reportPart = (reason: string) => addProblem(feed, { line, reason, isServed: true })
    const variant = reporting(() => readVariant(row), reportPart)
    const image = reporting(() => readImage(row, isHttps), reportPart)
    products.set({
      sku,
      title,
      ...(variant !== undefined && { variant }),
      ...(image !== undefined && { image }),
      offers: { [currency]: offer }
    })
  } catch (error) {
    report((error as RowError).message)
  }
}

/** What a row has of something without which its product is served too; undefined if it cannot be read. */
function reporting<T>(read: () => T, report: (reason: string) => void): T | undefined {
  try {
    return read()
  } catch (error) {
    report((error as RowError).message)
    return undefined
  }
}
