// Reads a list, as a table or as JSON. A row with a mistake is reported with its line, and the rest is read.

import { withBeginning } from '../merchant/catalogue/feed.ts'
import type { FileChunks } from '../merchant/catalogue/feed-row.ts'
import { ListError, type ListReading, NOT_UTF8, noColumn, rowTaker } from './list-reading.ts'
import {
  addCell,
  columnNamesOf,
  JSON_FIELDS,
  type ListCells,
  type ListField,
  ListRowError,
  noteProblem,
  quoteCell
} from './list-row.ts'
import { readTableList } from './list-table.ts'

/** The longest line of JSON, in characters. */
const LONGEST_LINE = 1024 * 1024

/** @returns why it could not be read, if so, at all or to its end */
export async function readList(bytes: FileChunks, reading: ListReading): Promise<ListError | undefined> {
  const { beginning, chunks, close } = await withBeginning(bytes)
  try {
    const text = new TextDecoder().decode(beginning)
    if (text.trim() === '') throw new ListError(1, 'the list is empty')
    if (text.includes('\0')) {
      throw new ListError(1, 'it is no text in UTF-8, but UTF-16, a spreadsheet or an archive; save it as CSV, UTF-8')
    }
    if (/^\s*\[/.test(text) || WRAPPED.test(text)) await readJsonArray(chunks, reading)
    else if (/^\s*\{/.test(text)) await readJsonLines(chunks, reading)
    else await readTableList(chunks, text, reading)
  } catch (error) {
    if (!(error instanceof ListError)) throw error
    return error
  } finally {
    await close()
  }
}

/** As the APIs of Shopify, PrestaShop, BigCommerce (v3) and Stripe wrap an array. */
const WRAPPED = /^\s*\{\s*(?:"object"\s*:\s*"list"\s*,\s*)?"(?:orders|data)"\s*:\s*\[/

async function readJsonArray(chunks: FileChunks, reading: ListReading): Promise<void> {
  const bytes: Uint8Array[] = []
  for await (const chunk of chunks) bytes.push(chunk)
  let parsed: object
  try {
    parsed = JSON.parse(new TextDecoder().decode(Buffer.concat(bytes)))
  } catch (error) {
    throw new ListError(1, `it is not JSON: ${(error as Error).message}`)
  }
  const arrays = Array.isArray(parsed) ? [parsed] : Object.values(parsed).filter(Array.isArray)
  if (arrays.length > 1) throw new ListError(1, 'it has several arrays; give that of the orders alone')
  const takeObject = objectTaker(reading)
  for (const [i, object] of arrays.flat().entries()) takeObject(i + 1, () => object)
}

async function readJsonLines(chunks: FileChunks, reading: ListReading): Promise<void> {
  const takeObject = objectTaker(reading)
  const decoder = new TextDecoder()
  let rest = ''
  let line = 0
  const takeLine = (text: string) => {
    line += 1
    if (text.trim() !== '') takeObject(line, () => parseLine(text, line))
  }
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const text of lines) takeLine(text)
    if (rest.length > LONGEST_LINE) throw new ListError(line + 1, 'the line is too long')
  }
  takeLine(rest + decoder.decode())
}

function parseLine(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const problem = `it is not JSON: ${(error as Error).message}`
    if (line > 1) throw new ListRowError(problem)
    throw new ListError(line, `${problem}; give one object a line, or an array of objects`)
  }
}

function objectTaker(reading: ListReading): (line: number, parse: () => unknown) => void {
  const unasked = new Set<ListField>(JSON_FIELDS.filter(field => reading.columns[field] === undefined))
  const onField = (field: ListField) => {
    if (unasked.delete(field)) reading.onUnasked(field)
  }
  const takeRow = rowTaker(reading, true, false)
  return (line, parse) => takeRow(line, () => readObject(parse(), reading, onField))
}

function readObject(
  object: unknown,
  { columns, mapPrefix, mayLackReferences }: ListReading,
  onField: (field: ListField) => void
): [cells: ListCells, hasOrders: boolean] {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new ListRowError('it is not a JSON object')
  }
  const { reference = 'reference' } = columns
  if (!mayLackReferences && !Object.hasOwn(object, reference)) {
    throw new ListRowError(noColumn('reference', reference, Object.keys(object), mapPrefix))
  }
  const cells: ListCells = {}
  let hasOrders = false
  for (const field of JSON_FIELDS) {
    const names = columns[field] === undefined ? columnNamesOf(field) : [columns[field]]
    const found = names.filter(name => name !== '' && Object.hasOwn(object, name))
    for (const name of field === 'status' ? found : found.slice(0, 1)) {
      onField(field)
      if (field === 'order') hasOrders = true
      const value = (object as Record<string, unknown>)[name]
      const problem = problemIn(value, field)
      if (problem !== undefined) noteProblem(cells, field, problem)
      if (field === 'items' && Array.isArray(value)) cells.list = value
      else if (value !== null && value !== false) addCell(cells, field, String(value))
    }
  }
  return [cells, hasOrders]
}

function problemIn(value: unknown, field: ListField): string | undefined {
  const text = JSON.stringify(value)
  if (text.includes('\ufffd')) return NOT_UTF8
  if (typeof value === 'number') {
    // A long JSON number may have lost digits: only one that cannot have been rounded is accepted.
    if (Number.isSafeInteger(value) || field === 'total' || field === 'quantity') return undefined
    return `${field} is the number ${value}; give text, as a number may have lost digits`
  }
  if (typeof value === 'string' || value === null) return undefined
  if (field === 'items' ? Array.isArray(value) : field === 'cancelled' && typeof value === 'boolean') return undefined
  return `${field} is ${quoteCell(text)}; give text`
}
