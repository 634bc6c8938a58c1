// What a merchant's store has on one reference, and what it says about a cart that did not become an order. Pure.
import { isSameItems } from './differences.ts'
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

/**
 * What happened to a reference without an order; `at` is since when. Once an expired checkout is deleted, only its arrival
 * is known.
 */
export type Outcome =
  | { state: 'never-arrived' }
  | { state: 'not-ordered'; at: string }
  | { state: 'superseded'; at: string }
  | { state: 'expired'; at?: string; arrivedAt: string }
  | { state: 'refused'; at: string; problem?: string; mistakes: string[] }

/**
 * The checkout with these items decides; failing that, whatever happened last.
 * @param items as the list has them, if it does
 */
export function outcomeOf(
  items: ListItem[] | undefined,
  { checkouts, lastTransfer }: Pick<ReferenceHistory, 'checkouts' | 'lastTransfer'>,
  now: string
): Outcome {
  const isRefused =
    lastTransfer?.outcome === 'refused' && checkouts.every(({ createdAt }) => createdAt <= lastTransfer.at)
  const sameItems = items && checkouts.find(checkout => isSameItems(items, checkout.items))
  const checkout = sameItems ?? (isRefused ? undefined : checkouts[0])
  if (checkout?.supersededAt !== undefined) return { state: 'superseded', at: checkout.supersededAt }
  if (checkout) {
    const { createdAt, expiresAt } = checkout
    return expiresAt > now
      ? { state: 'not-ordered', at: createdAt }
      : { state: 'expired', at: expiresAt, arrivedAt: createdAt }
  }
  if (!lastTransfer) return { state: 'never-arrived' }
  const { at, problem, mistakes } = lastTransfer
  // An accepted cart without a checkout: the server deletes checkouts that expired long ago.
  if (!isRefused) return { state: 'expired', arrivedAt: at }
  return { state: 'refused', at, ...(problem !== undefined && { problem }), mistakes }
}
