// The store interface for orders.
import type { Order } from './order.ts'
import type { ReportedOrder } from './reported-order.ts'

/**
 * The result of placing an order: placed now, placed before, or not placed because its checkout was superseded or
 * deleted, or because another order has the number.
 */
export type PlacedOrder =
  | { outcome: 'placed' | 'repeated'; order: Order }
  | { outcome: 'superseded' }
  | { outcome: 'number-taken' }

export type OrderStore = {
  /**
   * Stores an order unless its checkout already has one or can no longer be ordered: there is one order per merchant
   * and reference. With `notifiesWebhook` the same transaction adds its message to the outbox. Resolves once the
   * result is on disk.
   */
  placeOrder: (order: Order, options?: { notifiesWebhook?: boolean }) => Promise<PlacedOrder>
  /** Finds the order that was placed from a checkout. */
  findOrder: (merchantId: string, token: string) => Promise<Order | undefined>
}

export type WebhookState = 'pending' | 'delivered' | 'failed'

/**
 * Selects the orders that meet every condition. Times are ISO 8601; `before` is exclusive. The case of a number counts only
 * if the merchant gave it.
 */
export type OrderFilter = Partial<Record<'merchantId' | 'from' | 'before' | 'reference' | 'number', string | undefined>>

/**
 * An order with the state of its webhook, if it has one, and, while that is pending, since when nothing is sent to the
 * merchant, if its webhook answered 410.
 */
export type PlacedListing = Order & { webhook?: WebhookState; webhookStoppedAt?: string }

/** Placed here, or reported by the merchant. */
export type ListedOrder = PlacedListing | ReportedOrder

/** What the `orders` command lists. */
export type OrderListStore = {
  /** Up to `limit` orders by the time at which they were placed or reported, starting after the given one. */
  listOrders: (filter: OrderFilter, after: ListedOrder | undefined, limit: number) => Promise<ListedOrder[]>
}

/** Personal data, which is what the shopper typed, erased by number or by age; lines and amounts stay. */
export type ErasureStore = {
  /**
   * Erases the personal data of an order, and purges the file.
   * @returns whether there is such an order
   * @throws StoreUnavailable when other readers still hold the old pages; called again, it finishes
   */
  eraseOrder: (number: string) => Promise<boolean>
  /**
   * Erases the personal data of up to `limit` orders placed before a time, oldest first, apart from those with a webhook
   * that has not been delivered. @returns how many
   */
  eraseOrders: (merchantId: string, before: string, limit: number) => Promise<number>
  /** How many orders placed before a time still have personal data. */
  countUnerased: (merchantId: string, before: string) => Promise<number>
  /**
   * Removes what this process has erased from the rest of the file, and what one before it may have left there.
   * @throws StoreUnavailable when other readers still hold the old pages; called again, it finishes
   */
  purgeErased: () => Promise<void>
}
