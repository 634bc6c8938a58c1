// Stories of what happens to a checkout: ordered, superseded by a newer bag, expired.
import { typicalBag } from './goods.ts'
import { ADA, fillIn, openCheckout, type Story, submit } from './story.ts'
import type { StoryShop } from './story-shop.ts'

const DAY = 24 * 60 * 60 * 1000

/** Orders a bag. @returns the addresses of its checkout and of its confirmation */
async function order({ checkout, goods, placeOrder }: StoryShop): Promise<{ address: string; confirmation: string }> {
  const address = await checkout(...typicalBag(goods))
  return { address, confirmation: await placeOrder(address, ADA) }
}

/** The URL that transfers another bag under the reference of a checkout. */
export async function otherBagUrl(
  { store, merchant, transferUrl, goods }: Omit<StoryShop, 'payments' | 'paying'>,
  address: string
): Promise<string> {
  const checkout = await store.findCheckout(merchant.id, String(address.split('/').at(-1)))
  const items = [{ sku: String(goods.inStock[0]), quantity: 9 }]
  return transferUrl({ reference: String(checkout?.cart.reference), items })
}

export const orderStories: Story[] = [
  {
    name: 'confirmation',
    status: 200,
    heading: 'thank-you',
    messages: ['what-next', 'delivery-address', 'your-number', 'keep-number', 'reference', 'contact'],
    open: async (page, shop) => {
      await page.goto((await order(shop)).confirmation)
      await page.locator('.quiet summary').dispatchEvent('click')
    }
  },
  {
    name: 'order-placed',
    status: 409,
    heading: 'order-placed',
    messages: ['ordered-once', 'order'],
    open: async (page, shop) => page.goto((await order(shop)).address)
  },
  {
    name: 'already-ordered',
    status: 409,
    heading: 'bag-ordered',
    messages: ['empty-bag'],
    open: async (page, shop) => page.goto(await otherBagUrl(shop, (await order(shop)).address))
  },
  {
    name: 'bag-changed',
    status: 200,
    heading: 'bag-changed',
    messages: ['see-newest'],
    open: async (page, shop) => {
      const address = await shop.checkout(...typicalBag(shop.goods))
      await shop.app.inject(await otherBagUrl(shop, address))
      await page.goto(address)
    }
  },
  {
    name: 'bag-changed-at-placing',
    status: 409,
    heading: 'bag-changed',
    messages: ['see-newest', 'enter-again', 'show-entered'],
    open: async (page, shop) => {
      await openCheckout(page, shop)
      await fillIn(page)
      await shop.app.inject(await otherBagUrl(shop, page.url()))
      await submit(page)
      await page.locator('section summary').dispatchEvent('click')
    }
  },
  {
    name: 'expired',
    status: 410,
    heading: 'checkout-expired',
    messages: ['start-afresh'],
    open: async (page, { checkout, goods, tick }) => {
      const address = await checkout(...typicalBag(goods))
      tick(DAY)
      await page.goto(address)
      tick(-DAY)
    }
  }
]
