// Orders as text for people in a terminal, and as JSON for programs.

import { toDecimal } from '../money.ts'
import { type Customer, type Order, orderData } from '../orders/order.ts'
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
