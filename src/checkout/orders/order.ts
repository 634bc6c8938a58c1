// An order: a checkout that the shopper placed, at the prices of that moment, one per merchant and reference. Its number,
// its JSON as it leaves this server, and the store interface.
import { randomBytes, randomInt } from 'node:crypto'
import { type CartExtras, type CartOrigin, extrasOf } from '../../cart/cart.ts'
import type { DisputeState } from '../../integrations/payment/provider.ts'
import type { LaterAvailability } from '../../merchant/catalogue/product.ts'
import type { OrderedDelivery } from '../../merchant/merchant.ts'
import { toDecimal } from '../../money.ts'
import type { ReportedOrder } from './reported-order.ts'

/** A line as it was sold. Amounts are integers in minor units of the order's currency. */
export type OrderLine = {
  sku: string
  title: string
  variant?: string
  availability?: LaterAvailability
  quantity: number
  unitPrice: number
  lineTotal: number
}

/** What the shopper typed. `address` holds the fields of the country, by the names of `order-form.ts`. */
export type Customer = {
  email: string
  phone?: string
  /** Lines end with `\n`. */
  giftNote?: string
  /** ISO 3166-1, two letters. */
  country: string
  address: Record<string, string>
}

export const PAYMENT_STATUSES = ['pending', 'paid', 'failed', 'refunded'] as const

/** How an order was paid, as merchants see it. Amounts are integers in minor units of the order's currency. */
export type OrderPayment = {
  status: (typeof PAYMENT_STATUSES)[number]
  provider: string
  /** What the provider's own pages and exports call it. */
  id: string
  amount: number
  /** What has been sent back. */
  refunded: number
  /** What the shopper's bank has asked back. */
  dispute?: DisputeState
  /** The https address of what a pending payment asks of the shopper. */
  instructionsUrl?: string
}

/** What came along with its cart is erased with `customer`: it may say who that is. */
export type Order = CartExtras & {
  number: string
  merchantId: string
  token: string
  reference: string
  currency: string
  lines: OrderLine[]
  subtotal: number
  delivery?: OrderedDelivery
  total: number
  /** The locale in which the shopper saw the page, one of the merchant's; older orders have none. */
  language?: string
  /** Absent once it has been erased. */
  customer?: Customer
  /** UTC, ISO 8601. */
  placedAt: string
  /** In the address to which the order leads, where whoever placed it reads what they typed, once. Then it is absent. */
  secret?: string
  /** Absent if it was not paid through a provider. */
  payment?: OrderPayment
}

/** Without 0 and O, 1, I and L, and U, which looks and sounds like V. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A random number such as `7KQM-3XH9`, one of some 650,000 million: short enough to read out, and not countable. */
export function newOrderNumber(): string {
  const part = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${part()}-${part()}`
}

/** For the addresses by which a shopper comes back from paying, and sees the order: 128 random bits, as letters and digits. */
export function newAttemptSecret(): string {
  return randomBytes(16).toString('hex')
}

/** What apps read from the confirmation page (REAL-APP.md 9 and 10). */
export function orderSummary({ number, reference, currency, subtotal, delivery, total }: Order) {
  return {
    orderNumber: number,
    reference,
    currency,
    subTotal: toDecimal(subtotal, currency),
    // Unit prices already include a sale.
    discount: toDecimal(0, currency),
    delivery: toDecimal(delivery?.price ?? 0, currency),
    total: toDecimal(total, currency)
  }
}

/** Amounts are decimals in major units. Built when it is sent: an order whose personal data was erased sends none. */
export function orderData(order: Order) {
  const { merchantId, language, lines, delivery, customer, payment } = order
  const { orderNumber, reference, currency, ...amounts } = orderSummary(order)
  return {
    orderNumber,
    merchant: merchantId,
    reference,
    ...(language !== undefined && { language }),
    currency,
    lines: lines.map(line => ({
      ...line,
      unitPrice: toDecimal(line.unitPrice, currency),
      lineTotal: toDecimal(line.lineTotal, currency)
    })),
    ...amounts,
    ...(delivery && { deliveryMethod: { id: delivery.id, label: delivery.label } }),
    ...(customer && { customer }),
    ...extrasOf(order),
    ...(payment && { payment: paymentData(payment, currency) })
  }
}

function paymentData({ status, provider, id, amount, refunded, dispute }: OrderPayment, currency: string) {
  const refundFacts = refunded > 0 && { refunded: toDecimal(refunded, currency) }
  return { status, provider, id, amount: toDecimal(amount, currency), ...refundFacts, ...(dispute && { dispute }) }
}

/**
 * Placed now, placed before, or not placed: its checkout was superseded or deleted, an earlier cart of the reference is being
 * paid (`held`), or another order has the number.
 */
export type PlacedOrder =
  | { outcome: 'placed' | 'repeated'; order: Order }
  | { outcome: 'superseded' }
  | { outcome: 'held' }
  | { outcome: 'number-taken' }

export type OrderStore = {
  /**
   * Stores an order unless its checkout has one whose payment has not failed, or can no longer be ordered. With `notifiesWebhook`
   * the same transaction adds its message to the outbox. Resolves once the result is on disk.
   */
  placeOrder: (order: Order, options?: { notifiesWebhook?: boolean }) => Promise<PlacedOrder>
  findOrder: (merchantId: string, token: string) => Promise<Order | undefined>
  /** Removes the secret of an order, or replaces it. @returns whether it was still there: of several at once, one is told so */
  spendSecret: (order: Order, next?: string) => Promise<boolean>
}

export type WebhookState = 'pending' | 'delivered' | 'failed'

/** Every condition has to be met. Times are ISO 8601; `before` is exclusive. Case counts in numbers that a merchant gave. */
export type OrderFilter = Partial<
  Record<'merchantId' | 'from' | 'before' | 'reference' | 'number' | 'payment', string | undefined>
>

/**
 * With the state of its webhook, of several messages the worst, and, while that is pending, since when nothing is sent to the
 * merchant after a 410.
 */
export type PlacedListing = Order & CartOrigin & { webhook?: WebhookState; webhookStoppedAt?: string }

export type ReportedListing = ReportedOrder & CartOrigin

export type ListedOrder = PlacedListing | ReportedListing

export type OrderListStore = {
  /** Up to `limit` orders by the time at which they were placed or reported, starting after the given one. */
  listOrders: (filter: OrderFilter, after: ListedOrder | undefined, limit: number) => Promise<ListedOrder[]>
}

/** Personal data is what the shopper typed, and what came along with the cart; lines and amounts stay. */
export type ErasureStore = {
  /**
   * Erases the data of one order, and of payments that were to become it, and purges the file.
   * @returns whether there is such an order or payment
   * @throws StoreUnavailable as `purgeErased`
   */
  eraseOrder: (number: string) => Promise<boolean>
  /**
   * Erases the data of up to `limit` orders placed before a time, oldest first, apart from those with a webhook that has
   * not been delivered. @returns how many
   */
  eraseOrders: (merchantId: string, before: string, limit: number) => Promise<number>
  /** How many orders placed before a time still have their data. */
  countUnerased: (merchantId: string, before: string) => Promise<number>
  /**
   * Removes what this process has erased from the rest of the file, and what one before it may have left there.
   * @throws StoreUnavailable when other readers still hold the old pages; called again, it finishes
   */
  purgeErased: () => Promise<void>
}
