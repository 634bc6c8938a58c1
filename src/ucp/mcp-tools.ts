// The tools that an MCP client finds: the four operations on a cart, and what each takes.
import { type TProperties, Type } from '@sinclair/typebox'

const Meta = Type.Object({
  'ucp-agent': Type.Object({ profile: Type.String({ format: 'uri', description: 'the address of your UCP profile' }) }),
  'idempotency-key': Type.Optional(
    Type.String({ description: 'any text; the same call with the same key gets the same answer for 48 hours' })
  )
})

const Texts = (description: string, names: string[]) =>
  Type.Optional(
    Type.Object(Object.fromEntries(names.map(name => [name, Type.Optional(Type.String())])), { description })
  )

const cartSchema = (maxItems: number) =>
  Type.Object(
    {
      line_items: Type.Array(
        Type.Object({
          item: Type.Object({ id: Type.String({ description: 'the id of a product in the feed' }) }),
          quantity: Type.Integer({ minimum: 1 })
        }),
        { minItems: 1, maxItems }
      ),
      context: Texts('where the shopper is, and what they read and pay in', [
        'address_country',
        'address_region',
        'postal_code',
        'language',
        'currency'
      ]),
      buyer: Texts('who the shopper is', ['first_name', 'last_name', 'email', 'phone_number']),
      attribution: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: 'what led to the cart, such as utm_source' })
      )
    },
    { description: 'the whole cart; other UCP fields are accepted and ignored' }
  )

const CartId = Type.String({ description: 'the id of the cart, from the answer to create_cart' })

/** What `tools/list` answers. */
export function mcpTools(maxItems: number): object[] {
  const cart = cartSchema(maxItems)
  const tool = (name: string, description: string, parts: TProperties) => ({
    name,
    description,
    inputSchema: Type.Object({ meta: Meta, ...parts })
  })
  return [
    tool('create_cart', 'Creates a cart. Its continue_url leads the shopper to the checkout.', { cart }),
    tool('get_cart', 'Reads a cart.', { id: CartId }),
    tool('update_cart', 'Replaces the whole cart; its id and continue_url stay the same.', { id: CartId, cart }),
    tool('cancel_cart', 'Cancels a cart and returns it as it was.', { id: CartId })
  ]
}
