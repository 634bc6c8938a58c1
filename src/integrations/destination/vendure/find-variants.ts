// Finds the variants of a Vendure shop by their SKUs, and tells which of them it still sells.
import { type Static, Type } from '@sinclair/typebox'
import type { ShopError } from '../destination.ts'
import { askInTurns, batchesOf } from '../shop-call.ts'
import type { ShopApi } from './shop-api.ts'

/** Found by search, as the Shop API filters no list by SKU; the search is rough, so what it finds is compared exactly. */
export type Variant = { sku: string; id: string; productId: string }

/** What is wrong, by SKU. */
export type MistakesBySku = Map<string, ShopError[]>

/** Searches in one request. Vendure's HardenPlugin counts 16 for each, and by default refuses 1,000. */
const SEARCHES = 50

/** A short SKU is part of many others, and the search has no order in which the exact one comes first. */
const TAKE = 1000

const Found = Type.Object({
  items: Type.Array(Type.Object({ sku: Type.String(), productId: Type.String(), productVariantId: Type.String() }))
})

/** The mistakes get what is not found. */
export async function findVariants(ask: ShopApi, skus: string[], mistakes: MistakesBySku): Promise<Variant[]> {
  const found = new Map(await searchAll(ask, skus, sku => sku))
  const others = skus.filter(sku => found.get(sku)?.length === 0 && longestPart(sku) !== sku)
  for (const [sku, variants] of await searchAll(ask, others, longestPart)) found.set(sku, variants)
  return Array.from(found).flatMap(([sku, variants]) => {
    const { length } = variants
    if (length === 1) return variants
    const name = JSON.stringify(sku)
    const detail =
      length === 0 ? `The shop's search does not find ${name}.` : `${length} variants of the shop are ${name}.`
    mistakes.set(sku, [{ field: 'sku', code: 'sku-unknown', detail }])
    return []
  })
}

/** With MySQL and MariaDB, Vendure searches for a SKU with these signs as if they were spaces, and does not find it. */
function longestPart(sku: string): string {
  return sku.split(/[-+*~<>@"]/).reduce((longest, part) => (part.length > longest.length ? part : longest))
}

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

/** @returns the variants that the shop lists */
export async function stillSold(ask: ShopApi, variants: Variant[]): Promise<Variant[]> {
  const listed = await askInTurns(batchesOf(variants, PRODUCTS), batch => listVariants(ask, batch))
  const ids = new Set(listed.flat())
  return variants.filter(({ id }) => ids.has(id))
}

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
