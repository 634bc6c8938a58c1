// Shared by the readers of a list, CSV and JSON.

import type { ListRow } from './list-entry.ts'
import { type ListField, ListRowError } from './list-row.ts'

/** The column of a field, if it does not have the field's own name; '' if no column is read for it. */
export type ColumnNames = Partial<Record<ListField, string>>

export type ListHandlers = {
  /** What --map writes before the fields of this list. */
  mapPrefix: string
  /** A column of the field's own name that is read though nobody has named it; once for each. */
  onUnasked: (field: ListField) => void
  onRow: (row: ListRow) => void
  onMistake: (line: number, problem: string) => void
}

/** The longest row, in bytes: enough for 900 items, and a limit on what an unclosed quotation mark takes in. */
export const MAX_ROW = 1024 * 1024

/** Reads a row, and reports it if it is bad. */
export function handleRow(line: number, { onRow, onMistake }: ListHandlers, read: () => ListRow): void {
  try {
    onRow(read())
  } catch (error) {
    if (!(error instanceof ListRowError)) throw error
    onMistake(line, error.message)
  }
}

/** @throws ListRowError */
export function refuseBrokenText(cells: Iterable<string | undefined>): void {
  for (const cell of cells) if (cell?.includes('\ufffd')) throw new ListRowError('it holds bytes that are not UTF-8')
}
