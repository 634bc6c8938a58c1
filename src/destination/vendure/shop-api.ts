// A call of Vendure's Shop API: GraphQL by POST, and what its answer says.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readJsonAnswer } from '../shop-answer.ts'
import { ShopFailed } from '../shop-errors.ts'

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
