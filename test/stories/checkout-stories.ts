// Stories of the checkout page: fresh, with mistakes, after changes to the feed, and at its largest.
import { offering, reduced, removed, soldOut, typicalBag, unpictured, unpriced } from './goods.ts'
import { ADA, fillIn, openCheckout, type Story, submit } from './story.ts'
import type { Bag, Change } from './story-shop.ts'

const LONG_TITLE =
  'Handwoven Herringbone Lambswool Throw with Fringe, Teal, Cream and Rust, extra wide for two on a deck in November, made in the Harbour by hand, 150'

/** Their pages have the same heading, and no mistakes unless they say so. */
const pages: (Omit<Story, 'status' | 'heading'> & { status?: number })[] = [
  {
    name: 'checkout',
    messages: ['place-order'],
    open: openCheckout
  },
  {
    name: 'checkout-came-along',
    messages: ['details-given', 'codes-unused'],
    open: async (page, { checkoutWith, goods }) => {
      const { email = '', name = '', address1 = '', city = '', postcode = '' } = ADA
      const buyer = { email, country: 'GB', address: { name, address1, city, postcode } }
      await page.goto(await checkoutWith({ buyer, codes: ['SUMMER20', 'WELCOME'] }, ...typicalBag(goods)))
    }
  },
  {
    name: 'checkout-languages',
    appliesTo: ({ locales }) => locales.length > 1,
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await page.locator('.langs summary, .shop [name=lang]').first().dispatchEvent('click')
    }
  },
  {
    name: 'checkout-folded',
    open: async (page, { checkout, goods: { inStock } }) => {
      await page.goto(await checkout(...[...inStock, ...inStock, ...inStock].map((sku): Bag[number] => [sku, 1])))
    }
  },
  {
    name: 'checkout-notes',
    messages: ['claim', 'backorder', 'preorder', 'quantity', 'price-each', 'was', 'saved'],
    open: async (page, { checkout, goods: { inStock, backorder, preorder }, withFeed }) => {
      const [first = ''] = inStock
      const bag = () => checkout([first, 2, '9'], [backorder, 1, '9'], [preorder, 1])
      await withFeed({ [first]: reduced, [backorder]: unpictured }, async () => page.goto(await bag()))
    }
  },
  {
    name: 'checkout-mistakes',
    status: 422,
    messages: ['check-details', 'enter-field', 'field-unprintable', 'field-too-long', 'email-shape', 'title-error'],
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await fillIn(page, { name: 'Ada '.repeat(60), email: 'ada.example.com', address1: '12\tSt James’s Square' })
      await submit(page)
    }
  },
  {
    name: 'checkout-input-warnings',
    messages: ['check-details', 'doubt-form', 'doubt-meant', 'doubt-short'],
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await fillIn(page, { ...ADA, email: 'ada@gmial.com', address1: '.', postcode: '0' })
      await submit(page)
    }
  },
  {
    name: 'checkout-other-country',
    messages: ['country-note', 'fields-added'],
    appliesTo: ({ countries }) => Object.values(countries).some(({ length }) => length > 1),
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await page.locator('[name=country]').selectOption('US')
      await submit(page, '.row button')
    }
  },
  {
    name: 'checkout-optional-fields',
    messages: ['add-more'],
    appliesTo: ({ countries }) => Object.values(countries).some(codes => codes.includes('IE')),
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await page.locator('[name=country]').selectOption('IE')
      await submit(page, '.row button')
      await page.locator('form summary').dispatchEvent('click')
    }
  },
  {
    name: 'checkout-gift-note',
    status: 422,
    messages: ['add-gift-note', 'check-details'],
    appliesTo: ({ checkout }) => checkout.giftNote,
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await fillIn(page, { ...ADA, giftNote: 'x'.repeat(301) })
      await submit(page)
    }
  },
  {
    name: 'checkout-prices-changed',
    status: 409,
    messages: ['prices-changed', 'price-before', 'total-before', 'backorder'],
    open: async (page, { checkout, goods, withFeed }) => {
      await page.goto(await checkout(...typicalBag(goods), [goods.backorder, 1]))
      await fillIn(page)
      const pricier = offering({ price: 9900 })
      await withFeed({ [String(goods.inStock[0])]: pricier, [goods.backorder]: pricier }, () => submit(page))
    }
  },
  {
    name: 'checkout-line-sold-out',
    messages: ['one-unsold', 'item-sold-out', 'change-bag'],
    open: async (page, { checkout, goods, withFeed }) => {
      const address = await checkout(...typicalBag(goods))
      await withFeed({ [String(goods.inStock[0])]: soldOut }, () => page.goto(address))
    }
  },
  {
    name: 'checkout-unsellable-at-placing',
    status: 409,
    messages: ['some-unsold', 'item-sold-out', 'item-unknown', 'item-unpriced', 'title-error'],
    open: async (page, { checkout, goods: { inStock, preorder }, withFeed }) => {
      const [first = '', second = '', third = ''] = inStock
      await page.goto(await checkout([first, 1], [second, 2], [third, 3], [preorder, 1]))
      await fillIn(page)
      await withFeed({ [first]: soldOut, [second]: removed, [third]: unpriced }, () => submit(page))
    }
  },
  {
    name: 'checkout-extremes',
    open: async (page, { checkout, goods: { inStock }, withFeed }) => {
      const [first = '', second = '', , fourth = ''] = inStock
      const longAndDear: Change = product => offering({ price: 9999 })({ ...product, title: LONG_TITLE })
      const bag = () => checkout([fourth, 9999], [second, 9999], [first, 1])
      await withFeed({ [fourth]: longAndDear }, async () => page.goto(await bag()))
    }
  },
  {
    name: 'checkout-500-lines',
    isLong: true,
    open: async (page, { checkout, goods: { inStock } }) => {
      const lines = Array.from({ length: 500 }, (_, i): Bag[0] => [String(inStock[i % inStock.length]), (i % 9) + 1])
      await page.goto(await checkout(...lines))
    }
  },
  {
    // Two that do not load, and a product without one.
    name: 'checkout-no-pictures',
    open: async (page, { checkout, goods, withFeed }) => {
      await page.route('**/pictures/**', route => route.abort())
      const address = await checkout(...typicalBag(goods))
      await withFeed({ [goods.preorder]: unpictured }, () => page.goto(address))
      await page.unroute('**/pictures/**')
    }
  }
]

export const checkoutStories: Story[] = pages.map(story => ({ status: 200, heading: 'checkout', ...story }))
