// Carts, as they are kept: checkouts, attempts to hand one over to a merchant's own shop, and the records of transfers.
import { type Cart, type CartOrigin, cartDigest, contentKey, referenceKey } from '../cart/cart.ts'
import {
  type CheckoutStore,
  type HandoffAttempt,
  type HandoffStore,
  isReusable,
  type NewCheckout,
  type StoredCheckout,
  type TransferRecord,
  type TransferStore
} from '../checkout/checkout-store.ts'
import { LIVE_STATES } from '../checkout/orders/payment.ts'
import {
  type Database,
  type DatabaseRow,
  inValues,
  lockReference,
  type Result,
  type SqlValues,
  statement,
  type Work
} from './database.ts'
import type { UnreadableCount } from './unreadable-count.ts'

/** Whether a checkout that waits for the payment of an earlier cart may still take its place. In SQL, as a page is one read. */
const MAY_TAKE_OVER = `EXISTS (SELECT 1 FROM checkouts AS earlier WHERE earlier.token = checkouts.waits_for
  AND earlier.superseded_at IS NULL AND earlier.is_ordered = 0)`
/** The order of a checkout in the merchant's own shop is what was reported under its reference. */
const SELECT = `SELECT token, merchant_id, transfer_option, cart, created_at, expires_at, handover,
  CASE WHEN waits_for IS NULL OR NOT ${MAY_TAKE_OVER} THEN superseded_at END AS superseded_at, CASE
    WHEN handover IS NOT NULL THEN (SELECT number FROM reported_orders WHERE
      reported_orders.merchant_id = checkouts.merchant_id AND reported_orders.reference_key = checkouts.reference_key)
    WHEN is_ordered = 1 THEN (SELECT number FROM orders WHERE orders.token = checkouts.token)
  END AS number FROM checkouts`
const SELECT_BY_TOKEN = `${SELECT} WHERE token = $1 AND merchant_id = $2`
const SELECT_NEWEST = `${SELECT} WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL`
const SELECT_WAITING = `${SELECT} WHERE waits_for = $1`

export const CHECKOUT_COLUMNS = `token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at,
  handover, content_key`
/** Adds nothing if the reference has a checkout that is not superseded. */
const INSERT = `INSERT INTO checkouts (${CHECKOUT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (merchant_id, reference_key) WHERE superseded_at IS NULL DO NOTHING`
/** Changes nothing if, by now, it has an order or has been replaced. */
const SUPERSEDE = `UPDATE checkouts SET superseded_at = $1
  WHERE token = $2 AND superseded_at IS NULL AND is_ordered = 0`
const LOCK = 'SELECT superseded_at, is_ordered FROM checkouts WHERE token = $1 FOR UPDATE'
const SELECT_LIVE_PAYMENT = `SELECT 1 FROM payments WHERE token = $1 AND state ${inValues(LIVE_STATES)}`
const INSERT_WAITING = `INSERT INTO checkouts (${CHECKOUT_COLUMNS}, superseded_at, waits_for)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $6, $10)`
/** It is then the newest of its reference. */
export const TAKE_OVER = 'UPDATE checkouts SET superseded_at = NULL, waits_for = NULL WHERE token = $1'
const STOP_WAITING = 'UPDATE checkouts SET waits_for = NULL WHERE waits_for = $1'

/** `cart` is the digest of one, as JSON: a version that kept the cart itself reads it as another. */
const SELECT_HANDOVER = 'SELECT attempt, cart, created_at FROM handovers WHERE merchant_id = $1 AND reference_key = $2'
const SELECT_REPORTED = 'SELECT 1 FROM reported_orders WHERE merchant_id = $1 AND reference_key = $2'
const SELECT_STORED = 'SELECT 1 FROM checkouts WHERE token = $1'
const UPSERT = `INSERT INTO handovers (merchant_id, reference_key, attempt, cart, created_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (merchant_id, reference_key) DO UPDATE SET attempt = excluded.attempt, cart = excluded.cart,
  created_at = excluded.created_at`
