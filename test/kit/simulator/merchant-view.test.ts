// The preset bags of the simulator, for shops with many products, one and none.
import t from 'tap'
import { HOSTILE_SKU, type PresetBag, presetBags } from '../../../src/kit/simulator/merchant-view.ts'
import type { Product } from '../../../src/merchant/catalogue/product.ts'
import type { MerchantCatalogue, Way } from '../../../src/merchant/merchant.ts'
import { formPost } from '../../../src/transfer/form-post/form-post.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import { MAX_URL, type TransferOption } from '../../../src/transfer/option.ts'
import { queryGet } from '../../../src/transfer/query-get/query-get.ts'

const NOW = new Date('2026-11-20T10:00:00Z')

function product(sku: string, offers: Product['offers']): Product {
  return { sku, title: `Title of ${sku}`, offers }
}

const inStock = (currency: string, price = 1250): Product['offers'] => ({
  [currency]: { availability: 'in_stock', price }
})

const many = Array.from({ length: 60 }, (_, i) => product(`SKU-${i}`, inStock('GBP', 100 + i)))

function bags(
  products: Product[],
  { currencies = ['GBP'], option = queryGet as TransferOption, maxQuantity = 9999, hasFeed = true } = {}
): Record<string, PresetBag> {
  const way = { option, transfer: { maxQuantity } } as Way
  const merchant = { currencies, ...(hasFeed && { catalogue: {} }) }
  const shop = { merchant, catalogue: { products: () => products } } as unknown as MerchantCatalogue
  const all = presetBags(shop, way, 'http://127.0.0.1:3000/shop/cart', NOW)
  return Object.fromEntries(all.map(bag => [bag.name, bag]))
}

t.test('a shop with many products', async t => {
  const found = bags(many)
  t.strictSame(Object.keys(found), ['Normal bag', '50 items', 'Unknown SKU', 'Hostile SKU', 'URL too long'])
  t.strictSame(found['Normal bag'], {
    name: 'Normal bag',
    says: 'Two products; the shop’s page shows exactly these.',
    currency: 'GBP',
    lines: [
      { sku: 'SKU-0', quantity: '1' },
      { sku: 'SKU-1', quantity: '2' }
    ]
  })
  t.equal(new Set(found['50 items']?.lines.map(({ sku }) => sku)).size, 50)
  t.match(found['Unknown SKU']?.lines.at(-1), { sku: 'NO-SUCH-SKU', quantity: '1' })
  t.match(found['Hostile SKU']?.lines.at(-1), { sku: HOSTILE_SKU, quantity: '1' })
})

t.test('a shop with a limit of units has a bag over it, and no other that is', async t => {
  const { 'Too many': tooMany, ...others } = bags(many, { maxQuantity: 1 })
  t.strictSame(tooMany?.lines, [{ sku: 'SKU-0', quantity: '2' }])
  const quantities = Object.values(others).flatMap(({ lines }) => lines.map(({ quantity }) => quantity))
  t.strictSame(new Set(quantities), new Set(['1']))
  t.notOk('Too many' in bags([], { maxQuantity: 1 }), 'nor one without products')
})

t.test('only an option that puts the bag into a web address has one over its limit, and that only just', async t => {
  for (const option of transferOptions) {
    const { currency = '', lines } = bags(many, { option })['URL too long'] ?? {}
    t.equal(lines !== undefined, option.encoding === 'query' && option.answer === 'page', `option ${option.name}`)
    if (!lines) continue
    const length = (count: number) => {
      const items = lines.slice(0, count).map(({ sku }) => ({ sku, quantity: 1 }))
      const cart = { reference: '0'.repeat(32), currency, items }
      return option.request(cart, 'http://127.0.0.1:3000/shop/cart').url.length
    }
    t.ok(length(lines.length) > MAX_URL, String(length(lines.length)))
    t.ok(length(lines.length - 1) <= MAX_URL, 'not with one line fewer')
  }
  const terse = { ...queryGet, request: () => ({ method: 'GET', url: 'http://shop/', headers: [] }) }
  t.equal(bags(many, { option: terse })['URL too long']?.lines.length, 500, 'however short its lines, the bag ends')
})

t.test('a shop with one product repeats it', async t => {
  const found = bags([product('ONE', inStock('GBP'))])
  t.equal(found['Normal bag']?.lines.length, 1)
  t.strictSame(new Set(found['50 items']?.lines.map(({ sku }) => sku)), new Set(['ONE']))
  t.equal(found['50 items']?.lines.length, 50)
})

t.test('a shop that sells nothing has only the invalid bags', async t => {
  const found = bags([], { currencies: ['EUR', 'GBP'] })
  t.match(found['Normal bag'], { currency: 'EUR', lines: [] })
  t.equal(found['URL too long'], undefined)
  t.strictSame(found['Unknown SKU']?.lines, [{ sku: 'NO-SUCH-SKU', quantity: '1' }])
  t.notOk(bags([], { option: formPost })['Wrong price'])
})

t.test('a shop whose products are not known has a bag by hand in place of those of products', async t => {
  const found = bags([], { hasFeed: false })
  t.strictSame(Object.keys(found), ['A bag by hand', 'Unknown SKU', 'Hostile SKU'])
  t.strictSame(found['A bag by hand']?.lines, [{ sku: '', quantity: '1' }])
})

t.test('if an option sends prices, each line claims its own, sales included, and one bag a wrong one', async t => {
  const sale = { ...inStock('GBP').GBP, availability: 'in_stock' as const, price: 1250, sale: { price: 999 } }
  const found = bags([product('SALE', { GBP: sale })], { option: formPost })
  t.strictSame(found['Normal bag']?.lines, [{ sku: 'SALE', quantity: '1', price: '9.99' }])
  t.strictSame(found['Wrong price']?.lines, [{ sku: 'SALE', quantity: '1', price: '0.01' }])
})

t.test('only the beginning of a large catalogue is searched', async t => {
  const soldOut = product('OUT', { GBP: { availability: 'out_of_stock', price: 1 } })
  const late = (position: number) => [...Array<Product>(position).fill(soldOut), product('LATE', inStock('GBP'))]
  t.equal(bags(late(9_999))['Normal bag']?.lines.length, 1)
  t.equal(bags(late(10_000))['Normal bag']?.lines.length, 0)
})
