// Orders as text for people in a terminal, as JSON for programs, and as CSV (RFC 4180) for spreadsheets. A cell that a
// spreadsheet would run as a formula starts with an apostrophe; JSON has everything unchanged.
import { toDecimal } from '../money.ts'
import { type Customer, type Order, type OrderData, orderData } from '../orders/order.ts'
import type { ListedOrder, PlacedListing } from '../orders/order-store.ts'
import { type ReportedOrder, reportedOrderData } from '../orders/reported-order.ts'
import type { OutboxMessage } from '../webhook/outbox.ts'
import { columns } from './terminal-text.ts'

export const LIST_HEADER = ['NUMBER', 'PLACED (UTC)', 'MERCHANT', 'REFERENCE', 'ITEMS', 'TOTAL', 'WEBHOOK', 'EMAIL']

export function listRow(order: ListedOrder): string[] {
  const { number, merchantId, reference, total, currency } = order
  const isReported = 'reportedAt' in order
  const at = isReported ? order.reportedAt : order.placedAt
  const items = (isReported ? order.items : order.lines).reduce((sum, { quantity }) => sum + quantity, 0)
  return [
    number,
    at.slice(0, 16).replace('T', ' '),
    merchantId,
    reference,
    String(items),
    `${toDecimal(total, currency)} ${currency}`,
    isReported ? '-' : webhookText(order),
    isReported ? '(reported)' : (order.customer?.email ?? '(erased)')
  ]
}

/** As an order of the list, for programs. */
export function listedJson(listed: ListedOrder): object {
  if ('reportedAt' in listed) return reportedOrderData(listed)
  const { webhook: state, webhookStoppedAt: stoppedAt, ...order } = listed
  return orderJson(order, state && { state, ...(stoppedAt !== undefined && { stoppedAt }) })
}

function webhookText({ webhook, webhookStoppedAt }: PlacedListing): string {
  return webhookStoppedAt === undefined ? (webhook ?? '-') : `${webhook}, stopped by 410`
}

/** An order with the state of its webhook: as in webhooks, plus `placedAt` and `webhook`. */
export function orderJson(order: Order, message: Partial<OutboxMessage> | undefined): object {
  return { ...orderData(order), placedAt: order.placedAt, ...(message && { webhook: message }) }
}

/** Everything about one order. */
export function orderDetails(order: Order, message: OutboxMessage | undefined): string {
  const { orderNumber, merchant, reference, currency, lines, subTotal, delivery, total, deliveryMethod, customer } =
    orderData(order)
  const amounts: string[][] = [
    ['', '', 'subtotal', '', subTotal],
    ['', deliveryMethod?.label ?? '', 'delivery', '', delivery],
    ['', '', 'total', '', `${total} ${currency}`]
  ]
  const head = [
    ['order', orderNumber],
    ['merchant', merchant],
    ['reference', reference],
    ['placed', order.placedAt],
    ...(customer ? customerRows(customer) : [['customer', '(erased)']]),
    ['webhook', messageText(message)]
  ]
  const bag = [
    ['SKU', 'TITLE', 'QUANTITY', 'UNIT PRICE', 'AMOUNT'],
    ...lines.map(({ sku, title, variant, quantity, unitPrice, lineTotal }) => [
      sku,
      variant === undefined ? title : `${title}, ${variant}`,
      String(quantity),
      unitPrice,
      lineTotal
    ])
  ]
  return `${columns()(head)}\n${columns()([...bag, ...amounts])}`
}

/** Everything about an order that a merchant reported. */
export function reportedDetails(order: ReportedOrder): string {
  const { orderNumber, merchant, reference, currency, total, items, reportedAt, arrivedAt } = reportedOrderData(order)
  const head = [
    ['order', orderNumber],
    ['merchant', merchant],
    ['reference', reference],
    ['reported', reportedAt],
    ['bag', arrivedAt === null ? 'none has arrived' : `arrived ${arrivedAt}`],
    ['total', `${total} ${currency}`]
  ]
  const bag = [['SKU', 'QUANTITY'], ...items.map(({ sku, quantity }) => [sku, String(quantity)])]
  return `${columns()(head)}\n${columns()(bag)}`
}

function customerRows({ email, phone = '-', address, country }: Customer): string[][] {
  return Object.entries({ email, phone, ...address, country })
}

function messageText(message: OutboxMessage | undefined): string {
  if (!message) return 'none'
  const { state, attempts, dueAt, attemptedAt, problem, stoppedAt } = message
  const stopped = `stopped by an answer 410 at ${stoppedAt}: sent after "redeliver", or when the server starts again`
  return [
    state,
    ...(state === 'pending' ? [stoppedAt === undefined ? `due ${dueAt}` : stopped] : []),
    ...(attempts > 0 ? [`${attempts} failed`] : []),
    ...(attemptedAt === undefined ? [] : [`last attempt ${attemptedAt}`]),
    ...(problem === undefined ? [] : [`last problem: ${problem}`])
  ].join(', ')
}

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
