// The buyer that a link brought with a bag stands in the form of the page that the link itself leads to. Whoever has only the
// token, or sends the same bag again, has not proved to be the buyer.
import type { Buyer, Cart } from '../cart/cart.ts'
import type { FormField, FormValues } from '../checkout/orders/order-form.ts'
import { withParameter } from './shopper-language.ts'

/** The parameter with the key of a buyer. */
const BUYER = 'buyer'

/** The address that shows the buyer; the same without one. */
export function withBuyer(address: string, buyer: Buyer | undefined): string {
  return withParameter(address, BUYER, buyer?.key)
}

/** The buyer of a stored cart, if the address that was asked for has the key. */
export function givenBuyer({ url }: { url: string }, { buyer }: Cart): Buyer | undefined {
  if (buyer === undefined) return undefined
  return new URL(url, 'http://shop').searchParams.get(BUYER) === buyer.key ? buyer : undefined
}

/** Whether any field of the form has something of the buyer: a country alone is only preselected. */
export function fillsField({ email, phone, address }: Buyer, fields: FormField[]): boolean {
  const values: FormValues = { ...address, ...(email && { email }), ...(phone && { phone }) }
  return fields.some(({ name }) => values[name])
}
