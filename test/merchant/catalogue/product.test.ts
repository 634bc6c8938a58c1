// Products: what one costs and whether it can be bought, how it is found among a hundred thousand, example carts.
import t from 'tap'
import {
  type Availability,
  exampleCart,
  findProducts,
  isSellable,
  type ListedCatalogue,
  PLACEHOLDER_SKU,
  type Product,
  placeholderCart,
  priceAt,
  type Sale
} from '../../../src/merchant/catalogue/product.ts'

t.test('in stock, pre-order and back-order can be bought; out of stock cannot', async t => {
  const cases: Record<Availability, boolean> = { in_stock: true, preorder: true, backorder: true, out_of_stock: false }
  for (const [availability, sellable] of Object.entries(cases)) {
    t.equal(isSellable({ availability: availability as Availability, price: 100 }), sellable, availability)
  }
})

t.test('a sale price applies within its period, both ends included, or always without a period', async t => {
  const noon = Date.parse('2026-11-20T12:00:00Z')
  const cases: [rule: string, sale: Sale | undefined, price: number][] = [
    ['no sale', undefined, 100],
    ['a sale without a period', { price: 80 }, 80],
    ['a free sale', { price: 0 }, 0],
    ['within', { price: 80, from: noon - 1, until: noon + 1 }, 80],
    ['at its start', { price: 80, from: noon, until: noon + 1 }, 80],
    ['at its end', { price: 80, from: noon - 1, until: noon }, 80],
    ['before it', { price: 80, from: noon + 1, until: noon + 2 }, 100],
    ['after it', { price: 80, from: noon - 2, until: noon - 1 }, 100],
    ['open at its end', { price: 80, from: noon }, 80],
    ['open at its start', { price: 80, until: noon }, 80],
    ['open at its end, before it', { price: 80, from: noon + 1 }, 100],
    ['open at its start, after it', { price: 80, until: noon - 1 }, 100]
  ]
  for (const [rule, sale, price] of cases) {
    t.equal(priceAt({ availability: 'in_stock', price: 100, ...(sale && { sale }) }, new Date(noon)), price, rule)
  }
})

function catalogueOf(...titles: [sku: string, title: string, variant?: string][]): ListedCatalogue {
  const products = new Map(
    titles.map(([sku, title, variant]): [string, Product] => [
      sku,
      { sku, title, ...(variant !== undefined && { variant }), offers: {} }
    ])
  )
  // As of a feed, a product is made anew each time that it is read.
  const copy = (product: Product | undefined) => product && { ...product }
  return { product: sku => copy(products.get(sku)), products: () => Array.from(products.values(), copy) as Product[] }
}

const catalogue = catalogueOf(
  ['MUG-1', 'Sea-glass mug'],
  ['MUG-2', 'Captain’s MUG, large'],
  ['LAMP', 'Lamp for MUG-1', 'Brass · XL'],
  ['ソ-☕', 'カップ'],
  ['MUG', 'Plain']
)

t.test('words are searched in SKU, title and variant together, in any order and case', async t => {
  const cases: [text: string, skus: string[]][] = [
    ['', ['MUG-1', 'MUG-2', 'LAMP', 'ソ-☕', 'MUG']],
    ['  ', ['MUG-1', 'MUG-2', 'LAMP', 'ソ-☕', 'MUG']],
    ['glass', ['MUG-1']],
    ['LARGE mug', ['MUG-2']],
    ['mug-1', ['MUG-1', 'LAMP']],
    ['カップ', ['ソ-☕']],
    ['mug lamp', ['LAMP']],
    ['lamp xl', ['LAMP']],
    ['undefined', []],
    ['nothing', []],
    ['.*', []]
  ]
  for (const [text, skus] of cases) {
    const found = await findProducts(catalogue, text, 20)
    t.strictSame(
      found.map(({ sku }) => sku),
      skus,
      JSON.stringify(text)
    )
  }
})

t.test('the product with exactly that SKU is first, and listed once', async t => {
  const find = async (limit: number) => (await findProducts(catalogue, 'MUG', limit)).map(({ sku }) => sku)
  t.strictSame(await find(2), ['MUG', 'MUG-1'])
  t.strictSame(await find(20), ['MUG', 'MUG-1', 'MUG-2', 'LAMP'])
})

t.test('a search through a hundred thousand products does not block the event loop', async t => {
  const large = catalogueOf(
    ...Array.from({ length: 100_000 }, (_, i): [string, string] => [`SKU-${i}`, `Woollen jumper No. ${i}`])
  )
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const found = await findProducts(large, 'no such jumper', 20)
  isOver = true
  t.strictSame(found, [])
  t.ok(turns > 10, `${turns} turns of the event loop`)
})

const LIMITS = { maxItems: 500, maxQuantity: 9999 }

const product = (sku: string, currency: string, isSoldOut = false): Product => ({
  sku,
  title: sku,
  offers: { [currency]: { availability: isSoldOut ? 'out_of_stock' : 'in_stock', price: 100 } }
})

t.test('an example has two products that can be bought, in the first currency that has any', async t => {
  const products = [product('OUT', 'EUR', true), product('A', 'GBP'), product('B', 'GBP'), product('C', 'GBP')]
  const currencies = ['EUR', 'GBP']
  t.match(exampleCart(products, currencies, LIMITS), {
    currency: 'GBP',
    reference: /^[0-9a-f]{32}$/,
    items: [
      { sku: 'A', quantity: 1 },
      { sku: 'B', quantity: 2 }
    ]
  })
  const least = exampleCart(products, ['GBP'], { maxItems: 1, maxQuantity: 1 })
  t.match(least, { items: [{ sku: 'A', quantity: 1 }] })
  t.equal(least?.items.length, 1)
  t.equal(exampleCart(products.slice(0, 1), currencies, LIMITS), undefined, 'nothing can be bought')
})

t.test('a cart for a merchant whose products are not known says what to replace', async t => {
  t.match(placeholderCart(['EUR', 'GBP']), {
    currency: 'EUR',
    reference: /^[0-9a-f]{32}$/,
    items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }]
  })
})
