// What is typed is what is sent, valid or not.
import t from 'tap'
import { isEditable } from '../../../src/kit/conformance/check.ts'
import { cartOf } from '../../../src/kit/simulator/typed-request.ts'
import { transferOptions } from '../../../src/transfer/index.ts'

t.test('a quantity becomes a number if that prints the same, otherwise it stays text', async t => {
  const cases: [typed: string, sent: unknown][] = [
    ['1', 1],
    ['9999', 9999],
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['abc', 'abc'],
    ['', ''],
    ['02', '02'],
    ['2.0', '2.0'],
    [' 2', ' 2'],
    ['+2', '+2'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['99999999999999999999', '99999999999999999999']
  ]
  for (const [quantity, sent] of cases) {
    const cart = cartOf({ items: [{ sku: 'A', quantity }], currency: '', reference: '' })
    t.equal(cart.items[0]?.quantity, sent, JSON.stringify(quantity))
    for (const { name, request } of transferOptions.filter(isEditable)) {
      const { url, body = url } = request(cart, 'http://shop')
      const carried = body.startsWith('{') ? JSON.parse(body).items[0].quantity : quantityIn(body)
      t.equal(carried, body.startsWith('{') ? sent : quantity, `option ${name} sends ${JSON.stringify(quantity)}`)
    }
  }
})

function quantityIn(encoded: string): string | undefined {
  const fields = [...new URLSearchParams(encoded.replace(/^[^?]*\?/, ''))]
  return fields.find(([name]) => name.includes('quantity'))?.[1]
}

t.test('everything else stays as typed', async t => {
  const items = [{ sku: ' "><b> ', quantity: '1', price: 'free' }]
  const typed = { items, currency: 'pounds', reference: 'r'.repeat(40) }
  t.strictSame(cartOf(typed), { ...typed, items: [{ sku: ' "><b> ', quantity: 1, price: 'free' }] })
})
