// How a list of any format is read: what is asked, what is told, and which order a row without a reference belongs to.
import type { ListRow } from './list-entry.ts'
import {
  type ListCells,
  type ListField,
  ListRowError,
  quoteCell,
  type RowFormat,
  readListRow,
  unreadableRow
} from './list-row.ts'

/** The columns that are not named as `columnNamesOf` says; '' if none is read. */
export type ColumnNames = Partial<Record<ListField, string>>

/** How a list is read, and what is told of it. */
export type ListReading = {
  columns: ColumnNames
  /** What --map writes before the fields of this list. */
  mapPrefix: string
  /** Whether it has orders without a reference; those of a CSV list may be known by their numbers alone. */
  mayLackReferences?: boolean
  readStatus: RowFormat['readStatus']
  /** A column with a field's name that is read though nobody has named it; once for each. */
  onUnasked: (field: ListField) => void
  /** What the list could tell and does not, and its columns that nobody reads; only of a list with such columns. */
  onUncompared: (fields: ListField[], columns: string[]) => void
  onRow: (row: ListRow) => void
  /** A row without a reference, in a list with references. */
  onLeftOut: () => void
  /** What is wrong with a row; if its reference could be read, `onRow` is called too. */
  onMistake: (line: number, problem: string) => void
}

/** The list cannot be read at all, or from this line on. */
export class ListError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

export const NOT_UTF8 = 'it holds bytes that are not UTF-8'

/**
 * Passes on what is in a row. One without a reference belongs to the order above it if it has the same number, or is an item
 * without a number: Shopify writes what an order has in common into its first row only.
 */
export function rowTaker(reading: ListReading, hasReferences: boolean, hasDecimalCommas: boolean) {
  const { mapPrefix, mayLackReferences, readStatus, onRow, onLeftOut, onMistake } = reading
  let above: Pick<ListCells, 'reference' | 'order'> | undefined
  const take = (line: number, cells: ListCells, hasOrders: boolean) => {
    const { reference, order, sku } = cells
    const isFurther = hasOrders && !reference && (order ? order === above?.order : sku !== undefined)
    if (!isFurther || !above) above = { reference, order }
    const known = { ...cells, ...above }
    if (hasReferences ? known.reference === undefined : known.order === undefined) {
      if (hasReferences && mayLackReferences && (hasOrders || sku === undefined)) return onLeftOut()
      const remedy = `; if it belongs to the row above, name the column of its number: --map "${mapPrefix}order=COLUMN"`
      throw new ListRowError(
        `the ${hasReferences ? 'reference' : 'order'} is empty${sku !== undefined && !hasOrders ? remedy : ''}`
      )
    }
    try {
      onRow(readListRow(known, line, { hasDecimalCommas, readStatus }))
    } catch (error) {
      if (!(error instanceof ListRowError)) throw error
      onMistake(line, error.message)
      onRow(unreadableRow(known, line))
    }
  }
  /** @param read gives the cells, and whether there is a column of the order's number */
  return (line: number, read: () => [cells: ListCells, hasOrders: boolean]) => {
    try {
      take(line, ...read())
    } catch (error) {
      if (!(error instanceof ListRowError)) throw error
      above = undefined
      onMistake(line, error.message)
    }
  }
}

export function noColumn(field: ListField, name: string, names: string[], mapPrefix: string): string {
  const what = `${quoteCell(name)}${name === field ? '' : ` (for ${field})`}`
  return `no column is named ${what}; ${whichColumn(field, names, mapPrefix)}`
}

export function whichColumn(field: ListField, names: string[], mapPrefix: string): string {
  return `there are ${names.map(quoteCell).join(', ') || 'none'}; say which it is: --map "${mapPrefix}${field}=COLUMN"`
}
