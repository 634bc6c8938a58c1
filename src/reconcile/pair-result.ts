// The result for one reference if the merchant's orders are in a list too: the store then has only its transfers. Pure.
import { differencesBetween } from './differences.ts'
import type { EntryPair, ListItem, ReferenceEntry } from './list-entry.ts'
import { outcomeOf, type ReferenceHistory } from './reference-history.ts'
import { arrivalOf, type KnownOrder, type ReferenceResult, type TransferState } from './reference-result.ts'

/** The result for a reference on which both lists agree; undefined for any other. */
export function matchOf({ platform, merchant: own }: EntryPair, merchant: string): ReferenceResult | undefined {
  if (!platform || !own || differencesBetween(platform, own).length > 0) return undefined
  return { answer: 'matched', ...foundIn(platform, own, merchant) }
}

/** The result for a reference that only one list has, or on which they disagree. */
export function mismatchOf(
  { platform, merchant: own }: EntryPair,
  history: ReferenceHistory,
  now: string
): ReferenceResult {
  const { merchant } = history
  if (platform && own) {
    const differences = differencesBetween(platform, own, transferredItems(history))
    return { answer: 'different', ...foundIn(platform, own, merchant), differences }
  }
  if (platform) {
    const { reference, line, items } = platform
    return {
      answer: 'only-platform',
      merchant,
      reference,
      line,
      ...(knownOrder(history) ?? outcomeOf(items, history, now))
    }
  }
  const { reference, line: merchantLine, order, currency, total, items } = own as ReferenceEntry
  return {
    answer: 'only-merchant',
    merchant,
    reference,
    merchantLine,
    ...(order !== undefined && { order }),
    ...(currency !== undefined && { currency }),
    ...(total !== undefined && { total }),
    transfer: transferState(items, history, now)
  }
}

function foundIn(platform: ReferenceEntry, own: ReferenceEntry, merchant: string) {
  const { reference, line } = platform
  const order = own.order ?? platform.order
  return { merchant, reference, line, merchantLine: own.line, ...(order !== undefined && { order }) }
}

/** The order in the store: placed on our own page, as before the merchant's carts led elsewhere, or reported. */
function knownOrder({ order }: ReferenceHistory): KnownOrder | undefined {
  if (!order) return undefined
  return 'placedAt' in order
    ? { state: 'ordered', at: order.placedAt, order: order.number }
    : { state: 'reported', at: order.reportedAt, order: order.number }
}

function transferredItems({ order, checkouts }: ReferenceHistory): ListItem[] | undefined {
  return order && 'placedAt' in order ? order.items : checkouts[0]?.items
}

/** Whether a checkout has expired says nothing about a cart that became an order. */
function transferState(items: ListItem[] | undefined, history: ReferenceHistory, now: string): TransferState {
  const { order } = history
  if (order && 'placedAt' in order) return { state: 'ordered', at: order.placedAt, order: order.number }
  const outcome = outcomeOf(items, history, now)
  if (outcome.state === 'not-ordered') return { state: 'accepted', at: outcome.at }
  if (outcome.state === 'expired') return { state: 'accepted', at: outcome.arrivedAt }
  return outcome.state === 'never-arrived' ? arrivalOf(order) : outcome
}
