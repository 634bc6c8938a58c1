// Deletes checkouts that expired long ago and old records of transfers, a few at a time, so that no request waits for it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Store, TransferStore } from '../store/store.ts'

const BATCH = 200
const DAY = 24 * 60 * 60 * 1000

export type Keeping = { id: string; checkout: { deleteAfterDays: number } }

/** Deletes what has been expired for longer than each merchant keeps it. @returns how many checkouts went */
export async function deleteExpired(
  store: Store,
  merchants: Keeping[],
  now: Date,
  signal?: AbortSignal
): Promise<number> {
  let deleted = 0
  for (const { id, checkout } of merchants) {
    const before = daysBefore(now, checkout.deleteAfterDays)
    deleted += await inBatches(() => store.deleteExpired(id, before, BATCH), signal)
  }
  return deleted
}

export type KeepingRecords = { id: string; transfer: { keepRecordsDays: number } }

/** Deletes what each merchant keeps no longer of its transfers. @returns how many records went */
export async function deleteOldRecords(
  store: TransferStore,
  merchants: KeepingRecords[],
  now: Date,
  signal?: AbortSignal
): Promise<number> {
  let deleted = 0
  for (const { id, transfer } of merchants) {
    const before = daysBefore(now, transfer.keepRecordsDays)
    deleted += await inBatches(() => store.deleteTransfers(id, before, BATCH), signal)
  }
  return deleted
}

function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY).toISOString()
}

async function inBatches(deleteBatch: () => Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  let deleted = 0
  let batch = BATCH
  while (batch === BATCH && !signal?.aborted) {
    batch = await deleteBatch()
    deleted += batch
    await pause(20)
  }
  return deleted
}
