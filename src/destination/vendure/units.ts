// How many units of each SKU a cart has. Vendure makes one line of them, however many were sent.
import type { Cart } from '../../cart/cart.ts'
import type { ShopMistake } from '../shop-errors.ts'

export type Units = {
  sku: string
  quantity: number
  /** The indexes of the cart's lines that ask for them. */
  lines: number[]
}

/** In the order in which the SKUs first appear. */
export function unitsOf({ items }: Cart): Units[] {
  const found = new Map<string, Units>()
  for (const [line, { sku, quantity }] of items.entries()) {
    const units = found.get(sku)
    if (units) {
      units.quantity += quantity
      units.lines.push(line)
    } else found.set(sku, { sku, quantity, lines: [line] })
  }
  return [...found.values()]
}

/** What is wrong with units, and with which field of their lines. */
export type UnitsMistake = ShopMistake & { line?: never }

/** The same mistake for each line that asks for the units. */
export function eachLine({ lines }: Units, mistake: UnitsMistake): ShopMistake[] {
  return lines.map(line => ({ ...mistake, line }))
}
