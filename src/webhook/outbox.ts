// The outbox: the messages that still have to be delivered to merchants, and the store interface for them.
import type { Order } from '../orders/order.ts'
import type { WebhookState } from '../orders/order-store.ts'

/** A message refers to its order by number: the payload is built when it is sent. */
export type OutboxMessage = {
  state: WebhookState
  /** Failed attempts so far. */
  attempts: number
  /** Earliest time of the next attempt while pending; the end of the lease while an attempt is under way. */
  dueAt: string
  /** When the last attempt was made, and what went wrong with the last one that failed. */
  attemptedAt?: string
  problem?: string
}

/** A message that no other worker sends until its lease ends. */
export type LeasedMessage = { order: Order; attempts: number; lease: string }

export type OutboxStore = {
  /** Leases the merchant's longest-due message until a time. */
  leaseMessage: (merchantId: string, now: string, until: string) => Promise<LeasedMessage | undefined>
  /** Stores the result of an attempt, unless another worker has the lease by now. */
  settleMessage: (leased: LeasedMessage, after: OutboxMessage) => Promise<void>
  findMessage: (orderNumber: string) => Promise<OutboxMessage | undefined>
  /** Makes an order's message due again, or due for the first time. @returns whether there is such an order */
  redeliver: (orderNumber: string, now: string) => Promise<boolean>
  /** Makes up to `limit` messages due again that failed before now. @returns how many */
  redeliverFailed: (now: string, limit: number, merchantId?: string) => Promise<number>
}
