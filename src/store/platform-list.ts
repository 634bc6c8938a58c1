// Where a list of any length waits while it is compared: beside the memory, for the time of one command. What keeps it
// is `sqlite-platform-list.ts`.
import type { Answer } from '../reconcile/answer-to.ts'
import type { KeyedRow, ListRow } from '../reconcile/platform-entry.ts'

export type PlatformList = {
  addRow: (row: ListRow) => void
  /** Every row, by key and then by line; the list may be written to in between. */
  rowsByKey: () => Iterable<KeyedRow>
  /** @param key of the reference that the answer is about */
  addAnswer: (key: string, answer: Answer) => void
  /** Whether a reference that stands in the list was found at this merchant. */
  isFoundAt: (merchant: string, key: string) => boolean
  /**
   * Every answer, or every one but "matched", in the order of the list; those without a line come last, in the order
   * they were added.
   */
  answers: (which: 'all' | 'unmatched') => Iterable<Answer>
  /** Forgets everything. */
  close: () => void
}
