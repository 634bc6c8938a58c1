// Vendure's Shop API: a call of it, GraphQL by POST, with what its answer says; and the session that Vendure begins for a
// cart, with the way in which the shopper's page gets it.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cookie } from 'tough-cookie'
import { appDate, type DescribedCookie } from '../../transfer/description.ts'
import { ShopFailed } from '../destination.ts'
import { readJsonAnswer } from '../shop-call.ts'

export type ShopCall<Data extends TSchema> = {
  query: string
  variables: Record<string, unknown>
  /** What has to be in `data` of the answer. */
  data: Data
  /** Currency that prices are in; the default of the channel if absent. */
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

const Answer = Type.Object({ data: Type.Unknown() })

export function shopApi(
  { url, channelToken }: { url: string; channelToken?: string },
  fetch: typeof globalThis.fetch,
  signal: AbortSignal
): ShopApi {
  return async ({ query, variables, data, currency, headers }) => {
    const address = new URL(url)
    if (currency !== undefined) address.searchParams.set('currencyCode', currency)
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'cart-transfer',
        ...(channelToken !== undefined && { 'vendure-token': channelToken }),
        ...headers
      },
      body: JSON.stringify({ query, variables }),
      redirect: 'manual',
      signal
    })
    // A query that does not fit the schema is answered with 400, and says why.
    const answer = await readJsonAnswer(response, [200, 400])
    const [error] = Value.Check(Errors, answer) ? answer.errors : []
    if (error) throw new GraphQLError(error.extensions.code, error.message)
    const { data: given } = Value.Check(Answer, answer) ? answer : {}
    if (!Value.Check(data, given)) throw new ShopFailed('its answer is not what a Shop API of Vendure 3 gives')
    return { data: given, headers: response.headers }
  }
}

export type PageSettings = {
  pageUrl: string
  tokenCookie?: string
}

export type Session = {
  /** Headers by which a call of the Shop API belongs to it. */
  headers: Record<string, string>
  /** The page, and the cookies that it needs. */
  url: string
  cookies: DescribedCookie[]
}

/** Stands for the session's token in `pageUrl`. */
export const TOKEN_PLACE = '{token}'

/** @param answer the headers of the answer with which the session began */
export async function readSession({ pageUrl, tokenCookie }: PageSettings, answer: Headers): Promise<Session> {
  if (tokenCookie === undefined && !pageUrl.includes(TOKEN_PLACE)) {
    // Loaded with the first session, so that a server without Vendure does without it.
    const { Cookie } = await import('tough-cookie')
    const cookies = answer.getSetCookie().flatMap(header => describeCookie(Cookie.parse(header)) ?? [])
    if (cookies.length === 0) throw missing('session cookies', 'cookie')
    return {
      headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
      url: pageUrl,
      cookies
    }
  }
  const token = answer.get('vendure-auth-token')
  if (!token) throw missing('a vendure-auth-token', 'bearer')
  const isSecure = pageUrl.startsWith('https:')
  return {
    headers: { authorization: `Bearer ${token}` },
    url: pageUrl.replaceAll(TOKEN_PLACE, encodeURIComponent(token)),
    cookies:
      tokenCookie === undefined ? [] : [{ name: tokenCookie, value: token, isHttpOnly: true, isSecure, path: '/' }]
  }
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
  return new ShopFailed(
    `Vendure began a session without ${what}; add "${method}" to authOptions.tokenMethod in its configuration`
  )
}
