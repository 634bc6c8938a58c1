// How many results there are of each kind. Pure.
import type { ReferenceResult } from './reference-result.ts'

/** Results of references that only the platform has are counted by state. */
export const NO_COUNTS = {
  /** In the platform's list. */
  references: 0,
  /** In the merchant's list, if there is one. */
  merchantReferences: 0,
  matched: 0,
  different: 0,
  neverArrived: 0,
  refused: 0,
  notOrdered: 0,
  expired: 0,
  superseded: 0,
  /** By the platform, before there was an order. */
  cancelled: 0,
  /** Placed here, but not in the merchant's list. */
  orderedHere: 0,
  /** Reported by the merchant, but not in its list. */
  reported: 0,
  onlyMerchant: 0,
  repeated: 0,
  repeatedByMerchant: 0,
  /** Transfers of the period without a readable reference; they belong to no result. */
  unreadableTransfers: 0
}

export type ReconcileCounts = typeof NO_COUNTS

export function countOf(result: ReferenceResult): keyof ReconcileCounts {
  if (result.answer === 'repeated') return 'line' in result ? 'repeated' : 'repeatedByMerchant'
  return COUNTED_AS[result.answer === 'only-platform' ? result.state : result.answer]
}

const COUNTED_AS = {
  matched: 'matched',
  different: 'different',
  'only-merchant': 'onlyMerchant',
  'never-arrived': 'neverArrived',
  refused: 'refused',
  'not-ordered': 'notOrdered',
  expired: 'expired',
  superseded: 'superseded',
  cancelled: 'cancelled',
  ordered: 'orderedHere',
  reported: 'reported'
} as const

export function isAllMatched(counts: ReconcileCounts): boolean {
  const { references, matched, onlyMerchant, repeated, repeatedByMerchant } = counts
  return matched === references && onlyMerchant === 0 && repeated === 0 && repeatedByMerchant === 0
}
