// A row of a list, read from its cells: each mistake says what is wrong and what would be right. Pure.
import { MAX_QUANTITY } from '../cart/read-cart.ts'
import { digitsOf, isCurrency, isCurrencyCode } from '../money.ts'
import { type ListItem, type ListRow, plainDecimal } from './list-entry.ts'

/** The fields of a list, by the default names of their columns. */
export const FIELDS = [
  'reference',
  'order',
  'currency',
  'total',
  'items',
  'sku',
  'quantity',
  'status',
  'attribution'
] as const
export type ListField = (typeof FIELDS)[number]

/** The cells of a row, by field; an empty cell is absent. In JSON the items may be a list. */
export type ListCells = Partial<Record<ListField, string>> & { list?: ListItem[] }

/** What is wrong with a row, and what would be right. */
export class ListRowError extends Error {}

export function readItem(item: unknown): ListItem {
  const { sku, quantity } = (item ?? {}) as { sku?: unknown; quantity?: unknown }
  if (typeof sku !== 'string' || sku === '') {
    throw new ListRowError(`an item is ${quoteCell(JSON.stringify(item))}; give { "sku": "MUG", "quantity": 2 }`)
  }
  return { sku, quantity: readUnits(String(quantity)) }
}

/** As shops write them; WooCommerce keeps them with `wc-`. An order of any other status stands. */
const STATUSES = new Map<string, 'cancelled' | 'refunded'>([
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
  ['failed', 'cancelled'],
  ['refunded', 'refunded']
])

/**
 * @param hasReferences without, orders are known by their numbers
 * @param hasDecimalCommas whether `147,99` is a decimal too, as in lists that separate columns with semicolons
 * @throws ListRowError
 */
export function readListRow(
  cells: ListCells,
  line: number,
  { hasReferences = true, hasDecimalCommas = false } = {}
): ListRow {
  const { order, currency, total, attribution } = cells
  const { reference = hasReferences || order === undefined ? undefined : '' } = cells
  if (reference === undefined) throw new ListRowError(`the ${hasReferences ? 'reference' : 'order'} is empty`)
  const status = STATUSES.get(cells.status?.toLowerCase().replace(/^wc-/, '') ?? '')
  const code = currency?.toUpperCase()
  if (code !== undefined && !isCurrencyCode(code)) {
    throw new ListRowError(`the currency is ${quoteCell(code)}; give an ISO 4217 code such as GBP`)
  }
  return {
    line,
    reference,
    ...(order !== undefined && { order }),
    ...(code !== undefined && { currency: code }),
    ...(total !== undefined && { total: readTotal(total, code, hasDecimalCommas) }),
    ...(status && { status }),
    ...(attribution !== undefined && { attribution }),
    ...readItems(cells)
  }
}

function readItems({ items, list, sku, quantity }: ListCells): Partial<ListRow> {
  if (sku !== undefined) return { item: { sku, quantity: readUnits(quantity) } }
  if (quantity !== undefined) throw new ListRowError('there is a quantity without a SKU')
  if (items !== undefined) return { items: splitItems(items) }
  return list ? { items: list } : {}
}

/** Three digits after a separator, as only thousands have. */
const THOUSANDS = /\d[.,'’\s]\d{3}(?!\d)/
/** In a list with decimal commas: one thousand or one? Only a currency with three decimals says. */
const MAYBE_THOUSANDS = /^[1-9]\d{0,2}[.,]\d{3}$/

/** Reads a decimal in major units. Thousands separators are refused, not guessed: `1.234` would be a thousandth part. */
function readTotal(text: string, currency: string | undefined, hasDecimalCommas: boolean): string {
  const isDecimal = (hasDecimalCommas ? /^\d+([.,]\d+)?$/ : /^\d+(\.\d+)?$/).test(text)
  const hasThreeDecimals = currency !== undefined && isCurrency(currency) && digitsOf(currency) === 3
  const isAmbiguous = hasDecimalCommas && !hasThreeDecimals && MAYBE_THOUSANDS.test(text)
  if (isDecimal && !isAmbiguous) return plainDecimal(text.replace(',', '.'))
  const reason = THOUSANDS.test(text) ? ', without a thousands separator' : ''
  throw new ListRowError(`the total is ${quoteCell(text)}; give a decimal such as 147.99${reason}`)
}

/**
 * Splits `SKU:quantity` pairs with `;`, `,`, `|` or white space between them. A pair ends where a colon and digits are
 * followed by a separator or the end, so a SKU may hold separators and colons itself.
 */
function splitItems(text: string): ListItem[] {
  const pair = /\s*(.+?):(\d+)\s*(?:[;,|\s]|$)\s*/suy
  const items: ListItem[] = []
  while (pair.lastIndex < text.length) {
    const at = pair.lastIndex
    const [, sku, quantity] = pair.exec(text) ?? []
    if (sku === undefined) {
      const found = quoteCell(text.slice(at))
      throw new ListRowError(`the items have ${found}; give SKU:quantity pairs such as MUG:2;LAMP:1`)
    }
    items.push({ sku, quantity: readUnits(quantity) })
  }
  return items
}

function readUnits(text = ''): number {
  const quantity = Number(text)
  if (!/^\d{1,9}$/.test(text) || quantity < 1 || quantity > MAX_QUANTITY) {
    throw new ListRowError(`the quantity is ${quoteCell(text)}; give a whole number from 1 to ${MAX_QUANTITY}`)
  }
  return quantity
}

export function quoteCell(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
