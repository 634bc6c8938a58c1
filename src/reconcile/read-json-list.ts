// Reads a list of JSON objects, one a line.

import type { ListItem } from './list-entry.ts'
import { type ColumnNames, handleRow, type ListHandlers, MAX_ROW, refuseBrokenText } from './list-handlers.ts'
import { FIELDS, type ListCells, type ListField, ListRowError, quoteCell, readListRow, readUnits } from './list-row.ts'

export async function readJsonList(
  chunks: AsyncIterable<Uint8Array>,
  columns: ColumnNames,
  handlers: ListHandlers
): Promise<void> {
  const unasked = new Set<ListField>()
  const onField = (field: ListField) => {
    if (columns[field] !== undefined || unasked.has(field)) return
    unasked.add(field)
    handlers.onUnasked(field)
  }
  const decoder = new TextDecoder()
  let rest = ''
  let line = 0
  const takeLine = (text: string) => {
    line += 1
    if (text.trim() !== '') handleRow(line, handlers, () => readListRow(readObject(text, columns, onField), line))
  }
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const text of lines) takeLine(text)
    if (rest.length > MAX_ROW) {
      handlers.onMistake(line + 1, 'the line is too long; reading stops here')
      return
    }
  }
  takeLine(rest + decoder.decode())
}

function readObject(text: string, columns: ColumnNames, onField: (field: ListField) => void): ListCells {
  refuseBrokenText([text])
  let object: unknown
  try {
    object = JSON.parse(text)
  } catch (error) {
    throw new ListRowError(`it is not JSON: ${(error as Error).message}`)
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new ListRowError('it is not a JSON object')
  }
  const cells: ListCells = {}
  for (const field of FIELDS) {
    const name = columns[field] ?? field
    if (name === '' || !Object.hasOwn(object, name)) continue
    onField(field)
    const value = (object as Record<string, unknown>)[name]
    if (field === 'items' && Array.isArray(value)) cells.list = value.map(readItem)
    else if (typeof value === 'number') cells[field] = readNumericCell(field, value)
    else if (typeof value === 'string') {
      const cell = field === 'sku' ? value : value.trim()
      if (cell !== '') cells[field] = cell
    } else if (value !== null) {
      throw new ListRowError(`${field} is ${quoteCell(JSON.stringify(value))}; give text`)
    }
  }
  return cells
}

/** A long JSON number may have lost digits: only one that cannot have been rounded is accepted. */
function readNumericCell(field: ListField, value: number): string {
  if (Number.isSafeInteger(value) || field === 'total') return String(value)
  throw new ListRowError(`${field} is the number ${value}; give text, as a number may have lost digits`)
}

function readItem(item: unknown): ListItem {
  const { sku, quantity } = (item ?? {}) as { sku?: unknown; quantity?: unknown }
  if (typeof sku !== 'string' || sku === '') {
    throw new ListRowError(`an item is ${quoteCell(JSON.stringify(item))}; give { "sku": "MUG", "quantity": 2 }`)
  }
  return { sku, quantity: readUnits(String(quantity)) }
}
