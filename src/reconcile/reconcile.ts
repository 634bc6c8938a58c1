// Compares the platform's list with everything that the merchants have: entry by entry, in small batches, and then the
// orders that no entry has found. The answers go to where the list is; only their counts come back.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { toDecimal } from '../money.ts'
import type { Period } from '../period.ts'
import type { PlatformList } from '../store/platform-list.ts'
import type { ReconcileStore } from '../store/store.ts'
import { type Answer, answerTo, type Known } from './answer-to.ts'
import { joinRows, type PlatformEntry } from './platform-entry.ts'

/** How many references the store is asked about at once. */
const BATCH = 500

/** How often each answer was given; those that are only at the platform by their state. */
export type Counts = {
  references: number
  matched: number
  different: number
  neverArrived: number
  refused: number
  notOrdered: number
  expired: number
  superseded: number
  onlyMerchant: number
  repeated: number
  /** Transfers in the period without a readable reference; they belong to no answer. */
  unreadableTransfers: number
}

export type Reconciling = {
  store: ReconcileStore
  list: PlatformList
  /** The merchants that are searched. */
  merchants: string[]
  period: Period
  now: Date
  onProgress: (what: 'matching' | 'orders', done: number) => void
}

export async function reconcile({ store, list, merchants, period, now, onProgress }: Reconciling): Promise<Counts> {
  const counts: Counts = {
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
    unreadableTransfers: 0
  }
  const add = (key: string, answer: Answer) => {
    counts[countOf(answer)] += 1
    list.addAnswer(key, answer)
  }

  const match = async (entries: PlatformEntry[]) => {
    const keys = entries.map(({ key }) => key)
    const known = await store.known(merchants, keys)
    for (const [i, entry] of entries.entries()) {
      const answer = answerTo(entry, known[i] as Known[], now.toISOString())
      // Nobody knows it: with one merchant asked, it is that one's.
      const merchant = answer.merchant ?? (merchants.length === 1 ? String(merchants[0]) : null)
      add(entry.key, { ...answer, merchant } as Answer)
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

  let looked = 0
  for (const merchant of merchants) {
    let orders = await store.ordersAfter(merchant, '', BATCH)
    while (orders.length > 0) {
      for (const { key, reference, number, currency, total, placedAt } of orders) {
        if (placedAt < period.from || placedAt >= period.before || list.isFoundAt(merchant, key)) continue
        const money = { currency, total: toDecimal(total, currency) }
        add(key, { answer: 'only-merchant', merchant, reference, order: number, placedAt, ...money })
      }
      looked += orders.length
      onProgress('orders', looked)
      await nextTurn()
      orders = await store.ordersAfter(merchant, String(orders.at(-1)?.key), BATCH)
    }
    counts.unreadableTransfers += await store.unreadableTransfers(merchant, period.from, period.before)
  }
  return counts
}

/** Whether the list and the merchants agree in everything. */
export function isAllMatched({ references, matched, onlyMerchant, repeated }: Counts): boolean {
  return matched === references && onlyMerchant === 0 && repeated === 0
}

function countOf(answer: Answer): keyof Counts {
  switch (answer.answer) {
    case 'only-merchant':
      return 'onlyMerchant'
    case 'only-platform':
      return STATES[answer.state]
    default:
      return answer.answer
  }
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
