// Reads the problem+json by which a shop refuses a cart: `errors` names each line and why, as our own refusals do.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Cart, unitsBySku } from '../../cart/cart.ts'
import { quote } from '../../cart/read-cart.ts'
import { CartRefused, ShopFailed, type ShopMistake } from '../shop-errors.ts'

const codes = ['sku-unknown', 'out-of-stock', 'price-missing', 'currency-not-sold'] as const
const TOO_LARGE = 'quantity-too-large'

const AN_ERROR = 'an object with pointer and code'
const pointer = Type.String({ description: 'text such as "#/items/0/sku"' })
const detail = Type.Optional(Type.String({ description: 'text, or leave it out' }))

const Unsold = Type.Object(
  {
    pointer,
    code: Type.Union(
      codes.map(code => Type.Literal(code)),
      { description: [...codes, TOO_LARGE].join(', ').replace(/, (?=[^,]*$)/, ' or ') }
    ),
    detail
  },
  { description: AN_ERROR }
)
const TooMany = Type.Object({
  pointer,
  code: Type.Literal(TOO_LARGE),
  limit: Type.Integer({ minimum: 0, description: 'how many units of the SKU it sells, a whole number' }),
  detail
})
const ShopError = Type.Union([Unsold, TooMany])

export const ShopProblem = Type.Object(
  { errors: Type.Array(ShopError, { minItems: 1, description: `a list of at least one error, ${AN_ERROR}` }) },
  { description: 'an object with errors' }
)

/** @throws ShopFailed naming the first field that is wrong, and what would be right */
export function readRefusal(answer: unknown, cart: Cart): CartRefused {
  const [error] = Value.Errors(ShopProblem, answer)
  if (error) {
    // Which kind of error was meant, its code says.
    const kind = (error.value as { code?: unknown } | null | undefined)?.code === TOO_LARGE ? TooMany : Unsold
    const [inner] = error.schema === ShopError ? Value.Errors(kind, error.value) : []
    const { schema, value } = inner ?? error
    throw wrong(error.path + (inner?.path ?? ''), value, String((schema as TSchema).description))
  }
  // There is at least one.
  const { errors } = answer as Static<typeof ShopProblem>
  return new CartRefused(errors.map((error, i) => readError(error, `/errors/${i}`, cart)) as [ShopMistake])
}

function readError(error: Static<typeof ShopError>, path: string, { items, currency }: Cart): ShopMistake {
  const [, at, index] = /^#\/(currency|items\/(\d{1,4})\/(?:sku|quantity))$/.exec(error.pointer) ?? []
  const item = items[Number(index ?? 0)]
  if (at === undefined || !item) {
    const places = '"#/currency", "#/items/<line>/sku" or "#/items/<line>/quantity" of a line that was sent'
    throw wrong(`${path}/pointer`, error.pointer, places)
  }
  const what = JSON.stringify(index === undefined ? currency : item.sku)
  const detail = `The shop says of ${what}: ${error.detail?.slice(0, 200) || error.code}`
  if (index === undefined) return { field: 'currency', code: 'currency-not-sold', detail }
  const line = Number(index)
  if (error.code !== TOO_LARGE) return { field: 'sku', line, code: error.code, detail }
  const units = unitsBySku(items).get(item.sku) as number
  if (error.limit >= units)
    throw wrong(`${path}/limit`, error.limit, `fewer than the ${units} of ${what} that were sent`)
  // A page that says "at most 0" would be none the wiser.
  if (error.limit === 0) return { field: 'sku', line, code: 'out-of-stock', detail }
  return { field: 'quantity', line, code: error.code, detail, limit: { units: error.limit } }
}

/** Quotes no more than a few characters. */
function wrong(path: string, value: unknown, right: string): ShopFailed {
  const place =
    path
      .slice(1)
      .replace(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.') || 'the body'
  const found = typeof value === 'string' ? quote(value) : typeof value === 'number' ? value : 'of the wrong type'
  const isEmpty = Array.isArray(value) && value.length === 0
  const what = value === undefined ? 'missing' : isEmpty ? 'empty' : found
  return new ShopFailed(`its 422 is wrong: ${place} is ${what}; give ${right}`)
}
