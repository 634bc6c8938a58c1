// Checkouts that arrive together are inserted by one statement: one round trip, one commit. Those that it leaves out, as
// their reference has a checkout already, are added one by one; so are all of a batch that fails, as one may be to blame.
import type { NewCheckout, StoredCheckout } from '../../checkout/checkout-store.ts'
import { StoreUnavailable } from '../../errors.ts'

/** Batches that are being inserted at once. While these are under way, others gather. */
const MAX_BATCHES = 2
const MAX_BATCH = 100

export type GroupInserts = {
  /** Inserts those whose reference has none. @returns the tokens of these */
  insertAll: (checkouts: NewCheckout[]) => Promise<Set<string>>
  /** Adds one, whatever its reference has. */
  add: (checkout: NewCheckout) => Promise<StoredCheckout>
  /** How long a checkout may wait for its batch, in milliseconds. */
  timeout: number
}

type Waiting = {
  checkout: NewCheckout
  resolve: (checkout: StoredCheckout | Promise<StoredCheckout>) => void
  reject: (error: unknown) => void
  deadline: number
}

export function groupInserts({ insertAll, add, timeout }: GroupInserts): GroupInserts['add'] {
  let waiting: Waiting[] = []
  let batches = 0

  async function insertWaiting(): Promise<void> {
    // Others of the same turn of the event loop come along.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      const now = performance.now()
      const late = batch.filter(({ deadline }) => deadline <= now)
      for (const { reject } of late) reject(new StoreUnavailable('PostgreSQL is too slow'))
      await insert(batch.filter(({ deadline }) => deadline > now))
    }
    batches--
  }

  async function insert(batch: Waiting[]): Promise<void> {
    let stored = new Set<string>()
    try {
      stored = await insertAll(batch.map(({ checkout }) => checkout))
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        for (const { reject } of batch) reject(error)
        return
      }
    }
    // Once for each token: the program may be wrong, and have given one twice.
    for (const { checkout, resolve } of batch) resolve(stored.delete(checkout.token) ? checkout : add(checkout))
  }

  return checkout =>
    new Promise((resolve, reject) => {
      waiting.push({ checkout, resolve, reject, deadline: performance.now() + timeout })
      if (batches === MAX_BATCHES) return
      batches++
      void insertWaiting()
    })
}
