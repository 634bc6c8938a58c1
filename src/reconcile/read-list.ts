// Reads the platform's list, CSV or JSON lines, as a stream: every row is handed on, every bad one is reported with its
// line, and nothing is kept.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { type Cells, FIELDS, type Field, quote, RowMistake, readQuantity, readRow } from './list-row.ts'
import type { ListItem, ListRow } from './platform-entry.ts'

/** Which column holds which field, where it has not the field's own name. */
export type ColumnNames = Partial<Record<Field, string>>

export type Reading = {
  take: (row: ListRow) => void
  report: (line: number, problem: string) => void
}

/** The longest row, in bytes: 900 items at their longest, and far less than a quotation mark that never closes takes. */
const MAX_ROW = 1024 * 1024

const DELIMITERS = [',', ';', '\t']

export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  columns: ColumnNames,
  reading: Reading
): Promise<void> {
  const source = chunks[Symbol.asyncIterator]()
  const first = await source.next()
  const beginning = new TextDecoder().decode(first.done ? undefined : first.value.subarray(0, 64 * 1024))
  if (beginning.trim() === '' && first.done) {
    reading.report(1, 'the list is empty')
    return
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let part = first; !part.done; part = await source.next()) yield part.value
  }
  if (/^\s*\{/.test(beginning)) await readJsonLines(all(), columns, reading)
  else await readCsv(all(), delimiterOf(beginning), columns, reading)
}

/** The one of comma, semicolon and tab that the first line has most of. */
function delimiterOf(beginning: string): string {
  const [header = ''] = beginning.split(/[\r\n]/, 1)
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] as string
}

function guarded(line: number, { take, report }: Reading, read: () => ListRow): void {
  try {
    take(read())
  } catch (error) {
    if (!(error instanceof RowMistake)) throw error
    report(line, error.message)
  }
}

function refuseBrokenText(cells: Iterable<string | undefined>): void {
  for (const cell of cells) if (cell?.includes('\ufffd')) throw new RowMistake('it holds bytes that are not UTF-8')
}

async function readCsv(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
  columns: ColumnNames,
  reading: Reading
): Promise<void> {
  let header: { at: Map<Field, number>; count: number } | undefined
  let next = 1
  // The parser counts a line end of two characters that stands in a cell as two lines.
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
        guarded(line, reading, () => readCells(cells, at, count, line))
      } else {
        header = { at: readHeader(cells, columns), count: cells.length }
      }
      return null
    }
  })
  try {
    await pipeline(Readable.from(chunks), parser.resume())
    if (!header) throw new RowMistake('the list is empty')
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (error instanceof RowMistake) reading.report(1, message)
    else if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
      reading.report(next, 'a quotation mark is opened and not closed, or the row is too long; reading stops here')
    } else throw error
  }
}

/** Finds the columns by name, case and outer spaces ignored. */
function readHeader(cells: string[], columns: ColumnNames): Map<Field, number> {
  const names = cells.map(cell => cell.trim().toLowerCase())
  const at = new Map<Field, number>()
  for (const field of FIELDS) {
    const name = columns[field] ?? field
    const index = names.indexOf(name.trim().toLowerCase())
    if (index !== -1 && names.lastIndexOf(names[index] as string) !== index) {
      throw new RowMistake(`two columns have the name ${quote(name)}`)
    }
    if (index !== -1) at.set(field, index)
    else if (columns[field] !== undefined || field === 'reference') {
      throw new RowMistake(
        `no column has the name ${quote(name)}, for ${field}; there are ${cells.map(quote).join(', ')}`
      )
    }
  }
  if (at.has('sku') !== at.has('quantity')) throw new RowMistake('the columns sku and quantity need each other')
  if (at.has('sku') && at.has('items')) {
    throw new RowMistake('items stand either in a column of their own or in sku and quantity; map only one of them')
  }
  return at
}

function readCells(cells: string[], at: Map<Field, number>, count: number, line: number): ListRow {
  if (cells.length !== count) throw new RowMistake(`it has ${cells.length} cells where the first line has ${count}`)
  const found: Cells = {}
  for (const [field, index] of at) {
    // A SKU is compared exactly; the spaces around anything else mean nothing.
    const cell = field === 'sku' ? cells[index] : cells[index]?.trim()
    if (cell !== undefined && cell !== '') found[field] = cell
  }
  refuseBrokenText(FIELDS.map(field => found[field]))
  return readRow(found, line)
}

async function readJsonLines(chunks: AsyncIterable<Uint8Array>, columns: ColumnNames, reading: Reading): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let line = 0
  const takeLine = (text: string) => {
    line += 1
    if (text.trim() !== '') guarded(line, reading, () => readObject(text, columns, line))
  }
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const text of lines) takeLine(text)
    if (rest.length > MAX_ROW) {
      reading.report(line + 1, 'the line is too long; reading stops here')
      return
    }
  }
  takeLine(rest + decoder.decode())
}

function readObject(text: string, columns: ColumnNames, line: number): ListRow {
  refuseBrokenText([text])
  let object: unknown
  try {
    object = JSON.parse(text)
  } catch (error) {
    throw new RowMistake(`it is not JSON: ${(error as Error).message}`)
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new RowMistake('it is not a JSON object')
  }
  const cells: Cells = {}
  for (const field of FIELDS) {
    const name = columns[field] ?? field
    const value = Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined
    if (field === 'items' && Array.isArray(value)) cells.list = value.map(readItem)
    else if (typeof value === 'number') cells[field] = readNumber(field, value)
    else if (typeof value === 'string') {
      const cell = field === 'sku' ? value : value.trim()
      if (cell !== '') cells[field] = cell
    } else if (value !== undefined && value !== null) {
      throw new RowMistake(`${field} is ${quote(JSON.stringify(value))}; give text`)
    }
  }
  return readRow(cells, line)
}

/** JSON has no exact way to write a long number: only what cannot have been rounded is taken. */
function readNumber(field: Field, value: number): string {
  if (Number.isSafeInteger(value) || field === 'total') return String(value)
  throw new RowMistake(`${field} is the number ${value}; give text, as a number may have lost digits`)
}

function readItem(item: unknown): ListItem {
  const { sku, quantity } = (item ?? {}) as { sku?: unknown; quantity?: unknown }
  if (typeof sku !== 'string' || sku === '') {
    throw new RowMistake(`an item is ${quote(JSON.stringify(item))}; give { "sku": "MUG", "quantity": 2 }`)
  }
  return { sku, quantity: readQuantity(String(quantity)) }
}
