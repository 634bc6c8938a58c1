// Vendure's Shop API, GraphQL by POST, and the session that Vendure begins for a cart, as the shopper's page gets it.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cookie } from 'tough-cookie'
import { appDate, type DescribedCookie } from '../../../transfer/description.ts'
import { type RefusedCode, type ShopAccess, ShopFailed } from '../destination.ts'
import { callShop } from '../shop-call.ts'
import { type ShopPage, shopPage } from '../shop-page.ts'

type ShopCall<Data extends TSchema> = {
  query: string
  variables: Record<string, unknown>
  /** What has to be in `data` of the answer. */
  data: Data
  /** The default of the channel if absent. */
  currency?: string
  /** Those of a session; without them, Vendure begins a new one if it needs one. */
  headers?: Record<string, string>
}

/** @throws GraphQLError, ShopFailed, or what `fetch` throws */
export type ShopApi = <Data extends TSchema>(call: ShopCall<Data>) => Promise<{ data: Static<Data>; headers: Headers }>

/** Vendure's own word for what went wrong, such as ENTITY_NOT_FOUND. */
export class GraphQLError extends ShopFailed {
  readonly code: string

  constructor(code: string, message: string) {
    super(`Vendure says ${JSON.stringify(message.slice(0, 200))} (${code})`)
    this.code = code
  }
}

const Errors = Type.Object({
  errors: Type.Array(
    Type.Object({
      message: Type.String(),
      extensions: Type.Object({ code: Type.String({ pattern: '^[A-Z_]{1,50}$' }) })
    })
  )
})

export function shopApi({
  settings: { url, channelToken },
  fetch,
  signal
}: ShopAccess<{ url: string; channelToken?: string }>): ShopApi {
  return async ({ query, variables, data, currency, headers }) => {
    const address = new URL(url)
    if (currency !== undefined) address.searchParams.set('currencyCode', currency)
    const answer = await callShop(fetch, address, {
      headers: { ...(channelToken !== undefined && { 'vendure-token': channelToken }), ...headers },
      body: JSON.stringify({ query, variables }),
      signal,
      // A query that does not fit the schema is answered with 400, and says why.
      reads: 400
    })
    const [error] = Value.Check(Errors, answer.json) ? answer.json.errors : []
    if (error) throw new GraphQLError(error.extensions.code, error.message)
    const given = (answer.json as { data?: unknown } | null)?.data
    if (Value.Check(data, given)) return { data: given, headers: answer.headers }
    throw new ShopFailed('its answer is not what a Shop API of Vendure 3 gives')
  }
}

export const TOKEN_PLACE = '{token}'

/**
 * @param answer the headers of the answer with which the session began
 * @returns the headers by which a call belongs to it, and the page with the cookies that it needs
 */
export async function readSession(
  { pageUrl, tokenCookie }: { pageUrl: string; tokenCookie?: string },
  answer: Headers
): Promise<ShopPage & { headers: Record<string, string> }> {
  if (tokenCookie === undefined && !pageUrl.includes(TOKEN_PLACE)) {
    // Loaded with the first session, so that a server without Vendure does without it.
    const { Cookie } = await import('tough-cookie')
    const cookies = answer.getSetCookie().flatMap(header => describeCookie(Cookie.parse(header)) ?? [])
    if (cookies.length === 0) throw missing('session cookies', 'cookie')
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    return { headers: { cookie }, url: pageUrl, cookies }
  }
  const token = answer.get('vendure-auth-token')
  if (!token) throw missing('a vendure-auth-token', 'bearer')
  return { headers: { authorization: `Bearer ${token}` }, ...shopPage(pageUrl, TOKEN_PLACE, token, tokenCookie) }
}

function describeCookie(cookie: Cookie | undefined): DescribedCookie | undefined {
  if (!cookie?.value) return undefined
  const { key, value, expires, httpOnly, secure, path } = cookie
  return {
    name: key,
    value,
    ...(expires instanceof Date && { expireDate: appDate(expires) }),
    isHttpOnly: httpOnly,
    isSecure: secure,
    ...(path && { path })
  }
}

function missing(what: string, method: string): ShopFailed {
  const remedy = `add "${method}" to authOptions.tokenMethod in its configuration`
  return new ShopFailed(`Vendure began a session without ${what}; ${remedy}`)
}

/** `message` if it is refused. */
const CodeAnswer = Type.Object({ message: Type.Optional(Type.String()) })

/** @param inOrder its session, and its currency, as Vendure prices it anew @returns those that Vendure does not apply */
export async function applyCouponCodes(
  ask: ShopApi,
  codes: string[],
  inOrder: { headers: Record<string, string>; currency: string }
): Promise<RefusedCode[]> {
  const names = codes.map((_, i) => `c${i}`)
  const fields = names.map(name => `${name}: applyCouponCode(couponCode: $${name}) { ... on ErrorResult { message } }`)
  const { data } = await ask({
    query: `mutation(${names.map(name => `$${name}: String!`).join(', ')}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(codes.map((code, i) => [`c${i}`, code])),
    data: Type.Object(Object.fromEntries(names.map(name => [name, CodeAnswer]))),
    ...inOrder
  })
  return codes.flatMap((code, i) => {
    const { message: detail } = data[`c${i}`] as Static<typeof CodeAnswer>
    return detail === undefined ? [] : { code, detail }
  })
}
