// Stories of a shop that is paid first: before the payment, on every way back from it, and what became of the order.
import type { Page } from 'playwright-core'
import { newOrderNumber, type Order } from '../../src/checkout/orders/order.ts'
import type { AmountProblem } from '../../src/integrations/payment/provider.ts'
import type { PaymentAction } from '../../src/kit/payment/checkout-account.ts'
import type { MessageName } from '../../src/messages/messages.ts'
import { typicalBag } from './goods.ts'
import { otherBagUrl } from './order-stories.ts'
import { ADA, fillIn, openCheckout, type Story, submit } from './story.ts'
import type { StoryShop } from './story-shop.ts'

/** Begins to pay for a bag. @returns the address of its checkout, its payment, and what a shopper or a bank does there */
async function buy({ paying, payments }: StoryShop) {
  const { checkout, goods, placeOrder, store, merchant } = paying
  const address = await checkout(...typicalBag(goods))
  const [session = ''] = /cs_test_\w+/.exec(await placeOrder(address, ADA)) ?? []
  const payment = await store.latestPayment(merchant.id, String(address.split('/').at(-1)))
  if (!payment) throw new Error('no payment has begun')
  return {
    address,
    payment,
    /** Resolves once the shop has been notified. */
    act: (action: PaymentAction) => {
      payments.act(session, action)
      return payments.notifications.settled()
    }
  }
}

/** Opens a page while the provider is out of reach. */
async function withoutProvider({ payments }: StoryShop, open: () => Promise<unknown>): Promise<void> {
  payments.fail('down')
  await open().finally(() => payments.fail())
}

/** The confirmation of a payment of which this became. */
const confirmed = (name: string, message: MessageName, heading: MessageName, ...became: PaymentAction[]): Story => ({
  name,
  status: 200,
  heading,
  messages: [message],
  open: async (page: Page, shop: StoryShop) => {
    const { address, act, payment } = await buy(shop)
    const { orderNumber } = payment
    for (const action of became) await act(action)
    await page.goto(`${address}/complete?order=${orderNumber}`)
  }
})

type CheckAmount = (minor: number) => AmountProblem | undefined

const none =
  (breaks: AmountProblem['breaks']): CheckAmount =>
  () => ({ breaks, nearest: 50 })

/** A bag whose total cannot be paid. */
const refused = (
  name: string,
  breaks: AmountProblem['breaks'],
  heading: MessageName,
  ...more: MessageName[]
): Story => ({
  name,
  status: 422,
  heading,
  messages: [...more, 'change-bag'],
  open: (page, { paying: { withAmounts, transferUrl, goods } }) =>
    withAmounts(none(breaks), () => page.goto(transferUrl({ items: [{ sku: String(goods.inStock[0]), quantity: 1 }] })))
})

/** A total of which no payment can be taken, as the form is sent. */
const unpayable = (name: string, message: MessageName, check: () => CheckAmount): Story => ({
  name,
  status: 422,
  heading: 'checkout',
  messages: [message],
  open: async (page, { paying }) => {
    await openCheckout(page, paying)
    await fillIn(page)
    await paying.withAmounts(check(), () => submit(page))
  }
})

