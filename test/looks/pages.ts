// Every page in every state that a shopper can meet, as a list: the gallery photographs them, axe reads them.
import type { Page } from 'playwright-core'
import { StoreUnavailable } from '../../src/errors.ts'
import type { LookedAt } from './shop.ts'

export type Look = {
  name: string
  /** What is a matter of looks alone is photographed, and not tested in every language. */
  isOnlyLooks?: boolean
  /** Brings the page of the browser to this state. */
  open: (page: Page, shop: LookedAt) => Promise<unknown>
}

const DAY = 24 * 60 * 60 * 1000
const SOME: [string, number][] = [
  ['HG-MUG-SEAGLASS', 2],
  ['HG-DOORSTOP-FIST', 1],
  ['HG-CLOCK-TIDE', 1]
]
const LONG_TITLE =
  'Handwoven Herringbone Lambswool Throw with Fringe, Teal, Cream and Rust, extra wide for two on a deck in November, made in the Harbour by hand, 150'

const ADA: Record<string, string> = {
  email: 'ada.lovelace@analytical.example',
  name: 'Ada King-Noel',
  address1: '12 St James’s Square',
  city: 'London',
  postcode: 'SW1Y 4JH'
}

const press = (page: Page) => Promise.all([page.waitForEvent('load'), page.locator('.go').click()])

export async function fillIn(page: Page): Promise<void> {
  for (const [name, text] of Object.entries(ADA)) await page.locator(`#${name}`).fill(text)
}

/** Orders a bag in the browser, and stays at its confirmation. */
async function order(page: Page, { checkout }: LookedAt): Promise<string> {
  const address = await checkout(...SOME)
  await page.goto(address)
  await fillIn(page)
  await press(page)
  await page.locator('#order').waitFor({ state: 'attached' })
  return address
}

