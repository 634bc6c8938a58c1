// Finds the variants that a cart names by SKU. The Shop API filters no list by SKU; its search does, roughly, so what
// it finds is compared exactly. And why Vendure has taken nothing of a cart: a currency that it does not sell in, and a
// variant that is no longer sold but still in the search index, fail the whole of it, and are named only in a sentence.
import { type Static, Type } from '@sinclair/typebox'
import type { Cart } from '../../cart/cart.ts'
import { isAny } from '../../errors.ts'
import { CartRefused, type ShopMistake } from '../destination.ts'
import { askInTurns, batchesOf } from '../shop-call.ts'
import { GraphQLError, type ShopApi } from './shop-api.ts'

export type Units = {
  sku: string
  quantity: number
  /** The indexes of the cart's lines that ask for them. */
  lines: number[]
}

/** In the order in which the SKUs first appear. */
export function unitsOf({ items }: Cart): Units[] {
  const found = new Map<string, Units>()
  for (const [line, { sku, quantity }] of items.entries()) {
    const units = found.get(sku)
    if (units) {
      units.quantity += quantity
      units.lines.push(line)
    } else found.set(sku, { sku, quantity, lines: [line] })
  }
  return [...found.values()]
}

/** What is wrong with units, and with which field of their lines. */
export type UnitsMistake = ShopMistake & { line?: never }

/** The same mistake for each line that asks for the units. */
export function eachLine({ lines }: Units, mistake: UnitsMistake): ShopMistake[] {
  return lines.map(line => ({ ...mistake, line }))
}

/** `units` are of this variant. */
export type Variant = { units: Units; id: string; productId: string }

/** Searches in one request. Vendure's HardenPlugin counts 16 for each, and by default refuses 1,000. */
const SEARCHES = 50

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
  const found = await askInTurns(batchesOf(searches, SEARCHES), batch => searchBatch(ask, batch))
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

/** Products in one request: the most that a shop lists at once, by default. */
const PRODUCTS = 100

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
    const listed = await askInTurns(batchesOf(variants, PRODUCTS), batch => listVariants(ask, batch))
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
      products(options: { filter: { id: { in: $ids } }, take: ${PRODUCTS} }) { items { variants { id } } }
    }`,
    variables: { ids: variants.map(({ productId }) => productId) },
    data: Type.Object({ products: Type.Object({ items: Type.Array(Type.Object({ variants: Variants })) }) })
  })
  return data.products.items.flatMap(product => product.variants.map(({ id }) => id))
}
