// The example cart for a merchant.
import t from 'tap'
import { exampleCart, PLACEHOLDER_SKU, placeholderCart } from '../../src/catalogue/example-cart.ts'
import type { Product } from '../../src/catalogue/product.ts'

const LIMITS = { maxItems: 500, maxQuantity: 9999 }

const product = (sku: string, currency: string, isSoldOut = false): Product => ({
  sku,
  title: sku,
  offers: { [currency]: { availability: isSoldOut ? 'out_of_stock' : 'in_stock', price: 100 } }
})

t.test('an example has two products that can be bought, in the first currency that has any', async t => {
  const products = [product('OUT', 'EUR', true), product('A', 'GBP'), product('B', 'GBP'), product('C', 'GBP')]
  const assortment = { products, currencies: ['EUR', 'GBP'] }
  t.match(exampleCart(assortment, LIMITS), {
    currency: 'GBP',
    reference: /^[0-9a-f]{32}$/,
    items: [
      { sku: 'A', quantity: 1 },
      { sku: 'B', quantity: 2 }
    ]
  })
  const least = exampleCart(assortment, { maxItems: 1, maxQuantity: 1 })
  t.match(least, { items: [{ sku: 'A', quantity: 1 }] })
  t.equal(least?.items.length, 1)
  t.equal(exampleCart(assortment, LIMITS, 1), undefined, 'the search ends where it is told to')
})

t.test('there is no example if nothing can be bought', async t => {
  t.equal(exampleCart({ products: [product('OUT', 'EUR', true)], currencies: ['EUR'] }, LIMITS), undefined)
})

t.test('a cart for a merchant whose products are not known says what to replace', async t => {
  t.match(placeholderCart(['EUR', 'GBP']), {
    currency: 'EUR',
    reference: /^[0-9a-f]{32}$/,
    items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }]
  })
})
