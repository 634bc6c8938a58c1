// Orders a cart of Medusa's, with the requests that a storefront makes.
import type { Seeded } from './seed.ts'

const ADDRESS = {
  first_name: 'Ada',
  last_name: 'Muster',
  address_1: 'Hafenstraße 1',
  city: 'Hamburg',
  postal_code: '20095',
  country_code: 'de'
}

/** @returns the number of the order */
export async function placeOrder(shop: string, cartId: string, { publishableKey }: Seeded): Promise<string> {
  async function ask<Answer>(path: string, body?: object): Promise<Answer> {
    const headers = { 'x-publishable-api-key': publishableKey, 'content-type': 'application/json' }
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${shop}/store/${path}`, { headers, ...init })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Answer
  }
  type Options = { shipping_options: { id: string }[] }
  type Collection = { payment_collection: { id: string } }
  type Completed = { order: { display_id: number } }

  await ask(`carts/${cartId}`, { email: 'ada@example.com', shipping_address: ADDRESS })
  const { shipping_options: options } = await ask<Options>(`shipping-options?cart_id=${cartId}`)
  await ask(`carts/${cartId}/shipping-methods`, { option_id: options[0]?.id })
  const { payment_collection: payment } = await ask<Collection>('payment-collections', { cart_id: cartId })
  await ask(`payment-collections/${payment.id}/payment-sessions`, { provider_id: 'pp_system_default' })
  const { order } = await ask<Completed>(`carts/${cartId}/complete`, {})
  return String(order.display_id)
}
