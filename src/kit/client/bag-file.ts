// A bag as a file: the cart that `npm run simulate` hands over, as plain JSON.
import { randomUUID } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Cart, Item } from '../../cart/cart.ts'
import { OperatorError } from '../../errors.ts'

/** A cart whose reference may be left out: a new one is made, as a platform makes one per order. */
export const Bag = Type.Object(
  {
    items: Type.Array(Type.Object(Item.properties, { additionalProperties: false })),
    currency: Cart.properties.currency,
    reference: Type.Optional(Cart.properties.reference)
  },
  { additionalProperties: false }
)

/** A bag that cannot be handed over: what is wrong, a line each, and what would be right. */
export class BagError extends OperatorError {}

const RIGHT = '{ "items": [{ "sku": "MUG", "quantity": 2 }], "currency": "GBP", "reference": "…" }'

/**
 * Reads a bag.
 * @param file its name, for what is wrong with it
 * @throws BagError
 */
export function readBag(text: string, file: string): Cart {
  let bag: unknown
  try {
    bag = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new BagError(`${file}: it is not JSON (${(error as Error).message}); give ${RIGHT}`)
  }
  if (!Value.Check(Bag, bag)) {
    const wrong = [...Value.Errors(Bag, bag)].map(({ path, message }) => `${file}: ${path || 'as a whole'}: ${message}`)
    throw new BagError([...new Set(wrong), `give ${RIGHT}; a line may have a "price" as text`].join('\n'))
  }
  return { ...bag, reference: bag.reference ?? randomUUID().replaceAll('-', '') }
}
