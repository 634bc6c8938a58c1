// Checkouts of a merchant that arrive together are inserted by one statement: one round trip, one commit. With 100 requests in
// progress, a server takes at least twice as many bags as with a statement for each. Those that it leaves out, because their
// reference has a checkout already, are added one by one; so is a whole batch that may have failed because of one of them.
//
// While a batch is on its way, others gather for the next: one large batch at a time has the highest throughput. Only if
// a batch takes long, because it waits for somebody's lock, does the next one start without waiting for it. What holds up a
// merchant's batch holds up no other merchant's.
import type { CheckoutStore, NewCheckout, StoredCheckout } from '../../checkout/checkout-store.ts'
import { StoreUnavailable } from '../../errors.ts'
import type { Database, Queries } from '../database.ts'
import { addCheckout, CHECKOUT_COLUMNS, checkoutValues } from '../stored-checkouts.ts'
import { isConflict, sqlState } from './connections.ts'

const MAX_BATCH = 100

/** How many batches of a merchant may be on their way, and after how many milliseconds the next one waits no longer. */
const MAX_BATCHES = 3
const SLOW = 50

/** The SQLSTATE of a statement that waited too long for another transaction. */
const LOCK_NOT_AVAILABLE = '55P03'

const INSERT_ALL = `INSERT INTO checkouts (${CHECKOUT_COLUMNS})
  SELECT * FROM unnest(${CHECKOUT_COLUMNS.split(',').map((_, i) => `$${i + 1}::text[]`)})
  ON CONFLICT DO NOTHING RETURNING token`

type Waiting = {
  checkout: NewCheckout
  resolve: (checkout: StoredCheckout | Promise<StoredCheckout>) => void
  reject: (error: unknown) => void
  deadline: number
}

/**
 * `addCheckout` of a store on these connections.
 * @param timeout how long a checkout may wait for its batch, in milliseconds
 */
export function addInGroups({ of }: Pick<Database, 'of'>, timeout: number): CheckoutStore['addCheckout'] {
  const groups = new Map<string, CheckoutStore['addCheckout']>()
  return checkout => {
    const { merchantId } = checkout
    const add = groups.get(merchantId) ?? addOfMerchant(reference => of(merchantId, reference), timeout)
    groups.set(merchantId, add)
    return add(checkout)
  }
}

function addOfMerchant(of: (reference?: string) => Queries, timeout: number): CheckoutStore['addCheckout'] {
  let waiting: Waiting[] = []
  let batches = 0
  let lastBegan = 0

  async function insertWaiting(): Promise<void> {
    // Others of the same turn of the event loop come along.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      lastBegan = performance.now()
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      const late = batch.filter(({ deadline }) => deadline <= lastBegan)
      for (const { reject } of late) reject(new StoreUnavailable('PostgreSQL is too slow'))
      const inTime = batch.filter(one => !late.includes(one))
      if (inTime.length > 0) await insert(inTime)
    }
    batches--
  }

  async function insert(batch: Waiting[]): Promise<void> {
    let stored = new Set<string>()
    try {
      // In the same order at every server: two batches that wait for each other would never end.
      const rows = batch
        .map(({ checkout }) => checkout)
        .toSorted(byReference)
        .map(checkoutValues)
      const columns = CHECKOUT_COLUMNS.split(',').map((_, i) => rows.map(row => row[i] ?? null))
      stored = new Set((await of().write(INSERT_ALL, columns)).rows.map(({ token }) => String(token)))
    } catch (error) {
      const isUnavailable = error instanceof StoreUnavailable
      if (isUnavailable && !isConflict(error.cause) && sqlState(error.cause) !== LOCK_NOT_AVAILABLE) {
        for (const { reject } of batch) reject(error)
        return
      }
    }
    for (const { checkout, resolve } of batch) {
      // Once for each token: a bug may have given one twice.
      const isStored = stored.delete(checkout.token)
      resolve(isStored ? checkout : of(checkout.cart.reference).transaction(() => addCheckout(checkout)))
    }
  }

  return checkout =>
    new Promise((resolve, reject) => {
      const now = performance.now()
      waiting.push({ checkout, resolve, reject, deadline: now + timeout })
      if (batches > 0 && (batches === MAX_BATCHES || now - lastBegan < SLOW)) return
      lastBegan = now
      batches++
      void insertWaiting()
    })
}

function byReference({ cart: a }: NewCheckout, { cart: b }: NewCheckout): number {
  return a.reference < b.reference ? -1 : Number(a.reference > b.reference)
}
