// Reads a list that is a table: CSV with commas, semicolons or tabs, with the names of its columns in one of the first lines.
import { FeedError, type FileChunks } from '../merchant/catalogue/feed-row.ts'
import { type Delimiter, isAligned, readRows } from '../merchant/catalogue/feed-table.ts'
import {
  type ColumnNames,
  ListError,
  type ListReading,
  NOT_UTF8,
  noColumn,
  rowTaker,
  whichColumn
} from './list-reading.ts'
import {
  addCell,
  columnNamesOf,
  FIELDS,
  type ListCells,
  type ListField,
  ListRowError,
  noteProblem,
  quoteCell,
  unreadableRow
} from './list-row.ts'

/** The names of the columns are in the first lines; a title may stand above them, or what Excel reads as `sep=;`. */
const HEADER_LINES = 20

const DELIMITERS: Delimiter[] = [',', ';', '\t']

type Header = { line: number; delimiter: Delimiter; names: string[] }

export async function readTableList(chunks: FileChunks, beginning: string, reading: ListReading): Promise<void> {
  // As Excel for the Mac ended lines.
  const isLineFeed = beginning.includes('\n')
  const { line: first, delimiter } = findHeader(beginning.split(isLineFeed ? '\n' : '\r', HEADER_LINES), reading)
  async function* fromHeader(): AsyncGenerator<Uint8Array> {
    let toSkip = first - 1
    for await (const chunk of chunks) {
      const bytes = isLineFeed ? chunk : chunk.map(byte => (byte === 13 ? 10 : byte))
      let start = 0
      for (; toSkip > 0; toSkip--) start = bytes.indexOf(10, start) + 1
      yield bytes.subarray(start)
    }
  }
  let header: { columns: Column[]; at: Map<ListField, number>; names: string[] } | undefined
  let takeRow: ReturnType<typeof rowTaker>
  const onRow = (row: number, cells: string[]) => {
    const line = row + first - 1
    if (cells.every(cell => cell === '')) return
    if (header) {
      const { columns, at, names } = header
      takeRow(line, () => [readCells(cells, columns, names), at.has('order')])
    } else {
      const columns = readHeader(cells, line, reading)
      header = { columns, at: new Map(columns), names: cells }
      takeRow = rowTaker(reading, header.at.has('reference'), delimiter === ';')
    }
  }
  let line = 0
  const onSkipped = (row: number, problem: string, text: string) => {
    line = row + first - 1
    if (!header) throw new ListError(line, problem)
    takeRow(line, () => {
      throw new ListRowError(problem)
    })
    const { at, names } = header
    const cells = text.split(delimiter)
    const reference = isAligned(cells, names) ? cells[at.get('reference') ?? -1]?.trim() : undefined
    const isItem = at.has('sku') && { sku: '' }
    if (reference && !/["\ufffd]/.test(reference)) reading.onRow(unreadableRow({ reference, ...isItem }, line))
  }
  try {
    await readRows(fromHeader(), onRow, onSkipped, delimiter)
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    throw new ListError(line, error.message)
  }
}

/** The first line that names the references, or else the orders if references may be lacking. */
function findHeader(lines: string[], { columns, mapPrefix, mayLackReferences }: ListReading): Header {
  const splits = lines.flatMap((text, i) =>
    DELIMITERS.map((delimiter): Header => ({ line: i + 1, delimiter, names: splitNames(text, delimiter) }))
  )
  for (const field of mayLackReferences ? (['reference', 'order'] as const) : (['reference'] as const)) {
    const sought = soughtNames(field, columns)
    const found = splits.find(({ names }) => names.some(name => sought.includes(plainName(name))))
    if (found) return found
  }
  const { line, names } = splits.reduce((most, split) => (split.names.length > most.names.length ? split : most))
  throw new ListError(line, noColumn('reference', columns.reference ?? 'reference', names, mapPrefix))
}

function splitNames(text: string, delimiter: Delimiter): string[] {
  const cells = text.match(new RegExp(`"(?:[^"]|"")*"(?=\\s*(?:${delimiter}|$))|[^${delimiter}]+`, 'g')) ?? []
  return cells.map(cell => cell.trim().replace(/^"(.*)"$/, '$1')).filter(name => name !== '')
}

function plainName(name: string): string {
  return name.trim().toLowerCase()
}

function soughtNames(field: ListField, columns: ColumnNames): string[] {
  const asked = columns[field]
  return (asked === undefined ? columnNamesOf(field) : [asked]).map(plainName)
}

/** A field, and where its cell is. */
type Column = [field: ListField, index: number]

/** Case and outer spaces are ignored. @throws ListError */
function readHeader(cells: string[], line: number, reading: ListReading): Column[] {
  const { columns, onUnasked, onUncompared, mapPrefix, mayLackReferences } = reading
  const names = cells.map(plainName)
  const found: Column[] = []
  for (const field of FIELDS) {
    const asked = columns[field]
    if (asked === '') continue
    const sought = soughtNames(field, columns).filter(name => names.includes(name))
    for (const name of field === 'status' ? sought : sought.slice(0, 1)) {
      const index = names.indexOf(name)
      if (index !== names.lastIndexOf(name)) throw new ListError(line, `two columns are named ${quoteCell(name)}`)
      found.push([field, index])
    }
    if (sought.length > 0) {
      if (asked === undefined) onUnasked(field)
    } else if (asked !== undefined) throw new ListError(line, noColumn(field, asked, cells, mapPrefix))
  }
  const at = new Map(found)
  if (!at.has('reference') && !(mayLackReferences && at.has('order'))) {
    throw new ListError(line, noColumn('reference', 'reference', cells, mapPrefix))
  }
  if (at.has('sku') !== at.has('quantity')) {
    const [has, lacks] = at.has('sku') ? (['sku', 'quantity'] as const) : (['quantity', 'sku'] as const)
    throw new ListError(
      line,
      `${has} needs ${lacks} beside it; ${whichColumn(lacks, cells, mapPrefix)}, or ignore ${has}: --map ${mapPrefix}${has}=`
    )
  }
  if (at.has('sku') && at.has('items')) {
    throw new ListError(
      line,
      `items are either in a column of their own or in sku and quantity; ignore one: --map ${mapPrefix}items=`
    )
  }
  // Platforms list what stands.
  const told = mayLackReferences ? (['total', 'items', 'status'] as const) : (['total', 'items'] as const)
  const missing = told.filter(
    field => !at.has(field) && columns[field] === undefined && !(field === 'items' && at.has('sku'))
  )
  const read = new Set(found.map(([, index]) => index))
  const unread = cells.filter((_cell, i) => !read.has(i))
  if (missing.length > 0 && unread.length > 0) onUncompared(missing, unread)
  return found
}

function readCells(cells: string[], columns: Column[], names: string[]): ListCells {
  if (!isAligned(cells, names)) {
    throw new ListRowError(`it has ${cells.length} cells where the line with the names has ${names.length}`)
  }
  const found: ListCells = {}
  for (const [field, index] of columns) {
    const cell = cells[index] as string
    if (cell.includes('\ufffd')) noteProblem(found, field, NOT_UTF8)
    addCell(found, field, cell)
  }
  return found
}
