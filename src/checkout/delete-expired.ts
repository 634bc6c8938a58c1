// Deletes old checkouts, unfinished handovers and transfer records in small batches, so that no request waits.
import { setTimeout as pause } from 'node:timers/promises'
import type { Merchant } from '../merchant/merchant.ts'
import type { CheckoutStore, HandoverStore, TransferStore } from './checkout-store.ts'

const BATCH = 200
const PAUSE = 20
const DAY = 24 * 60 * 60 * 1000

/** @returns how many rows were deleted */
export async function deleteExpired(
  store: CheckoutStore & HandoverStore & TransferStore,
  merchants: Merchant[],
  now: Date,
  signal?: AbortSignal
): Promise<number> {
  let deleted = 0
  for (const { id, checkout, transfer } of merchants) {
    const expired = daysBefore(now, checkout.deleteAfterDays)
    const outdated = daysBefore(now, transfer.keepRecordsDays)
    deleted += await inBatches(limit => store.deleteExpired(id, expired, limit, outdated), signal)
    deleted += await inBatches(limit => store.deleteHandovers(id, expired, limit), signal)
    deleted += await inBatches(limit => store.deleteTransfers(id, outdated, limit), signal)
  }
  return deleted
}

export function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY).toISOString()
}

/** Cleans up batch after batch, until one is not full or the signal is aborted. @returns how many rows in all */
export async function inBatches(
  cleanBatch: (limit: number) => Promise<number>,
  signal: AbortSignal | undefined
): Promise<number> {
  let cleaned = 0
  let batch = BATCH
  while (batch === BATCH && !signal?.aborted) {
    batch = await cleanBatch(BATCH)
    cleaned += batch
    await pause(PAUSE)
  }
  return cleaned
}