export const payingStories: Story[] = [
  refused('refused-total-too-small', 'least', 'total-too-low', 'order-least'),
  refused('refused-total-inexact', 'exact', 'total-inexact'),
  unpayable('checkout-pay-at-least', 'pay-at-least', () => none('least')),
  unpayable('checkout-pay-at-most', 'pay-at-most', () => none('most')),
  unpayable('checkout-pay-other-total', 'pay-other-total', () => none('exact')),
  {
    ...unpayable('checkout-pay-with-method', 'pay-with-method', () => {
      const asked: number[] = []
      // The first total is that of the chosen method.
      return minor => (asked.push(minor) && minor === asked[0] ? { breaks: 'least', nearest: 50 } : undefined)
    }),
    appliesTo: ({ delivery, currencies }) => Number(delivery[String(currencies[0])]?.length) > 1
  },
  {
    name: 'checkout-paid-next',
    status: 200,
    heading: 'checkout',
    messages: ['payment', 'pay-next'],
    open: (page, { paying }) => openCheckout(page, paying)
  },
  {
    name: 'checkout-continue-to-payment',
    status: 200,
    heading: 'checkout',
    messages: ['continue-payment', 'country-note'],
    appliesTo: ({ countries }) => Object.values(countries).some(codes => codes.includes('US')),
    open: async (page, { paying }) => {
      await openCheckout(page, paying)
      await page.locator('[name=country]').selectOption('US')
      await submit(page, '.row button')
    }
  },
  {
    name: 'checkout-not-charged',
    status: 200,
    heading: 'checkout',
    messages: ['not-charged'],
    open: async (page, shop) => {
      const { address, payment } = await buy(shop)
      await page.goto(`${address}?attempt=${payment.secret}`)
    }
  },
  {
    name: 'checkout-payment-unavailable',
    status: 503,
    heading: 'checkout',
    messages: ['payment-unavailable'],
    open: async (page, shop) => {
      await openCheckout(page, shop.paying)
      await fillIn(page)
      await withoutProvider(shop, () => submit(page))
    }
  },
  {
    name: 'checkout-payment-held',
    status: 409,
    heading: 'checkout',
    messages: ['payment-held'],
    open: async (page, shop) => {
      await page.goto(await otherBagUrl(shop.paying, (await buy(shop)).address))
      await fillIn(page)
      await submit(page)
    }
  },
  {
    name: 'checkout-payment-too-often',
    status: 429,
    heading: 'checkout',
    messages: ['payment-too-often'],
    open: async (page, { paying }) => {
      const address = await paying.checkout(...typicalBag(paying.goods))
      for (let n = 0; n < 20; n++) await paying.placeOrder(address, { ...ADA, name: `Ada ${n}` })
      await page.goto(address)
      await fillIn(page)
      await submit(page)
    }
  },
  confirmed('confirmation-paid', 'payment-paid', 'thank-you', 'pay'),
  {
    name: 'confirmation-pending',
    status: 200,
    heading: 'thank-you',
    messages: ['payment-pending', 'payment-instructions'],
    open: async (page, shop) => {
      const { address, payment } = await buy(shop)
      const { currency, amount, providerId = '' } = payment
      const instructionsUrl = 'https://payments.stripe.com/konbini/voucher/1'
      const facts = { state: 'pending', providerId, currency, amount, instructionsUrl } as const
      await shop.paying.store.changePayment(payment, { type: 'reported', facts }, new Date().toISOString())
      await page.goto(`${address}/paid`)
    }
  },
  confirmed('confirmation-failed', 'payment-failed', 'your-order', 'pay-later', 'fail'),
  {
    name: 'confirmation-refunded',
    status: 200,
    heading: 'your-order',
    messages: ['payment-refunded'],
    open: async (page, shop) => {
      const { address, act, payment } = await buy(shop)
      await act('pay')
      await page.goto(`${address}/paid`)
      const refundFacts = { refunded: payment.amount }
      await shop.paying.store.changePayment(payment, { type: 'booked', refundFacts }, new Date().toISOString())
      await page.reload()
    }
  },
  {
    name: 'payment-returned',
    status: 409,
    heading: 'payment-returned',
    messages: ['money-back'],
    open: async (page, shop) => {
      const { address, act, payment } = await buy(shop)
      const { token } = payment
      // Its bag is ordered meanwhile, by somebody who pays nothing.
      await shop.paying.store.placeOrder({ ...(payment.order as Order), token, number: newOrderNumber() })
      await act('pay')
      await page.goto(`${address}/paid?attempt=${payment.secret}`)
    }
  },
  {
    name: 'payment-unknown',
    status: 503,
    heading: 'payment-unknown',
    messages: ['check-again', 'try-again'],
    open: async (page, shop) => {
      const { address, payment } = await buy(shop)
      await withoutProvider(shop, () => page.goto(`${address}/paid?attempt=${payment.secret}`))
    }
  }
]
