// Why Vendure has taken nothing of a cart: a currency that it does not sell in, and a variant that is no longer sold but
// still in the search index, fail the whole of it, and are named only in a sentence.
import { Type } from '@sinclair/typebox'
import { isAny } from '../../errors.ts'
import { askInTurns, batchesOf } from '../in-turns.ts'
import { CartRefused, type ShopMistake } from '../shop-errors.ts'
import type { Variant } from './find-variants.ts'
import { GraphQLError, type ShopApi } from './shop-api.ts'
import { eachLine } from './units.ts'

/** Products in one request: the most that a shop lists at once, by default. */
const BATCH = 100

/** @returns a CartRefused if the reason is found, otherwise the error itself */
export async function explainFailure(
  ask: ShopApi,
  variants: Variant[],
  currency: string,
  error: unknown
): Promise<unknown> {
  const mistakes =
    error instanceof GraphQLError ? await (findMistakes[error.code]?.(ask, variants, currency) ?? []) : []
  return isAny(mistakes) ? new CartRefused(mistakes) : error
}

type FindMistakes = (ask: ShopApi, variants: Variant[], currency: string) => Promise<ShopMistake[]>

const findMistakes: Record<string, FindMistakes> = {
  USER_INPUT_ERROR: async (ask, _variants, currency) => {
    const { data } = await ask({
      query: '{ activeChannel { availableCurrencyCodes } }',
      variables: {},
      data: Type.Object({ activeChannel: Type.Object({ availableCurrencyCodes: Type.Array(Type.String()) }) })
    })
    const codes = data.activeChannel.availableCurrencyCodes
    if (codes.includes(currency)) return []
    return [{ field: 'currency', code: 'currency-not-sold', detail: `The shop sells in ${codes.join(', ')} only.` }]
  },

  ENTITY_NOT_FOUND: async (ask, variants) => {
    const listed = await askInTurns(batchesOf(variants, BATCH), batch => listVariants(ask, batch))
    const sold = new Set(listed.flat())
    return variants
      .filter(({ id }) => !sold.has(id))
      .flatMap(({ units }) => {
        const detail = `The shop does not sell ${JSON.stringify(units.sku)} any more.`
        return eachLine(units, { field: 'sku', code: 'sku-unknown', detail })
      })
  }
}

/** The ids of all variants that are sold of the same products. */
async function listVariants(ask: ShopApi, variants: Variant[]): Promise<string[]> {
  const Variants = Type.Array(Type.Object({ id: Type.String() }))
  const { data } = await ask({
    query: `query($ids: [String!]!) {
      products(options: { filter: { id: { in: $ids } }, take: ${BATCH} }) { items { variants { id } } }
    }`,
    variables: { ids: variants.map(({ productId }) => productId) },
    data: Type.Object({ products: Type.Object({ items: Type.Array(Type.Object({ variants: Variants })) }) })
  })
  return data.products.items.flatMap(product => product.variants.map(({ id }) => id))
}
