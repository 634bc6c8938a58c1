// One row of the platform's list, from its cells or its JSON object: what it says, or what is wrong with it. Pure.
import { isCurrencyCode } from '../money.ts'
import { type ListItem, type ListRow, plainDecimal } from './platform-entry.ts'

/** What a list can say, by the names that its columns have unless they are mapped. */
export const FIELDS = ['reference', 'order', 'currency', 'total', 'items', 'sku', 'quantity'] as const
export type Field = (typeof FIELDS)[number]

/** The cells of a row, by field; a cell that is empty is absent. `items` may be a list in JSON. */
export type Cells = Partial<Record<Field, string>> & { list?: ListItem[] }

/** What is wrong with a row, and what would be right. */
export class RowMistake extends Error {}

const MOST_UNITS = 9999

/** @throws RowMistake */
export function readRow(cells: Cells, line: number): ListRow {
  const { reference, order, currency, total, sku, quantity } = cells
  if (reference === undefined) throw new RowMistake('the reference is empty')
  const code = currency?.toUpperCase()
  if (code !== undefined && !isCurrencyCode(code)) {
    throw new RowMistake(`the currency is ${quote(code)}; give an ISO 4217 code such as GBP`)
  }
  if (total !== undefined && !/^\d+(\.\d+)?$/.test(total)) {
    throw new RowMistake(`the total is ${quote(total)}; give a decimal such as 147.99`)
  }
  const isItem = sku !== undefined || quantity !== undefined
  const items = isItem ? undefined : joinedItems(cells)
  return {
    line,
    reference,
    ...(order !== undefined && { order }),
    ...(code !== undefined && { currency: code }),
    ...(total !== undefined && { total: plainDecimal(total) }),
    ...(items && { items }),
    ...(isItem && { item: { sku: readSku(sku), quantity: readQuantity(quantity) } })
  }
}

function joinedItems({ items, list }: Cells): ListItem[] | undefined {
  return items === undefined ? list : splitItems(items)
}

/**
 * Splits `SKU:quantity` pairs with `;`, `,`, `|` or white space between them. A pair ends where a colon and digits are
 * followed by one of these or by the end, so a SKU may hold any of them, and colons.
 */
function splitItems(text: string): ListItem[] {
  const pair = /\s*(.+?):(\d+)\s*(?:[;,|\s]|$)\s*/suy
  const items: ListItem[] = []
  while (pair.lastIndex < text.length) {
    const at = pair.lastIndex
    const [, sku, quantity] = pair.exec(text) ?? []
    if (sku === undefined) {
      throw new RowMistake(`the items have ${quote(text.slice(at))}; give SKU:quantity pairs such as MUG:2;LAMP:1`)
    }
    items.push({ sku, quantity: readQuantity(quantity) })
  }
  return items
}

function readSku(sku: string | undefined): string {
  if (sku === undefined) throw new RowMistake('there is a quantity without a SKU')
  return sku
}

export function readQuantity(text: string | undefined): number {
  const quantity = Number(text)
  if (text === undefined || !/^\d{1,9}$/.test(text) || quantity < 1 || quantity > MOST_UNITS) {
    throw new RowMistake(`the quantity is ${quote(text ?? '')}; give a whole number from 1 to ${MOST_UNITS}`)
  }
  return quantity
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
