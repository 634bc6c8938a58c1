// Reads the problem+json by which a shop refuses a cart: `errors` names each line and why, as our own refusals do.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cart } from '../../cart/cart.ts'
import { CartRefused, ShopFailed, type ShopMistake } from '../shop-errors.ts'

const codes = ['sku-unknown', 'out-of-stock', 'price-missing', 'currency-not-sold'] as const

const ShopError = Type.Union([
  Type.Object({
    pointer: Type.String(),
    code: Type.Union(codes.map(code => Type.Literal(code))),
    detail: Type.Optional(Type.String())
  }),
  Type.Object({
    pointer: Type.String(),
    code: Type.Literal('quantity-too-large'),
    limit: Type.Integer({ minimum: 0 }),
    detail: Type.Optional(Type.String())
  })
])

export const ShopProblem = Type.Object({ errors: Type.Array(ShopError, { minItems: 1 }) })

/** @throws ShopFailed if it names no line of the cart, or no reason that we know */
export function readRefusal(answer: unknown, cart: Cart): CartRefused {
  if (!Value.Check(ShopProblem, answer)) {
    throw new ShopFailed(
      'its 422 has no list "errors" of { "pointer": "#/items/0/sku", "code": … } with a code of the contract'
    )
  }
  // There is at least one.
  return new CartRefused(answer.errors.map(error => readError(error, cart)) as [ShopMistake, ...ShopMistake[]])
}

function readError(error: Static<typeof ShopError>, { items, currency }: Cart): ShopMistake {
  const [, at, index] = /^#\/(currency|items\/(\d{1,4})\/(?:sku|quantity))$/.exec(error.pointer) ?? []
  const item = items[Number(index ?? 0)]
  if (at === undefined || !item) {
    throw new ShopFailed('its 422 does not point to "#/currency" or "#/items/<line>/sku" of the cart')
  }
  const what = JSON.stringify(index === undefined ? currency : item.sku)
  const detail = `The shop says of ${what}: ${error.detail?.slice(0, 200) || error.code}`
  if (index === undefined) return { field: 'currency', code: 'currency-not-sold', detail }
  const line = Number(index)
  return error.code === 'quantity-too-large'
    ? { field: 'quantity', line, code: error.code, detail, limit: { units: error.limit } }
    : { field: 'sku', line, code: error.code, detail }
}
