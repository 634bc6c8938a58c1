// The line that `npm start` prints for each shop.
import t from 'tap'
import type { Product } from '../../src/catalogue/product.ts'
import { curlLine, exampleCart } from '../../src/platform/curl.ts'

const product = (sku: string, currency: string, isSoldOut = false): Product => ({
  sku,
  title: sku,
  offers: { [currency]: { availability: isSoldOut ? 'out_of_stock' : 'in_stock', price: 100 } }
})

t.test('an example has two products that can be bought, in the first currency that has any', async t => {
  const products = [product('OUT', 'EUR', true), product('A', 'GBP'), product('B', 'GBP'), product('C', 'GBP')]
  t.match(exampleCart(products, ['EUR', 'GBP']), {
    currency: 'GBP',
    reference: /^[0-9a-f]{32}$/,
    items: [
      { sku: 'A', quantity: 1 },
      { sku: 'B', quantity: 2 }
    ]
  })
})

t.test('where nothing can be bought there is no example', async t => {
  t.equal(exampleCart([product('OUT', 'EUR', true)], ['EUR']), undefined)
})

t.test('every word is safe in a shell', async t => {
  const headers = [
    { name: 'Host', value: 'x' },
    { name: 'X-A', value: '$(rm)' }
  ]
  const line = curlLine({ method: 'POST', url: 'http://x/?a=1&b', headers, body: `it's "$HOME"` })
  t.equal(line, `curl -X POST -H 'X-A: $(rm)' --data-raw 'it'\\''s "$HOME"' 'http://x/?a=1&b'`)
  t.equal(curlLine({ method: 'GET', url: 'http://x/', headers: [] }), "curl 'http://x/'")
})
