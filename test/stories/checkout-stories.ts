// The checkout page: fresh, with mistakes, with what has changed meanwhile, and at its largest.
import { gone, offering, soldOut, unpriced, usualBag } from './goods.ts'
import type { Bag, Change } from './shop.ts'
import { fillIn, press, type Story } from './story.ts'

const LONG_TITLE =
  'Handwoven Herringbone Lambswool Throw with Fringe, Teal, Cream and Rust, extra wide for two on a deck in November, made in the Harbour by hand, 150'

export const checkoutStories: Story[] = [
  {
    name: 'checkout',
    status: 200,
    heading: 'checkout',
    says: ['place-order'],
    open: async (page, { checkout, goods }) => page.goto(await checkout(...usualBag(goods)))
  },
  {
    name: 'checkout-folded',
    status: 200,
    heading: 'checkout',
    open: async (page, { checkout, goods }) => {
      await page.goto(await checkout(...usualBag(goods)))
      await page.locator('summary').dispatchEvent('click')
    }
  },
  {
    name: 'checkout-notes',
    status: 200,
    heading: 'checkout',
    says: ['claim', 'backorder', 'preorder'],
    open: async (page, { checkout, goods: { inStock, backorder, preorder } }) =>
      page.goto(await checkout([String(inStock[0]), 2, '9'], [backorder, 1, '9'], [preorder, 1]))
  },
  {
    name: 'checkout-mistakes',
    status: 422,
    heading: 'checkout',
    says: ['check-details', 'enter-field', 'field-unprintable', 'field-too-long', 'email-shape', 'title-error'],
    open: async (page, { checkout, goods }) => {
      await page.goto(await checkout(...usualBag(goods)))
      await fillIn(page, { name: 'Ada '.repeat(60), email: 'ada.example.com', address1: '12\tSt James’s Square' })
      await press(page)
    }
  },
  {
    name: 'checkout-other-country',
    status: 200,
    heading: 'checkout',
    says: ['country-note'],
    isFor: ({ countries }) => countries.length > 1,
    open: async (page, { checkout, goods }) => {
      await page.goto(await checkout(...usualBag(goods)))
      await page.locator('#country').selectOption('US')
      await press(page, '.small')
    }
  },
  {
    name: 'checkout-prices-changed',
    status: 409,
    heading: 'checkout',
    says: ['prices-changed', 'price-changed', 'backorder'],
    open: async (page, { checkout, goods, whileFeedSays }) => {
      await page.goto(await checkout(...usualBag(goods), [goods.backorder, 1]))
      await fillIn(page)
      const costly = offering({ price: 9900 })
      await whileFeedSays({ [String(goods.inStock[0])]: costly, [goods.backorder]: costly }, () => press(page))
    }
  },
  {
    name: 'checkout-line-sold-out',
    status: 200,
    heading: 'checkout',
    says: ['some-unsold', 'item-sold-out', 'change-bag'],
    open: async (page, { checkout, goods, whileFeedSays }) => {
      const address = await checkout(...usualBag(goods))
      await whileFeedSays({ [String(goods.inStock[0])]: soldOut }, () => page.goto(address))
    }
  },
  {
    name: 'checkout-unsellable-at-placing',
    status: 409,
    heading: 'checkout',
    says: ['some-unsold', 'item-sold-out', 'item-unknown', 'item-unpriced', 'title-error'],
    open: async (page, { checkout, goods: { inStock, preorder }, whileFeedSays }) => {
      const [first = '', second = '', third = ''] = inStock
      await page.goto(await checkout([first, 1], [second, 2], [third, 3], [preorder, 1]))
      await fillIn(page)
      await whileFeedSays({ [first]: soldOut, [second]: gone, [third]: unpriced }, () => press(page))
    }
  },
  {
    name: 'checkout-extremes',
    status: 200,
    heading: 'checkout',
    open: async (page, { checkout, goods: { inStock }, whileFeedSays }) => {
      const [one = '', many = '', , dear = ''] = inStock
      const largest: Change = product => offering({ price: 9999 })({ ...product, title: LONG_TITLE })
      const bag: Bag = [
        [dear, 9999],
        [many, 9999],
        [one, 1]
      ]
      await whileFeedSays({ [dear]: largest }, async () => page.goto(await checkout(...bag)))
    }
  },
  {
    name: 'checkout-500-lines',
    status: 200,
    heading: 'checkout',
    isLong: true,
    open: async (page, { checkout, goods: { inStock } }) => {
      const lines = Array.from({ length: 500 }, (_, i): Bag[0] => [String(inStock[i % inStock.length]), (i % 9) + 1])
      await page.goto(await checkout(...lines))
    }
  },
  {
    name: 'checkout-no-pictures',
    status: 200,
    heading: 'checkout',
    open: async (page, { checkout, goods }) => {
      await page.route('**/pictures/**', route => route.abort())
      await page.goto(await checkout(...usualBag(goods)))
      await page.unroute('**/pictures/**')
    }
  }
]
