// Reads a feed that is a table: its first line names the columns, separated by tabs, commas or semicolons.
import type { Delimiter } from './feed-fields.ts'
import { FeedError, type FileChunks, readLines } from './feed-lines.ts'
import { ATTRIBUTES, type FeedRow, type RowHandlers } from './feed-row.ts'

const REQUIRED = ['id', 'title', 'price', 'availability']

/** Several times the number of attributes that Google defines. */
const MAX_COLUMNS = 1000

/** The position of each attribute in a row, the columns that are read, and the number of fields of a row. */
type Columns = { at: Map<string, number>; used: boolean[]; count: number }

/** @throws FeedError if the columns cannot be read, or a required one is missing */
export async function readTable(chunks: FileChunks, header: string, { onRow, onSkipped }: RowHandlers): Promise<void> {
  let columns: Columns | undefined
  /** The fields of the row that is being read. */
  let values: string[] = []
  const row: FeedRow = name => {
    const column = columns?.at.get(name)
    return column === undefined ? undefined : values[column] || undefined
  }
  const readFields = (line: number, fields: string[], isDoubtful: boolean) => {
    if (!columns) {
      columns = readHeader(fields)
      return
    }
    values = fields
    const { count } = columns
    if (fields.length !== count) onSkipped(line, `${fields.length} fields where the first line names ${count}`)
    else if (isDoubtful && fields.some(field => field.includes('\ufffd')))
      onSkipped(line, 'it holds bytes that are not UTF-8')
    else onRow(line, row)
  }
  const skip = (line: number, reason: string) => {
    if (!columns) throw new FeedError(`line ${line}, which must name the columns: ${reason}`)
    onSkipped(line, reason)
  }
  const isUsed = (column: number) => !columns || columns.used[column] === true
  await readLines(chunks, readFields, skip, delimiterOf(header), isUsed)
  if (!columns) throw new FeedError('the file is empty')
}

/** Tabs if there are any: names of columns have none. */
function delimiterOf(header: string): Delimiter {
  if (header.includes('\t')) return '\t'
  const [semicolons = 0, commas = 0] = [';', ','].map(delimiter => header.split(delimiter).length)
  if (semicolons > commas) return ';'
  return commas > 1 ? ',' : '\t'
}

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
    const remedy = 'it must name the columns, separated by tabs or commas'
    throw new FeedError(`the first line names no ${missing.join(', ')}; ${remedy}`)
  }
  const used = fields.map((_, i) => ATTRIBUTES.some(name => at.get(name) === i))
  return { at, used, count: fields.length }
}
