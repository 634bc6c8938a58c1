// Deletes checkouts that expired long ago, a few at a time, so that no request waits for it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../store/store.ts'

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
    const before = new Date(now.getTime() - checkout.deleteAfterDays * DAY).toISOString()
    let batch = BATCH
    while (batch === BATCH && !signal?.aborted) {
      batch = await store.deleteExpired(id, before, BATCH)
      deleted += batch
      await pause(20)
    }
  }
  return deleted
}
