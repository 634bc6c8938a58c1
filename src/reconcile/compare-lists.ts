// Compares a platform's list with a merchant's own, or with everything that the merchants have in the store: reference by
// reference in small batches. The results are added to the list store; only their counts are returned.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { referenceKey } from '../cart/cart.ts'
import { toDecimal } from '../money.ts'
import {
  type EntryPair,
  type KeyedRow,
  type ListRow,
  type ListSide,
  pairEntries,
  type ReferenceEntry
} from './list-entry.ts'
import { countOf, NO_COUNTS, type ReconcileCounts } from './reconcile-counts.ts'
import {
  arrivalOf,
  type Known,
  knownOf,
  matchOf,
  mismatchOf,
  type OrderTime,
  type ReferenceHistory,
  type ReferenceResult,
  resultFor
} from './reference-result.ts'

/** References that are looked up at once. */
const BATCH = 500

/** Times are UTC, ISO 8601; `before` is exclusive. */
export type Period = { from: string; before: string }

type ReconcileOptions = {
  store: ReconcileStore
  list: ListStore
  merchants: string[]
  /** Whether the list store has the orders of the only merchant too: those of the store are then not compared. */
  hasMerchantList: boolean
  /** The only way in whose orders in the store are compared. */
  way?: string | undefined
  /** The only platform, by the address of its profile, whose orders in the store are compared. */
  platform?: string | undefined
  period: Period
  now: Date
  onProgress: (what: 'matching' | 'orders', done: number) => void
}

export async function reconcile(options: ReconcileOptions): Promise<ReconcileCounts> {
  const { store, list, merchants, hasMerchantList, way, platform, period, onProgress } = options
  const counts = { ...NO_COUNTS }
  const add = (key: string, result: ReferenceResult) => {
    counts[countOf(result)] += 1
    list.addResult(key, result)
  }

  for (const pairs of pairEntries(list.rowsByKey(), BATCH)) {
    for (const [pair, result] of await compare(pairs, options)) {
      add(pair.key, result)
      for (const repeat of repeatsIn(pair, result.merchant)) add(pair.key, repeat)
      if (pair.platform) counts.references += 1
      if (pair.merchant) counts.merchantReferences += 1
    }
    onProgress('matching', counts.references)
    await nextTurn()
  }

  // An order of which no cart is known may be anybody's.
  const isMeant = (order: OrderSummary) =>
    platform === undefined || order.option === undefined || order.platform === platform
  let searched = 0
  for (const merchant of merchants) {
    counts.unreadableTransfers += await store.unreadableTransfers(merchant, period.from, period.before)
    if (hasMerchantList) continue
    let orders = await store.ordersAfter(merchant, '', BATCH, way)
    while (orders.length > 0) {
      const meant = orders.filter(isMeant)
      for (const summary of meant) {
        const { reference, number: order, currency, total } = summary
        const key = referenceKey(reference)
        const isPlaced = 'placedAt' in summary
        const at = isPlaced ? summary.placedAt : summary.reportedAt
        if (at < period.from || at >= period.before || list.isFoundAt(merchant, key)) continue
        const money = { currency, total: toDecimal(total, currency) }
        const { status } = summary as { status?: string }
        const state = status === undefined ? {} : { status }
        const known = isPlaced ? { placedAt: at } : { reportedAt: at, ...state, transfer: arrivalOf(summary) }
        add(key, { answer: 'only-merchant', merchant, reference, order, ...known, ...money, ...knownOf(summary) })
      }
      searched += meant.length
      onProgress('orders', searched)
      await nextTurn()
      orders = await store.ordersAfter(merchant, String(orders.at(-1)?.key), BATCH, way)
    }
  }
  return counts
}

/** The history of a reference is looked up unless both lists agree on it. */
async function compare(
  pairs: EntryPair[],
  { store, merchants, hasMerchantList, now }: ReconcileOptions
): Promise<Map<EntryPair, ReferenceResult>> {
  const [merchant = ''] = merchants
  const at = now.toISOString()
  const results = new Map(pairs.map(pair => [pair, matchOf(pair, merchant)]))
  const open = pairs.filter(pair => !results.get(pair))
  const keys = open.map(({ key }) => key)
  const histories = await store.referenceHistories(merchants, keys)
  for (const [i, pair] of open.entries()) {
    const known = histories[i] as ReferenceHistory[]
    const result = hasMerchantList
      ? mismatchOf(pair, known[0] ?? { merchant, checkouts: [] }, at)
      : resultFor(pair.platform as ReferenceEntry, known, at, merchants.length === 1 ? merchant : null)
    results.set(pair, result)
  }
  return results as Map<EntryPair, ReferenceResult>
}

function* repeatsIn({ platform, merchant: own }: EntryPair, merchant: string | null): Generator<ReferenceResult> {
  for (const line of platform?.repeats ?? []) {
    const { reference, line: firstLine } = platform as ReferenceEntry
    yield { answer: 'repeated', merchant, reference, line, firstLine }
  }
  for (const merchantLine of own?.repeats ?? []) {
    const { reference, line: firstMerchantLine } = own as ReferenceEntry
    yield { answer: 'repeated', merchant: String(merchant), reference, merchantLine, firstMerchantLine }
  }
}

/** What reconciling needs from the store. Every query is small, so that a server on the same store is not held up. */
export type ReconcileStore = {
  /** Every merchant that the store has anything of, sorted. */
  merchantsInStore: () => Promise<string[]>
  /** What these merchants have on each key. If any of them has an order, only those with an order are returned. */
  referenceHistories: (merchants: string[], keys: string[]) => Promise<ReferenceHistory[][]>
  /**
   * The merchant's next orders by key, starting after the given key; '' starts at the beginning.
   * @param way leaves out orders whose cart came in by another
   */
  ordersAfter: (merchant: string, after: string, limit: number, way?: string) => Promise<OrderSummary[]>
  /** How many transfers had no readable reference, counted in whole days: from the day of `from`, until `before`. */
  unreadableTransfers: (merchant: string, from: string, before: string) => Promise<number>
}

/** An order to compare with a list, its total in minor units. `key` is its place: that of its reference, unless it is a further one. */
type OrderSummary = {
  key: string
  reference: string
  number: string
  currency: string
  total: number
} & Known &
  OrderTime

export type ListStore = {
  addRow: (side: ListSide, row: ListRow) => void
  /** By key, then by list, then by line; results may be added meanwhile. */
  rowsByKey: () => Iterable<KeyedRow>
  /** @param key of the reference that the result is about */
  addResult: (key: string, result: ReferenceResult) => void
  /** Whether a reference in the platform's list was found at this merchant. */
  isFoundAt: (merchant: string, key: string) => boolean
  /** In the order of the platform's list; then those that only the merchant's list has, in its order; then the rest. */
  results: (which: 'all' | 'unmatched') => Iterable<ReferenceResult>
  close: () => void
}
