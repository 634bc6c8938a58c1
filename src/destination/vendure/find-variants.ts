// Finds the variants that a cart names by SKU. The Shop API filters no list by SKU; its search does, roughly, so what
// it finds is compared exactly.
import { type Static, Type } from '@sinclair/typebox'
import { isAny } from '../../errors.ts'
import { askInTurns, batchesOf } from '../in-turns.ts'
import { CartRefused } from '../shop-errors.ts'
import type { ShopApi } from './shop-api.ts'
import { eachLine, type Units } from './units.ts'

/** `units` are of this variant. */
export type Variant = { units: Units; id: string; productId: string }

/** Searches in one request. Vendure's HardenPlugin counts 16 for each, and by default refuses 1,000. */
const BATCH = 50

/** A short SKU is part of many others, and the search has no order in which the exact one comes first. */
const TAKE = 1000

const Found = Type.Object({
  items: Type.Array(Type.Object({ sku: Type.String(), productId: Type.String(), productVariantId: Type.String() }))
})

/** What is searched for, for the sake of these units. */
type Search = { units: Units; term: string }

/** @throws CartRefused naming every line whose SKU is unknown, or is that of several variants */
export async function findVariants(ask: ShopApi, wanted: Units[]): Promise<Variant[]> {
  const found = await searchAll(
    ask,
    wanted.map(units => ({ units, term: units.sku }))
  )
  const others = wanted
    .filter(units => found.get(units)?.length === 0)
    .map(units => ({ units, term: longestPart(units.sku) }))
    .filter(({ units, term }) => term !== units.sku)
  for (const [units, variants] of await searchAll(ask, others)) found.set(units, variants)
  const mistakes = [...found].flatMap(([units, { length }]) => {
    if (length === 1) return []
    const sku = JSON.stringify(units.sku)
    const detail =
      length === 0 ? `The shop's search does not find ${sku}.` : `${length} variants of the shop are ${sku}.`
    return eachLine(units, { field: 'sku', code: 'sku-unknown', detail })
  })
  if (isAny(mistakes)) throw new CartRefused(mistakes)
  return [...found.values()].flat()
}

/** With MySQL and MariaDB, Vendure searches for a SKU with these signs as if they were spaces, and does not find it. */
function longestPart(sku: string): string {
  return sku.split(/[-+*~<>@"]/).reduce((longest, part) => (part.length > longest.length ? part : longest))
}

async function searchAll(ask: ShopApi, searches: Search[]): Promise<Map<Units, Variant[]>> {
  const found = await askInTurns(batchesOf(searches, BATCH), batch => searchBatch(ask, batch))
  return new Map(found.flat())
}

async function searchBatch(ask: ShopApi, searches: Search[]): Promise<[Units, Variant[]][]> {
  const names = searches.map((_, i) => `s${i}`)
  const fields = names.map(
    name =>
      `${name}: search(input: { term: $${name}, groupByProduct: false, take: ${TAKE} }) { items { sku productId productVariantId } }`
  )
  const { data } = await ask({
    query: `query(${names.map(name => `$${name}: String!`).join(', ')}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(searches.map(({ term }, i) => [`s${i}`, term])),
    data: Type.Object(Object.fromEntries(names.map(name => [name, Found])))
  })
  return searches.map(({ units }, i) => {
    const { items } = data[`s${i}`] as Static<typeof Found>
    const exact = items.filter(({ sku }) => sku === units.sku)
    // By id, as a variant may be found in several languages.
    const byId = new Map(exact.map(item => [item.productVariantId, item.productId]))
    return [units, Array.from(byId, ([id, productId]) => ({ units, id, productId }))]
  })
}
