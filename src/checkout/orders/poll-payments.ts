// The sweep: asks the provider for payments that wait too long, as a notification may be lost; ends those of bags that are
// ordered; sends money back that is for no order, and finishes refunds that somebody began. Servers that share a
// database skip what another is leasing.
import { PaymentFailed } from '../../integrations/payment/provider.ts'
import type { Merchant } from '../../merchant/merchant.ts'
import type { Log } from '../../observer.ts'
import { about, cancelPayment, changePayment, type PayingContext, refreshPayment } from './pay-order.ts'
import type { LeasedPayment, Payment, PaymentStore } from './payment.ts'
import { nextPoll } from './payment-rules.ts'
import { finishBegun } from './refunds.ts'

/** How long a payment is leased, in milliseconds: longer than two calls to a provider take. */
const LEASE = 60_000

/** @returns a function that stops, once what is under way has ended */
export function pollPayments(shops: PayingContext[], interval = 1000): () => Promise<void> {
  let isStopped = false
  const sweeps = new Map<PayingContext, Promise<void>>()
  const poll = () => {
    for (const shop of shops) {
      if (sweeps.has(shop)) continue
      const sweep = sweepPayments(shop, () => isStopped)
        .catch(error => shop.log.error({ err: error, merchant: shop.merchant.id }, 'polling payments failed'))
        .finally(() => sweeps.delete(shop))
      sweeps.set(shop, sweep)
    }
  }
  poll()
  const timer = setInterval(poll, interval).unref()
  return async () => {
    clearInterval(timer)
    isStopped = true
    await Promise.all(sweeps.values())
  }
}

/** Logs the payments of merchants that take none any more. */
export async function reportUnpolled(store: PaymentStore, merchants: Merchant[], log: Log): Promise<void> {
  const unwatched = new Set(merchants.filter(({ payment }) => !payment).map(({ id }) => id))
  for (const { merchantId: merchant, state, payments } of await store.countPayments()) {
    if (!unwatched.has(merchant)) continue
    log.error({ merchant, state, payments }, 'unsettled payments of a merchant without checkout.payment')
  }
}

/** Looks at every payment that is due. */
export async function sweepPayments(shop: PayingContext, isStopped = () => false): Promise<void> {
  const { merchant, store, clock, log } = shop
  while (!isStopped()) {
    const now = clock()
    const until = new Date(now.getTime() + LEASE).toISOString()
    const leased = await store.leasePayment(merchant.id, now.toISOString(), until)
    if (!leased) return
    try {
      await handle(shop, leased, now)
    } catch (error) {
      if (!(error instanceof PaymentFailed)) throw error
      log.warn({ ...about(leased.payment), reason: error.message }, 'payment provider could not be asked')
      await postpone(shop, leased.payment, now)
    }
  }
}

async function handle(shop: PayingContext, { payment, isClosed }: LeasedPayment, now: Date): Promise<void> {
  if (payment.state === 'refunding') return sendBack(shop, payment, now)
  if (payment.refund) return finishBegun(shop, payment, payment.refund)
  const isOver = payment.state === 'opening' || (payment.state === 'open' && isClosed)
  const { payment: after } = await (isOver ? cancelPayment : refreshPayment)(shop, payment)
  if (after.state === 'open' || after.state === 'pending') await postpone(shop, payment, now)
}

/** Sends back what came, once it is there. */
async function sendBack(shop: PayingContext, payment: Payment, now: Date): Promise<void> {
  const { merchant, gateway, log, observer } = shop
  const facts = await gateway.look(String(payment.providerId))
  if (facts?.state === 'paid' && facts.transactionId !== undefined) {
    const { transactionId, currency } = facts
    // All that is left goes back once, whatever the key: a failure may be repeated for a day under the same one.
    await gateway.refund({ transactionId, currency, key: `${payment.id}-refund-${now.getTime()}` })
    const refundFacts = { refunded: payment.amount }
    const { before } = await changePayment(shop, payment, { type: 'booked', refundFacts })
    // Another server may have done so.
    if (before.state === 'refunded') return
    observer.paymentSettled(merchant.id, 'refunded')
    log.warn({ ...about(payment), reason: payment.reason, transaction: transactionId }, 'payment refunded')
  } else if (facts?.state === 'failed' || facts?.state === 'ended') {
    await changePayment(shop, payment, { type: 'reported', facts })
  } else {
    if (!facts) log.error(about(payment), 'payment unknown to the provider; cannot be refunded')
    await postpone(shop, payment, now)
  }
}

async function postpone(shop: PayingContext, payment: Payment, now: Date): Promise<void> {
  await changePayment(shop, payment, { type: 'postponed', dueAt: nextPoll(payment, now) })
}
