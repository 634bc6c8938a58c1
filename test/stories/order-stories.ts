// What becomes of a checkout: ordered, replaced by a newer bag, expired.
import { usualBag } from './goods.ts'
import type { StoryShop } from './shop.ts'
import { ADA, press, type Story } from './story.ts'

const DAY = 24 * 60 * 60 * 1000

/** Orders a bag. @returns the addresses of its checkout and of its confirmation */
async function order({ checkout, goods, place }: StoryShop): Promise<{ address: string; confirmation: string }> {
  const address = await checkout(...usualBag(goods))
  return { address, confirmation: await place(address, ADA) }
}

/** Where another bag is handed over under the reference of a checkout. */
async function otherBag({ store, merchant, handOver, goods }: StoryShop, address: string): Promise<string> {
  const checkout = await store.findCheckout(merchant.id, String(address.split('/').at(-1)))
  const items = [{ sku: String(goods.inStock[0]), quantity: 9 }]
  return handOver({ reference: String(checkout?.cart.reference), items })
}

export const orderStories: Story[] = [
  {
    name: 'confirmation',
    status: 200,
    heading: 'thank-you',
    says: ['your-number', 'ordered-with'],
    open: async (page, shop) => page.goto((await order(shop)).confirmation)
  },
  {
    name: 'confirmation-erased',
    status: 200,
    heading: 'thank-you',
    says: ['your-number'],
    open: async (page, shop) => {
      const { confirmation } = await order(shop)
      await shop.store.eraseOrder(String(new URL(confirmation).searchParams.get('order')))
      await page.goto(confirmation)
    }
  },
  {
    name: 'order-placed',
    status: 409,
    heading: 'order-placed',
    says: ['ordered-once', 'order'],
    open: async (page, shop) => page.goto((await order(shop)).address)
  },
  {
    name: 'already-ordered',
    status: 409,
    heading: 'bag-ordered',
    says: ['empty-bag'],
    open: async (page, shop) => page.goto(await otherBag(shop, (await order(shop)).address))
  },
  {
    name: 'bag-changed',
    status: 200,
    heading: 'bag-changed',
    says: ['see-newest'],
    open: async (page, shop) => {
      const address = await shop.checkout(...usualBag(shop.goods))
      await shop.app.inject(await otherBag(shop, address))
      await page.goto(address)
    }
  },
  {
    name: 'bag-changed-at-placing',
    status: 409,
    heading: 'bag-changed',
    says: ['see-newest'],
    open: async (page, shop) => {
      const address = await shop.checkout(...usualBag(shop.goods))
      await page.goto(address)
      await shop.app.inject(await otherBag(shop, address))
      await press(page)
    }
  },
  {
    name: 'expired',
    status: 410,
    heading: 'checkout-expired',
    says: ['start-afresh'],
    open: async (page, { checkout, goods, tick }) => {
      const address = await checkout(...usualBag(goods))
      tick(DAY)
      await page.goto(address)
      tick(-DAY)
    }
  }
]
