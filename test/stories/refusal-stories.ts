// Stories of refused bags, unknown addresses and failures: one for each message to the shopper.
import { StoreUnavailable, StoreUncertain } from '../../src/errors.ts'
import { OTHER_CURRENCY, typicalBag, unpriced } from './goods.ts'
import { fillIn, type Story, submit } from './story.ts'

export const refusalStories: Story[] = [
  {
    name: 'refused-items',
    status: 422,
    heading: 'some-unsold',
    messages: ['item-sold-out', 'item-unknown', 'item-unpriced', 'change-bag'],
    open: async (page, { transferUrl, goods: { inStock, soldOut }, withFeed }) => {
      const [first = '', second = ''] = inStock
      const items = [soldOut, first, 'NOBODY-KNOWS', second].map(sku => ({ sku, quantity: 1 }))
      await withFeed({ [second]: unpriced }, () => page.goto(transferUrl({ items })))
    }
  },
  {
    name: 'refused-items-and-currency',
    status: 422,
    heading: 'some-unsold',
    messages: ['item-unknown', 'currency-unsold', 'change-both'],
    open: async (page, { transferUrl }) =>
      page.goto(transferUrl({ currency: OTHER_CURRENCY, items: [{ sku: 'NOBODY-KNOWS', quantity: 1 }] }))
  },
  {
    name: 'refused-currency',
    status: 422,
    heading: 'currency-unsold',
    messages: ['change-currency'],
    open: async (page, { transferUrl, goods: { inStock } }) =>
      page.goto(transferUrl({ currency: OTHER_CURRENCY, items: [{ sku: String(inStock[0]), quantity: 1 }] }))
  },
  {
    name: 'refused-empty',
    status: 400,
    heading: 'bag-empty',
    messages: ['go-again'],
    open: async (page, { transferUrl }) => page.goto(transferUrl({}))
  },
  {
    name: 'refused-incomplete',
    status: 400,
    heading: 'bag-incomplete',
    messages: ['tap-again'],
    open: async (page, { transferUrl, goods: { inStock } }) => {
      const items = inStock.slice(0, 3).map(sku => ({ sku, quantity: 1 }))
      await page.goto(transferUrl({ items }).replaceAll('item_1_', 'item_7_'))
    }
  },
  {
    name: 'refused-quantity',
    status: 400,
    heading: 'some-unsold',
    messages: ['item-quantity', 'change-bag'],
    open: async (page, { transferUrl, goods: { inStock } }) =>
      page.goto(transferUrl({ items: [{ sku: String(inStock[0]), quantity: 0.5 }] }))
  },
  {
    name: 'refused-quantity-too-large',
    status: 422,
    heading: 'quantities-too-large',
    messages: ['item-most', 'change-bag'],
    open: async (page, { transferUrl, goods: { inStock }, withLimits }) => {
      const items = inStock.slice(0, 2).map((sku, i) => ({ sku, quantity: 11 - i }))
      await withLimits({ units: 10 }, () => page.goto(transferUrl({ items })))
    }
  },
  {
    name: 'refused-total-too-high',
    status: 422,
    heading: 'total-too-high',
    messages: ['order-most', 'change-bag'],
    open: async (page, { transferUrl, goods: { inStock }, withLimits }) => {
      const items = inStock.slice(0, 2).map(sku => ({ sku, quantity: 3 }))
      await withLimits({ minor: 5000 }, () => page.goto(transferUrl({ items })))
    }
  },
  {
    name: 'refused-incomplete-and-currency',
    status: 400,
    heading: 'bag-incomplete',
    messages: ['currency-unsold', 'change-currency'],
    open: async (page, { transferUrl }) =>
      page.goto(transferUrl({ currency: 'gbp' }).replace(/item_0_sku=[^&]*&item_0_quantity=1/, 'item_1_sku=A'))
  },
  {
    name: 'refused-item-incomplete',
    status: 400,
    heading: 'bag-incomplete',
    messages: ['item-incomplete', 'change-bag'],
    open: async (page, { transferUrl, goods: { inStock } }) => {
      const items = inStock.slice(0, 2).map(sku => ({ sku, quantity: 1 }))
      await page.goto(transferUrl({ items }).replace('item_1_quantity', 'item_1_colour'))
    }
  },
  {
    name: 'refused-too-large',
    status: 414,
    heading: 'bag-too-large',
    messages: ['change-bag'],
    open: async (page, { transferUrl, goods: { inStock } }) =>
      page.goto(transferUrl({ items: Array.from({ length: 90 }, () => ({ sku: String(inStock[0]), quantity: 1 })) }))
  },
  {
    name: 'refused-slow',
    status: 408,
    heading: 'bag-slow',
    messages: ['tap-again', 'back-to-app'],
    open: async (page, { transferUrl, withTimeout, goods: { inStock } }) =>
      withTimeout(() => page.goto(transferUrl({ items: [{ sku: String(inStock[0]), quantity: 1 }] })))
  },
  {
    name: 'no-checkout',
    status: 404,
    heading: 'no-checkout',
    messages: ['go-again'],
    open: async (page, { urlOf, merchant }) => page.goto(urlOf(`${merchant.checkout.path}/nobody`))
  },
  {
    name: 'nothing-here',
    status: 404,
    heading: 'nothing-here',
    messages: ['go-again', 'back-to-app'],
    open: async (page, { urlOf }) => page.goto(urlOf('/nowhere'))
  },
  {
    name: 'no-merchant',
    status: 404,
    heading: 'nothing-here',
    messages: ['go-again'],
    open: async (page, { app }) => page.goto(`${app.listeningOrigin}/nowhere`)
  },
  {
    name: 'our-fault',
    status: 500,
    heading: 'our-fault',
    messages: ['wait', 'request'],
    open: async (page, { checkout, goods, breakStore }) => {
      const address = await checkout(...typicalBag(goods))
      breakStore(new Error('the store fails'))
      await page.goto(address)
      breakStore(undefined)
      await page.locator('.quiet summary').first().dispatchEvent('click')
    }
  },
  {
    name: 'not-now',
    status: 503,
    heading: 'not-now',
    messages: ['wait'],
    open: async (page, { checkout, goods, breakStore }) => {
      const address = await checkout(...typicalBag(goods))
      breakStore(new StoreUnavailable('the store is busy'))
      await page.goto(address)
      breakStore(undefined)
    }
  },
  {
    name: 'order-not-placed',
    status: 503,
    heading: 'order-not-placed',
    messages: ['order-again'],
    open: async (page, { checkout, goods, breakStore }) => {
      await page.goto(await checkout(...typicalBag(goods)))
      await fillIn(page)
      breakStore(new StoreUnavailable('the store is busy'))
      await submit(page)
      breakStore(undefined)
    }
  },
  {
    name: 'order-uncertain',
    status: 503,
    heading: 'order-uncertain',
    messages: ['order-once'],
    open: async (page, { checkout, goods, breakStore }) => {
      await page.goto(await checkout(...typicalBag(goods)))
      await fillIn(page)
      breakStore(new StoreUncertain('the store has not answered'))
      await submit(page)
      breakStore(undefined)
    }
  }
]
