// Compares a platform's list with everything the merchants have: entry by entry in small batches, then the orders that no
// entry has found. The results are added to the list; only their counts are returned.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { toDecimal } from '../money.ts'
import { joinRows, type PlatformEntry } from './platform-entry.ts'
import type { PlatformList } from './platform-list.ts'
import type { ReconcileStore } from './reconcile-store.ts'
import { type ReferenceHistory, type ReferenceResult, resultFor } from './reference-result.ts'

/** References that are looked up at once. */
const BATCH = 500

/** Times are UTC, ISO 8601; `before` is exclusive. */
export type Period = { from: string; before: string }

/** How many results of each kind there are; those of references that only the platform has, by state. */
const NO_COUNTS = {
  references: 0,
  matched: 0,
  different: 0,
  neverArrived: 0,
  refused: 0,
  notOrdered: 0,
  expired: 0,
  superseded: 0,
  onlyMerchant: 0,
  repeated: 0,
  /** Transfers of the period without a readable reference; they belong to no result. */
  unreadableTransfers: 0
}

export type ReconcileCounts = typeof NO_COUNTS

export type ReconcileOptions = {
  store: ReconcileStore
  list: PlatformList
  /** The merchants that are searched. */
  merchants: string[]
  period: Period
  now: Date
  onProgress: (what: 'matching' | 'orders', done: number) => void
}

export async function reconcile(options: ReconcileOptions): Promise<ReconcileCounts> {
  const { store, list, merchants, period, now, onProgress } = options
  const counts = { ...NO_COUNTS }
  const add = (key: string, result: ReferenceResult) => {
    counts[countOf(result)] += 1
    list.addResult(key, result)
  }

  const match = async (entries: PlatformEntry[]) => {
    const keys = entries.map(({ key }) => key)
    const histories = await store.referenceHistories(merchants, keys)
    for (const [i, entry] of entries.entries()) {
      const result = resultFor(entry, histories[i] as ReferenceHistory[], now.toISOString())
      // A reference that nobody knows belongs to the only merchant that was searched.
      const merchant = result.merchant ?? (merchants.length === 1 ? String(merchants[0]) : null)
      add(entry.key, { ...result, merchant } as ReferenceResult)
      const { reference, line: firstLine } = entry
      for (const line of entry.repeats) {
        add(entry.key, { answer: 'repeated', merchant, reference, line, firstLine })
      }
    }
    counts.references += entries.length
    onProgress('matching', counts.references)
    await nextTurn()
  }
  for (const entries of batches(joinRows(list.rowsByKey()))) await match(entries)

  let searched = 0
  for (const merchant of merchants) {
    let orders = await store.ordersAfter(merchant, '', BATCH)
    while (orders.length > 0) {
      for (const { key, reference, number, currency, total, placedAt } of orders) {
        if (placedAt < period.from || placedAt >= period.before || list.isFoundAt(merchant, key)) continue
        const money = { currency, total: toDecimal(total, currency) }
        add(key, { answer: 'only-merchant', merchant, reference, order: number, placedAt, ...money })
      }
      searched += orders.length
      onProgress('orders', searched)
      await nextTurn()
      orders = await store.ordersAfter(merchant, String(orders.at(-1)?.key), BATCH)
    }
    counts.unreadableTransfers += await store.unreadableTransfers(merchant, period.from, period.before)
  }
  return counts
}

export function isAllMatched({ references, matched, onlyMerchant, repeated }: ReconcileCounts): boolean {
  return matched === references && onlyMerchant === 0 && repeated === 0
}

function countOf(result: ReferenceResult): keyof ReconcileCounts {
  if (result.answer === 'only-merchant') return 'onlyMerchant'
  return result.answer === 'only-platform' ? STATES[result.state] : result.answer
}

const STATES = {
  'never-arrived': 'neverArrived',
  refused: 'refused',
  'not-ordered': 'notOrdered',
  expired: 'expired',
  superseded: 'superseded'
} as const

function* batches<T>(entries: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  for (const entry of entries) {
    batch.push(entry)
    if (batch.length === BATCH) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}
