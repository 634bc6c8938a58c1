import t from 'tap'
import { build, merchantFile, uuid } from './build.ts'

t.test('a cart comes in by option 1 and its page shows it', async t => {
  const { app } = await build(t)
  const response = await app.inject({
    method: 'POST',
    url: '/shop/cart',
    payload: { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', reference: uuid() }
  })
  t.equal(response.statusCode, 200)
  const { url, httpMethod, body } = response.json()
  t.match({ url, httpMethod }, { url: 'http://127.0.0.1:3000/shop/checkout', httpMethod: 'POST' })
  const page = await app.inject({
    method: 'POST',
    url: '/shop/checkout',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: body
  })
  t.match(page.body, 'data-sku="MUG" data-quantity="2"')
  t.match(page.body, 'data-total="2500" data-currency="GBP"')
})

t.test('unknown paths', async t => {
  const { app } = await build(t, { merchants: [merchantFile('2A')] })
  t.equal((await app.inject('/nothing')).statusCode, 404)
})
