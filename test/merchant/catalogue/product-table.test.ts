// The products of a feed in bytes: what is read is what was written, and SKUs of the same hash are told apart.
import { deepStrictEqual, equal, fail } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Offer, Product } from '../../../src/merchant/catalogue/product.ts'
import { type ProductTable, productTable, skuIndex } from '../../../src/merchant/catalogue/product-table.ts'
import { anyText } from '../../any-text.ts'

const MUG: Product = { sku: 'MUG', title: 'Mug', offers: { GBP: { availability: 'in_stock', price: 100 } } }

function add(table: ProductTable, { sku, title, variant, image, offers }: Product): void {
  for (const [currency, offer] of Object.entries(offers)) table.add(sku, currency, offer, () => [title, variant, image])
}

const time = fc.integer({ min: -8.64e15, max: 8.64e15 })
const price = fc.integer({ min: 0, max: 999_999_999 })
const sale = fc.record({ price, from: time, until: time }, { requiredKeys: ['price'], noNullPrototype: true })
const availability = fc.constantFrom('in_stock', 'preorder', 'backorder', 'out_of_stock')
const offer = fc.record(
  { availability, price, sale },
  { requiredKeys: ['availability', 'price'], noNullPrototype: true }
)
const offers = fc.dictionary(fc.constantFrom('GBP', 'EUR', 'JPY'), offer, { minKeys: 1, noNullPrototype: true })
const text = anyText().map(found => found.toWellFormed().replace(/\p{Cc}/gu, ' '))
const product = fc.record(
  { sku: text, title: text, variant: text.filter(Boolean), image: fc.webUrl(), offers },
  { requiredKeys: ['sku', 'title', 'offers'], noNullPrototype: true }
)

t.test('any products are found by SKU and listed in their order; offers are added, each currency once', async () => {
  const currencies = Array.from(
    { length: 40 },
    (_, i) => `C${String.fromCharCode(65 + (i % 26), 65 + Math.floor(i / 26))}`
  )
  const added = fc.record({ at: fc.nat(), currency: fc.constantFrom(...currencies), offer })
  fc.assert(
    fc.property(fc.uniqueArray(product, { minLength: 1, selector: ({ sku }) => sku }), fc.array(added), (all, adds) => {
      const table = productTable()
      const expected = structuredClone(all) as Product[]
      for (const each of expected) add(table, each)
      for (const { at, currency, offer } of adds as { at: number; currency: string; offer: Offer }[]) {
        const { sku, offers } = expected[at % expected.length] as Product
        deepStrictEqual(table.get(sku)?.offers, offers)
        equal(table.add(sku, currency, offer, fail), !(currency in offers))
        offers[currency] ??= offer
      }
      deepStrictEqual([...table.values()], expected)
      for (const each of expected) deepStrictEqual(table.get(each.sku), each)
      equal(table.size(), expected.length)
    }),
    { numRuns: 200 }
  )
})

t.test('a large table finds each product, and no other', async t => {
  const table = productTable()
  const skus = Array.from({ length: 20_000 }, (_, i) => `SKU-${i}`)
  for (const sku of skus) add(table, { ...MUG, sku })
  t.ok(skus.every(sku => table.get(sku)?.sku === sku))
  t.equal(table.get('SKU-20000'), undefined)
})

/** With this seed the hash is plain FNV-1a, which anybody can compute. */
const FNV_BASIS = 0x811c9dc5

t.test('SKUs of the same hash are different products', async t => {
  const table = productTable(FNV_BASIS)
  // Found by trying, pairs with one hash: liquid and costarring, declinate and macallums, altarage and zinke.
  for (const sku of ['liquid', 'declinate', 'altarage', 'zinke', 'é']) add(table, { ...MUG, sku })
  for (const sku of ['declinate', 'altarage', 'zinke']) t.match(table.get(sku), { sku })
  for (const sku of ['costarring', 'macallums', 'è']) t.equal(table.get(sku), undefined, sku)
})

t.test('a text may be larger than what is kept together', async t => {
  const table = productTable()
  const large = { ...MUG, sku: 'LARGE', title: '☕'.repeat(1_000_000) }
  for (const each of [MUG, large, { ...MUG, sku: 'LAST' }]) add(table, each)
  t.strictSame([...table.values()], [MUG, large, { ...MUG, sku: 'LAST' }])
})

/** Appends letters to a hash of FNV-1a. */
function hashed(hash: number, letters: string): number {
  for (let i = 0; i < letters.length; i++) hash = Math.imul(hash ^ letters.charCodeAt(i), 0x01000193)
  return hash
}

/** 2^blocks SKUs with the same FNV-1a: each block has two spellings that lead from one hash to the same other one. */
function collidingSkus(blocks: number): string[] {
  let skus = ['']
  let hash = FNV_BASIS
  for (let block = 0; block < blocks; block++) {
    const seen = new Map<number, string>()
    for (let i = 0; ; i++) {
      const letters = i.toString(36).padStart(6, '0')
      const next = hashed(hash, letters)
      const other = seen.get(next)
      seen.set(next, letters)
      if (other === undefined) continue
      skus = skus.flatMap(sku => [sku + other, sku + letters])
      hash = next
      break
    }
  }
  return skus
}

t.test('nobody can make a feed of SKUs that all have the same hash', async t => {
  const skus = collidingSkus(3)
  t.equal(new Set(skus.map(sku => hashed(FNV_BASIS, sku))).size, 1)
  const comparisons = (seed?: number) => {
    let count = 0
    const isSku = (sku: string, number: number) => {
      count += 1
      return skus[number] === sku
    }
    const index = skuIndex(isSku, seed)
    for (const sku of skus) index.add(sku)
    return count
  }
  t.equal(comparisons(FNV_BASIS), (skus.length * (skus.length - 1)) / 2, 'if the seed is known')
  t.ok(comparisons() < 10)
})
