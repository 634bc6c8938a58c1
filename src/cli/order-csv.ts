// Orders as CSV (RFC 4180), one per line, for programs and spreadsheets. A cell that a spreadsheet would run as a
// formula starts with an apostrophe; `--json` has everything unchanged.

import { orderData } from '../orders/order-json.ts'
import type { ListedOrder } from '../orders/order-store.ts'

const HEADER = [
  'number',
  'merchant',
  'reference',
  'placed_at',
  'currency',
  'subtotal',
  'delivery',
  'total',
  'items',
  'delivery_method',
  'email',
  'phone',
  'country',
  'address',
  'webhook'
]

/** What starts a formula, at the start of a cell or after what some spreadsheets take for the end of one. */
const FORMULA = /(^|[;,|\t\r\n])(?=[\s'"]*[=+\-@＝＋－＠])/g

export function csvHeader(): string {
  return csvLine(HEADER)
}

export function orderCsv(order: ListedOrder): string {
  const { orderNumber, merchant, reference, currency, subTotal, delivery, total, customer } = orderData(order)
  return csvLine([
    orderNumber,
    merchant,
    reference,
    order.placedAt,
    currency,
    subTotal,
    delivery,
    total,
    order.lines.map(({ sku, quantity }) => `${sku}:${quantity}`).join('; '),
    order.delivery?.label ?? '',
    customer?.email ?? '',
    customer?.phone ?? '',
    customer?.country ?? '',
    Object.values(customer?.address ?? {}).join(', '),
    order.webhook ?? ''
  ])
}

function csvLine(cells: string[]): string {
  return `${cells.map(cell => quoted(cell.replace(FORMULA, "$1'"))).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",;\r\n\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
