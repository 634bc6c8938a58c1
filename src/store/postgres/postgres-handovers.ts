// Carts on their way into a merchant's own shop, in PostgreSQL.
import { isSameCart, referenceKey } from '../../cart/cart.ts'
import { type HandoverStore, isReusable } from '../../checkout/checkout-store.ts'
import type { Connections, Run } from './connections.ts'
import { lockReference } from './lock-reference.ts'
import { addCheckout, newestCheckout } from './postgres-checkouts.ts'
import { statement } from './statement.ts'

const SELECT = statement(
  'SELECT attempt, cart, created_at FROM handovers WHERE merchant_id = $1 AND reference_key = $2'
)
const UPSERT = statement(
  `INSERT INTO handovers (merchant_id, reference_key, attempt, cart, created_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (merchant_id, reference_key) DO UPDATE SET attempt = excluded.attempt, cart = excluded.cart,
   created_at = excluded.created_at`
)
const SELECT_STORED = statement('SELECT 1 FROM checkouts WHERE token = $1')
const DELETE = statement('DELETE FROM handovers WHERE merchant_id = $1 AND reference_key = $2 AND attempt = $3')
const DELETE_OLD = statement(
  `DELETE FROM handovers WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM handovers WHERE merchant_id = $1 AND created_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))`
)
const SELECT_REPORTED = statement('SELECT 1 FROM reported_orders WHERE merchant_id = $1 AND reference_key = $2')

export function postgresHandovers({ run, transaction }: Connections): HandoverStore {
  const find = async (run: Run, merchantId: string, reference: string) =>
    (await run(SELECT, [merchantId, referenceKey(reference)])).rows[0]
  return {
    beginHandover: ({ key, merchantId, cart, createdAt }, reusableFrom) =>
      transaction(async run => {
        await lockReference(run, merchantId, cart.reference)
        const known = await find(run, merchantId, cart.reference)
        const isSame =
          known && String(known.created_at) >= reusableFrom && isSameCart(JSON.parse(String(known.cart)), cart)
        if (isSame) return String(known.attempt)
        const reference = referenceKey(cart.reference)
        if ((await run(SELECT_REPORTED, [merchantId, reference])).rowCount) return undefined
        await run(UPSERT, [merchantId, reference, key, JSON.stringify(cart), createdAt])
        return key
      }),
    finishHandover: checkout =>
      transaction(async run => {
        const { token, merchantId, cart, createdAt } = checkout
        await lockReference(run, merchantId, cart.reference)
        const ended = await run(DELETE, [merchantId, referenceKey(cart.reference), token])
        if (ended.rowCount) return addCheckout(run, checkout)
        const existing = await newestCheckout(run, merchantId, cart.reference)
        // The same cart, sent twice at once, was faster.
        if (existing && isReusable(existing, cart, createdAt, true)) return existing
        const other = await find(run, merchantId, cart.reference)
        const isReplaced =
          (await run(SELECT_STORED, [token])).rowCount === 1 ||
          (other !== undefined && !isSameCart(JSON.parse(String(other.cart)), cart)) ||
          (existing !== undefined && existing.createdAt >= createdAt)
        // Otherwise the same cart, sent twice at once, was refused the first time.
        return isReplaced ? undefined : addCheckout(run, checkout)
      }),
    endHandover: async ({ merchantId, cart, key }) =>
      void (await run(DELETE, [merchantId, referenceKey(cart.reference), key])),
    deleteHandovers: async (merchantId, before, limit) =>
      Number((await run(DELETE_OLD, [merchantId, before, limit])).rowCount)
  }
}
