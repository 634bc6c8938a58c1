// Reads a list in CSV with a header; comma, semicolon or tab.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ColumnNames, handleRow, type ListHandlers, MAX_ROW, refuseBrokenText } from './list-handlers.ts'
import { FIELDS, type ListCells, type ListField, ListRowError, quoteCell, readListRow } from './list-row.ts'

const DELIMITERS = [',', ';', '\t']

/** Whichever of comma, semicolon and tab is most frequent in the first line. */
function delimiterOf(beginning: string): string {
  const [header = ''] = beginning.split(/[\r\n]/, 1)
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] as string
}

export async function readCsvList(
  chunks: AsyncIterable<Uint8Array>,
  beginning: string,
  columns: ColumnNames,
  handlers: ListHandlers
): Promise<void> {
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
        handleRow(line, handlers, () => readListRow(readCells(cells, at, count), line, delimiter === ';'))
      } else {
        header = { at: readHeader(cells, columns, handlers), count: cells.length }
      }
      return null
    }
  })
  try {
    await pipeline(Readable.from(chunks), parser.resume())
    if (!header) throw new ListRowError('the list is empty')
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (error instanceof ListRowError) handlers.onMistake(1, message)
    else if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
      handlers.onMistake(next, 'a quotation mark is opened and not closed, or the row is too long; reading stops here')
    } else throw error
  }
}

/** Finds the columns by name; case and outer spaces are ignored. */
function readHeader(
  cells: string[],
  columns: ColumnNames,
  { onUnasked, mapPrefix }: ListHandlers
): Map<ListField, number> {
  const names = cells.map(cell => cell.trim().toLowerCase())
  const at = new Map<ListField, number>()
  for (const field of FIELDS) {
    const name = columns[field] ?? field
    if (name === '') continue
    const index = names.indexOf(name.trim().toLowerCase())
    if (index !== -1 && names.lastIndexOf(names[index] as string) !== index) {
      throw new ListRowError(`two columns have the name ${quoteCell(name)}`)
    }
    if (index !== -1) {
      at.set(field, index)
      if (columns[field] === undefined) onUnasked(field)
    } else if (columns[field] !== undefined || field === 'reference') {
      throw new ListRowError(
        `no column has the name ${quoteCell(name)}, for ${field}; there are ${cells.map(quoteCell).join(', ')}`
      )
    }
  }
  if (at.has('sku') !== at.has('quantity')) {
    throw new ListRowError(
      `the columns sku and quantity need each other; leave one alone with --map ${mapPrefix}sku= or ${mapPrefix}quantity=`
    )
  }
  if (at.has('sku') && at.has('items')) {
    throw new ListRowError(
      `items are either in a column of their own or in sku and quantity; leave one alone: --map ${mapPrefix}items=`
    )
  }
  return at
}

function readCells(cells: string[], at: Map<ListField, number>, count: number): ListCells {
  if (cells.length !== count) throw new ListRowError(`it has ${cells.length} cells where the first line has ${count}`)
  const found: ListCells = {}
  for (const [field, index] of at) {
    // SKUs are compared exactly; anything else is trimmed.
    const cell = field === 'sku' ? cells[index] : cells[index]?.trim()
    if (cell !== undefined && cell !== '') found[field] = cell
  }
  refuseBrokenText(FIELDS.map(field => found[field]))
  return found
}
