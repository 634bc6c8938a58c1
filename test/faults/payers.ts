// Shoppers who pay at the stand-in for Stripe in every way there is, and the post that brings its notifications late, twice, out
// of order, or never.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CheckoutPayment } from '../../src/kit/payment/checkout-account.ts'
import { openPaymentDouble } from '../../src/kit/payment/payment-double.ts'
import type { Cleanup } from '../server-process.ts'
import { type Entry, emailOf, type Ledger } from './bags.ts'
import {
  type Client,
  checkoutPath,
  type Load,
  openForm,
  PAGE_PATIENCE,
  pay,
  press,
  sendBag,
  startShoppers,
  submitForm
} from './shopper.ts'
import type { ShopSettings } from './site.ts'

const SECRETS = { FAULTS_STRIPE_KEY: `sk_test_${'4'.repeat(24)}`, FAULTS_STRIPE_WEBHOOK: `whsec_${'2'.repeat(24)}` }

/** A bag outlives all rounds, in minutes. */
const EXPIRY = 14 * 24 * 60

export type Stripe = Awaited<ReturnType<typeof openStripe>>

/** @param shifted how far the clocks of the servers are from the right time, in milliseconds */
export async function openStripe(cleanup: Cleanup, shifted: () => number) {
  let target = ''
  const double = await openPaymentDouble({
    clock: () => new Date(Date.now() + shifted()),
    secretKey: SECRETS.FAULTS_STRIPE_KEY,
    webhookSecret: SECRETS.FAULTS_STRIPE_WEBHOOK,
    notify: () => target
  })
  cleanup.teardown(double.close)
  const { notifications } = double
  notifications.hold()
  type Event = ReturnType<typeof notifications.pending>[number]
  const counts = { delivered: 0, doubled: 0, lost: 0 }
  const wrong: string[] = []

  async function deliver(event: Event, origin: string, merchant = event.data.object.metadata?.merchant): Promise<void> {
    target = `${origin}/${merchant}/payments/stripe`
    const status = await notifications.deliver(event)
    if (status === 200) counts.delivered++
    else if (status !== undefined && status !== 503) wrong.push(`${event.type} was answered ${status} by ${merchant}`)
  }
  /** Brings one of those that wait, at random. */
  async function bringOne(origins: string[]): Promise<void> {
    const waiting = notifications.pending()
    const event = waiting[randomInt(Math.max(waiting.length, 1))]
    const origin = () => origins[randomInt(origins.length)] as string
    const fate = randomInt(10)
    if (!event || fate < 2) return
    if (fate < 4) counts.lost += Number(notifications.drop(event))
    else if (fate < 6) {
      counts.doubled++
      await Promise.all([deliver(event, origin()), deliver(event, origin())])
    } else if (fate < 7) await deliver(event, origin(), 'shop-2b')
    else await deliver(event, origin())
  }
  return {
    double,
    counts,
    wrong,
    env: SECRETS,
    settings: (merchant: string): ShopSettings => ({
      publicUrl: `http://127.0.0.1:3000/${merchant}`,
      checkout: {
        expiresAfterMinutes: EXPIRY,
        payment: {
          provider: 'stripe',
          secretVariable: 'FAULTS_STRIPE_KEY',
          webhookSecretVariable: 'FAULTS_STRIPE_WEBHOOK',
          apiUrl: double.origin
        }
      }
    }),
    /** @returns what ends it */
    startPost: (origins: () => string[]): (() => Promise<void>) => {
      let isStopped = false
      const post = async () => {
        while (!isStopped) {
          await bringOne(origins())
          await pause(randomInt(20))
        }
      }
      const all = Promise.all([post(), post(), post()])
      return async () => {
        isStopped = true
        await all
      }
    },
    /** The bank says of every payment that is on its way whether it comes. */
    decideLater: () => {
      const onItsWay = ({ session, intent }: CheckoutPayment) =>
        session.status === 'complete' && intent?.status === 'processing'
      for (const { session } of double.payments().filter(onItsWay))
        double.act(session.id, randomInt(3) > 0 ? 'succeed' : 'fail')
    }
  }
}

