// Sends money of an order back, and books what the provider says has gone back. What is to be sent is written down first and
// finished first by whoever comes next: a command with any amount, or the sweep. All of them ask under the same key.
import { randomUUID } from 'node:crypto'
import { type PaymentFacts, PaymentFailed, ProviderDown } from '../../integrations/payment/provider.ts'
import { toDecimal } from '../../money.ts'
import { about, changePayment, notePayment, type PayingContext } from './pay-order.ts'
import type { OpenRefund, Payment } from './payment.ts'
import { covers, isKnown, refundFactsOf, takesBack } from './refund-rules.ts'

/** When the sweep takes over what somebody began, in milliseconds: after longer than three calls to a provider take. */
const PATIENCE = 2 * 60_000

type Booked = { before: Payment; payment: Payment }

/**
 * Books what the provider has said of a payment. What would take something back is asked again, as the first answer may be older
 * than the books. @throws PaymentFailed if the provider does not answer
 */
export async function followRefunds(context: PayingContext, payment: Payment, facts: PaymentFacts): Promise<Booked> {
  const said = refundFactsOf(payment, facts)
  if (isKnown(payment, said)) return { before: payment, payment }
  if (!takesBack(payment, said)) return changePayment(context, payment, { type: 'booked', refundFacts: said })
  const latest = await context.gateway.retrievePayment(facts.providerId)
  const refundFacts = latest ? refundFactsOf(payment, latest) : {}
  return changePayment(context, payment, { type: 'booked', refundFacts, known: payment })
}

/** @returns a refund that has been written down; undefined if another has, or more has been sent back meanwhile */
export async function beginRefund(
  context: PayingContext,
  payment: Payment,
  amount: number
): Promise<OpenRefund | undefined> {
  const refund = { before: payment.refunded, amount, key: `${payment.id}-refund-${randomUUID()}` }
  const dueAt = new Date(context.clock().getTime() + PATIENCE).toISOString()
  const { isRefused } = await changePayment(context, payment, { type: 'refund-begun', refund, dueAt })
  return isRefused ? undefined : refund
}

/** `refusal`: why the provider has not sent it back. The refund is open no more. */
export type FinishedRefund = Booked & { refusal?: string }

/**
 * Has an open refund sent back, unless the provider says that as much has been: it forgets keys after some days.
 * @param facts what the provider said since it was opened, or just before
 * @throws PaymentFailed if it may have been sent back, and stays open
 */
export async function finishRefund(
  context: PayingContext,
  payment: Payment,
  refund: OpenRefund,
  facts: PaymentFacts | undefined
): Promise<FinishedRefund> {
  const { transactionId, currency } = payment
  const { before, amount, key } = refund
  let latest = facts
  let refusal: string | undefined
  if (!covers(refund, facts?.refunded)) {
    try {
      await context.gateway.refund({ transactionId: String(transactionId), currency, amount, key })
      // More may have been sent back on the provider's own pages since it was written down.
      latest = await context.gateway.retrievePayment(String(payment.providerId)).catch(error => {
        if (!(error instanceof PaymentFailed)) throw error
        return facts
      })
    } catch (error) {
      if (!(error instanceof PaymentFailed) || error instanceof ProviderDown) throw error
      // An answer that cannot be read may be that of a refund that was made.
      latest = await context.gateway.retrievePayment(String(payment.providerId))
      if (!covers(refund, latest?.refunded)) refusal = error.message
    }
  }
  const refunded = Math.max(latest?.refunded ?? 0, refusal === undefined ? before + amount : 0)
  const refundFacts = { refunded, dispute: latest?.dispute }
  const booked = await changePayment(context, payment, { type: 'booked', refundFacts, closes: key })
  return { ...booked, ...(refusal !== undefined && { refusal }) }
}

/** The sweep's half: finishes what somebody began. @throws PaymentFailed if the provider does not answer */
export async function finishBegun(context: PayingContext, payment: Payment, refund: OpenRefund): Promise<void> {
  const facts = await context.gateway.retrievePayment(String(payment.providerId))
  if (facts) tellRefunds(context, await followRefunds(context, payment, facts))
  const { refusal, ...booked } = await finishRefund(context, payment, refund, facts)
  if (refusal !== undefined) context.log.error({ ...about(payment), reason: refusal }, 'refund refused by the provider')
  tellRefunds(context, booked)
}

/** Settles the payment that a notification is about, and books what has gone back. @throws PaymentFailed likewise */
export async function handlePaymentWebhook(context: PayingContext, name: string): Promise<void> {
  const noted = await notePayment(context, name)
  if (noted) tellRefunds(context, await followRefunds(context, noted.payment, noted.facts))
}

/** Tells the log and whoever counts what has changed. */
function tellRefunds({ merchant, log, observer }: PayingContext, { before, payment }: Booked): void {
  const { state, currency, transactionId, reason } = payment
  const facts = { ...about(payment), state, transaction: transactionId, ...(reason !== undefined && { reason }) }
  const refunded = toDecimal(payment.refunded, currency)
  if (payment.refunded > before.refunded) {
    if (reason === undefined) log.info({ ...facts, refunded }, 'payment refunded')
    else log.warn({ ...facts, refunded }, 'payment refunded')
    observer.paymentSettled(merchant.id, state === 'refunded' ? 'refunded' : 'partly-refunded')
  }
  if (payment.refunded < before.refunded) {
    log.error({ ...facts, refunded }, 'refund failed; the provider has the money again')
    if (state === 'refunding') observer.paymentSettled(merchant.id, state)
  }
  if (payment.dispute === before.dispute) return
  log.warn({ ...facts, dispute: payment.dispute }, 'payment disputed')
  if (payment.dispute === 'open') observer.paymentSettled(merchant.id, 'disputed')
}
