// What a site answers to a platform by UCP's REST binding, read and compared with what it has to be.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cart, Item } from '../../../cart/cart.ts'
import { CART, SERVICE } from '../../../ucp/versions.ts'
import { headerValue, responseText, type WebResponse } from '../../client/send-request.ts'
import { assertConclusive, CheckFailed, excerpt } from '../final-response.ts'
import type { Site } from '../site.ts'
import { directivesOf } from './privacy-checks.ts'

const Version = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })

const BusinessProfile = Type.Object({
  ucp: Type.Object({
    version: Version,
    supported_versions: Type.Optional(Type.Record(Type.String(), Type.String())),
    services: Type.Object({
      [SERVICE]: Type.Array(
        Type.Object({ version: Version, transport: Type.String(), endpoint: Type.Optional(Type.String()) })
      )
    }),
    capabilities: Type.Object({ [CART]: Type.Array(Type.Object({ version: Version }), { minItems: 1 }) }),
    payment_handlers: Type.Object({})
  })
})

const Totals = Type.Array(Type.Object({ type: Type.String(), amount: Type.Integer() }))

export const CartAnswer = Type.Object({
  ucp: Type.Object({ version: Version }),
  id: Type.String({ minLength: 1 }),
  line_items: Type.Array(
    Type.Object({
      item: Type.Object({ id: Type.String(), title: Type.String(), price: Type.Integer({ minimum: 0 }) }),
      quantity: Type.Integer(),
      totals: Totals
    })
  ),
  currency: Type.String(),
  totals: Totals,
  continue_url: Type.String({ pattern: '^https?://' })
})

export const ErrorAnswer = Type.Object({
  ucp: Type.Object({ version: Version, status: Type.Literal('error') }),
  id: Type.Optional(Type.Undefined()),
  messages: Type.Array(
    Type.Object({
      type: Type.String(),
      code: Type.Optional(Type.String()),
      path: Type.Optional(Type.String()),
      content: Type.String()
    }),
    { minItems: 1 }
  )
})

export const unlike = (what: string, got: string, expected: string) =>
  new CheckFailed(`${what} is ${got}; expected ${expected}.`, { expected, got })

/** @throws CheckFailed unless the answer has this status, and JSON of this shape */
export function readAnswer<Schema extends TSchema>(
  response: WebResponse,
  status: number,
  schema: Schema
): Static<Schema> {
  const text = responseText(response)
  assertConclusive(response.status, String(status), { text })
  if (response.status !== status) throw unlike('The status', `${response.status}: ${excerpt(text)}`, String(status))
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw unlike('The answer', excerpt(text), 'JSON')
  }
  const [first] = Value.Errors(schema, body)
  if (first) throw unlike(`The answer ${first.path}`, excerpt(String(JSON.stringify(first.value))), first.message)
  return body as Static<Schema>
}

const listed = (items: Item[]) => items.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', ')

/** @throws CheckFailed unless an answer has exactly these items, in this order */
export function assertItems({ line_items: lines }: Static<typeof CartAnswer>, { items }: Cart): void {
  const [got, expected] = [listed(lines.map(({ item, quantity }) => ({ sku: item.id, quantity }))), listed(items)]
  if (got !== expected) throw unlike('What the answer lists', got, expected)
}

/** @throws CheckFailed unless there is one subtotal and one total, which is the sum of all the others */
export function assertTotals(totals: Static<typeof Totals>, of: string): void {
  const amounts = (isMeant: (type: string) => boolean) =>
    totals.filter(({ type }) => isMeant(type)).map(({ amount }) => amount)
  const [total, ...more] = amounts(type => type === 'total')
  const sum = amounts(type => type !== 'total').reduce((sum, amount) => sum + amount, 0)
  if (amounts(type => type === 'subtotal').length === 1 && more.length === 0 && total === sum) return
  const got = totals.map(({ type, amount }) => `${type} ${amount}`).join(', ')
  throw unlike(`What ${of} costs`, got, 'one subtotal, and one total that is the sum of the others')
}

/** @throws CheckFailed unless the cart cannot be found */
export function assertNotFound(response: WebResponse): void {
  const codes = readAnswer(response, 200, ErrorAnswer).messages.map(({ code }) => code)
  if (!codes.includes('not_found')) throw unlike('The code', codes.join(', '), 'not_found')
}

export async function businessProfileAt(site: Site, url: string) {
  // Public, and perhaps on a host that has no business with the credentials for the site.
  const response = await site.ask({ method: 'GET', url, headers: [] }, true)
  const { ucp } = readAnswer(response, 200, BusinessProfile)
  const cache = String(headerValue(response.headers, 'cache-control'))
  const directives = directivesOf(cache)
  const isPublic = directives.has('public') && Number(directives.get('max-age')) >= 60
  if (!isPublic || ['private', 'no-store', 'no-cache'].some(name => directives.has(name))) {
    throw unlike(`Cache-Control of ${url}`, cache, 'public, with a max-age of at least 60')
  }
  const { version, services, capabilities } = ucp
  const endpoints = services[SERVICE].flatMap(({ transport, endpoint, ...service }) =>
    transport === 'rest' && service.version === version ? String(endpoint) : []
  )
  if (!endpoints.includes(site.profile.url)) {
    throw unlike(`The endpoint for REST in ${url}`, endpoints.join(', '), site.profile.url)
  }
  const versions = capabilities[CART].map(({ version }) => version)
  if (!versions.includes(version)) throw unlike(`The version of ${CART} in ${url}`, versions.join(', '), version)
  return ucp
}
