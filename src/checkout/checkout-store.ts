// What is kept of carts: checkouts, handovers to a merchant's own shop, and records of transfers; and for how long.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cart, isSameCart } from '../cart/cart.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Description } from '../transfer/description.ts'

/** A cart under its token, the only way to find it. Times are UTC, ISO 8601, from the server's clock. */
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

/** Whether a reference's newest checkout serves this cart too: the same cart and kind of page, ordered or not yet expired. */
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

/** How many tokens share one call for random bytes, which costs more than the bytes. */
const TOKENS = 100

/**
 * Makes tokens of 32 characters for URLs: 144 random bits behind the time, so that new rows go at the end of the index,
 * and a commit writes fewer pages.
 */
export function tokenSource(): (at: Date) => string {
  let random = ''
  return at => {
    if (random === '') random = randomBytes(TOKENS * 18).toString('base64url')
    const own = random.slice(0, 24)
    random = random.slice(24)
    return at.getTime().toString(36) + own
  }
}

export type CheckoutStore = {
  /** The newest checkout of a merchant and reference; references are compared by `referenceKey`. */
  newestCheckout: (merchantId: string, reference: string) => Promise<StoredCheckout | undefined>
  /** The last cart that was sent under the reference of a checkout while that is being paid: it waits for the payment to end. */
  waitingCheckout: (newest: StoredCheckout) => Promise<StoredCheckout | undefined>
  /**
   * Stores a checkout, which is also the record of its transfer, and supersedes the previous one of the same merchant and
   * reference; while that one is being paid, it waits instead. If the previous one is reusable at `createdAt`, or has an order,
   * whatever the cart, nothing is stored and it is returned; so is one that waits, if it is reusable. Resolves once the result is
   * on disk.
   */
  addCheckout: (checkout: NewCheckout) => Promise<StoredCheckout>
  findCheckout: (merchantId: string, token: string) => Promise<StoredCheckout | undefined>
  /**
   * Deletes up to `limit` checkouts without an order that expired before a time. Those created since `recordsFrom` leave
   * a record of their transfer. @returns how many
   */
  deleteExpired: (merchantId: string, before: string, limit: number, recordsFrom: string) => Promise<number>
}

/** An attempt to hand a cart over. Its key is what the shop knows it by, and becomes the token of its checkout. */
export type HandoverAttempt = { key: string; merchantId: string; cart: Cart; createdAt: string }

export type HandoverStore = {
  /**
   * Stores an attempt, of its cart no more than a digest, before the shop hears of it, in place of any other of the same
   * merchant and reference. An attempt with the same cart that failed since `reusableFrom` goes on instead. Resolves once it is on disk.
   * @returns the key to use; undefined if an order has been reported under the reference, and nothing is stored
   */
  beginHandover: (attempt: HandoverAttempt, reusableFrom: string) => Promise<string | undefined>
  /**
   * Stores the checkout that an attempt has led to, as `addCheckout` does, and ends the attempt. It may have ended already:
   * the same cart, sent twice at once, may be refused first and then sold.
   * @returns the checkout itself if it was stored; undefined if another cart has taken the attempt's place by now
   */
  finishHandover: (checkout: NewCheckout) => Promise<StoredCheckout | undefined>
  endHandover: (attempt: HandoverAttempt) => Promise<void>
  /** Deletes the attempts that failed before a time and were not repeated. @returns how many */
  deleteHandovers: (merchantId: string, before: string, limit: number) => Promise<number>
}

/** The outcome of a transfer, kept so that two lists of orders can be reconciled: nothing about a person, at most 1 kB. */
export type TransferRecord = {
  merchantId: string
  /** Absent if it could not be read: such a transfer is only counted. */
  reference?: string | undefined
  option: string
  /** UTC, ISO 8601. */
  at: string
  outcome: 'accepted' | 'repeated' | 'refused'
  problem?: string | undefined
  /** The codes of its mistakes, each once. */
  mistakes: string[]
}

export type TransferStore = {
  /** Records a repeat or a refusal; an accepted transfer needs no record while its checkout is there. */
  addTransfer: (record: TransferRecord) => Promise<void>
  /** Deletes the oldest records from before a time, and the counts of earlier days. @returns how many records */
  deleteTransfers: (merchantId: string, before: string, limit: number) => Promise<number>
}

/** Rows that are deleted at once, and the pause after them in milliseconds. */
const BATCH = 200
const PAUSE = 20
const DAY = 24 * 60 * 60 * 1000

/** Deletes what is old in small batches, so that no request waits. @returns how many rows */
export async function deleteExpired(
  store: CheckoutStore & HandoverStore & TransferStore,
  merchants: Merchant[],
  now: Date,
  signal?: AbortSignal
): Promise<number> {
  let deleted = 0
  for (const { id, checkout, transfer } of merchants) {
    const expired = daysBefore(now, checkout.deleteAfterDays)
    const forgotten = new Date(now.getTime() - checkout.expiresAfterMinutes * 60_000).toISOString()
    const outdated = daysBefore(now, transfer.keepRecordsDays)
    deleted += await inBatches(limit => store.deleteExpired(id, expired, limit, outdated), signal)
    deleted += await inBatches(limit => store.deleteHandovers(id, forgotten, limit), signal)
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
