// Units are added up per SKU; SKUs are compared exactly.
import t from 'tap'
import { unitsBySku } from '../../src/cart/units-by-sku.ts'

t.test('a SKU on two lines counts once, with the units of both', async t => {
  const lines = [
    { sku: 'MUG', quantity: 2 },
    { sku: 'mug', quantity: 1 },
    { sku: 'MUG', quantity: 3 }
  ]
  t.strictSame(
    [...unitsBySku(lines)],
    [
      ['MUG', 5],
      ['mug', 1]
    ]
  )
  t.strictSame([...unitsBySku([])], [])
})
