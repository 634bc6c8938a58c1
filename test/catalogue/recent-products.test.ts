// Products that were asked for lately are the same objects again, up to a number of them.
import t from 'tap'
import { recentProducts } from '../../src/catalogue/recent-products.ts'

t.test(
  'a product is read once while it is among the recent ones; one that does not exist is looked up again',
  async t => {
    const read: string[] = []
    const find = recentProducts(sku => {
      read.push(sku)
      return sku === 'NONE' ? undefined : { sku, title: sku, offers: {} }
    }, 2)
    const a = find('A')
    t.equal(find('A'), a)
    t.equal(find('NONE'), undefined)
    t.equal(find('NONE'), undefined)
    find('B')
    t.equal(find('A'), a)
    find('C')
    t.strictSame(find('A'), a)
    t.strictSame(read, ['A', 'NONE', 'NONE', 'B', 'C', 'A'])
  }
)
