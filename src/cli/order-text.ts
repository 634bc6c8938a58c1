// Orders as text, as JSON, and as CSV (RFC 4180), where a cell that a spreadsheet would run as a formula starts with an
// apostrophe.

import { type CartExtras, cartOrigin } from '../cart/cart.ts'
import {
  type Customer,
  type ListedOrder,
  type OrderPayment,
  orderData,
  type PlacedListing,
  type ReportedListing
} from '../checkout/orders/order.ts'
import { type ReportedOrder, reportedOrderData } from '../checkout/orders/reported-order.ts'
import type { OutboxMessage } from '../checkout/webhook/outbox.ts'
import { toDecimal } from '../money.ts'
import { visibleJson } from '../start/visible-text.ts'
import { columns } from './run-command.ts'

type OrderPages = AsyncIterable<ListedOrder[]> | Iterable<ListedOrder[]>

export async function* asTable(pages: OrderPages): AsyncGenerator<string> {
  const table = columns()
  let head = [HEAD]
  for await (const page of pages) {
    yield table([...head, ...page.map(listRow)])
    head = []
  }
}

const HEAD = [
  'NUMBER',
  'PLACED (UTC)',
  'MERCHANT',
  'REFERENCE',
  'OPTION',
  'ITEMS',
  'TOTAL',
  'WEBHOOK',
  'LANGUAGE',
  'EMAIL',
  'PAYMENT'
]

function listRow(order: ListedOrder): string[] {
  const { number, merchantId, reference, total, currency } = order
  const isReported = 'reportedAt' in order
  const at = isReported ? order.reportedAt : order.placedAt
  const items = (isReported ? order.items : order.lines).reduce((sum, { quantity }) => sum + quantity, 0)
  return [
    number,
    at.slice(0, 16).replace('T', ' '),
    merchantId,
    reference,
    [order.option ?? '-', order.platform].filter(Boolean).join(' '),
    String(items),
    `${toDecimal(total, currency)} ${currency}`,
    isReported ? '-' : (order.webhook ?? '-') + (order.webhookStoppedAt === undefined ? '' : ', stopped by 410'),
    (!isReported && order.language) || '-',
    isReported ? `(${stateOf(order)})` : (order.customer?.email ?? '(erased)'),
    (!isReported && order.payment && statusText(order.payment, currency)) || '-'
  ]
}

function statusText({ status, refunded, dispute }: OrderPayment, currency: string): string {
  const text = status === 'paid' && refunded > 0 ? `paid, ${toDecimal(refunded, currency)} refunded` : status
  return dispute ? `${text}, dispute ${dispute}` : text
}

function stateOf({ status = 'placed', isFurther }: ReportedOrder): string {
  const state = status === 'placed' ? 'reported' : status
  return isFurther ? `${state}, further order` : state
}

export async function* asJson(pages: OrderPages): AsyncGenerator<string> {
  let before = '['
  for await (const page of pages) {
    for (const order of page) {
      yield `${before}\n${visibleJson(orderJson(order, listedMessage(order)))}`
      before = ','
    }
  }
  yield before === '[' ? '[\n]\n' : '\n]\n'
}

function listedMessage(order: ListedOrder): Partial<OutboxMessage> | undefined {
  if ('reportedAt' in order || !order.webhook) return undefined
  const { webhook: state, webhookStoppedAt: stoppedAt } = order
  return { state, ...(stoppedAt !== undefined && { stoppedAt }) }
}

/** An order that was placed here is as in webhooks, plus `placedAt`, `webhook`, and how its cart came in. */
export function orderJson(order: ListedOrder, message: Partial<OutboxMessage> | undefined): object {
  const origin = cartOrigin(order)
  if ('reportedAt' in order)
    return { ...reportedOrderData(order), ...(order.isFurther && { isFurther: true }), ...origin }
  return { ...orderData(order), placedAt: order.placedAt, ...(message && { webhook: message }), ...origin }
}

export function orderDetails(order: ListedOrder, message: OutboxMessage | undefined): string {
  const [head, bag] = 'reportedAt' in order ? reportedRows(order) : placedRows(order, message)
  return `${columns()(head)}\n${columns()(bag)}`
}

type Rows = [head: string[][], bag: string[][]]

