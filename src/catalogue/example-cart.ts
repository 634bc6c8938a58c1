// Example carts to try a merchant with.
import { randomUUID } from 'node:crypto'
import type { Cart } from '../cart/cart.ts'
import { type Assortment, findSellable } from './find-sellable.ts'

/** Stands for what only the shop knows. */
export const PLACEHOLDER_SKU = 'YOUR-SKU'

/** A cart for a merchant whose products are not known here. */
export function placeholderCart(currencies: string[]): Cart {
  return { reference: newReference(), currency: String(currencies[0]), items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }] }
}

/**
 * A cart of up to two products; undefined if nothing can be bought.
 * @param limits the most lines, and the most units of a line
 * @param maxSearched the maximum number of products to search
 */
export function exampleCart(
  assortment: Assortment,
  { maxItems, maxQuantity }: { maxItems: number; maxQuantity: number },
  maxSearched?: number
): Cart | undefined {
  const { currency, sellable } = findSellable(assortment, Math.min(2, maxItems), maxSearched)
  const items = sellable.map(({ product: { sku } }, i) => ({ sku, quantity: Math.min(i + 1, maxQuantity) }))
  return items.length > 0 ? { reference: newReference(), currency, items } : undefined
}

/** A UUID as every option accepts it. */
function newReference(): string {
  return randomUUID().replaceAll('-', '')
}
