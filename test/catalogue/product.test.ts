// The price of a product at a given time, and whether it can be bought.
import t from 'tap'
import { type Availability, isSellable, priceAt, type Sale } from '../../src/catalogue/product.ts'

t.test('in stock, pre-order and back-order can be bought; out of stock cannot', async t => {
  const cases: Record<Availability, boolean> = { in_stock: true, preorder: true, backorder: true, out_of_stock: false }
  for (const [availability, sellable] of Object.entries(cases)) {
    t.equal(isSellable({ availability: availability as Availability, price: 100 }), sellable, availability)
  }
})

t.test('a sale price applies within its period, both ends included, or always without a period', async t => {
  const noon = Date.parse('2026-11-20T12:00:00Z')
  const cases: [rule: string, sale: Sale | undefined, price: number][] = [
    ['no sale', undefined, 100],
    ['a sale without a period', { price: 80 }, 80],
    ['a free sale', { price: 0 }, 0],
    ['within', { price: 80, from: noon - 1, until: noon + 1 }, 80],
    ['at its start', { price: 80, from: noon, until: noon + 1 }, 80],
    ['at its end', { price: 80, from: noon - 1, until: noon }, 80],
    ['before it', { price: 80, from: noon + 1, until: noon + 2 }, 100],
    ['after it', { price: 80, from: noon - 2, until: noon - 1 }, 100],
    ['open at its end', { price: 80, from: noon }, 80],
    ['open at its start', { price: 80, until: noon }, 80],
    ['open at its end, before it', { price: 80, from: noon + 1 }, 100],
    ['open at its start, after it', { price: 80, until: noon - 1 }, 100]
  ]
  for (const [rule, sale, price] of cases) {
    t.equal(priceAt({ availability: 'in_stock', price: 100, ...(sale && { sale }) }, new Date(noon)), price, rule)
  }
})
