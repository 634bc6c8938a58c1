// A shop whose orders are paid at the stand-in for Stripe, and a shopper there: what each is told, and what then is on disk.
import { DatabaseSync } from 'node:sqlite'
import Stripe from 'stripe'
import type { Test } from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import type { PayingContext } from '../../src/checkout/orders/pay-order.ts'
import { sweepPayments } from '../../src/checkout/orders/poll-payments.ts'
import { openPaymentDouble, type PaymentDouble } from '../../src/kit/payment/payment-double.ts'
import { noopObserver } from '../../src/observer.ts'
import type { Build, MerchantChanges } from '../build.ts'
import { ADA, BAG, openShop } from './shopper.ts'

export const KEY = 'sk_test_ofAShop123'
export const SECRET = 'whsec_ofAShopInItsTests123456'

export const PAYMENT = {
  provider: 'stripe',
  secretVariable: 'STRIPE_KEY',
  webhookSecretVariable: 'STRIPE_SECRET',
  expiresAfterMinutes: 60
}

type Event = PaymentDouble['notifications']['events'][number]

/** @param settings of `checkout.payment` */
export async function openPayingShop(
  t: Test,
  { checkout, ...changes }: MerchantChanges = {},
  parts: Build = {},
  option = '1'
) {
  let clock = () => new Date()
  const double = await openPaymentDouble({ clock: () => clock(), secretKey: KEY, webhookSecret: SECRET })
  t.teardown(() => double.close())
  double.notifications.hold()
  const payment = { ...PAYMENT, apiUrl: double.origin }
  const variables = { STRIPE_KEY: KEY, STRIPE_SECRET: SECRET, ...parts.variables }
  const shop = await openShop(t, option, { ...changes, checkout: { payment, ...checkout } }, { ...parts, variables })
  clock = shop.clock
  const { app, merchant, store, gateways } = shop
  const page = (token: string) => `${merchant.path}${merchant.checkout.path}/${token}`
  const gateway = gateways.get(merchant.id)
  if (!gateway) throw new Error('the shop takes no payment')
  const observed: string[] = []
  const paying: PayingContext = {
    merchant,
    store,
    gateway,
    clock,
    log: app.log,
    observer: {
      ...noopObserver,
      ordered: (id, origin) => void observed.push(`${id} ${origin}`),
      paymentSettled: (id, outcome) => void observed.push(`${id} ${outcome}`)
    }
  }

  /** @returns the stand-in's page for what was typed into the form of a bag */
  async function buy(token: string, typed: Record<string, string> = ADA): Promise<string> {
    const { headers, statusCode } = await shop.submit(await shop.form(token), typed)
    if (statusCode !== 303) throw new Error(`${statusCode}: ${JSON.stringify(shop.logs.at(-1))}`)
    return String(headers.location)
  }

  /** What a shopper does there. @returns the address that it leads back to, below the shop */
  async function act(address: string, action: 'pay' | 'decline' | 'pay-later'): Promise<string> {
    const body = new URLSearchParams({ action })
    const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' })
    return pathOf(String(answer.headers.get('location')))
  }

  return {
    ...shop,
    double,
    paying,
    /** What the sweep has told. */
    observed,
    buy,
    act,
    token: (items: Item[] = BAG, reference?: string) => shop.transfer(items, reference),
    /** The address of a stand-in's page by which a shopper gives up. */
    cancelAddress: async (address: string): Promise<string> => {
      const html = await (await fetch(address)).text()
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
      return pathOf(links.find(href => href.includes('attempt=')) ?? '')
    },
    idOf: (address: string) => new URL(address).pathname.replace(/.*\//, ''),
    visit: (url: string) => app.inject(url),
    /** By the way back of the bag's latest attempt. */
    paid: async (token: string) => {
      const { secret } = (await store.latestPayment(merchant.id, token)) ?? {}
      return app.inject(`${page(token)}/paid?attempt=${secret}`)
    },
    sweep: () => sweepPayments(paying),
    notify: (event: Event, { secret = SECRET, at = clock(), body = JSON.stringify(event) } = {}) => {
      const timestamp = Math.floor(at.getTime() / 1000)
      const signature = Stripe.webhooks.generateTestHeaderString({ payload: JSON.stringify(event), secret, timestamp })
      const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
      return app.inject({ method: 'POST', url: `${merchant.path}/payments/stripe`, headers, payload: body })
    },
    /** What the store knows of the payments of a bag's reference, oldest first. */
    payments: async (token: string) => {
      const { reference } = (await store.findCheckout(merchant.id, token))?.cart ?? {}
      const found = await store.paymentsOf({ merchantId: merchant.id, reference: String(reference) }, 10)
      return found.reverse()
    }
  }
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address, 'http://stand-in')
  return pathname + search
}

/** Changes what is on disk, as no part of the server would. */
export function change({ file }: { file: string }, sql: string): void {
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec(sql)
  db.close()
}
