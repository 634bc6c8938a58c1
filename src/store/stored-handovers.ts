// Carts on their way into a merchant's own shop.
import { isSameCart, referenceKey } from '../cart/cart.ts'
import {
  type HandoverAttempt,
  type HandoverStore,
  isReusable,
  type NewCheckout,
  type StoredCheckout
} from '../checkout/checkout-store.ts'
import { type Database, lockReference, statement, type Work } from './database.ts'
import { addCheckout, newestCheckout } from './stored-checkouts.ts'

const SELECT = 'SELECT attempt, cart, created_at FROM handovers WHERE merchant_id = $1 AND reference_key = $2'
const SELECT_REPORTED = 'SELECT 1 FROM reported_orders WHERE merchant_id = $1 AND reference_key = $2'
const SELECT_STORED = 'SELECT 1 FROM checkouts WHERE token = $1'
const UPSERT = `INSERT INTO handovers (merchant_id, reference_key, attempt, cart, created_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (merchant_id, reference_key) DO UPDATE SET attempt = excluded.attempt, cart = excluded.cart,
  created_at = excluded.created_at`
const DELETE = 'DELETE FROM handovers WHERE merchant_id = $1 AND reference_key = $2 AND attempt = $3'
const DELETE_OLD = `WITH old AS (
    SELECT ctid AS place FROM handovers WHERE merchant_id = $1 AND created_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM handovers WHERE ctid IN (SELECT place FROM old)`

function* begin({ key, merchantId, cart, createdAt }: HandoverAttempt, reusableFrom: string): Work<string | undefined> {
  yield lockReference(merchantId, cart.reference)
  const reference = [merchantId, referenceKey(cart.reference)] as const
  const [known] = (yield statement(SELECT, reference)).rows
  const isRecent = known !== undefined && String(known.created_at) >= reusableFrom
  if (isRecent && isSameCart(JSON.parse(String(known.cart)), cart)) return String(known.attempt)
  if ((yield statement(SELECT_REPORTED, reference)).count > 0) return undefined
  yield statement(UPSERT, [...reference, key, JSON.stringify(cart), createdAt])
  return key
}

function* finish(checkout: NewCheckout): Work<StoredCheckout | undefined> {
  const { token, merchantId, cart, createdAt } = checkout
  yield lockReference(merchantId, cart.reference)
  const reference = [merchantId, referenceKey(cart.reference)] as const
  if ((yield statement(DELETE, [...reference, token])).count > 0) return yield* addCheckout(checkout)
  const existing = yield* newestCheckout(merchantId, cart.reference)
  // The same cart, sent twice at once, was faster.
  if (existing && isReusable(existing, cart, createdAt, true)) return existing
  const [other] = (yield statement(SELECT, reference)).rows
  const isReplaced =
    (yield statement(SELECT_STORED, [token])).count > 0 ||
    (other !== undefined && !isSameCart(JSON.parse(String(other.cart)), cart)) ||
    (existing !== undefined && existing.createdAt >= createdAt)
  // Otherwise the same cart, sent twice at once, was refused the first time.
  return isReplaced ? undefined : yield* addCheckout(checkout)
}

export function storedHandovers({ run, transaction }: Database): HandoverStore {
  return {
    beginHandover: (attempt, reusableFrom) => transaction(() => begin(attempt, reusableFrom)),
    finishHandover: checkout => transaction(() => finish(checkout)),
    endHandover: async ({ merchantId, cart, key }) =>
      void (await run(DELETE, [merchantId, referenceKey(cart.reference), key])),
    deleteHandovers: async (merchantId, before, limit) => (await run(DELETE_OLD, [merchantId, before, limit])).count
  }
}
