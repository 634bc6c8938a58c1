// Reads a list, CSV or JSON lines, as a stream. Good rows are passed on; bad ones are reported with their line.
import { pipeline } from 'node:stream/promises'
import type { ListRow } from './list-entry.ts'
import { FIELDS, type ListCells, type ListField, ListRowError, quoteCell, readItem, readListRow } from './list-row.ts'

/** The columns that do not have their field's own name; '' if none is read. */
export type ColumnNames = Partial<Record<ListField, string>>

/** How a list is read, and what is told of it. */
type ListReading = {
  columns: ColumnNames
  /** What --map writes before the fields of this list. */
  mapPrefix: string
  /** Whether the orders of a CSV list may be known by their numbers alone. */
  mayLackReferences?: boolean
  /** A column of the field's own name that is read though nobody has named it; once for each. */
  onUnasked: (field: ListField) => void
  /** What the list could tell and does not, and its columns that nobody reads; only of a list with such columns. */
  onUncompared: (fields: ListField[], columns: string[]) => void
  onRow: (row: ListRow) => void
  onMistake: (line: number, problem: string) => void
}

/** The longest row, in bytes: enough for 900 items, and a limit on what an unclosed quotation mark takes in. */
const MAX_ROW = 1024 * 1024

const NOT_UTF8 = 'it holds bytes that are not UTF-8'

function handleRow(line: number, { onRow, onMistake }: ListReading, read: () => ListRow): void {
  try {
    onRow(read())
  } catch (error) {
    if (!(error instanceof ListRowError)) throw error
    onMistake(line, error.message)
  }
}

export async function readList(chunks: AsyncIterable<Uint8Array>, reading: ListReading): Promise<void> {
  const source = chunks[Symbol.asyncIterator]()
  const first = await source.next()
  if (first.done) return reading.onMistake(1, 'the list is empty')
  const beginning = new TextDecoder().decode(first.value.subarray(0, 64 * 1024))
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let part: IteratorResult<Uint8Array> = first; !part.done; part = await source.next()) yield part.value
  }
  if (/^\s*\{/.test(beginning)) await readJsonList(all(), reading)
  else await readCsvList(all(), beginning, reading)
}

/** Whichever of comma, semicolon and tab is most frequent in the first line. */
function delimiterOf(beginning: string): string {
  const [header = ''] = beginning.split(/[\r\n]/, 1)
  const count = (delimiter: string) => header.split(delimiter).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] as string
}

async function readCsvList(chunks: AsyncIterable<Uint8Array>, beginning: string, reading: ListReading): Promise<void> {
  // Loaded with the first list.
  const { parse } = await import('csv-parse')
  const delimiter = delimiterOf(beginning)
  let header: { at: Map<ListField, number>; count: number } | undefined
  let next = 1
  // The parser counts a CRLF inside a cell as two lines.
  let counted = 0
  const parser = parse({
    delimiter,
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MAX_ROW,
    on_record(cells: string[], { lines }) {
      const line = next
      counted += cells.reduce((sum, cell) => sum + cell.split('\r\n').length - 1, 0)
      next = lines - counted + 1
      if (cells.every(cell => cell === '')) return null
      if (header) {
        const { at, count } = header
        const format = { hasReferences: at.has('reference'), hasDecimalCommas: delimiter === ';' }
        handleRow(line, reading, () => readListRow(readCells(cells, at, count), line, format))
      } else {
        header = { at: readHeader(cells, reading), count: cells.length }
      }
      return null
    }
  })
  try {
    await pipeline(chunks, parser.resume())
    if (!header) throw new ListRowError('the list is empty')
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (error instanceof ListRowError) reading.onMistake(1, message)
    else if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
      reading.onMistake(next, 'a quotation mark is opened and not closed, or the row is too long; reading stops here')
    } else throw error
  }
}

