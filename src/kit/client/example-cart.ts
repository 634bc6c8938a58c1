// An example cart to try a merchant with.
import { randomUUID } from 'node:crypto'
import type { Cart } from '../../cart/cart.ts'
import { findSellable, type Sold } from '../../catalogue/find-sellable.ts'

/** A cart of up to two products; undefined if nothing can be bought. */
export function exampleCart(sold: Sold): Cart | undefined {
  const { currency, sellable } = findSellable(sold, 2)
  const items = sellable.map(({ product: { sku } }, i) => ({ sku, quantity: i + 1 }))
  return items.length > 0 ? { reference: randomUUID().replaceAll('-', ''), currency, items } : undefined
}
