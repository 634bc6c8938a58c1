// What the server keeps, and what it asks of whoever keeps it. SQLite is one implementation (`sqlite.ts`); the
// behaviour that each must show is a test suite (`test/store/store-suite.ts`).
import { type Cart, isSameCart } from '../cart/cart.ts'
import type { Order } from '../orders/order.ts'
import type { Known } from '../reconcile/answer-to.ts'

/** A cart as it was stored, under the token that alone finds it. Times are UTC, ISO 8601, from the server's clock. */
export type StoredCheckout = {
  token: string
  merchantId: string
  /** The option by which the cart came. */
  option: string
  cart: Cart
  createdAt: string
  expiresAt: string
  /** When a newer checkout of the same reference took its place. */
  supersededAt?: string
  /** The number of the order that was placed from it. */
  orderNumber?: string
}

/** Whether a reference's newest checkout answers this cart too: it is placed or not expired, and holds the same cart. */
export function answersAgain(newest: StoredCheckout, cart: Cart, now: string): boolean {
  return (newest.orderNumber !== undefined || newest.expiresAt > now) && isSameCart(newest.cart, cart)
}

export type NewCheckout = Omit<StoredCheckout, 'supersededAt' | 'orderNumber'>

/**
 * What came of placing an order: it stands, it had been placed before, or it cannot be: its checkout was superseded
 * or is gone, or the number belongs to another order.
 */
export type Placement =
  | { outcome: 'placed' | 'repeated'; order: Order }
  | { outcome: 'superseded' }
  | { outcome: 'number-taken' }

/** What the server asks about checkouts. */
export type CheckoutStore = {
  /** The newest checkout of a merchant and reference; references are compared as `referenceKey` says. */
  newestCheckout: (merchantId: string, reference: string) => Promise<StoredCheckout | undefined>
  /**
   * Keeps a checkout and marks the one before it of the same merchant and reference as superseded, both or neither.
   * When the newest one still stands (not expired at `createdAt`) and holds the same cart, nothing is added and that
   * one is given back: two transfers of one cart at the same moment get one token. So is one that has an order,
   * whatever the cart: nothing takes its place any more.
   * The promise resolves only when the result is on disk.
   */
  addCheckout: (checkout: NewCheckout) => Promise<StoredCheckout>
  /** Finds a checkout by its token, for its own merchant alone. */
  findCheckout: (merchantId: string, token: string) => Promise<StoredCheckout | undefined>
  /** Deletes up to `limit` checkouts of a merchant without an order that expired before a time, and says how many. */
  deleteExpired: (merchantId: string, before: string, limit: number) => Promise<number>
}

/** What the server asks about orders. */
export type OrderStore = {
  /**
   * Keeps an order, unless its checkout has one or may have none any more. There is one order per merchant and
   * reference. One that is announced leaves its message in the outbox, both or neither. The promise resolves only when
   * the result is on disk.
   */
  placeOrder: (order: Order, isAnnounced?: boolean) => Promise<Placement>
  /** Finds the order that was placed from a checkout. */
  findOrder: (merchantId: string, token: string) => Promise<Order | undefined>
}

/** What has become of the message that tells a merchant of an order. */
export type MessageState = 'pending' | 'delivered' | 'failed'

/** A message of the outbox. It holds nothing of the order but its number: what is sent is made when it is sent. */
export type Message = {
  state: MessageState
  /** How many attempts have failed. */
  attempts: number
  /** Not before this time is it sent, while it is pending; one under way is not due before its lease ends. */
  dueAt: string
  /** The last attempt, and what was wrong with the last that failed. */
  attemptedAt?: string
  problem?: string
}

/** A message that nobody else sends until its lease ends. */
export type ClaimedMessage = { order: Order; attempts: number; claim: string }

/** What the server asks about the outbox. */
export type OutboxStore = {
  /** Takes the message of a merchant that has been due for longest and leases it until a time. */
  claimMessage: (merchantId: string, now: string, until: string) => Promise<ClaimedMessage | undefined>
  /** Notes what came of an attempt, unless the claim has gone to somebody else meanwhile. */
  settleMessage: (claimed: ClaimedMessage, after: Message) => Promise<void>
  findMessage: (orderNumber: string) => Promise<Message | undefined>
  /** Makes the message of an order due again, or for the first time. @returns whether there is such an order */
  redeliver: (orderNumber: string, now: string) => Promise<boolean>
  /** Makes up to `limit` messages due again that failed before now. @returns how many */
  redeliverFailed: (now: string, limit: number, merchantId?: string) => Promise<number>
}

/** Which orders are asked for: those that meet every condition. Times are ISO 8601; `before` is not among them. */
export type OrderFilter = { merchantId?: string; from?: string; before?: string; reference?: string; number?: string }

/** An order with the state of its message, where it has one. */
export type ListedOrder = Order & { message?: MessageState }

/** What the commands ask about orders. */
export type OrderListStore = {
  /** Up to `limit` orders, the oldest first, that come after another one. */
  listOrders: (filter: OrderFilter, after: Order | undefined, limit: number) => Promise<ListedOrder[]>
  /**
   * Erases what the shopper typed, so that it is gone from the file too; the lines and amounts stay.
   * @returns whether there is such an order
   * @throws StoreUnavailable when others keep old pages in use; asked again, it finishes
   */
  eraseOrder: (number: string) => Promise<boolean>
}

/** What became of one transfer; `option` is the one it came by. Nothing of a person stands in it, and at most 1 kB. */
export type TransferRecord = {
  merchantId: string
  /** Absent when it could not be read: such a transfer is only counted. */
  reference?: string
  option: string
  at: string
  outcome: 'accepted' | 'repeated' | 'refused'
  problem?: string
  /** The codes of its mistakes, each once. */
  mistakes: string[]
}

/** What the server keeps of transfers. */
export type TransferStore = {
  addTransfer: (record: TransferRecord) => Promise<void>
  /** Deletes up to `limit` records of a merchant from before a time, and its counts of the days before. @returns how many records */
  deleteTransfers: (merchantId: string, before: string, limit: number) => Promise<number>
}

/** An order as far as a list of orders knows it. */
export type OrderBrief = {
  key: string
  reference: string
  number: string
  currency: string
  total: number
  placedAt: string
}

/** What reconciling asks. Every answer is a small piece of work, so that a server on the same store is not held up. */
export type ReconcileStore = {
  /** Every merchant of which there is anything, sorted. */
  merchantsInStore: () => Promise<string[]>
  /**
   * What these merchants know of references, for each key in turn. Where any of them has an order, only those that
   * have one are given.
   */
  known: (merchants: string[], keys: string[]) => Promise<Known[][]>
  /** The next orders of a merchant in the order of their keys, after one of them; '' begins. */
  ordersAfter: (merchant: string, after: string, limit: number) => Promise<OrderBrief[]>
  /** How many transfers came without a readable reference, from the day of one time to that of the last before another. */
  unreadableTransfers: (merchant: string, from: string, before: string) => Promise<number>
}

export type Store = CheckoutStore &
  OrderStore &
  OutboxStore &
  OrderListStore &
  TransferStore &
  ReconcileStore & {
    /** Resolves when the store can answer. */
    ping: () => Promise<void>
    /** Finishes what was asked for, then lets go of the file or connection. */
    close: () => Promise<void>
  }
