// A row of a list, read from its cells: each mistake says what is wrong and what would be right. Pure.
import { MAX_QUANTITY } from '../cart/read-cart.ts'
import { digitsOf, isCurrency, isCurrencyCode } from '../money.ts'
import { type ListItem, type ListRow, plainDecimal } from './list-entry.ts'
import type { ListedStatus } from './status-words.ts'

/** The fields of a list; a column of the same name is read unless another is named. */
export const FIELDS = [
  'reference',
  'order',
  'currency',
  'total',
  'items',
  'sku',
  'quantity',
  'status',
  'cancelled',
  'attribution'
] as const
export type ListField = (typeof FIELDS)[number]
/** Those of JSON, where every order has a reference: nobody asks where it came from. */
export const JSON_FIELDS = FIELDS.filter(field => field !== 'attribution')

/** Further names by which columns are read: those of exports and JSON of WooCommerce, Shopify, BigCommerce and others. */
const OTHER_NAMES: Partial<Record<ListField, string[]>> = {
  order: ['Order #'],
  status: [
    ...['Order Status', 'order_status', 'orderStatus', 'Financial Status', 'financial_status', 'financialStatus'],
    ...['Payment Status', 'payment_status', 'paymentStatus']
  ],
  cancelled: ['Cancelled at', 'Canceled at', 'cancelled_at', 'canceled_at', 'cancelledAt', 'canceledAt']
}

/** The first that is there counts; of a status all. */
export function columnNamesOf(field: ListField): string[] {
  return [field, ...(OTHER_NAMES[field] ?? [])]
}

/**
 * The cells of a row, by field; an empty cell is absent. Of the status there may be several. In JSON the items may be a `list`.
 * `problem` is in one of the cells.
 */
export type ListCells = { [field in Exclude<ListField, 'status'>]?: string | undefined } & {
  status?: string[]
  list?: unknown[]
  problem?: string
}

/** SKUs are compared exactly; anything else is trimmed. */
export function addCell(cells: ListCells, field: ListField, text: string): void {
  const cell = field === 'sku' ? text : text.trim()
  if (cell === '') return
  if (field === 'status') cells.status = [...(cells.status ?? []), cell]
  else cells[field] = cell
}

/** What is wrong with a row, and what would be right. */
export class ListRowError extends Error {}

/** @throws ListRowError if it is in a cell that says which order this is: the row then belongs to none */
export function noteProblem(cells: ListCells, field: ListField, problem: string): void {
  if (field === 'reference' || field === 'order') throw new ListRowError(problem)
  cells.problem ??= problem
}

function readItem(item: unknown): ListItem {
  const { sku, quantity } = (item ?? {}) as { sku?: unknown; quantity?: unknown }
  if (typeof sku !== 'string' || sku === '') {
    throw new ListRowError(`an item is ${quoteCell(JSON.stringify(item))}; give { "sku": "MUG", "quantity": 2 }`)
  }
  return { sku, quantity: readUnits(String(quantity)) }
}

/** What cells hold that are as good as empty, where the time of a cancellation may be: also the zero date of MySQL. */
const NO_TIME = /^(?:[-–—.:0\sTZ]*|null|nil|none|nan|n\/a|false|no|nein)$/i

export type RowFormat = {
  /** Whether `147,99` is a decimal too, as in lists that separate columns with semicolons. */
  hasDecimalCommas: boolean
  readStatus: (word: string) => ListedStatus
}

/** @throws ListRowError */
export function readListRow(cells: ListCells, line: number, { hasDecimalCommas, readStatus }: RowFormat): ListRow {
  const { currency, total, status = [], cancelled = '', attribution, problem } = cells
  if (problem !== undefined) throw new ListRowError(problem)
  const code = currency?.toUpperCase()
  if (code !== undefined && !isCurrencyCode(code)) {
    throw new ListRowError(`the currency is ${quoteCell(code)}; give an ISO 4217 code such as GBP`)
  }
  const states = status.map(readStatus)
  const state = states.find(state => state !== 'placed') ?? states[0]
  return {
    ...placeOf(cells, line),
    ...(code !== undefined && { currency: code }),
    ...(total !== undefined && { total: readTotal(total, code, hasDecimalCommas) }),
    ...(state && { status: state }),
    ...(!NO_TIME.test(cancelled) && { status: 'cancelled' }),
    ...(attribution !== undefined && { attribution }),
    ...readItems(cells, hasDecimalCommas)
  }
}

/** What is left of a row with a mistake. */
export function unreadableRow(cells: ListCells, line: number): ListRow {
  const isItem = cells.sku !== undefined || cells.quantity !== undefined
  return { ...placeOf(cells, line), ...(isItem && { item: { sku: '', quantity: 0 } }), isUnreadable: true }
}

function placeOf({ reference = '', order }: ListCells, line: number): ListRow {
  return { line, reference, ...(order !== undefined && { order }) }
}

function readItems({ items, list, sku, quantity }: ListCells, hasDecimalCommas: boolean): Partial<ListRow> {
  if (sku !== undefined) return { item: { sku, quantity: readUnits(quantity, hasDecimalCommas) } }
  if (quantity !== undefined)
    throw new ListRowError('there is a quantity without a SKU; give it, or ignore both columns')
  if (items !== undefined) return { items: splitItems(items) }
  return list ? { items: list.map(readItem) } : {}
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
  const pair = /\s*(.+?):(\d+(?:\.\d+)?)\s*(?:[;,|\s]|$)\s*/suy
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

/** `2.0000` and `2,00` are 2, but `2,000` may be two thousand; so may `2.000` where decimals have commas. */
function readUnits(text = '', hasDecimalCommas = false): number {
  const [, whole, mark, zeros] = /^(\d{1,9})(?:([.,])(0+))?$/.exec(text) ?? []
  const isThousands = zeros === '000' && (hasDecimalCommas || mark === ',')
  const quantity = Number(whole)
  if (!(quantity >= 1 && quantity <= MAX_QUANTITY) || isThousands) {
    throw new ListRowError(`the quantity is ${quoteCell(text)}; give a whole number from 1 to ${MAX_QUANTITY}`)
  }
  return quantity
}

export function quoteCell(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