function placedRows(order: PlacedListing, message: OutboxMessage | undefined): Rows {
  const { orderNumber, merchant, reference, currency, lines, deliveryMethod, customer, ...amounts } = orderData(order)
  return [
    [
      ['order', orderNumber],
      ['merchant', merchant],
      ['reference', reference],
      ['placed', order.placedAt],
      ['language', order.language ?? '-'],
      ...Object.entries(cartOrigin(order)),
      ...customerRows(customer),
      ...Object.entries(extrasText(order)),
      ['webhook', messageText(message)],
      ...(order.payment ? [['payment', paymentText(order.payment, currency)]] : [])
    ],
    [
      ['SKU', 'TITLE', 'QUANTITY', 'UNIT PRICE', 'AMOUNT'],
      ...lines.map(({ sku, title, variant, quantity, unitPrice, lineTotal }) => [
        sku,
        variant === undefined ? title : `${title}, ${variant}`,
        String(quantity),
        unitPrice,
        lineTotal
      ]),
      ['', '', 'subtotal', '', amounts.subTotal],
      ['', deliveryMethod?.label ?? '', 'delivery', '', amounts.delivery],
      ['', '', 'total', '', `${amounts.total} ${currency}`]
    ]
  ]
}

function reportedRows(order: ReportedListing): Rows {
  const { orderNumber, merchant, reference, currency, total, items, reportedAt, arrivedAt } = reportedOrderData(order)
  return [
    [
      ['order', orderNumber],
      ['merchant', merchant],
      ['reference', reference],
      ['reported', reportedAt],
      ['status', stateOf(order)],
      ...Object.entries(cartOrigin(order)),
      ['bag', arrivedAt === null ? 'none has arrived' : `arrived ${arrivedAt}`],
      ['total', `${total} ${currency}`]
    ],
    [['SKU', 'QUANTITY'], ...items.map(({ sku, quantity }) => [sku, String(quantity)])]
  ]
}

function customerRows(customer: Customer | undefined): string[][] {
  if (!customer) return [['customer', '(erased)']]
  const { email, phone = '-', address, country, giftNote } = customer
  const note = giftNote?.split('\n').map((line, i) => [i === 0 ? 'gift note' : '', line])
  return [...Object.entries({ email, phone, ...address, country }), ...(note ?? [])]
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

function paymentText(payment: OrderPayment, currency: string): string {
  const { provider, id, amount } = payment
  return `${statusText(payment, currency)}, ${toDecimal(amount, currency)} ${currency}, ${provider} ${id}`
}

export async function* asCsv(pages: OrderPages): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for await (const page of pages) {
    const rows = page.map(cellsOf).map(cells => csvLine(COLUMNS.map(name => cells[name] ?? '')))
    yield rows.join('')
  }
}

const COLUMNS = [
  'number',
  'merchant',
  'reference',
  'placed_at',
  'reported_at',
  'currency',
  'subtotal',
  'delivery',
  'total',
  'items',
  'delivery_method',
  'email',
  'phone',
  'country',
  // The parts that an address may have, whatever its country, under the names that they have in JSON.
  'name',
  'organization',
  'address1',
  'address2',
  'district',
  'city',
  'state',
  'postcode',
  'sorting',
  'webhook',
  'language',
  'delivery_id',
  'gift_note',
  'status',
  'payment_status',
  'payment_provider',
  'payment_id',
  'payment_amount',
  'payment_refunded',
  'payment_dispute',
  'attribution',
  'codes',
  'option',
  'platform'
]

function cellsOf(order: ListedOrder): Record<string, string | undefined> {
  const { number, merchantId: merchant, reference, currency } = order
  const total = toDecimal(order.total, currency)
  const common = { number, merchant, reference, currency, total, ...cartOrigin(order) }
  if ('reportedAt' in order) {
    return { ...common, reported_at: order.reportedAt, items: itemsCell(order.items), status: stateOf(order) }
  }
  const { subTotal: subtotal, delivery, lines, deliveryMethod, customer, language, payment = {} } = orderData(order)
  const { email, phone, country, address } = customer ?? {}
  const paid = Object.entries(payment).map(([name, value]) => [`payment_${name}`, value])
  return {
    ...common,
    placed_at: order.placedAt,
    subtotal,
    delivery,
    items: itemsCell(lines),
    delivery_method: deliveryMethod?.label,
    email,
    phone,
    country,
    ...address,
    webhook: order.webhook,
    language,
    delivery_id: deliveryMethod?.id,
    gift_note: customer?.giftNote,
    ...extrasText(order),
    ...Object.fromEntries(paid)
  }
}

/** What came along with a cart: attribution as the query of a link. */
export function extrasText({ attribution, codes }: CartExtras): Record<string, string> {
  return {
    ...(attribution && { attribution: new URLSearchParams(attribution).toString() }),
    ...(codes && { codes: codes.join('; ') })
  }
}

/** What starts a formula, at the start of a cell or after what some spreadsheets treat as the end of one. */
const FORMULA = /(^|[;,|\t\r\n])(?=[\s'"]*[=+\-@＝＋－＠])/g

function itemsCell(lines: { sku: string; quantity: number }[]): string {
  return lines.map(({ sku, quantity }) => `${sku}:${quantity}`).join('; ')
}

function csvLine(cells: string[]): string {
  return `${cells.map(cell => quoted(cell.replace(FORMULA, "$1'"))).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",;\r\n\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