export const looks: Look[] = [
  { name: 'checkout', open: async (page, { checkout }) => page.goto(await checkout(...SOME)) },
  {
    name: 'checkout-folded',
    isOnlyLooks: true,
    open: async (page, { checkout }) => {
      await page.goto(await checkout(...SOME))
      await page.locator('summary').click()
    }
  },
  {
    name: 'checkout-mistakes',
    open: async (page, { checkout }) => {
      await page.goto(await checkout(...SOME))
      await page.locator('#name').fill('Ada')
      await page.locator('#email').fill('ada.example.com')
      await press(page)
    }
  },
  {
    name: 'checkout-other-country',
    open: async (page, { checkout }) => {
      await page.goto(await checkout(...SOME))
      await page.locator('#country').selectOption('US')
      await Promise.all([page.waitForEvent('load'), page.locator('.small').click()])
    }
  },
  {
    name: 'checkout-prices-changed',
    open: async (page, { checkout, change }) => {
      await page.goto(await checkout(...SOME, ['HG-BASKET-WILLOW', 1]))
      change('HG-MUG-SEAGLASS', { price: 1650 })
      await fillIn(page)
      await press(page)
      change('HG-MUG-SEAGLASS', { price: 1400 })
    }
  },
  {
    name: 'checkout-line-sold-out',
    open: async (page, { checkout, change }) => {
      const address = await checkout(...SOME)
      change('HG-MUG-SEAGLASS', { availability: 'out_of_stock' })
      await page.goto(address)
      change('HG-MUG-SEAGLASS', { availability: 'in_stock' })
    }
  },
  {
    name: 'checkout-extremes',
    isOnlyLooks: true,
    open: async (page, { checkout, change, catalogue }) => {
      const product = catalogue.product('HG-THROW-HERRING')
      const title = product?.title ?? ''
      const { price = 0 } = product?.offers.GBP ?? {}
      if (product) product.title = LONG_TITLE
      change('HG-THROW-HERRING', { price: 9999 })
      await page.goto(await checkout(['HG-THROW-HERRING', 9999], ['HG-MUG-CAPTAIN', 9999], ['HG-MUG-SEAGLASS', 1]))
      change('HG-THROW-HERRING', { price })
      if (product) product.title = title
    }
  },
  {
    name: 'checkout-500-lines',
    isOnlyLooks: true,
    open: async (page, { checkout, catalogue }) => {
      const skus = [...catalogue.products()]
        .filter(({ offers }) => offers.GBP?.availability === 'in_stock')
        .map(({ sku }) => sku)
      const items = Array.from({ length: 500 }, (_, i): [string, number] => [
        String(skus[i % skus.length]),
        (i % 9) + 1
      ])
      await page.goto(await checkout(...items))
    }
  },
  {
    name: 'checkout-no-pictures',
    isOnlyLooks: true,
    open: async (page, { checkout }) => {
      await page.route('**/pictures/**', route => route.abort())
      await page.goto(await checkout(...SOME))
      await page.unroute('**/pictures/**')
    }
  },
  { name: 'confirmation', open: order },
  { name: 'order-placed', open: async (page, shop) => page.goto(await order(page, shop)) },
  {
    name: 'bag-changed',
    open: async (page, { handOver }) => {
      const [first, second] = [1, 2].map(quantity =>
        handOver({ reference: 'looks-changed', items: [{ sku: 'HG-MUG-SEAGLASS', quantity }] })
      )
      await page.goto(String(first))
      const action = await page.getAttribute('form', 'action')
      await page.goto(String(second))
      await page.goto(new URL(String(action), page.url()).href)
    }
  },
  {
    name: 'expired',
    open: async (page, { checkout, tick }) => {
      const address = await checkout(...SOME)
      tick(DAY)
      await page.goto(address)
      tick(-DAY)
    }
  },
  {
    name: 'refused-items',
    open: async (page, { handOver }) => {
      const skus = ['HG-LANTERN-BRASS', 'HG-MUG-SEAGLASS', 'HG-NOBODY-KNOWS', 'HG-BOAT-DRIFT']
      await page.goto(handOver({ items: skus.map(sku => ({ sku, quantity: 1 })) }))
    }
  },
  {
    name: 'refused-currency',
    open: async (page, { handOver }) =>
      page.goto(handOver({ currency: 'JPY', items: [{ sku: 'HG-MUG-SEAGLASS', quantity: 1 }] }))
  },
  { name: 'refused-empty', open: async (page, { handOver }) => page.goto(handOver({})) },
  {
    name: 'refused-too-large',
    open: async (page, { handOver }) =>
      page.goto(handOver({ items: Array.from({ length: 90 }, () => ({ sku: 'HG-MUG-SEAGLASS', quantity: 1 })) }))
  },
  {
    name: 'already-ordered',
    open: async (page, { handOver }) => {
      const cart = { reference: 'looks-ordered', items: [{ sku: 'HG-MUG-SEAGLASS', quantity: 1 }] }
      await page.goto(handOver(cart))
      if (await page.locator('form').count()) {
        await fillIn(page)
        await press(page)
      }
      await page.goto(handOver({ ...cart, items: [{ sku: 'HG-MUG-SEAGLASS', quantity: 2 }] }))
    }
  },
  {
    name: 'no-checkout',
    open: async (page, { app, merchant }) =>
      page.goto(`${app.listeningOrigin}${merchant.path}${merchant.checkout.path}/nobody`)
  },
  {
    name: 'our-fault',
    open: async (page, { checkout, breakStore }) => {
      const address = await checkout(...SOME)
      breakStore(new Error('a picture of this'))
      await page.goto(address)
      breakStore(undefined)
    }
  },
  {
    name: 'not-now',
    open: async (page, { checkout, breakStore }) => {
      const address = await checkout(...SOME)
      breakStore(new StoreUnavailable('a picture of this'))
      await page.goto(address)
      breakStore(undefined)
    }
  },
  { name: 'no-merchant', open: async (page, { app }) => page.goto(`${app.listeningOrigin}/nowhere`) }
]
