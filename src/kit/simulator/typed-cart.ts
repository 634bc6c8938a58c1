// A cart as typed into the simulator, valid or not, in the form that an option sends.
import { type Static, Type } from '@sinclair/typebox'
import type { Cart } from '../../cart/cart.ts'

/** `language` is what the phone asks for, as in Accept-Language; absent or empty, that of the browser. */
export const TypedTransfer = Type.Object({
  merchant: Type.String(),
  language: Type.Optional(Type.String()),
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
 * The cart to pass to an option's `request`. A quantity that is not a number stays text, in spite of the type: how the
 * shop responds to one is what the simulator is for.
 */
export function cartOf({ items, currency, reference }: TypedTransfer['cart']): Cart {
  return { reference, currency, items: items.map(item => ({ ...item, quantity: quantityOf(item.quantity) as number })) }
}

/** A number only if it prints as the same text, so that nothing typed is normalised. */
function quantityOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && String(number) === text ? number : text
}
