// Whether a shop's cart holds exactly the items that were handed over (contract 1), whatever the shop made of the lines.
import { type Cart, unitsBySku } from '../cart/cart.ts'
import { isAny } from '../errors.ts'
import type { ReadHandover } from './read-handover.ts'
import { CartRefused, type ShopMistake } from './shop-errors.ts'

/** How many SKUs are named that were not sent. */
const MAX_OTHERS = 20

/**
 * Quantities are compared by SKU: a shop may make one line of two, or the other way round.
 * @throws CartRefused with every difference, but the first few of the SKUs that were not sent
 */
export function compareCart({ items, currency }: Cart, held: Pick<ReadHandover, 'lines' | 'currency'>): void {
  const sent = unitsBySku(items)
  const inShop = unitsBySku(held.lines)
  const found: ShopMistake[] = items.flatMap(({ sku }, line) => {
    const units = inShop.get(sku) ?? 0
    if (units === sent.get(sku)) return []
    const detail = `The shop's cart has ${units} units of ${JSON.stringify(sku)}; ${sent.get(sku)} were sent.`
    return [{ field: 'sku', line, code: 'destination-differs', detail }]
  })
  const others = [...inShop.keys()].filter(sku => !sent.has(sku))
  for (const sku of others.slice(0, MAX_OTHERS)) {
    const detail = `The shop's cart also has ${JSON.stringify(sku)}, which was not sent.`
    found.push({ field: 'items', code: 'destination-differs', detail })
  }
  if (held.currency !== currency) {
    const detail = `The shop's cart is in ${JSON.stringify(held.currency)}; ${currency} was sent.`
    found.push({ field: 'currency', code: 'destination-differs', detail })
  }
  if (isAny(found)) throw new CartRefused(found)
}
