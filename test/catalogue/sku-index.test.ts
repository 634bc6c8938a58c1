// SKUs by hash: those with the same hash are told apart.
import t from 'tap'
import { skuIndex } from '../../src/catalogue/sku-index.ts'

t.test('SKUs of the same hash are different', async t => {
  // Found by trying: FNV-1a gives both of each pair one hash.
  const pairs = [
    ['costarring', 'liquid'],
    ['declinate', 'macallums'],
    ['altarage', 'zinke']
  ].flat()
  const index = skuIndex((sku, number) => pairs[number] === sku)
  for (const sku of pairs) {
    t.equal(index.find(sku), undefined)
    index.add(sku)
  }
  t.strictSame(pairs.map(index.find), [0, 1, 2, 3, 4, 5])
})
