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
export function pollPayments(contexts: PayingContext[], interval = 1000): () => Promise<void> {
  let isStopped = false
  const sweeps = new Map<PayingContext, Promise<void>>()
  const poll = () => {
    for (const context of contexts) {
      if (sweeps.has(context)) continue
      const sweep = sweepPayments(context, () => isStopped)
        .catch(error => context.log.error({ err: error, merchant: context.merchant.id }, 'polling payments failed'))
        .finally(() => sweeps.delete(context))
      sweeps.set(context, sweep)
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
  const withoutPayment = new Set(merchants.filter(({ payment }) => !payment).map(({ id }) => id))
  for (const { merchantId: merchant, state, payments } of await store.countPayments()) {
    if (!withoutPayment.has(merchant)) continue
    log.error({ merchant, state, payments }, 'unsettled payments of a merchant without checkout.payment')
  }
}

/** Looks at every payment that is due. */
export async function sweepPayments(context: PayingContext, isStopped = () => false): Promise<void> {
  const { merchant, store, clock, log } = context
  while (!isStopped()) {
    const now = clock()
    const until = new Date(now.getTime() + LEASE).toISOString()
    const leased = await store.leasePayment(merchant.id, now.toISOString(), until)
    if (!leased) return
    try {
      await handle(context, leased, now)
    } catch (error) {
      if (!(error instanceof PaymentFailed)) throw error
      log.warn({ ...about(leased.payment), reason: error.message }, 'payment provider could not be asked')
      await postpone(context, leased.payment, now)
    }
  }
}

async function handle(context: PayingContext, { payment, isClosed }: LeasedPayment, now: Date): Promise<void> {
  if (payment.state === 'refunding') return sendBack(context, payment, now)
  if (payment.refund) return finishBegun(context, payment, payment.refund)
  const isOver = payment.state === 'opening' || (payment.state === 'open' && isClosed)
  const { payment: after } = await (isOver ? cancelPayment : refreshPayment)(context, payment)
  if (after.state === 'open' || after.state === 'pending') await postpone(context, payment, now)
}

/** Sends back what came, once it is there. */
async function sendBack(context: PayingContext, payment: Payment, now: Date): Promise<void> {
  const { merchant, gateway, log, observer } = context
  const facts = await gateway.retrievePayment(String(payment.providerId))
  if (facts?.state === 'paid' && facts.transactionId !== undefined) {
    const { transactionId, currency } = facts
    // All that is left goes back once, whatever the key: a failure may be repeated for a day under the same one.
    await gateway.refund({ transactionId, currency, key: `${payment.id}-refund-${now.getTime()}` })
    const refundFacts = { refunded: payment.amount }
    const { before } = await changePayment(context, payment, { type: 'booked', refundFacts })
    // Another server may have done so.
    if (before.state === 'refunded') return
    observer.paymentSettled(merchant.id, 'refunded')
    log.warn({ ...about(payment), reason: payment.reason, transaction: transactionId }, 'payment refunded')
  } else if (facts?.state === 'failed' || facts?.state === 'ended') {
    await changePayment(context, payment, { type: 'reported', facts })
  } else {
    if (!facts) log.error(about(payment), 'payment unknown to the provider; cannot be refunded')
    await postpone(context, payment, now)
  }
}

async function postpone(context: PayingContext, payment: Payment, now: Date): Promise<void> {
  await changePayment(context, payment, { type: 'postponed', dueAt: nextPoll(payment, now) })
}
