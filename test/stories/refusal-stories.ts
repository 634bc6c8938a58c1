// Bags that are refused, and addresses where there is nothing: one story for each thing that a shopper is told.
import { StoreUnavailable } from '../../src/errors.ts'
import { OTHER_CURRENCY, unpriced, usualBag } from './goods.ts'
import type { Story } from './story.ts'

export const refusalStories: Story[] = [
  {
    name: 'refused-items',
    status: 422,
    heading: 'some-unsold',
    says: ['item-sold-out', 'item-unknown', 'item-unpriced', 'change-bag'],
    open: async (page, { handOver, goods: { inStock, soldOut }, whileFeedSays }) => {
      const [first = '', second = ''] = inStock
      const items = [soldOut, first, 'NOBODY-KNOWS', second].map(sku => ({ sku, quantity: 1 }))
      await whileFeedSays({ [second]: unpriced }, () => page.goto(handOver({ items })))
    }
  },
  {
    name: 'refused-items-and-currency',
    status: 422,
    heading: 'some-unsold',
    says: ['item-unknown', 'currency-unsold', 'change-both'],
    open: async (page, { handOver }) =>
      page.goto(handOver({ currency: OTHER_CURRENCY, items: [{ sku: 'NOBODY-KNOWS', quantity: 1 }] }))
  },
  {
    name: 'refused-currency',
    status: 422,
    heading: 'currency-unsold',
    says: ['change-currency'],
    open: async (page, { handOver, goods: { inStock } }) =>
      page.goto(handOver({ currency: OTHER_CURRENCY, items: [{ sku: String(inStock[0]), quantity: 1 }] }))
  },
  {
    name: 'refused-empty',
    status: 400,
    heading: 'bag-empty',
    says: ['go-again'],
    open: async (page, { handOver }) => page.goto(handOver({}))
  },
  {
    name: 'refused-incomplete',
    status: 400,
    heading: 'bag-incomplete',
    says: ['tap-again'],
    open: async (page, { handOver, goods: { inStock } }) => {
      const items = inStock.slice(0, 3).map(sku => ({ sku, quantity: 1 }))
      await page.goto(handOver({ items }).replaceAll('item_1_', 'item_7_'))
    }
  },
  {
    name: 'refused-quantity',
    status: 400,
    heading: 'some-unsold',
    says: ['item-quantity', 'change-bag'],
    open: async (page, { handOver, goods: { inStock } }) =>
      page.goto(handOver({ items: [{ sku: String(inStock[0]), quantity: 0.5 }] }))
  },
  {
    name: 'refused-item-incomplete',
    status: 400,
    heading: 'bag-incomplete',
    says: ['item-incomplete', 'change-bag'],
    open: async (page, { handOver, goods: { inStock } }) => {
      const items = inStock.slice(0, 2).map(sku => ({ sku, quantity: 1 }))
      await page.goto(handOver({ items }).replace('item_1_quantity', 'item_1_colour'))
    }
  },
  {
    name: 'refused-too-large',
    status: 414,
    heading: 'bag-too-large',
    says: ['change-bag'],
    open: async (page, { handOver, goods: { inStock } }) =>
      page.goto(handOver({ items: Array.from({ length: 90 }, () => ({ sku: String(inStock[0]), quantity: 1 })) }))
  },
  {
    name: 'refused-slow',
    status: 408,
    heading: 'bag-slow',
    says: ['tap-again', 'back-to-app'],
    open: async (page, { handOver, whileSlow }) => whileSlow(() => page.goto(handOver({})))
  },
  {
    name: 'no-checkout',
    status: 404,
    heading: 'no-checkout',
    says: ['go-again'],
    open: async (page, { at, merchant }) => page.goto(at(`${merchant.checkout.path}/nobody`))
  },
  {
    name: 'nothing-here',
    status: 404,
    heading: 'nothing-here',
    says: ['go-again', 'back-to-app'],
    open: async (page, { at }) => page.goto(at('/nowhere'))
  },
  {
    name: 'no-merchant',
    status: 404,
    heading: 'nothing-here',
    says: ['go-again'],
    open: async (page, { app }) => page.goto(`${app.listeningOrigin}/nowhere`)
  },
  {
    name: 'our-fault',
    status: 500,
    heading: 'our-fault',
    says: ['wait', 'request'],
    open: async (page, { checkout, goods, breakStore }) => {
      const address = await checkout(...usualBag(goods))
      breakStore(new Error('a picture of this'))
      await page.goto(address)
      breakStore(undefined)
    }
  },
  {
    name: 'not-now',
    status: 503,
    heading: 'not-now',
    says: ['wait', 'request'],
    open: async (page, { checkout, goods, breakStore }) => {
      const address = await checkout(...usualBag(goods))
      breakStore(new StoreUnavailable('a picture of this'))
      await page.goto(address)
      breakStore(undefined)
    }
  }
]
