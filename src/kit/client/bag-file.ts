// Reads a bag from a file: the cart that `npm run simulate` transfers, as plain JSON.
import { randomUUID } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Cart, Item } from '../../cart/cart.ts'
import { OperatorError } from '../../errors.ts'

/** A cart with an optional reference: by default a new one is generated, as platforms generate one per order. */
export const Bag = Type.Object(
  {
    items: Type.Array(Type.Object(Item.properties, { additionalProperties: false })),
    currency: Cart.properties.currency,
    reference: Type.Optional(Cart.properties.reference)
  },
  { additionalProperties: false }
)

const EXAMPLE = '{ "items": [{ "sku": "MUG", "quantity": 2 }], "currency": "GBP", "reference": "…" }'

/**
 * @param file its name, for error messages
 * @throws OperatorError with what is wrong, a line each, and what would be right
 */
export function readBag(text: string, file: string): Cart {
  let bag: unknown
  try {
    bag = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new OperatorError(`${file}: not valid JSON (${(error as Error).message}); give ${EXAMPLE}`)
  }
  if (!Value.Check(Bag, bag)) {
    const mistakes = [...Value.Errors(Bag, bag)].map(
      ({ path, message }) => `${file}: ${path || 'the file'}: ${message}`
    )
    throw new OperatorError([...new Set(mistakes), `give ${EXAMPLE}; a line may have a "price" as a string`].join('\n'))
  }
  return { ...bag, reference: bag.reference ?? randomUUID().replaceAll('-', '') }
}