/** @param clients of the replicas, as they are now */
export function startPayers(ledger: Ledger, clients: () => Client[]): Load {
  const any = () => clients()[randomInt(clients().length)] as Client

  /** Fills in the form of a page. @returns whether it leads to where it is paid */
  async function buy(client: Client, entry: Entry, typed?: Record<string, string>): Promise<boolean> {
    const { payAt, order } = entry
    const form = await openForm(client, ledger, entry)
    if (!form) return false
    delete entry.payAt
    await submitForm(client, ledger, entry, form, typed)
    if (entry.payAt !== undefined) return true
    // The page of before may still be paid.
    if (payAt !== undefined) Object.assign(entry, { payAt, order })
    return false
  }

  const ways: ((entry: Entry) => Promise<void>)[] = [
    // Pays.
    async entry => {
      if (await buy(any(), entry)) await pay(any(), ledger, entry)
    },
    // Pays later: by debit.
    async entry => {
      if (await buy(any(), entry)) await pay(any(), ledger, entry, 'pay-later')
    },
    // Is declined first.
    async entry => {
      if (!(await buy(any(), entry))) return
      await press(String(entry.payAt), 'decline')
      await pay(any(), ledger, entry)
    },
    // Goes away, and does not pay.
    async entry => void (await buy(any(), entry)),
    // Pays, and never comes back.
    async entry => {
      if (await buy(any(), entry)) await press(String(entry.payAt), 'pay')
    },
    // Comes back without having paid, types something else, and pays, at the page of before as well.
    async entry => {
      if (!(await buy(any(), entry))) return
      const before = String(entry.payAt)
      await seeUnpaid(any(), entry)
      if (await buy(any(), entry, { name: 'Ada Lovelace' })) await pay(any(), ledger, entry)
      await press(before, 'pay')
    },
    // Has two tabs, and pays in both.
    async entry => {
      const [one, two] = [any(), any()]
      const form = await openForm(one, ledger, entry)
      if (!form) return
      const same: Entry = { ...entry }
      await Promise.all([submitForm(one, ledger, entry, form), submitForm(two, ledger, same, form)])
      const begun = [entry, same].filter(({ payAt }) => payAt !== undefined)
      if (entry.payAt === undefined) Object.assign(entry, same)
      await Promise.all(begun.map(tab => pay(any(), ledger, tab)))
      const paid = begun.find(({ number }) => number !== undefined)
      if (paid) Object.assign(entry, paid)
    },
    // Sends another bag under the reference while the first can be paid, which waits, and pays the first.
    async entry => {
      if (!(await buy(any(), entry))) return
      const other: Entry = { ...entry, cart: { ...entry.cart, items: [{ sku: 'ROPE', quantity: 1 + (entry.n % 9) }] } }
      while (!(await sendBag(any(), ledger, other))) await pause(50)
      const form = await openForm(any(), ledger, other)
      const held: Ledger = { ...ledger, wrong: [] }
      if (form) await submitForm(any(), held, other, form)
      ledger.wrong.push(...held.wrong.filter(line => !/answered 409/.test(line)))
      if (other.payAt !== entry.payAt) ledger.wrong.push(`bag ${entry.n} is paid while an earlier one is`)
      await pay(any(), ledger, entry)
    }
  ]

  /** The page for those who come back unpaid has what they typed. */
  async function seeUnpaid(client: Client, { n, ...entry }: Entry): Promise<void> {
    const signal = AbortSignal.timeout(PAGE_PATIENCE)
    const asked = fetch(String(entry.payAt), { signal }).then(answer => answer.text())
    const page = await asked.catch(() => '')
    const [, link = ''] = /<a href="([^"]*)">Back to the shop without paying/.exec(page) ?? []
    if (link === '') return
    const { pathname, search } = new URL(link)
    const answer = await client.ask({ method: 'GET', path: pathname + search }).catch(() => undefined)
    if (answer?.status !== 200) return
    const isTold = /You haven’t been charged|You won’t be charged twice/.test(answer.body)
    const isRight = isTold && answer.body.includes(emailOf(n))
    if (!isRight) ledger.wrong.push(`bag ${n}: ${checkoutPath({ n, ...entry }, '')} does not say what was typed`)
  }

  return startShoppers(ledger, () => ({
    shop: async (entry, isStopped) => {
      if (!(await sendBag(any(), ledger, entry))) return
      // Some are not bought.
      const way = ways[entry.n % 10]
      if (way && !isStopped()) await way(entry)
    }
  }))
}
