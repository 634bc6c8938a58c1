// Reads Google Merchant's product feed: every product that can be served, and every line that cannot, with the reason.
import { type FileChunks, readLines } from './feed-lines.ts'
import { type FeedRow, type RowError, readFeedRow, readImage } from './feed-row.ts'
import { type ProductTable, productTable } from './product-table.ts'

/** A line of the file, counted from 1, and why it is not served, or not completely. */
export type FeedProblem = { line: number; reason: string }

export type Feed = { products: ProductTable; problems: FeedProblem[] }

/** The file is not a product feed. */
export class FeedError extends Error {}

const REQUIRED = ['id', 'title', 'price', 'availability']

/**
 * @param bytes the file, in chunks of any size
 * @throws FeedError if a required column is missing or no row could be read
 */
export async function readFeed(bytes: FileChunks): Promise<Feed> {
  const products = productTable()
  const problems: FeedProblem[] = []
  let columns: Columns | undefined

  const take = (line: number, fields: string[]) => {
    if (!columns) columns = readHeader(fields)
    else addRow({ products, problems }, line, columns, fields)
  }
  await readLines(bytes, take, line => problems.push({ line, reason: 'a quotation mark is opened and never closed' }))

  if (!columns) throw new FeedError('the file is empty')
  if (products.size() === 0) {
    const [first] = problems
    throw new FeedError(`it holds no product that can be read${first ? `; line ${first.line}: ${first.reason}` : ''}`)
  }
  return { products, problems }
}

/** The position of each attribute in a row, and the number of fields of a row. */
type Columns = { at: Map<string, number>; count: number }

function readHeader(fields: string[]): Columns {
  const at = new Map(fields.map((name, i) => [name.trim().toLowerCase().replaceAll(' ', '_'), i]))
  const missing = REQUIRED.filter(name => !at.has(name))
  if (missing.length > 0) {
    throw new FeedError(`the first line names no ${missing.join(', ')}; it must name the columns, separated by tabs`)
  }
  return { at, count: fields.length }
}

function addRow({ products, problems }: Feed, line: number, columns: Columns, fields: string[]): void {
  const report = (reason: string) => problems.push({ line, reason })
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
    const known = products.get(sku)
    if (known?.offers[currency]) {
      report(`id ${JSON.stringify(sku)} in ${currency} is in an earlier line, which is kept`)
    } else if (known) {
      products.set({ ...known, offers: { ...known.offers, [currency]: offer } })
    } else {
      const product = { sku, title, offers: { [currency]: offer } }
      let image: string | undefined
      try {
        image = readImage(row)
      } finally {
        products.set(image === undefined ? product : { ...product, image })
      }
    }
  } catch (error) {
    report((error as RowError).message)
  }
}
