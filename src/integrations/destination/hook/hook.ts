// The destination that fits every shop: we POST the cart to an address of the merchant's, signed as Standard Webhooks.
// `README.md` is its contract, `openapi.json` the same for machines.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cart } from '../../../cart/cart.ts'
import { quote } from '../../../cart/read-cart.ts'
import { signatureHeaders } from '../../../secrets.ts'
import {
  AddressSetting,
  CartRefused,
  type Destination,
  type Handoff,
  type ShopError,
  ShopFailed
} from '../destination.ts'
import { callShop } from '../shop-call.ts'
import { shopUrlProblem } from '../shop-page.ts'

const HookSettings = Type.Object({
  url: AddressSetting('the address of your shop that each cart is sent to, such as "https://shop.example/app-cart"')
})
type HookSettings = Static<typeof HookSettings>

export const hook: Destination<HookSettings> = {
  name: 'hook',
  title: "an address of the shop's own",
  settings: HookSettings,
  needsSecret: true,

  check({ url }, { origin, path }, report) {
    const isOurs = origin !== undefined && `${url}/`.startsWith(`${origin}${path}/`)
    const problem = shopUrlProblem(url) ?? (isOurs ? 'it is below publicUrl, which is this server' : undefined)
    if (problem) report(['url'], `${problem}; give one such as "https://shop.example/app-cart"`)
  },

  async open(cart, { settings, key, signal, fetch, clock, secret = '' }) {
    const { reference, currency, items, codes, attribution } = cart
    const body = JSON.stringify({ type: 'cart.transfer', key, reference, currency, items, codes, attribution })
    const headers = { 'idempotency-key': key, ...signatureHeaders(secret, key, body, clock()) }
    const hints = { 401: ': does it have the same secret, and the right time?' }
    const { status, json } = await callShop(fetch, settings.url, { headers, body, signal, reads: 422, hints })
    if (status === 422) throw readRefusal(json, cart)
    return json as Handoff
  }
}

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
const ErrorEntry = Type.Union([Unsold, TooMany])

export const ShopProblem = Type.Object(
  { errors: Type.Array(ErrorEntry, { minItems: 1, description: `a list of at least one error, ${AN_ERROR}` }) },
  { description: 'an object with errors' }
)

/** @throws ShopFailed naming the first field that is wrong, and what would be right */
export function readRefusal(answer: unknown, cart: Cart): CartRefused {
  const [error] = Value.Errors(ShopProblem, answer)
  if (error) {
    // The code says which kind of error was meant.
    const kind = (error.value as { code?: unknown } | null | undefined)?.code === TOO_LARGE ? TooMany : Unsold
    const [inner] = error.schema === ErrorEntry ? Value.Errors(kind, error.value) : []
    const { schema, value } = inner ?? error
    throw wrong(error.path + (inner?.path ?? ''), value, String((schema as TSchema).description))
  }
  // There is at least one.
  const { errors } = answer as Static<typeof ShopProblem>
  return new CartRefused(errors.map((error, i) => readError(error, `/errors/${i}`, cart)) as [ShopError])
}

function readError(error: Static<typeof ErrorEntry>, path: string, { items, currency }: Cart): ShopError {
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
  const units = items.reduce((sum, { sku, quantity }) => (sku === item.sku ? sum + quantity : sum), 0)
  if (error.limit >= units)
    throw wrong(`${path}/limit`, error.limit, `fewer than the ${units} of ${what} that were sent`)
  // "At most 0" would help nobody.
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
