// Orders as text for people in a terminal, and as JSON for programs.
import type { Customer, Order } from '../orders/order.ts'
import { orderData } from '../orders/order-json.ts'
import type { ListedOrder } from '../orders/order-store.ts'
import type { OutboxMessage } from '../webhook/outbox.ts'
import { columns } from './terminal-text.ts'

export const LIST_HEADER = ['NUMBER', 'PLACED (UTC)', 'MERCHANT', 'REFERENCE', 'ITEMS', 'TOTAL', 'WEBHOOK', 'EMAIL']

export function listRow(order: ListedOrder): string[] {
  const { orderNumber, merchant, reference, total, currency } = orderData(order)
  const items = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return [
    orderNumber,
    order.placedAt.slice(0, 16).replace('T', ' '),
    merchant,
    reference,
    String(items),
    `${total} ${currency}`,
    webhookText(order),
    order.customer?.email ?? '(erased)'
  ]
}

function webhookText({ webhook, webhookStoppedAt }: ListedOrder): string {
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
