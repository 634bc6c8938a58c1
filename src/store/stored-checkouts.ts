// Checkouts: which bag has a reference.
import { referenceKey } from '../cart/cart.ts'
import { type CheckoutStore, isReusable, type NewCheckout, type StoredCheckout } from '../checkout/checkout-store.ts'
import { type Database, type Result, statement, type Work } from './database.ts'
import { recordTransfer } from './stored-transfers.ts'

/** The order of a checkout in the merchant's own shop is what was reported under its reference. */
const SELECT = `SELECT token, merchant_id, transfer_option, cart, created_at, expires_at, handover, superseded_at, CASE
    WHEN handover IS NOT NULL THEN (SELECT number FROM reported_orders WHERE
      reported_orders.merchant_id = checkouts.merchant_id AND reported_orders.reference_key = checkouts.reference_key)
    WHEN is_ordered = 1 THEN (SELECT number FROM orders WHERE orders.token = checkouts.token)
  END AS number FROM checkouts`
const SELECT_BY_TOKEN = `${SELECT} WHERE token = $1 AND merchant_id = $2`
const SELECT_NEWEST = `${SELECT} WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL`

export const CHECKOUT_COLUMNS = `token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at,
  handover`
/** Adds nothing if the reference has a checkout that is not superseded. */
const INSERT = `INSERT INTO checkouts (${CHECKOUT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (merchant_id, reference_key) WHERE superseded_at IS NULL DO NOTHING`
/** Changes nothing if, by now, it has an order or has been replaced. */
const SUPERSEDE = `UPDATE checkouts SET superseded_at = $1
  WHERE token = $2 AND superseded_at IS NULL AND is_ordered = 0`

const SELECT_EXPIRED = `SELECT token, cart, transfer_option, created_at FROM checkouts
  WHERE merchant_id = $1 AND expires_at < $2 AND is_ordered = 0 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED`
const DELETE = 'DELETE FROM checkouts WHERE token = ANY ($1)'

/** The values of CHECKOUT_COLUMNS. */
export function checkoutValues(checkout: NewCheckout): (string | null)[] {
  const { token, merchantId, option, cart, createdAt, expiresAt, handover } = checkout
  const leadsTo = handover === undefined ? null : JSON.stringify(handover)
  const key = referenceKey(cart.reference)
  return [token, merchantId, key, option, JSON.stringify(cart), createdAt, expiresAt, leadsTo]
}

export function* newestCheckout(merchantId: string, reference: string): Work<StoredCheckout | undefined> {
  return checkoutFrom(yield statement(SELECT_NEWEST, [merchantId, referenceKey(reference)]))
}

/** What `addCheckout` would find instead of adding this checkout. */
function* findReusable(checkout: NewCheckout): Work<StoredCheckout | undefined> {
  const found = yield* newestCheckout(checkout.merchantId, checkout.cart.reference)
  return found && isKept(found, checkout) ? found : undefined
}

/** As in `CheckoutStore`, as a part of a transaction. */
export function* addCheckout(checkout: NewCheckout): Work<StoredCheckout> {
  const { merchantId, cart, createdAt } = checkout
  // Nearly every reference is new: it need not be looked up. In PostgreSQL, another server may come in between.
  while ((yield statement(INSERT, checkoutValues(checkout))).count === 0) {
    const found = yield* newestCheckout(merchantId, cart.reference)
    if (found && isKept(found, checkout)) return found
    if (found) yield statement(SUPERSEDE, [createdAt, found.token])
  }
  return checkout
}

/** Whether the checkout that a reference has is kept, and a new one is not added. */
function isKept(found: StoredCheckout, { cart, createdAt, handover }: NewCheckout): boolean {
  return found.orderNumber !== undefined || isReusable(found, cart, createdAt, handover !== undefined)
}

function* deleteBatch(merchantId: string, before: string, limit: number, recordsFrom: string): Work<number> {
  const { rows } = yield statement(SELECT_EXPIRED, [merchantId, before, limit])
  for (const { cart, transfer_option, created_at } of rows) {
    const at = String(created_at)
    if (at < recordsFrom) continue
    const { reference } = JSON.parse(String(cart))
    const option = String(transfer_option)
    yield statement(...recordTransfer({ merchantId, reference, option, at, outcome: 'accepted', mistakes: [] }))
  }
  yield statement(DELETE, [rows.map(({ token }) => String(token))])
  return rows.length
}

export function storedCheckouts({ run, transaction, checkDurable }: Database): CheckoutStore {
  return {
    newestCheckout: async (merchantId, reference) => {
      const found = checkoutFrom(await run(SELECT_NEWEST, [merchantId, referenceKey(reference)]))
      if (found) checkDurable()
      return found
    },
    // A bag that was sent again waits for no other process.
    addCheckout: checkout =>
      transaction(
        () => addCheckout(checkout),
        () => findReusable(checkout)
      ),
    findCheckout: async (merchantId, token) =>
      isStorable(token) ? checkoutFrom(await run(SELECT_BY_TOKEN, [token, merchantId])) : undefined,
    deleteExpired: (...batch) => transaction(() => deleteBatch(...batch))
  }
}

/** Whether a column can hold it: PostgreSQL has no U+0000 in text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0')
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
