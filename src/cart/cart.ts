// The cart: the one type that every option produces, and all that the rest of the server sees of a transfer.
import { type Static, Type } from '@sinclair/typebox'

/** One line as sent. `price` is the price that the app claims (2A), as text: contract 2.3 gives it no format. */
export const Item = Type.Object({
  sku: Type.String(),
  quantity: Type.Integer(),
  price: Type.Optional(Type.String())
})
export type Item = Static<typeof Item>

/** Contract 2.1, 2.3 and 2.4 in one shape. Lines are in the order sent; the same SKU on two lines stays two lines. */
export const Cart = Type.Object({
  reference: Type.String(),
  currency: Type.String(),
  items: Type.Array(Item)
})
export type Cart = Static<typeof Cart>

/** The fields of the contract that a mistake can point to. */
export type CartField = 'items' | 'sku' | 'quantity' | 'price' | 'currency' | 'reference'

/** Names a field of one line, or of the whole cart, as the sender writes it. */
export type Pointer = (field: CartField, line?: number) => string

/** Whether two carts are the same: same currency, same lines in the same order, claimed prices included. */
export function isSameCart(a: Cart, b: Cart): boolean {
  return (
    a.currency === b.currency &&
    a.items.length === b.items.length &&
    a.items.every((item, i) => {
      const other = b.items[i]
      return item.sku === other?.sku && item.quantity === other.quantity && item.price === other.price
    })
  )
}
