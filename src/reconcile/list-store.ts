// Holds lists of any length, outside memory, while a command compares them.
import type { KeyedRow, ListRow, ListSide } from './list-entry.ts'
import type { ReferenceResult } from './reference-result.ts'

export type ListStore = {
  addRow: (side: ListSide, row: ListRow) => void
  /** Every row, by key, then by list, then by line; results may be added meanwhile. */
  rowsByKey: () => Iterable<KeyedRow>
  /** @param key of the reference that the result is about */
  addResult: (key: string, result: ReferenceResult) => void
  /** Whether a reference in the platform's list was found at this merchant. */
  isFoundAt: (merchant: string, key: string) => boolean
  /**
   * Every result, or every one that did not match, in the order of the platform's list; then those that only the merchant's
   * list has, in its order; then the rest.
   */
  results: (which: 'all' | 'unmatched') => Iterable<ReferenceResult>
  /** Discards everything. */
  close: () => void
}