const DELETE_HANDOVER = 'DELETE FROM handovers WHERE merchant_id = $1 AND reference_key = $2 AND attempt = $3'
const DELETE_OLD_HANDOVERS = `WITH old AS (
    SELECT ctid AS place FROM handovers WHERE merchant_id = $1 AND created_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM handovers WHERE ctid IN (SELECT place FROM old)`

/** The reference as it was sent is kept only if its key differs from it. */
const RECORD = `INSERT INTO transfers (merchant_id, reference_key, reference, transfer_option, outcome, problem, mistakes,
  transferred_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
/** By their place, as they have no key of their own. */
const DELETE_OLD_TRANSFERS = `WITH old AS (
    SELECT ctid AS place FROM transfers WHERE merchant_id = $1 AND transferred_at < $2
      AND transfer_option = coalesce($4, transfer_option)
    ORDER BY transferred_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM transfers WHERE ctid IN (SELECT place FROM old)`
const DELETE_OLD_COUNTS = 'DELETE FROM unreadable_transfers WHERE merchant_id = $1 AND transferred_on < $2'

export function storedCheckouts(
  { of, checkDurable }: Database,
  unreadable: Pick<UnreadableCount, 'add'>
): Omit<CheckoutStore, 'deleteExpired'> & HandoffStore & TransferStore {
  return {
    newestCheckout: async (merchantId, reference) => {
      const found = checkoutFrom(await of(merchantId).read(SELECT_NEWEST, [merchantId, referenceKey(reference)]))
      if (found) checkDurable()
      return found
    },
    waitingCheckout: async ({ merchantId, token }) => checkoutFrom(await of(merchantId).read(SELECT_WAITING, [token])),
    // A bag that was sent before is found even while another process holds the lock.
    addCheckout: checkout =>
      of(checkout.merchantId, checkout.cart.reference).transaction(
        () => addCheckout(checkout),
        () => findKept(checkout)
      ),
    findCheckout: async (merchantId, token) =>
      isStorable(token) ? checkoutFrom(await of(merchantId).read(SELECT_BY_TOKEN, [token, merchantId])) : undefined,

    beginHandoff: (attempt, reusableFrom) =>
      of(attempt.merchantId, attempt.cart.reference).transaction(() => beginHandoff(attempt, reusableFrom)),
    finishHandoff: checkout =>
      of(checkout.merchantId, checkout.cart.reference).transaction(() => finishHandoff(checkout)),
    endHandoff: async ({ merchantId, cart: { reference }, key }) =>
      void (await of(merchantId, reference).write(DELETE_HANDOVER, [merchantId, referenceKey(reference), key])),
    deleteHandoffs: async (merchantId, ...batch) =>
      (await of(merchantId).write(DELETE_OLD_HANDOVERS, [merchantId, ...batch])).count,

    addTransfer: async ({ reference, ...record }) => {
      const { merchantId, at } = record
      if (reference === undefined) unreadable.add(merchantId, dayOf(at))
      else await of(merchantId).write(...recordTransfer({ ...record, reference }))
    },
    deleteTransfers: async (merchantId, before, limit, option) => {
      const { write } = of(merchantId)
      // One row a day: never many.
      if (option === undefined) await write(DELETE_OLD_COUNTS, [merchantId, dayOf(before)])
      return (await write(DELETE_OLD_TRANSFERS, [merchantId, before, limit, option ?? null])).count
    }
  }
}

/** As in `CheckoutStore`, as a part of a transaction. */
export function* addCheckout(checkout: NewCheckout): Work<StoredCheckout> {
  const { merchantId, cart, createdAt, handover } = checkout
  // Nearly every reference is new: it need not be looked up. In PostgreSQL, another server may come in between.
  while ((yield statement(INSERT, checkoutValues(checkout))).count === 0) {
    const found = yield* newestCheckout(merchantId, cart.reference)
    if (found && isKept(found, checkout)) {
      // It is the last one that was sent.
      yield statement(STOP_WAITING, [found.token])
      return found
    }
    if (found) {
      // Of several that come at once, one waits. Then in the order in which whoever orders a waiting checkout locks them.
      yield lockReference(merchantId, cart.reference)
      const waiting = checkoutFrom(yield statement(`${SELECT_WAITING} FOR UPDATE`, [found.token]))
      yield statement(LOCK, [found.token])
      const isHeld = handover === undefined && (yield statement(SELECT_LIVE_PAYMENT, [found.token])).count > 0
      const repeated = waiting && isReusable(waiting, cart, createdAt, handover !== undefined) ? waiting : undefined
      if (isHeld) return repeated ?? (yield* addWaiting(checkout, found.token))
      if ((yield statement(SUPERSEDE, [createdAt, found.token])).count > 0 && repeated) {
        yield statement(TAKE_OVER, [repeated.token])
        return repeated
      }
    }
  }
  return checkout
}

/** Adds a checkout that can be ordered once nobody pays for the earlier cart of its reference any more, in place of another. */
function* addWaiting(checkout: NewCheckout, waitsFor: string): Work<StoredCheckout> {
  yield statement(STOP_WAITING, [waitsFor])
  yield statement(INSERT_WAITING, [...checkoutValues(checkout), waitsFor])
  return checkout
}

/** The newest checkout of a reference and the one that waits for it, which nobody else changes until the transaction ends. */
export function* lockNewest(
  merchantId: string,
  reference: string
): Work<{ newest?: StoredCheckout | undefined; waiting?: StoredCheckout | undefined }> {
  yield lockReference(merchantId, reference)
  const found = yield* newestCheckout(merchantId, reference)
  if (!found) return {}
  // In the order in which whoever orders a waiting checkout locks them.
  const waiting = checkoutFrom(yield statement(`${SELECT_WAITING} FOR UPDATE`, [found.token]))
  yield statement(LOCK, [found.token])
  return { newest: yield* newestCheckout(merchantId, reference), waiting }
}

/**
 * Supersedes a cart by none: the newest checkout of its reference, and with it the one that waits.
 * @returns whether it did: not if the cart is being paid, has an order, or is no longer the last that was sent
 */
export function* cancelCheckout({ merchantId, token, cart }: StoredCheckout, at: string): Work<boolean> {
  const { newest, waiting = newest } = yield* lockNewest(merchantId, cart.reference)
  if (!newest || waiting?.token !== token) return false
  if ((yield statement(SELECT_LIVE_PAYMENT, [newest.token])).count > 0) return false
  return (yield statement(SUPERSEDE, [at, newest.token])).count > 0
}

/** What `addCheckout` would find instead of adding this checkout. */
function* findKept(checkout: NewCheckout): Work<StoredCheckout | undefined> {
  const found = yield* newestCheckout(checkout.merchantId, checkout.cart.reference)
  return found && isKept(found, checkout) ? found : undefined
}

/** Whether the checkout that a reference has is kept, and a new one is not added. */
function isKept(found: StoredCheckout, { cart, createdAt, handover }: NewCheckout): boolean {
  return found.orderNumber !== undefined || isReusable(found, cart, createdAt, handover !== undefined)
}

function* newestCheckout(merchantId: string, reference: string): Work<StoredCheckout | undefined> {
  return checkoutFrom(yield statement(SELECT_NEWEST, [merchantId, referenceKey(reference)]))
}

function* beginHandoff(attempt: HandoffAttempt, reusableFrom: string): Work<string | undefined> {
  const { key, merchantId, cart, createdAt } = attempt
  yield lockReference(merchantId, cart.reference)
  const reference = [merchantId, referenceKey(cart.reference)] as const
  const [known] = (yield statement(SELECT_HANDOVER, reference)).rows
  const isRecent = known !== undefined && String(known.created_at) >= reusableFrom
  const digest = JSON.stringify(cartDigest(cart))
  if (isRecent && known.cart === digest) return String(known.attempt)
  if ((yield statement(SELECT_REPORTED, reference)).count > 0) return undefined
  yield statement(UPSERT, [...reference, key, digest, createdAt])
  return key
}

/** As in `HandoffStore`, as a part of a transaction. */
export function* finishHandoff(checkout: NewCheckout): Work<StoredCheckout | undefined> {
  const { token, merchantId, cart, createdAt } = checkout
  yield lockReference(merchantId, cart.reference)
  const reference = [merchantId, referenceKey(cart.reference)] as const
  if ((yield statement(DELETE_HANDOVER, [...reference, token])).count > 0) return yield* addCheckout(checkout)
  const existing = yield* newestCheckout(merchantId, cart.reference)
  // The same cart, sent twice at once, was faster.
  if (existing && isReusable(existing, cart, createdAt, true)) return existing
  const [other] = (yield statement(SELECT_HANDOVER, reference)).rows
  const isReplaced =
    (yield statement(SELECT_STORED, [token])).count > 0 ||
    (other !== undefined && other.cart !== JSON.stringify(cartDigest(cart))) ||
    (existing !== undefined && existing.createdAt >= createdAt)
  // Otherwise the same cart, sent twice at once, was refused the first time.
  return isReplaced ? undefined : yield* addCheckout(checkout)
}

/** The statement that adds a record. */
export function recordTransfer(record: TransferRecord & { reference: string }): [sql: string, values: SqlValues] {
  const { merchantId, reference, option, at, outcome, problem = null, mistakes } = record
  const key = referenceKey(reference)
  const sent = reference === key ? null : reference
  return [RECORD, [merchantId, key, sent, option, outcome, problem, JSON.stringify(mistakes), at]]
}

/** The UTC day of an ISO 8601 time. */
export function dayOf(time: string): string {
  return time.slice(0, 10)
}

/** Whether a column can hold it: PostgreSQL has no U+0000 in text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0')
}

/** The values of CHECKOUT_COLUMNS. */
export function checkoutValues(checkout: NewCheckout): (string | null)[] {
  const { token, merchantId, option, cart, createdAt, expiresAt, handover } = checkout
  const leadsTo = handover === undefined ? [null, null] : [JSON.stringify(handover), contentKey(cart)]
  const key = referenceKey(cart.reference)
  return [token, merchantId, key, option, JSON.stringify(cart), createdAt, expiresAt, ...leadsTo]
}

/** How the cart of an order came in: columns for `originFrom`. @param isIts whether a row of `checkouts` is that cart's */
export const originColumns = (isIts: string) =>
  `(SELECT transfer_option FROM checkouts WHERE ${isIts}) AS transfer_option,
  (SELECT cart FROM checkouts WHERE ${isIts} AND cart LIKE '%"platform":%') AS cart`

/** Of an order that was placed here, and one that was reported. The first may have been set aside: see stored-orders.ts. */
export const CART_OF_ORDER = `checkouts.token = replace(orders.token, ' ' || number, '')`
export const CART_OF_REPORTED = `checkouts.merchant_id = reported_orders.merchant_id AND superseded_at IS NULL
  AND checkouts.reference_key = coalesce(further_of, reported_orders.reference_key)`

export function originFrom({ transfer_option: option = null, cart = null }: DatabaseRow = {}): CartOrigin {
  const { platform }: Partial<Cart> = cart === null ? {} : JSON.parse(String(cart))
  return { ...(option !== null && { option: String(option) }), ...(platform !== undefined && { platform }) }
}

function checkoutFrom({ rows: [row] }: Result): StoredCheckout | undefined {
  if (!row) return undefined
  const { handover, superseded_at: supersededAt, number } = row
  return {
    token: String(row.token),
    merchantId: String(row.merchant_id),
    option: String(row.transfer_option),
    cart: JSON.parse(String(row.cart)),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(handover !== null && { handover: JSON.parse(String(handover)) }),
    ...(supersededAt !== null && { supersededAt: String(supersededAt) }),
    ...(number !== null && { orderNumber: String(number) })
  }
}
