// What a shop holds is compared with what was handed over: exactly these items and no others (contract 1).
import t from 'tap'
import { compareCart } from '../../src/destination/compare-cart.ts'
import { CartRefused } from '../../src/destination/shop-errors.ts'

const cart = {
  reference: 'order-1',
  currency: 'GBP',
  items: [
    { sku: 'MUG', quantity: 2 },
    { sku: 'ROPE', quantity: 1 },
    { sku: 'MUG', quantity: 1 }
  ]
}

type Lines = { sku: string; quantity: number }[]

t.test('the same items are the same, however the shop makes lines of them', async t => {
  const cases: [name: string, lines: Lines][] = [
    ['as sent', cart.items],
    [
      'one line for each SKU',
      [
        { sku: 'MUG', quantity: 3 },
        { sku: 'ROPE', quantity: 1 }
      ]
    ],
    ['in another order', [...cart.items].reverse()],
    ['a line for each unit', [1, 2, 3].map(() => ({ sku: 'MUG', quantity: 1 })).concat({ sku: 'ROPE', quantity: 1 })]
  ]
  for (const [name, lines] of cases) t.doesNotThrow(() => compareCart(cart, { lines, currency: 'GBP' }), name)
})

t.test('every difference is named, by line where it has one', async t => {
  const mug = { sku: 'MUG', quantity: 3 }
  const rope = { sku: 'ROPE', quantity: 1 }
  const cases: [name: string, lines: Lines, currency: string, found: object[]][] = [
    ['a line was dropped', [mug], 'GBP', [{ field: 'sku', line: 1, detail: /has 0 units of "ROPE"; 1 were sent/ }]],
    [
      'a quantity was doubled, on both lines of its SKU',
      [{ ...mug, quantity: 6 }, rope],
      'GBP',
      [{ line: 0, detail: /has 6 units of "MUG"; 3 were sent/ }, { line: 2 }]
    ],
    [
      'an old item is still there',
      [mug, rope, { sku: 'OLD', quantity: 1 }],
      'GBP',
      [{ field: 'items', detail: /"OLD"/ }]
    ],
    [
      'SKUs are compared exactly',
      [{ ...mug, sku: 'mug' }, rope],
      'GBP',
      [{ line: 0 }, { line: 2 }, { field: 'items' }]
    ],
    [
      'many others, of which the first 20 are named',
      [mug, rope, ...Array.from({ length: 30 }, (_, i) => ({ sku: `OLD-${i}`, quantity: 1 }))],
      'GBP',
      Array.from({ length: 20 }, (_, i) => ({ field: 'items', detail: `also has "OLD-${i}"` }))
    ],
    ['another currency', [mug, rope], 'EUR', [{ field: 'currency', detail: /in "EUR"; GBP was sent/ }]],
    ['an empty cart', [], 'GBP', [{ line: 0 }, { line: 1 }, { line: 2 }]]
  ]
  for (const [name, lines, currency, found] of cases) {
    try {
      compareCart(cart, { lines, currency })
      t.fail(name)
    } catch (error) {
      t.type(error, CartRefused)
      const { mistakes } = error as CartRefused
      t.match(mistakes, found, name)
      t.equal(mistakes.length, found.length, name)
      t.ok(mistakes.every(({ code }) => code === 'destination-differs'))
    }
  }
})
