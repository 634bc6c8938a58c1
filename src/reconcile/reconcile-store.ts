// What reconciling needs from the store. Every query is small, so that a server on the same store is not held up.
import type { ListItem } from './list-entry.ts'

/** When an order was placed here, or reported by the merchant, and then when its cart had arrived, if it had. */
export type OrderTime = { placedAt: string } | { reportedAt: string; arrivedAt?: string }

/** What one merchant has on a reference. Amounts are in minor units; times are UTC, ISO 8601. */
export type ReferenceHistory = {
  merchant: string
  order?: { number: string; currency: string; total: number; items: ListItem[] } & OrderTime
  /** The newest checkout, then the superseded ones, latest first; left out for an order that was placed here. */
  checkouts: { items: ListItem[]; createdAt: string; expiresAt: string; supersededAt?: string }[]
  /** The latest recorded transfer, likewise; an accepted one is recorded only once its checkout is deleted. */
  lastTransfer?: { at: string; outcome: string; problem?: string; mistakes: string[] }
}

/** An order to compare with a list. `key` is what its reference is compared by. */
export type OrderSummary = {
  key: string
  reference: string
  number: string
  currency: string
  /** In minor units. */
  total: number
} & OrderTime

export type ReconcileStore = {
  /** Every merchant that the store has anything of, sorted. */
  merchantsInStore: () => Promise<string[]>
  /** What these merchants have on each key. If any of them has an order, only those with an order are returned. */
  referenceHistories: (merchants: string[], keys: string[]) => Promise<ReferenceHistory[][]>
  /** The merchant's next orders by key, starting after the given key; '' starts at the beginning. */
  ordersAfter: (merchant: string, after: string, limit: number) => Promise<OrderSummary[]>
  /** How many transfers had no readable reference, counted in whole days: from the day of `from`, until `before`. */
  unreadableTransfers: (merchant: string, from: string, before: string) => Promise<number>
}
