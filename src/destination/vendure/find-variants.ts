// Finds the variants that a cart names by SKU. The Shop API filters no list by SKU; its search does, roughly, so what
// it finds is compared exactly. And finds why Vendure has taken nothing of a cart: it says so only in a sentence.
import { type Static, Type } from '@sinclair/typebox'
import { type Cart, unitsBySku } from '../../cart/cart.ts'
import { isAny } from '../../errors.ts'
import { CartRefused, type ShopMistake } from '../destination.ts'
import { askInTurns, batchesOf } from '../shop-call.ts'
import { GraphQLError, type ShopApi } from './shop-api.ts'

export type Variant = { sku: string; id: string; productId: string }

/** @throws CartRefused with what is wrong with each SKU, for every line that has it, if anything is */
export function refuseSkus({ items }: Cart, mistakesOf: (sku: string) => ShopMistake[]): void {
  const found = items.flatMap(({ sku }, line) => mistakesOf(sku).map(mistake => ({ ...mistake, line })))
  if (isAny(found)) throw new CartRefused(found)
}

/** Searches in one request. Vendure's HardenPlugin counts 16 for each, and by default refuses 1,000. */
const SEARCHES = 50

/** A short SKU is part of many others, and the search has no order in which the exact one comes first. */
const TAKE = 1000

const Found = Type.Object({
  items: Type.Array(Type.Object({ sku: Type.String(), productId: Type.String(), productVariantId: Type.String() }))
})

/** @throws CartRefused naming every line whose SKU is unknown, or is that of several variants */
export async function findVariants(ask: ShopApi, cart: Cart): Promise<Variant[]> {
  const skus = [...unitsBySku(cart.items).keys()]
  const found = new Map(await searchAll(ask, skus, sku => sku))
  const others = skus.filter(sku => found.get(sku)?.length === 0 && longestPart(sku) !== sku)
  for (const [sku, variants] of await searchAll(ask, others, longestPart)) found.set(sku, variants)
  refuseSkus(cart, sku => {
    const { length } = found.get(sku) as Variant[]
    if (length === 1) return []
    const name = JSON.stringify(sku)
    const detail =
      length === 0 ? `The shop's search does not find ${name}.` : `${length} variants of the shop are ${name}.`
    return [{ field: 'sku', code: 'sku-unknown', detail }]
  })
  return [...found.values()].flat()
}

/** With MySQL and MariaDB, Vendure searches for a SKU with these signs as if they were spaces, and does not find it. */
function longestPart(sku: string): string {
  return sku.split(/[-+*~<>@"]/).reduce((longest, part) => (part.length > longest.length ? part : longest))
}

/** @returns the variants that have each SKU */
async function searchAll(
  ask: ShopApi,
  skus: string[],
  termOf: (sku: string) => string
): Promise<[sku: string, Variant[]][]> {
  const found = await askInTurns(batchesOf(skus, SEARCHES), async batch => {
    const names = batch.map((_, i) => `s${i}`)
    const fields = names.map(
      name =>
        `${name}: search(input: { term: $${name}, groupByProduct: false, take: ${TAKE} }) { items { sku productId productVariantId } }`
    )
    const { data } = await ask({
      query: `query(${names.map(name => `$${name}: String!`).join(', ')}) { ${fields.join(' ')} }`,
      variables: Object.fromEntries(batch.map((sku, i) => [`s${i}`, termOf(sku)])),
      data: Type.Object(Object.fromEntries(names.map(name => [name, Found])))
    })
    return batch.map((sku, i): [string, Variant[]] => {
      const { items } = data[`s${i}`] as Static<typeof Found>
      const exact = items.filter(item => item.sku === sku)
      // By id, as a variant may be found in several languages.
      const byId = new Map(exact.map(item => [item.productVariantId, item.productId]))
      return [sku, Array.from(byId, ([id, productId]) => ({ sku, id, productId }))]
    })
  })
  return found.flat()
}

/** Products in one request: the most that a shop lists at once, by default. */
const PRODUCTS = 100

/** @throws CartRefused if the reason for an error is found, otherwise the error itself */
export async function explainFailure(ask: ShopApi, cart: Cart, variants: Variant[], error: unknown): Promise<never> {
  const code = error instanceof GraphQLError && error.code
  if (code === 'USER_INPUT_ERROR') {
    const { data } = await ask({
      query: '{ activeChannel { availableCurrencyCodes } }',
      variables: {},
      data: Type.Object({ activeChannel: Type.Object({ availableCurrencyCodes: Type.Array(Type.String()) }) })
    })
    const codes = data.activeChannel.availableCurrencyCodes
    const detail = `The shop sells in ${codes.join(', ')} only.`
    if (!codes.includes(cart.currency))
      throw new CartRefused([{ field: 'currency', code: 'currency-not-sold', detail }])
  }
  if (code === 'ENTITY_NOT_FOUND') {
    const listed = await askInTurns(batchesOf(variants, PRODUCTS), batch => listVariants(ask, batch))
    const sold = new Set(listed.flat())
    const gone = new Set(variants.filter(({ id }) => !sold.has(id)).map(({ sku }) => sku))
    refuseSkus(cart, sku => {
      const detail = `The shop does not sell ${JSON.stringify(sku)} any more.`
      return gone.has(sku) ? [{ field: 'sku', code: 'sku-unknown', detail }] : []
    })
  }
  throw error
}

/** The ids of all variants that are sold of the same products. */
async function listVariants(ask: ShopApi, variants: Variant[]): Promise<string[]> {
  const Variants = Type.Array(Type.Object({ id: Type.String() }))
  const { data } = await ask({
    query: `query($ids: [String!]!) {
      products(options: { filter: { id: { in: $ids } }, take: ${PRODUCTS} }) { items { variants { id } } }
    }`,
    variables: { ids: variants.map(({ productId }) => productId) },
    data: Type.Object({ products: Type.Object({ items: Type.Array(Type.Object({ variants: Variants })) }) })
  })
  return data.products.items.flatMap(product => product.variants.map(({ id }) => id))
}
