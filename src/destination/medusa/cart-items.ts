// The lines of a cart as Medusa takes them. Whatever Medusa would refuse without saying which line, or take and then not
// sell, is refused here, by line.
import type { Item } from '../../cart/cart.ts'
import { isAny } from '../../errors.ts'
import { CartRefused, type ShopMistake } from '../shop-errors.ts'
import type { MedusaVariant } from './store-api.ts'

/**
 * @param variants by SKU
 * @throws CartRefused with every line that cannot be sold
 */
export function cartItems(
  items: Item[],
  variants: Map<string, MedusaVariant>,
  currency: string
): { variant_id: string; quantity: number }[] {
  // Medusa itself compares line by line, so two lines of a SKU could have more units than it has.
  const left = new Map<string, number>()
  const mistakes: ShopMistake[] = []
  const lines = items.flatMap(({ sku, quantity }, line) => {
    const variant = variants.get(sku)
    const name = JSON.stringify(sku)
    if (!variant) {
      const detail = `No variant in the sales channel has the SKU ${name}; SKUs are compared exactly.`
      mistakes.push({ field: 'sku', line, code: 'sku-unknown', detail })
      return []
    }
    const stock = variant.manage_inventory && !variant.allow_backorder ? (variant.inventory_quantity ?? 0) : Infinity
    const remaining = (left.get(sku) ?? stock) - quantity
    left.set(sku, remaining)
    if (!variant.calculated_price) {
      mistakes.push({ field: 'sku', line, code: 'price-missing', detail: `${name} has no price in ${currency}.` })
    } else if (stock <= 0) {
      mistakes.push({ field: 'sku', line, code: 'out-of-stock', detail: `${name} is out of stock.` })
    } else if (remaining < 0) {
      const detail = `The shop has ${stock} units of ${name}.`
      mistakes.push({ field: 'quantity', line, code: 'quantity-too-large', detail, limit: { units: stock } })
    }
    return [{ variant_id: variant.id, quantity }]
  })
  if (isAny(mistakes)) throw new CartRefused(mistakes)
  return lines
}
