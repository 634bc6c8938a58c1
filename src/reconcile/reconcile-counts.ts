// How many results of each kind there are.
import type { ReferenceResult } from './reference-result.ts'

/** Those of references that only the platform has are counted by state. */
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
  switch (result.answer) {
    case 'only-merchant':
      return 'onlyMerchant'
    case 'only-platform':
      return STATES[result.state]
    case 'repeated':
      return 'line' in result ? 'repeated' : 'repeatedByMerchant'
    default:
      return result.answer
  }
}

const STATES = {
  'never-arrived': 'neverArrived',
  refused: 'refused',
  'not-ordered': 'notOrdered',
  expired: 'expired',
  superseded: 'superseded',
  ordered: 'orderedHere',
  reported: 'reported'
} as const

export function isAllMatched(counts: ReconcileCounts): boolean {
  const { references, matched, onlyMerchant, repeated, repeatedByMerchant } = counts
  return matched === references && onlyMerchant === 0 && repeated === 0 && repeatedByMerchant === 0
}
