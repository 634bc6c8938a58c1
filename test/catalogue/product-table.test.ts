// The products of a feed in bytes: what is read is what was written.
import { deepStrictEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Offer, Product } from '../../src/catalogue/product.ts'
import { productTable } from '../../src/catalogue/product-table.ts'
import { anyText } from '../any-text.ts'

const MUG: Product = { sku: 'MUG', title: 'Mug', offers: { GBP: { availability: 'in_stock', price: 100 } } }

const time = fc.integer({ min: -8.64e15, max: 8.64e15 })
const price = fc.integer({ min: 0, max: 999_999_999 })
const sale = fc.record({ price, from: time, until: time }, { requiredKeys: ['price'], noNullPrototype: true })
const availability = fc.constantFrom('in_stock', 'preorder', 'backorder', 'out_of_stock')
const offer = fc.record(
  { availability, price, sale },
  { requiredKeys: ['availability', 'price'], noNullPrototype: true }
)
const offers = fc.dictionary(fc.constantFrom('GBP', 'EUR', 'JPY'), offer, { minKeys: 1, noNullPrototype: true })
const text = anyText().map(found => found.toWellFormed())
const product = fc.record(
  { sku: text, title: text, variant: text.filter(Boolean), image: fc.webUrl(), offers },
  { requiredKeys: ['sku', 'title', 'offers'], noNullPrototype: true }
)

t.test('any products are found by SKU, and listed in their order', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(product, { maxLength: 50, selector: ({ sku }) => sku }), products => {
      const table = productTable()
      const expected = new Map<string, Product>()
      for (const each of products as Product[]) {
        table.add(each)
        expected.set(each.sku, each)
      }
      deepStrictEqual([...table.values()], [...expected.values()])
      for (const [sku, each] of expected) deepStrictEqual(table.get(sku), each)
      equal(table.size(), expected.size)
    }),
    { numRuns: 100 }
  )
})

t.test('offers are added one by one, each currency once, whatever else is in the table', async () => {
  const currencies = Array.from(
    { length: 40 },
    (_, i) => `C${String.fromCharCode(65 + (i % 26), 65 + Math.floor(i / 26))}`
  )
  const added = fc.record({ at: fc.nat(), currency: fc.constantFrom(...currencies), offer })
  fc.assert(
    fc.property(fc.uniqueArray(product, { minLength: 1, selector: ({ sku }) => sku }), fc.array(added), (all, adds) => {
      const table = productTable()
      const expected = structuredClone(all) as Product[]
      for (const each of expected) table.add(each)
      for (const { at, currency, offer } of adds as { at: number; currency: string; offer: Offer }[]) {
        const { sku, offers } = expected[at % expected.length] as Product
        equal(table.addOffer(sku, currency, offer), !(currency in offers))
        offers[currency] ??= offer
      }
      deepStrictEqual([...table.values()], expected)
      for (const { sku } of expected) equal(table.has(sku), true)
    }),
    { numRuns: 200 }
  )
})

t.test('a large table finds each product, and no other', async t => {
  const table = productTable()
  const count = 20_000
  for (let i = 0; i < count; i++) table.add({ ...MUG, sku: `SKU-${i}`, title: `Mug No. ${i}, ${'large '.repeat(20)}` })
  let wrong = 0
  for (let i = 0; i < count; i++) if (!table.get(`SKU-${i}`)?.title.startsWith(`Mug No. ${i},`)) wrong += 1
  t.strictSame(
    { wrong, size: table.size(), other: table.get(`SKU-${count}`) },
    { wrong: 0, size: count, other: undefined }
  )
})

t.test('SKUs of the same hash are different products', async t => {
  // With this seed, the hash is plain FNV-1a.
  const table = productTable(0x811c9dc5)
  for (const sku of ['liquid', 'declinate', 'é']) table.add({ ...MUG, sku })
  t.match(table.get('declinate'), { sku: 'declinate' })
  for (const sku of ['costarring', 'macallums', 'è']) t.equal(table.get(sku), undefined, sku)
})

t.test('a text may be larger than what is kept together', async t => {
  const table = productTable()
  const large = { ...MUG, sku: 'LARGE', title: '☕'.repeat(1_000_000) }
  for (const each of [MUG, large, { ...MUG, sku: 'LAST' }]) table.add(each)
  t.strictSame([...table.values()], [MUG, large, { ...MUG, sku: 'LAST' }])
})
