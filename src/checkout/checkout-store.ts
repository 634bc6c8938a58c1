// What is stored of carts, and for how long: checkouts, handoffs to the merchant's own shop, records of transfers.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cart, isSameCart } from '../cart/cart.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Description } from '../transfer/description.ts'

/** A cart, found only by its token. Times are UTC, ISO 8601, from the server's clock. */
export type StoredCheckout = {
  token: string
  merchantId: string
  option: string
  cart: Cart
  createdAt: string
  expiresAt: string
  /** When a newer checkout of the same reference replaced it. */
  supersededAt?: string
  /** The number of the order that was placed from it, or that the merchant's own shop has reported. */
  orderNumber?: string
  /** The request that opens it in the merchant's own shop; absent if its page is ours. */
  handover?: Description
}

export type NewCheckout = Omit<StoredCheckout, 'supersededAt' | 'orderNumber'>

/** Whether a reference's newest checkout serves this cart too: same cart, same kind of page, ordered or not yet expired. */
export function isReusable(newest: StoredCheckout, cart: Cart, now: string, leadsToShop = false): boolean {
  const isOpen = newest.orderNumber !== undefined || newest.expiresAt > now
  return isOpen && (newest.handover !== undefined) === leadsToShop && isSameCart(newest.cart, cart)
}

/** Placed takes precedence over superseded, and superseded over expired (DECISIONS.md has a table of the states). */
export function checkoutState({ orderNumber, supersededAt, expiresAt }: StoredCheckout, now: Date) {
  if (orderNumber !== undefined) return 'placed'
  if (supersededAt !== undefined) return 'superseded'
  return expiresAt > now.toISOString() ? 'open' : 'expired'
}

/** How many random bytes are asked for at once, as the call costs more than the bytes. */
const RANDOM_BYTES = 1800

/**
 * Makes tokens of 32 letters and digits: the time, then 142 random bits. New rows thus go at the end of the index, and a
 * commit writes fewer pages. A firewall would take `--` in a token for an SQL comment.
 */
export function tokenSource(): (at: Date) => string {
  let random = ''
  return at => {
    if (random.length < 24) random = randomBytes(RANDOM_BYTES).toString('base64url').replaceAll(/[-_]/g, '')
    const own = random.slice(0, 24)
    random = random.slice(24)
    return at.getTime().toString(36) + own
  }
}

export type CheckoutStore = {
  /** The newest checkout of a merchant and reference; references are compared by `referenceKey`. */
  newestCheckout: (merchantId: string, reference: string) => Promise<StoredCheckout | undefined>
  /** The last cart sent under a checkout's reference while that checkout is being paid. It waits for the payment to end. */
  waitingCheckout: (newest: StoredCheckout) => Promise<StoredCheckout | undefined>
  /**
   * Stores a checkout, which is also the record of its transfer. It supersedes the previous one of the same merchant and
   * reference or, while that is being paid, waits. Nothing is stored if the previous one has an order, whatever the cart, or
   * if it or the one that waits is reusable at `createdAt`: that is then returned. Resolves once the result is on disk.
   */
  addCheckout: (checkout: NewCheckout) => Promise<StoredCheckout>
  findCheckout: (merchantId: string, token: string) => Promise<StoredCheckout | undefined>
  /**
   * Deletes up to `limit` checkouts without an order that expired before a time. Those created since `recordsFrom` leave
   * a record of their transfer. @returns how many
   */
  deleteExpired: (merchantId: string, before: string, limit: number, recordsFrom: string) => Promise<number>
}

/** An attempt to hand a cart over. The shop knows it by its key, which becomes the token of its checkout. */
export type HandoffAttempt = { key: string; merchantId: string; cart: Cart; createdAt: string }

export type HandoffStore = {
  /**
   * Stores an attempt, with only a digest of its cart, before the shop hears of it. It replaces any other of the same
   * merchant and reference, unless one with the same cart has failed since `reusableFrom`: that goes on. Resolves once it is on
   * disk.
   * @returns the key to use; undefined if an order has been reported under the reference, and nothing is stored
   */
  beginHandoff: (attempt: HandoffAttempt, reusableFrom: string) => Promise<string | undefined>
  /**
   * Stores the checkout of a successful attempt, as `addCheckout` does, and ends the attempt. It may have ended already: if
   * the same cart is sent twice at once, it may first be refused and then sold.
   * @returns the checkout itself if it was stored; undefined if another cart has taken the attempt's place by now
   */
  finishHandoff: (checkout: NewCheckout) => Promise<StoredCheckout | undefined>
  endHandoff: (attempt: HandoffAttempt) => Promise<void>
  /** Deletes attempts that failed before a time and were not repeated. @returns how many */
  deleteHandoffs: (merchantId: string, before: string, limit: number) => Promise<number>
}

/** The outcome of a transfer, kept to reconcile two lists of orders. No personal data, at most 1 kB. */
export type TransferRecord = {
  merchantId: string
  /** Absent if it could not be read: such a transfer is only counted. */
  reference?: string | undefined
  option: string
  /** UTC, ISO 8601. */
  at: string
  outcome: 'accepted' | 'repeated' | 'refused' | 'cancelled'
  problem?: string | undefined
  /** The codes of its errors, each once. */
  mistakes: string[]
}

export type TransferStore = {
  /** Records a repeat or a refusal; an accepted transfer needs no record while its checkout exists, and `cancelCheckout` makes its own. */
  addTransfer: (record: TransferRecord) => Promise<void>
  /**
   * Deletes the oldest records made before a time, and the counts of earlier days.
   * @param option only the records of this one, and no counts
   * @returns how many records
   */
  deleteTransfers: (merchantId: string, before: string, limit: number, option?: string) => Promise<number>
}

/** Rows per batch, and the pause after it in milliseconds. */
const BATCH = 200
const PAUSE = 20
const DAY = 24 * 60 * 60 * 1000

/** How long answers are kept for repeats, as UCP recommends. */
const ANSWER_DAYS = 2

/** Deletes what is old in small batches, so that no request waits. @returns how many rows */
export async function deleteExpired(
  store: CheckoutStore & HandoffStore & TransferStore & { deleteAnswers: HandoffStore['deleteHandoffs'] },
  merchants: Merchant[],
  now: Date,
  signal?: AbortSignal
): Promise<number> {
  let deleted = 0
  for (const { id, checkout, ways } of merchants) {
    const keptDays = Math.max(...ways.map(({ transfer }) => transfer.keepRecordsDays))
    const expired = daysBefore(now, checkout.deleteAfterDays)
    const forgotten = new Date(now.getTime() - checkout.expiresAfterMinutes * 60_000).toISOString()
    const outdated = daysBefore(now, keptDays)
    deleted += await inBatches(limit => store.deleteExpired(id, expired, limit, outdated), signal)
    deleted += await inBatches(limit => store.deleteHandoffs(id, forgotten, limit), signal)
    deleted += await inBatches(limit => store.deleteTransfers(id, outdated, limit), signal)
    deleted += await inBatches(limit => store.deleteAnswers(id, daysBefore(now, ANSWER_DAYS), limit), signal)
    for (const { name, transfer } of ways.filter(({ transfer }) => transfer.keepRecordsDays < keptDays)) {
      const sooner = daysBefore(now, transfer.keepRecordsDays)
      deleted += await inBatches(limit => store.deleteTransfers(id, sooner, limit, name), signal)
    }
  }
  return deleted
}

export function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY).toISOString()
}

/** Deletes batch after batch, until one is not full or the signal is aborted. @returns how many rows in all */
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
