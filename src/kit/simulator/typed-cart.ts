// A cart as somebody typed it into the simulator, right or wrong, made fit for the platform's half of an option.
import { type Static, Type } from '@sinclair/typebox'
import type { Cart } from '../../cart/cart.ts'

export const TypedTransfer = Type.Object({
  merchant: Type.String(),
  cart: Type.Object({
    items: Type.Array(
      Type.Object({ sku: Type.String(), quantity: Type.String(), price: Type.Optional(Type.String()) })
    ),
    currency: Type.String(),
    reference: Type.String()
  })
})
export type TypedTransfer = Static<typeof TypedTransfer>

/**
 * The cart as an option's `request` takes it. A quantity that is no number goes on as the text it is: what the shop
 * says to a wrong one is what is being tried.
 */
export function cartOf({ items, currency, reference }: TypedTransfer['cart']): Cart {
  return { reference, currency, items: items.map(item => ({ ...item, quantity: quantityOf(item.quantity) as number })) }
}

/** The number that a text is, if writing that gives the same text again. */
function quantityOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && String(number) === text ? number : text
}
