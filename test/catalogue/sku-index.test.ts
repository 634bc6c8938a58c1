// SKUs by hash: those with the same hash are told apart.
import t from 'tap'
import { skuIndex } from '../../src/catalogue/sku-index.ts'

/** With this seed the hash is plain FNV-1a, which anybody can compute. */
const FNV_BASIS = 0x811c9dc5

t.test('SKUs of the same hash are different', async t => {
  // Found by trying: FNV-1a gives both of each pair one hash.
  const pairs = [
    ['costarring', 'liquid'],
    ['declinate', 'macallums'],
    ['altarage', 'zinke']
  ].flat()
  const index = skuIndex((sku, number) => pairs[number] === sku, FNV_BASIS)
  for (const sku of pairs) {
    t.equal(index.find(sku), undefined)
    index.add(sku)
  }
  t.strictSame(pairs.map(index.find), [0, 1, 2, 3, 4, 5])
})

/** Appends letters to a hash of FNV-1a. */
function hashed(hash: number, letters: string): number {
  for (let i = 0; i < letters.length; i++) hash = Math.imul(hash ^ letters.charCodeAt(i), 0x01000193)
  return hash
}

/** 2^blocks SKUs with the same FNV-1a: each block has two spellings that lead from one hash to the same other one. */
function collidingSkus(blocks: number): string[] {
  let skus = ['']
  let hash = FNV_BASIS
  for (let block = 0; block < blocks; block++) {
    const seen = new Map<number, string>()
    for (let i = 0; ; i++) {
      const letters = i.toString(36).padStart(6, '0')
      const next = hashed(hash, letters)
      const other = seen.get(next)
      seen.set(next, letters)
      if (other === undefined) continue
      skus = skus.flatMap(sku => [sku + other, sku + letters])
      hash = next
      break
    }
  }
  return skus
}

t.test('nobody can make a feed of SKUs that all have the same hash', async t => {
  const skus = collidingSkus(3)
  t.equal(new Set(skus.map(sku => hashed(FNV_BASIS, sku))).size, 1)
  const comparisons = (seed?: number) => {
    let count = 0
    const isSku = (sku: string, number: number) => {
      count += 1
      return skus[number] === sku
    }
    const index = skuIndex(isSku, seed)
    for (const sku of skus) {
      index.find(sku)
      index.add(sku)
    }
    return count
  }
  t.equal(comparisons(FNV_BASIS), (skus.length * (skus.length - 1)) / 2, 'if the seed is known')
  t.ok(comparisons() < 10)
})
