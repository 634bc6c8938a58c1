// When two carts count as the same cart: this decides what is a repeat.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { Cart, type Item, isSameCart } from '../../src/cart/cart.ts'

const mug: Item = { sku: 'MUG', quantity: 2, price: '12.50' }
const throwRug: Item = { sku: 'THROW', quantity: 1 }

/** A cart with these lines and, by default, the same currency and reference. */
function cart(items: Item[], currency = 'GBP', reference = 'r-1'): Cart {
  return { reference, currency, items }
}

t.test('carts are the same if the currency and the lines are, in the same order, price claims included', async t => {
  const cases: [name: string, other: Cart, isSame: boolean][] = [
    ['identical', cart([{ ...mug }, { ...throwRug }]), true],
    ['another reference does not matter', cart([mug, throwRug], 'GBP', 'r-2'), true],
    ['another currency', cart([mug, throwRug], 'USD'), false],
    ['another order', cart([throwRug, mug]), false],
    ['one line fewer', cart([mug]), false],
    ['one line more', cart([mug, throwRug, throwRug]), false],
    ['no line', cart([]), false],
    ['another SKU', cart([{ ...mug, sku: 'mug' }, throwRug]), false],
    ['another quantity', cart([{ ...mug, quantity: 3 }, throwRug]), false],
    ['another claim', cart([{ ...mug, price: '12.5' }, throwRug]), false],
    ['one claim fewer', cart([{ sku: 'MUG', quantity: 2 }, throwRug]), false],
    ['one claim more', cart([mug, { ...throwRug, price: '64.95' }]), false],
    ['an empty claim is a claim', cart([mug, { ...throwRug, price: '' }]), false]
  ]
  for (const [name, other, isSame] of cases) {
    t.equal(isSameCart(cart([mug, throwRug]), other), isSame, name)
    t.equal(isSameCart(other, cart([mug, throwRug])), isSame, `${name}, the other way round`)
  }
})

t.test('two lines with one SKU are not the same as one line with both quantities', async t => {
  const two = cart([throwRug, throwRug])
  t.notOk(isSameCart(two, cart([{ ...throwRug, quantity: 2 }])))
  t.ok(isSameCart(two, cart([{ ...throwRug }, { ...throwRug }])))
})

t.test('a cart is a reference, a currency and lines; only the price claim is optional', async t => {
  t.ok(Value.Check(Cart, cart([mug, throwRug])))
  t.notOk(Value.Check(Cart, { currency: 'GBP', items: [] }))
  t.notOk(Value.Check(Cart, { reference: 'r', currency: 'GBP', items: [{ sku: 'MUG' }] }))
  t.notOk(Value.Check(Cart, { reference: 'r', currency: 'GBP', items: [{ sku: 'MUG', quantity: 1.5 }] }))
})
