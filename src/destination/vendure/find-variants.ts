// Finds the variants that a cart names by SKU. The Shop API filters no list by SKU; its search does, roughly, so what
// it finds is compared exactly.
import { type Static, Type } from '@sinclair/typebox'
import { isAny } from '../../errors.ts'
import { CartRefused } from '../shop-errors.ts'
import { batchesOf, type ShopApi } from './shop-api.ts'
import { eachLine, type Units } from './units.ts'

/** `units` are of this variant. */
export type Variant = { units: Units; id: string; productId: string }

/** Searches in one request. Vendure's HardenPlugin counts 11 for each, and by default refuses 1,000. */
const BATCH = 50

/** A short SKU is part of many others, and the search has no order in which the exact one comes first. */
const TAKE = 1000

const Found = Type.Object({
  items: Type.Array(Type.Object({ sku: Type.String(), productId: Type.String(), productVariantId: Type.String() }))
})

/** @throws CartRefused naming every line whose SKU is unknown, or is that of several variants */
export async function findVariants(ask: ShopApi, wanted: Units[]): Promise<Variant[]> {
  const found = (await Promise.all(batchesOf(wanted, BATCH).map(batch => findBatch(ask, batch)))).flat()
  const mistakes = found.flatMap(({ units, variants: { length } }) => {
    if (length === 1) return []
    const sku = JSON.stringify(units.sku)
    const detail =
      length === 0 ? `The shop's search does not find ${sku}.` : `${length} variants of the shop are ${sku}.`
    return eachLine(units, { field: 'sku', code: 'sku-unknown', detail })
  })
  if (isAny(mistakes)) throw new CartRefused(mistakes)
  return found.flatMap(({ variants }) => variants)
}

async function findBatch(ask: ShopApi, wanted: Units[]): Promise<{ units: Units; variants: Variant[] }[]> {
  const searches = wanted.map(
    (_, i) =>
      `s${i}: search(input: { term: $s${i}, groupByProduct: false, take: ${TAKE} }) { items { sku productId productVariantId } }`
  )
  const { data } = await ask({
    query: `query(${wanted.map((_, i) => `$s${i}: String!`).join(', ')}) { ${searches.join(' ')} }`,
    variables: Object.fromEntries(wanted.map(({ sku }, i) => [`s${i}`, sku])),
    data: Type.Object(Object.fromEntries(wanted.map((_, i) => [`s${i}`, Found])))
  })
  return wanted.map((units, i) => {
    const { items } = data[`s${i}`] as Static<typeof Found>
    const exact = items.filter(({ sku }) => sku === units.sku)
    // By id, as a variant may be found in several languages.
    const byId = new Map(exact.map(item => [item.productVariantId, item.productId]))
    return { units, variants: Array.from(byId, ([id, productId]) => ({ units, id, productId })) }
  })
}
