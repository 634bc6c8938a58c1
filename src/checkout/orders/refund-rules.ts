// The way back of what was paid: what the books say after a refund or a chargeback, whoever made it. The provider knows, and
// the books follow it; but an answer that is older than they are takes nothing back.
import type { PaymentFacts } from '../../integrations/payment/provider.ts'
import type { OpenRefund, Payment, RefundFacts } from './payment.ts'

/** In which money has come. */
export const PAID_STATES: Payment['state'][] = ['paid', 'refunding', 'refunded']

/** What the provider's answer means for the books. Money for no order may be in another currency: it is back whole, or not. */
export function refundFactsOf(payment: Payment, { state, amount, refunded, dispute }: PaymentFacts): RefundFacts {
  if (state !== 'paid' || !PAID_STATES.includes(payment.state)) return {}
  const isWhole = amount !== undefined && refunded !== undefined && refunded >= amount
  const whole = amount === undefined || refunded === undefined ? undefined : isWhole ? payment.amount : 0
  const most = refunded === undefined ? undefined : Math.min(refunded, payment.amount)
  return { refunded: payment.reason === undefined ? most : whole, dispute }
}

/** Whether the books say so already. */
export function isKnown(
  payment: Payment,
  { refunded = payment.refunded, dispute = payment.dispute }: RefundFacts
): boolean {
  return refunded === payment.refunded && dispute === payment.dispute
}

/** Whether the books would go back: a refund has failed, or a dispute is open again, or the answer is older than they are. */
export function takesBack(payment: Payment, { refunded, dispute }: RefundFacts): boolean {
  const isReopened = dispute === 'open' && payment.dispute !== undefined && payment.dispute !== 'open'
  return isReopened || (refunded !== undefined && refunded < payment.refunded)
}

/**
 * What the books say afterwards.
 * @param known what they said when the provider was asked: if it is unchanged, its answer is not older than they are
 */
export function booksAfter(
  payment: Payment,
  said: RefundFacts,
  known?: RefundFacts
): RefundFacts & { refunded: number } {
  const isLatest = known !== undefined && isKnown(payment, known)
  const { refunded = payment.refunded, dispute = payment.dispute } = isLatest || !takesBack(payment, said) ? said : {}
  return { refunded, dispute }
}

/** Whether all that was to be sent back has gone: there may have been more since. */
export function covers({ before, amount }: OpenRefund, refunded = 0): boolean {
  return refunded >= before + amount
}
