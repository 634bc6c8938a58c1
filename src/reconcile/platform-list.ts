// Holds a platform's list of any length, outside memory, while a command compares it.
import type { KeyedRow, ListRow } from './platform-entry.ts'
import type { ReferenceResult } from './reference-result.ts'

export type PlatformList = {
  addRow: (row: ListRow) => void
  /** Every row, by key and then by line; the list may be written to meanwhile. */
  rowsByKey: () => Iterable<KeyedRow>
  /** @param key of the reference that the result is about */
  addResult: (key: string, result: ReferenceResult) => void
  /** Whether a reference in the list was found at this merchant. */
  isFoundAt: (merchant: string, key: string) => boolean
  /** Every result, or every one that did not match, in the order of the list; those without a line come last. */
  results: (which: 'all' | 'unmatched') => Iterable<ReferenceResult>
  /** Discards everything. */
  close: () => void
}
