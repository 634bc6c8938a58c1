// An example cart to try a merchant with.
import { randomUUID } from 'node:crypto'
import type { Cart } from '../../cart/cart.ts'
import { type Assortment, findSellable } from '../../catalogue/find-sellable.ts'

/** A cart of up to two products; undefined if nothing can be bought. @param maxQuantity the most units of a line */
export function exampleCart(assortment: Assortment, maxQuantity: number): Cart | undefined {
  const { currency, sellable } = findSellable(assortment, 2)
  const items = sellable.map(({ product: { sku } }, i) => ({ sku, quantity: Math.min(i + 1, maxQuantity) }))
  return items.length > 0 ? { reference: randomUUID().replaceAll('-', ''), currency, items } : undefined
}
