// Orders as CSV (RFC 4180), one per line, for programs and spreadsheets. A cell that a spreadsheet would run as a
// formula starts with an apostrophe; `--json` has everything unchanged.
import { type OrderData, orderData } from '../orders/order.ts'
import type { ListedOrder, PlacedListing } from '../orders/order-store.ts'
import { type ReportedOrder, reportedOrderData } from '../orders/reported-order.ts'

/** The parts that an address may have, whatever its country: a column each, under the names that they have in JSON. */
const ADDRESS = ['name', 'organization', 'address1', 'address2', 'district', 'city', 'state', 'postcode', 'sorting']

type Cell = (data: OrderData, order: PlacedListing) => string | undefined

/** The columns by name, each with what its cells hold for an order that was placed here. */
const COLUMNS: Record<string, Cell> = {
  number: ({ orderNumber }) => orderNumber,
  merchant: ({ merchant }) => merchant,
  reference: ({ reference }) => reference,
  placed_at: (_, { placedAt }) => placedAt,
  reported_at: () => undefined,
  currency: ({ currency }) => currency,
  subtotal: ({ subTotal }) => subTotal,
  delivery: ({ delivery }) => delivery,
  total: ({ total }) => total,
  items: ({ lines }) => itemsCell(lines),
  delivery_method: ({ deliveryMethod }) => deliveryMethod?.label,
  email: ({ customer }) => customer?.email,
  phone: ({ customer }) => customer?.phone,
  country: ({ customer }) => customer?.country,
  ...Object.fromEntries(ADDRESS.map(part => [part, ({ customer }) => customer?.address[part]])),
  webhook: (_, { webhook }) => webhook
}

/** What starts a formula, at the start of a cell or after what some spreadsheets treat as the end of one. */
const FORMULA = /(^|[;,|\t\r\n])(?=[\s'"]*[=+\-@＝＋－＠])/g

export function csvHeader(): string {
  return csvLine(Object.keys(COLUMNS))
}

export function orderCsv(order: ListedOrder): string {
  if ('reportedAt' in order) return reportedCsv(order)
  const data = orderData(order)
  return csvLine(Object.values(COLUMNS).map(cellOf => cellOf(data, order) ?? ''))
}

function reportedCsv(order: ReportedOrder): string {
  const { orderNumber: number, merchant, reference, reportedAt, currency, total, items } = reportedOrderData(order)
  const cells: Record<string, string> = {
    ...{ number, merchant, reference, reported_at: reportedAt, currency, total },
    items: itemsCell(items)
  }
  return csvLine(Object.keys(COLUMNS).map(name => cells[name] ?? ''))
}

function itemsCell(lines: { sku: string; quantity: number }[]): string {
  return lines.map(({ sku, quantity }) => `${sku}:${quantity}`).join('; ')
}

function csvLine(cells: string[]): string {
  return `${cells.map(cell => quoted(cell.replace(FORMULA, "$1'"))).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",;\r\n\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
