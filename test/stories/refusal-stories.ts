// Stories of refused bags, unknown addresses and failures: one for each message to the shopper.
import { StoreUnavailable, StoreUncertain } from '../../src/errors.ts'
import type { MessageName } from '../../src/messages/messages.ts'
import { OTHER_CURRENCY, typicalBag, unpriced } from './goods.ts'
import { fillIn, openCheckout, type Story, submit } from './story.ts'
import type { StoryShop } from './story-shop.ts'

type Recognised = [name: string, status: number, heading: MessageName, messages: MessageName[]]
type Address = (shop: StoryShop) => string

/** What an address shows. @param during what is otherwise than usual meanwhile */
function visit(
  [name, status, heading, messages]: Recognised,
  address: Address,
  during: (shop: StoryShop, act: () => Promise<unknown>) => Promise<unknown> = (_, act) => act()
): Story {
  return { name, status, heading, messages, open: (page, shop) => during(shop, () => page.goto(address(shop))) }
}

/** What a checkout shows while the store fails. @param isPlacing while an order is placed, not while it is opened */
function failing([name, status, heading, messages]: Recognised, error: Error, isPlacing: boolean): Story {
  return {
    ...{ name, status, heading, messages },
    open: async (page, { checkout, goods, breakStore }) => {
      const address = await checkout(...typicalBag(goods))
      if (isPlacing) {
        await page.goto(address)
        await fillIn(page)
      }
      breakStore(error)
      await (isPlacing ? submit(page) : page.goto(address))
      breakStore(undefined)
    }
  }
}

/** A bag of the first products in stock. */
const bagOf =
  (...quantities: number[]): Address =>
  ({ transferUrl, goods: { inStock } }) =>
    transferUrl({ items: quantities.map((quantity, i) => ({ sku: String(inStock[i]), quantity })) })

const inOtherCurrency =
  (skuOf: (shop: StoryShop) => string | undefined): Address =>
  shop =>
    shop.transferUrl({ currency: OTHER_CURRENCY, items: [{ sku: String(skuOf(shop)), quantity: 1 }] })

const ourFault = failing(['our-fault', 500, 'our-fault', ['wait', 'request']], new Error('the store fails'), false)

export const refusalStories: Story[] = [
  visit(
    ['refused-items', 422, 'some-unsold', ['item-sold-out', 'item-unknown', 'item-unpriced', 'change-bag']],
    ({ transferUrl, goods: { inStock, soldOut } }) => {
      const skus = [soldOut, String(inStock[0]), 'NOBODY-KNOWS', String(inStock[1])]
      return transferUrl({ items: skus.map(sku => ({ sku, quantity: 1 })) })
    },
    ({ withFeed, goods: { inStock } }, act) => withFeed({ [String(inStock[1])]: unpriced }, act)
  ),
  visit(
    ['refused-items-and-currency', 422, 'one-unsold', ['item-unknown', 'currency-unsold', 'change-both']],
    inOtherCurrency(() => 'NOBODY-KNOWS')
  ),
  visit(
    ['refused-currency', 422, 'currency-unsold', ['change-currency']],
    inOtherCurrency(({ goods }) => goods.inStock[0])
  ),
  visit(['refused-empty', 400, 'bag-empty', ['add-items']], bagOf()),
  visit(['refused-incomplete', 400, 'bag-incomplete', ['tap-again']], shop =>
    bagOf(1, 1, 1)(shop).replaceAll('item_1_', 'item_7_')
  ),
  visit(['refused-quantity', 400, 'one-unsold', ['item-quantity', 'change-bag']], bagOf(0.5)),
  visit(
    ['refused-quantity-too-large', 422, 'quantities-too-large', ['item-most', 'change-bag']],
    bagOf(11, 10),
    ({ withLimits }, act) => withLimits({ units: 10 }, act)
  ),
  visit(
    ['refused-total-too-high', 422, 'total-too-high', ['order-most', 'change-bag']],
    bagOf(3, 3),
    ({ withLimits }, act) => withLimits({ minor: 5000 }, act)
  ),
  visit(
    ['refused-incomplete-and-currency', 400, 'bag-incomplete', ['currency-unsold', 'change-currency']],
    ({ transferUrl }) => transferUrl({ currency: 'gbp' }).replace(/item_0_sku=[^&]*&item_0_quantity=1/, 'item_1_sku=A')
  ),
  visit(['refused-item-incomplete', 400, 'bag-incomplete', ['item-incomplete', 'change-bag']], shop =>
    bagOf(1, 1)(shop).replace('item_1_quantity', 'item_1_colour')
  ),
  visit(['refused-too-large', 414, 'bag-too-large', ['change-bag']], ({ transferUrl, goods: { inStock } }) =>
    transferUrl({ items: Array.from({ length: 90 }, () => ({ sku: String(inStock[0]), quantity: 1 })) })
  ),
  visit(['refused-slow', 408, 'bag-slow', ['tap-again', 'back-to-app']], bagOf(1), ({ withTimeout }, act) =>
    withTimeout(act)
  ),
  visit(['no-checkout', 404, 'no-checkout', ['go-again']], ({ urlOf, merchant }) =>
    urlOf(`${merchant.checkout.path}/nobody`)
  ),
  visit(['not-shown-again', 405, 'not-shown-again', ['open-again', 'back-to-app']], ({ urlOf, merchant }) =>
    urlOf(merchant.checkout.path)
  ),
  visit(['nothing-here', 404, 'nothing-here', ['go-again', 'back-to-app']], ({ urlOf }) => urlOf('/nowhere')),
  visit(['no-merchant', 404, 'nothing-here', ['go-again']], ({ app }) => `${app.listeningOrigin}/nowhere`),
  {
    ...ourFault,
    open: async (page, shop) => {
      await ourFault.open(page, shop)
      await page.locator('.quiet summary').first().dispatchEvent('click')
    }
  },
  failing(['not-now', 503, 'not-now', ['wait']], new StoreUnavailable('the store is busy'), false),
  failing(
    ['order-not-placed', 503, 'order-not-placed', ['try-once', 'try-again']],
    new StoreUnavailable('the store is busy'),
    true
  ),
  {
    ...{ name: 'order-not-read', status: 503, heading: 'order-not-placed', messages: ['order-once'] },
    open: async (page, shop) => {
      await openCheckout(page, shop)
      // More than our forms have.
      await page.evaluate(`for (let i = 0; i < 60; i++) {
        form.append(Object.assign(document.createElement('input'), { name: 'field' + i, type: 'hidden' }))
      }`)
      shop.breakStore(new StoreUnavailable('the store is busy'))
      await submit(page)
      shop.breakStore(undefined)
    }
  },
  failing(
    ['order-uncertain', 503, 'order-uncertain', ['try-once', 'try-again']],
    new StoreUncertain('the store has not answered'),
    true
  )
]
