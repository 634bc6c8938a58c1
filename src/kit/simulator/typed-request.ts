// What is typed into the simulator, valid or not: a cart, or a web request as edited there or made by what is pressed in the
// phone.
import { type Static, Type } from '@sinclair/typebox'
import type { Cart } from '../../cart/cart.ts'
import type { WebHeader, WebRequest } from '../../transfer/option.ts'
import { TRANSPORT_HEADERS } from '../client/send-request.ts'
import type { Sender } from '../client/simulate-transfer.ts'

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

export const TypedRequest = Type.Object({
  merchant: Type.String(),
  language: Type.Optional(Type.String()),
  sender: Type.Union([Type.Literal('platform'), Type.Literal('web view')]),
  request: Type.Object({
    method: Type.String(),
    url: Type.String(),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    body: Type.Optional(Type.String())
  })
})
export type TypedRequest = Static<typeof TypedRequest>

/** Headers with which the platform proves who it is. */
const PROOF = /^(authorization|webhook-(id|timestamp|signature))$/i

/** Whether it brings its own proof, right or wrong, so that none is added. */
export function bringsProof({ headers }: WebRequest): boolean {
  return headers.some(({ name }) => PROOF.test(name))
}

/** The headers to edit: without those that are made anew for what is sent, such as its length and its signature. */
export function editableHeaders(headers: WebHeader[], sender: Sender): WebHeader[] {
  return headers.filter(
    ({ name }) => !TRANSPORT_HEADERS.includes(name.toLowerCase()) && !(sender === 'platform' && PROOF.test(name))
  )
}