/** Case and outer spaces are ignored, and the sign in "Order #". */
function readHeader(cells: string[], reading: ListReading) {
  const { columns, onUnasked, onUncompared, mapPrefix, mayLackReferences } = reading
  const names = cells.map(cell => cell.trim().toLowerCase())
  const plain = names.map(name => name.replace(/ #$/, ''))
  const at = new Map<ListField, number>()
  for (const field of FIELDS) {
    const asked = columns[field]
    const name = asked ?? field
    if (name === '') continue
    const sought = name.trim().toLowerCase()
    const among = names.includes(sought) ? names : plain
    const index = among.indexOf(sought)
    if (index !== among.lastIndexOf(sought)) throw new ListRowError(`two columns are named ${quoteCell(name)}`)
    if (index !== -1) {
      at.set(field, index)
      if (asked === undefined) onUnasked(field)
    } else if (asked !== undefined) throw noColumn(field, name, cells, mapPrefix)
  }
  if (!at.has('reference') && !(mayLackReferences && at.has('order'))) {
    throw noColumn('reference', 'reference', cells, mapPrefix)
  }
  if (at.has('sku') !== at.has('quantity')) {
    const [has, lacks] = at.has('sku') ? (['sku', 'quantity'] as const) : (['quantity', 'sku'] as const)
    throw new ListRowError(
      `${has} needs ${lacks} beside it; ${whichColumn(lacks, cells, mapPrefix)}, or ignore ${has}: --map ${mapPrefix}${has}=`
    )
  }
  if (at.has('sku') && at.has('items')) {
    throw new ListRowError(
      `items are either in a column of their own or in sku and quantity; ignore one: --map ${mapPrefix}items=`
    )
  }
  const missing = (['total', 'items'] as const).filter(
    field => !at.has(field) && columns[field] === undefined && !(field === 'items' && at.has('sku'))
  )
  const read = new Set(at.values())
  const unread = cells.filter((_cell, i) => !read.has(i))
  if (missing.length > 0 && unread.length > 0) onUncompared(missing, unread)
  return at
}

function noColumn(field: ListField, name: string, names: string[], mapPrefix: string): ListRowError {
  const what = `${quoteCell(name)}${name === field ? '' : ` (for ${field})`}`
  return new ListRowError(`no column is named ${what}; ${whichColumn(field, names, mapPrefix)}`)
}

function whichColumn(field: ListField, names: string[], mapPrefix: string): string {
  return `there are ${names.map(quoteCell).join(', ') || 'none'}; say which it is: --map "${mapPrefix}${field}=COLUMN"`
}

function readCells(cells: string[], at: Map<ListField, number>, count: number): ListCells {
  if (cells.length !== count) throw new ListRowError(`it has ${cells.length} cells where the first line has ${count}`)
  const found: ListCells = {}
  for (const [field, index] of at) {
    // SKUs are compared exactly; anything else is trimmed.
    const cell = field === 'sku' ? cells[index] : cells[index]?.trim()
    if (cell?.includes('\ufffd')) throw new ListRowError(NOT_UTF8)
    if (cell !== undefined && cell !== '') found[field] = cell
  }
  return found
}

async function readJsonList(chunks: AsyncIterable<Uint8Array>, reading: ListReading): Promise<void> {
  const unasked = new Set(FIELDS.filter(field => reading.columns[field] === undefined))
  const onField = (field: ListField) => {
    if (unasked.delete(field)) reading.onUnasked(field)
  }
  const decoder = new TextDecoder()
  let rest = ''
  let line = 0
  const takeLine = (text: string) => {
    line += 1
    if (text.trim() !== '') handleRow(line, reading, () => readListRow(readObject(text, reading, onField), line))
  }
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const text of lines) takeLine(text)
    if (rest.length > MAX_ROW) return reading.onMistake(line + 1, 'the line is too long; reading stops here')
  }
  takeLine(rest + decoder.decode())
}

function readObject(text: string, { columns, mapPrefix }: ListReading, onField: (field: ListField) => void): ListCells {
  if (text.includes('\ufffd')) throw new ListRowError(NOT_UTF8)
  let object: unknown
  try {
    object = JSON.parse(text)
  } catch (error) {
    throw new ListRowError(`it is not JSON: ${(error as Error).message}`)
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new ListRowError('it is not a JSON object')
  }
  const { reference = 'reference' } = columns
  if (!Object.hasOwn(object, reference)) throw noColumn('reference', reference, Object.keys(object), mapPrefix)
  const cells: ListCells = {}
  for (const field of FIELDS) {
    const name = columns[field] ?? field
    if (name === '' || !Object.hasOwn(object, name)) continue
    onField(field)
    const value = (object as Record<string, unknown>)[name]
    if (field === 'items' && Array.isArray(value)) cells.list = value.map(readItem)
    else if (typeof value === 'number') {
      // A long JSON number may have lost digits: only one that cannot have been rounded is accepted.
      if (!Number.isSafeInteger(value) && field !== 'total') {
        throw new ListRowError(`${field} is the number ${value}; give text, as a number may have lost digits`)
      }
      cells[field] = String(value)
    } else if (typeof value === 'string') {
      const cell = field === 'sku' ? value : value.trim()
      if (cell !== '') cells[field] = cell
    } else if (value !== null) {
      throw new ListRowError(`${field} is ${quoteCell(JSON.stringify(value))}; give text`)
    }
  }
  return cells
}
