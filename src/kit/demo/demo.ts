// What plain `npm start` serves: the demo merchants, and beside the server Orchard Lane's own shop, and a stand-in for Stripe, at
// which Werft & Faden is paid. No money moves.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Merchant, PAYMENTS_PATH } from '../../merchant/merchant.ts'
import { openPaymentDouble } from '../payment/payment-double.ts'
import { CONFIG, type DemoShopOptions, openDemoShop } from './demo-shop.ts'

export function demoFiles(): string[] {
  return readdirSync(CONFIG)
    .filter(name => /(?<!\.schema)\.json$/.test(name) && name !== 'minimal.json')
    .sort()
    .map(name => relative(process.cwd(), join(CONFIG, name)))
}

const PAID = 'werft'

export async function openDemo(options: DemoShopOptions) {
  const { ownOrigin, clock } = options
  const shop = await openDemoShop(options)
  const secretKey = `sk_test_${randomBytes(24).toString('hex')}`
  const webhookSecret = `whsec_${randomBytes(32).toString('hex')}`
  const payments = await openPaymentDouble({
    clock,
    secretKey,
    webhookSecret,
    shopName: 'Werft & Faden',
    notify: () => `${ownOrigin()}/${PAID}${PAYMENTS_PATH}/stripe`
  })
  return {
    shopOrigin: shop.origin,
    paymentOrigin: payments.origin,
    /** The secrets that they share with the server are made at each start. */
    variables: { ...shop.variables, WERFT_STRIPE_KEY: secretKey, WERFT_STRIPE_WEBHOOK_SECRET: webhookSecret },
    /** Leads merchants to where both listen, which their files cannot know. */
    lead: (merchant: Merchant): Merchant => {
      const { payment, ...led } = shop.lead(merchant)
      if (!payment) return led
      const settings = { ...payment.settings, apiUrl: payments.origin }
      return { ...led, payment: { ...payment, settings } }
    },
    close: async () => {
      await Promise.all([shop.close(), payments.close()])
    }
  }
}
