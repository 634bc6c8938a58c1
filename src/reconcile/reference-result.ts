// The result for one reference: every answer there is, and which one it is if the orders are in the store. Pure.
import { toDecimal } from '../money.ts'
import { type Difference, differencesBetween } from './differences.ts'
import type { ReferenceEntry } from './list-entry.ts'
import { type Outcome, outcomeOf, type ReferenceHistory } from './reference-history.ts'

/** An order that was placed on our own page, or reported, and is not in the merchant's list. */
export type KnownOrder = { state: 'ordered' | 'reported'; at: string; order: string }

/** What is on record about the transfer of an order; `ordered` if the order was placed on our own page. */
export type TransferState =
  | { state: 'never-arrived' }
  | { state: 'accepted'; at: string }
  | { state: 'superseded'; at: string }
  | { state: 'ordered'; at: string; order: string }
  | { state: 'refused'; at: string; problem?: string; mistakes: string[] }

/** What both lists have; the line in the merchant's list and the order's number, if there are any. */
type Found = { merchant: string; reference: string; line: number; merchantLine?: number; order?: string }

/**
 * As `reconcile --json` prints it. `merchant` is null if several were searched and none knows the reference. `line` is in
 * the platform's list, `merchantLine` in the merchant's, if there is one. Totals are decimal strings in major units.
 */
export type ReferenceResult =
  | ({ answer: 'matched' } & Found)
  | ({ answer: 'different'; differences: Difference[] } & Found)
  | ({ answer: 'only-platform'; merchant: string | null; reference: string; line: number } & (Outcome | KnownOrder))
  | { answer: 'repeated'; merchant: string | null; reference: string; line: number; firstLine: number }
  | { answer: 'repeated'; merchant: string; reference: string; merchantLine: number; firstMerchantLine: number }
  | {
      answer: 'only-merchant'
      merchant: string
      reference: string
      merchantLine?: number
      order?: string
      placedAt?: string
      reportedAt?: string
      currency?: string
      total?: string
      transfer?: TransferState
    }

/** What an order in the store says about the arrival of its cart, which may be long ago. */
export function arrivalOf(order: { arrivedAt?: string } | undefined): TransferState {
  return order?.arrivedAt === undefined ? { state: 'never-arrived' } : { state: 'accepted', at: order.arrivedAt }
}

/**
 * The result for one entry of the platform's list. If several merchants know the reference, the one that got furthest with
 * it counts: an order that matches, an order that differs, then checkouts, then refusals.
 */
export function resultFor(entry: ReferenceEntry, histories: ReferenceHistory[], now: string): ReferenceResult {
  const results = histories.map(history => compareWithStore(entry, history, now))
  const [best] = results.sort((a, b) => rank(a) - rank(b) || (String(a.merchant) < String(b.merchant) ? -1 : 1))
  const { reference, line } = entry
  return best ?? { answer: 'only-platform', merchant: null, reference, line, state: 'never-arrived' }
}

const RANKS = ['matched', 'different', 'not-ordered', 'superseded', 'expired', 'refused', 'never-arrived']

function rank(result: ReferenceResult): number {
  return RANKS.indexOf(result.answer === 'only-platform' ? result.state : result.answer)
}

function compareWithStore(entry: ReferenceEntry, history: ReferenceHistory, now: string): ReferenceResult {
  const { reference, line, items } = entry
  const { merchant, order } = history
  if (!order) return { answer: 'only-platform', merchant, reference, line, ...outcomeOf(items, history, now) }
  const { number, currency, total } = order
  const facts = { order: number, currency, total: toDecimal(total, currency), items: order.items }
  const differences = differencesBetween(entry, facts, history.checkouts[0]?.items)
  const found = { merchant, reference, line, order: number }
  return differences.length > 0 ? { answer: 'different', ...found, differences } : { answer: 'matched', ...found }
}
