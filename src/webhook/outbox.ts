// The outbox: the messages to merchants about their orders, and the store interface for them.
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
  /** Since when nothing is sent to the merchant, if it has been stopped and this is still pending. */
  stoppedAt?: string
}

/** A message that no other worker sends until its lease ends. */
export type LeasedMessage = { order: Order; attempts: number; lease: string }

export type Undelivered = {
  merchantId: string
  pending: number
  /** Not sent again unless they are redelivered. */
  failed: number
  /** Since when the longest-pending one has been in the outbox: its order was placed then, or redelivered. */
  pendingSince?: string
}

export type OutboxStore = {
  /** Leases the merchant's longest-due message until a time, unless the merchant has been stopped. */
  leaseMessage: (merchantId: string, now: string, until: string) => Promise<LeasedMessage | undefined>
  /** Stores the result of an attempt, unless another worker has the lease by now. */
  settleMessage: (leased: LeasedMessage, after: OutboxMessage) => Promise<void>
  findMessage: (orderNumber: string) => Promise<OutboxMessage | undefined>
  /** Leases no message of the merchant any more. @returns false if it had been stopped before */
  stopMessages: (merchantId: string, now: string) => Promise<boolean>
  resumeMessages: (merchantId: string) => Promise<void>
  /** Makes the pending messages due that are due only after a time. @returns how many */
  hastenMessages: (after: string, now: string) => Promise<number>
  /**
   * Makes an order's message due again, or due for the first time, and resumes the messages of its merchant.
   * @returns whether these had been stopped; undefined if there is no such order
   */
  redeliver: (orderNumber: string, now: string) => Promise<{ wasStopped: boolean } | undefined>
  /**
   * Makes up to `limit` messages due again whose last attempt failed before now, whether or not another would follow,
   * and resumes the messages of the merchant, or of all. What is leased is left alone.
   * @returns how many messages, and to how many merchants they had been stopped
   */
  redeliverFailed: (now: string, limit: number, merchantId?: string) => Promise<{ due: number; resumed: number }>
  /** Of the merchants that have any. */
  countUndelivered: () => Promise<Undelivered[]>
}
