// The store interface for orders.
import type { Order } from './order.ts'

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

/** Selects the orders that meet every condition. Times are ISO 8601; `before` is exclusive. */
export type OrderFilter = { merchantId?: string; from?: string; before?: string; reference?: string; number?: string }

/** An order with the state of its webhook, if it has one. */
export type ListedOrder = Order & { webhook?: WebhookState }

/** What the `orders` command asks. */
export type OrderListStore = {
  /** Up to `limit` orders, oldest first, starting after the given one. */
  listOrders: (filter: OrderFilter, after: Order | undefined, limit: number) => Promise<ListedOrder[]>
  /**
   * Erases what the shopper typed, from the order and from the file; lines and amounts stay.
   * @returns whether there is such an order
   * @throws StoreUnavailable when other readers still hold the old pages; called again, it finishes
   */
  eraseOrder: (number: string) => Promise<boolean>
}
