// The example cart for a merchant.
import t from 'tap'
import type { Product } from '../../../src/catalogue/product.ts'
import { exampleCart, PLACEHOLDER_SKU, placeholderCart } from '../../../src/kit/client/example-cart.ts'

const product = (sku: string, currency: string, isSoldOut = false): Product => ({
  sku,
  title: sku,
  offers: { [currency]: { availability: isSoldOut ? 'out_of_stock' : 'in_stock', price: 100 } }
})

t.test('an example has two products that can be bought, in the first currency that has any', async t => {
  const products = [product('OUT', 'EUR', true), product('A', 'GBP'), product('B', 'GBP'), product('C', 'GBP')]
  t.match(exampleCart({ products, currencies: ['EUR', 'GBP'] }, 9999), {
    currency: 'GBP',
    reference: /^[0-9a-f]{32}$/,
    items: [
      { sku: 'A', quantity: 1 },
      { sku: 'B', quantity: 2 }
    ]
  })
})

t.test('there is no example if nothing can be bought', async t => {
  t.equal(exampleCart({ products: [product('OUT', 'EUR', true)], currencies: ['EUR'] }, 9999), undefined)
})

t.test('a cart for a merchant whose products are not known says what to replace', async t => {
  t.match(placeholderCart(['EUR', 'GBP']), {
    currency: 'EUR',
    reference: /^[0-9a-f]{32}$/,
    items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }]
  })
})
