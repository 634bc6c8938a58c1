// What came along with a cart, removed from its checkout: once it is ordered, or reported, or its order is erased.
import type { Cart } from '../cart/cart.ts'
import { withoutRefusals } from '../integrations/destination/shop-page.ts'
import { type DatabaseRow, statement, type Work } from './database.ts'

/** Of checkouts, and of those that they superseded. */
const SELECT_CARTS = `SELECT token, cart FROM checkouts WHERE token = ANY ($1)
  UNION ALL
  SELECT earlier.token, earlier.cart FROM checkouts JOIN checkouts AS earlier
    ON earlier.merchant_id = checkouts.merchant_id AND earlier.reference_key = checkouts.reference_key
  WHERE checkouts.token = ANY ($1) AND earlier.superseded_at IS NOT NULL`
const MARK_ORDERED = 'UPDATE checkouts SET is_ordered = 1 WHERE token = $1 RETURNING cart'
const MARK_REPORTED = `UPDATE checkouts SET is_ordered = 1, superseded_at = NULL, cart = $2, handover = $3
  WHERE token = $1`
export const SET_CART = 'UPDATE checkouts SET cart = $2 WHERE token = $1'

/** Of an ordered checkout. Its order has what the shopper sent: what a link said about the buyer is of no more use. */
export function* markOrdered(token: string): Work<void> {
  const [row] = (yield statement(MARK_ORDERED, [token])).rows as [DatabaseRow]
  const { buyer, ...cart }: Cart = JSON.parse(String(row.cart))
  if (buyer) yield statement(SET_CART, [token, JSON.stringify(cart)])
}

/** Of a checkout in the merchant's own shop, which has reported its order: cart and page keep nothing of what came along. */
export function* markReported({ token, cart, handover }: DatabaseRow): Work<void> {
  const page = withoutRefusals(JSON.parse(String(handover)))
  yield statement(MARK_REPORTED, [String(token), JSON.stringify(readBareCart(cart).bare), JSON.stringify(page)])
}

/** Removes what came along with the carts of checkouts, and with earlier ones of their references. */
export function* stripCarts(tokens: string[]): Work<void> {
  for (const { token, cart } of (yield statement(SELECT_CARTS, [tokens])).rows) {
    const { bare, isBare } = readBareCart(cart)
    if (!isBare) yield statement(SET_CART, [String(token), JSON.stringify(bare)])
  }
}

/**
 * A cart without what came along with it: all that says something about a person.
 * @param json as it is stored
 * @returns `isBare`: whether nothing came along
 */
export function readBareCart(json: unknown): { bare: Cart; isBare: boolean } {
  const { reference, currency, items, platform, linkKey, ...extras }: Cart = JSON.parse(String(json))
  const kept = { ...(platform !== undefined && { platform }), ...(linkKey !== undefined && { linkKey }) }
  return { bare: { reference, currency, items, ...kept }, isBare: Object.keys(extras).length === 0 }
}
