// What Stripe knows of one account: its Checkout Sessions and their payments, and what can become of them.
import { randomInt } from 'node:crypto'
import type Stripe from 'stripe'
import { checkCurrency, checkStep, checkTotal, writeAmount } from './currencies.ts'
import { found, RefusedCall } from './refused-call.ts'
import type { RefundRequest, SessionRequest } from './session-request.ts'
import {
  allNull,
  type CheckoutEvent,
  newCharge,
  newDispute,
  newPaymentIntent,
  newRefund,
  newSession
} from './stripe-objects.ts'

/**
 * `pay`, `decline`, `pay-later`: by the shopper, on the page of an open session. `succeed`, `fail`: by the bank or the convenience
 * store, where the shopper pays later. `refund`: by the merchant on Stripe's own pages, of all that is left; the bank may
 * `fail-refund` the latest. `dispute`: a chargeback of the shopper, which the merchant may `win` or `lose`.
 */
export type PaymentAction = 'pay' | 'decline' | 'pay-later' | 'succeed' | 'fail' | AfterPayment
type AfterPayment = 'refund' | 'fail-refund' | 'dispute' | 'win' | 'lose'

export type CheckoutPayment = {
  session: Stripe.Checkout.Session
  lines: SessionRequest['line_items']
  currency: string
  total: number
  data: SessionRequest['payment_intent_data']
  /** Absent until the shopper first tries to pay. */
  intent?: Stripe.PaymentIntent
  /** Absent until it is paid. */
  charge?: Stripe.Charge
  /** In all, but for what has failed. */
  refunded: number
  refunds: Stripe.Refund[]
  disputes: Stripe.Dispute[]
}

/** How it can be paid later in a currency: at a konbini with a voucher, elsewhere by debit. */
const LATER = new Map([
  ['eur', 'sepa_debit'],
  ['gbp', 'bacs_debit'],
  ['jpy', 'konbini'],
  ['usd', 'us_bank_account']
])

/** In seconds. */
const DAY = 24 * 60 * 60

type AccountOptions = {
  clock: () => Date
  origin: () => string
  happened: (type: CheckoutEvent['type'], object: CheckoutEvent['data']['object']) => void
}

export function checkoutAccount({ clock, origin, happened }: AccountOptions) {
  const payments = new Map<string, CheckoutPayment>()
  const now = () => Math.floor(clock().getTime() / 1000)

  function end({ session, intent }: CheckoutPayment): void {
    Object.assign(session, { status: 'expired', url: null })
    if (intent) Object.assign(intent, { status: 'canceled', canceled_at: now(), cancellation_reason: 'expired' })
    happened('checkout.session.expired', session)
  }

  /** Ends what can no longer be paid. */
  function expireDue(): void {
    for (const payment of payments.values()) {
      if (payment.session.status === 'open' && payment.session.expires_at <= now()) end(payment)
    }
  }

  /** @throws RefusedCall */
  function open(request: SessionRequest): CheckoutPayment {
    const created = now()
    const lines = request.line_items
    const currency = String(lines[0]?.price_data.currency)
    checkCurrency(currency, 'line_items[0][price_data][currency]')
    lines.forEach(({ price_data }, i) => {
      const name = `line_items[${i}][price_data]`
      if (price_data.currency !== currency) {
        throw new RefusedCall('All line items must have the same currency.', { param: `${name}[currency]` })
      }
      checkStep(price_data.unit_amount, currency, `${name}[unit_amount]`)
    })
    const total = lines.reduce((sum, { quantity, price_data }) => sum + quantity * price_data.unit_amount, 0)
    checkTotal(total, currency)
    const lifetime = (request.expires_at ?? created + DAY) - created
    if (lifetime < 30 * 60 || lifetime > DAY) {
      const bound = lifetime > DAY ? 'less than 24 hours' : 'at least 30 minutes'
      const message = `The \`expires_at\` timestamp must be ${bound} from Checkout Session creation.`
      throw new RefusedCall(message, { param: 'expires_at' })
    }
    const methods = ['card', LATER.get(currency) ?? []].flat()
    const session = newSession(request, { created, total, currency, methods, origin: origin() })
    const payment = {
      session,
      lines,
      currency,
      total,
      data: request.payment_intent_data,
      refunded: 0,
      refunds: [],
      disputes: []
    }
    payments.set(session.id, payment)
    // Somebody may wait for its notification.
    setTimeout(expireDue, lifetime * 1000).unref()
    return payment
  }

  function find(id: string): CheckoutPayment | undefined {
    expireDue()
    return payments.get(id)
  }

  function findByIntent(id: string): CheckoutPayment | undefined {
    expireDue()
    return payments.values().find(({ intent }) => intent?.id === id)
  }

  /** @throws RefusedCall */
  function expire(payment: CheckoutPayment): void {
    const { status } = payment.session
    if (status !== 'open') {
      throw new RefusedCall(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${status}\`.`
      )
    }
    end(payment)
  }

  /** What can be done now. */
  function actionsOf({ session, currency, intent, ...money }: CheckoutPayment): PaymentAction[] {
    if (session.status === 'open') return LATER.has(currency) ? ['pay', 'pay-later', 'decline'] : ['pay', 'decline']
    const isOnItsWay = intent?.status === 'processing' || intent?.status === 'requires_action'
    if (isOnItsWay) return ['succeed', 'fail']
    const { charge, refunded, refunds, disputes } = money
    if (!charge) return []
    const isDisputed = disputes.some(({ status }) => status === 'needs_response')
    const ofRefunds = refunds.some(({ status }) => status === 'succeeded') ? (['fail-refund'] as const) : []
    if (isDisputed) return ['win', 'lose', ...ofRefunds]
    return refunded < charge.amount ? ['refund', ...ofRefunds, 'dispute'] : [...ofRefunds]
  }

  /** The charge as it is now. */
  function chargeOf({ charge, refunded, disputes }: CheckoutPayment): Stripe.Charge | undefined {
    return (
      charge &&
      Object.assign(charge, {
        amount_refunded: refunded,
        refunded: refunded === charge.amount,
        disputed: disputes.length > 0
      })
    )
  }

  /** Does what comes after a payment. */
  function actAfter(payment: CheckoutPayment, charge: Stripe.Charge, action: AfterPayment): void {
    const { refunds, disputes } = payment
    const [dispute] = disputes
    if (action === 'refund') sendBack(payment)
    if (action === 'fail-refund') {
      const failed = refunds.findLast(({ status }) => status === 'succeeded') as Stripe.Refund
      Object.assign(failed, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
      payment.refunded -= failed.amount
      happened('refund.failed', failed)
    }
    if (action === 'dispute') {
      disputes.unshift(newDispute(charge, now()))
      happened('charge.dispute.created', disputes[0] as Stripe.Dispute)
    }
    if (action === 'win' || action === 'lose') {
      happened(
        'charge.dispute.closed',
        Object.assign(dispute as Stripe.Dispute, { status: action === 'win' ? 'won' : 'lost' })
      )
    }
  }

  /** @throws if that cannot be done now */
  function act(payment: CheckoutPayment, action: PaymentAction): void {
    const { session, currency, total, data } = payment
    if (!actionsOf(payment).includes(action))
      throw new Error(`${action}: not now, as ${session.id} is ${session.status}`)
    if (payment.charge) {
      actAfter(payment, payment.charge, action as AfterPayment)
      return
    }
    const methods = session.payment_method_types
    payment.intent ??= newPaymentIntent({ created: now(), currency, total, methods, data })
    const { intent } = payment
    session.payment_intent = intent.id
    Object.assign(intent, { last_payment_error: null, next_action: null }, outcomeOf(action, payment))
    if (action === 'pay' || action === 'pay-later') {
      const unknown = allNull('address business_name individual_name name phone')
      const customer_details = { ...unknown, email: session.customer_email, tax_exempt: 'none', tax_ids: [] }
      Object.assign(session, { status: 'complete', url: null, customer_details })
    }
    if (action === 'pay' || action === 'succeed') {
      session.payment_status = 'paid'
      payment.charge = newCharge(intent, now())
      intent.latest_charge = payment.charge.id
    }
    const type = EVENTS[action]
    if (type) happened(type, session)
  }

  /** What changes in a PaymentIntent. */
  function outcomeOf(action: PaymentAction, { session, currency, total }: CheckoutPayment): object {
    if (action === 'decline') return failed('card_declined', 'Your card was declined.')
    if (action === 'fail') return failed('payment_intent_payment_attempt_failed', 'The payment failed.')
    if (action !== 'pay-later') return { status: 'succeeded', amount_received: total }
    if (LATER.get(currency) !== 'konbini') return { status: 'processing' }
    const code = { payment_code: String(randomInt(1e9, 1e10)), confirmation_number: String(randomInt(1e9, 1e10)) }
    const stores = { familymart: code, lawson: code, ministop: code, seicomart: code }
    const details = { expires_at: now() + 3 * DAY, hosted_voucher_url: session.url, stores }
    return {
      status: 'requires_action',
      next_action: { type: 'konbini_display_details', konbini_display_details: details }
    }
  }

  /** @throws RefusedCall */
  function refund(request: RefundRequest): Stripe.Refund {
    const id = request.payment_intent
    return sendBack(found(findByIntent(id), 'payment_intent', id, 'payment_intent'), request.amount)
  }

  /** By our key or on Stripe's own pages; all that is left by default. @throws RefusedCall */
  function sendBack(payment: CheckoutPayment, part?: number): Stripe.Refund {
    const { currency, intent } = payment
    if (intent?.status !== 'succeeded') {
      throw new RefusedCall(`This PaymentIntent (${intent?.id}) does not have a successful charge to refund.`)
    }
    if (payment.disputes.some(({ status }) => status !== 'won')) {
      throw new RefusedCall(`Charge ${intent.latest_charge} has been charged back; cannot issue a refund.`, {
        code: 'charge_disputed'
      })
    }
    const left = payment.total - payment.refunded
    if (left === 0) {
      const code = 'charge_already_refunded'
      throw new RefusedCall(`Charge ${intent.latest_charge} has already been refunded.`, { code })
    }
    const amount = part ?? left
    checkStep(amount, currency, 'amount')
    if (amount > left) {
      const [much, most] = [writeAmount(amount, currency), writeAmount(left, currency)]
      const message = `Refund amount (${much}) is greater than unrefunded amount on charge (${most})`
      throw new RefusedCall(message, { param: 'amount' })
    }
    payment.refunded += amount
    const made = newRefund(intent, { amount, created: now() })
    payment.refunds.push(made)
    happened('charge.refunded', chargeOf(payment) as Stripe.Charge)
    return made
  }

  return { payments, open, find, findByIntent, expire, expireDue, actionsOf, act, chargeOf, refund, sendBack }
}

/** What the shop is told of. */
const EVENTS: Partial<Record<PaymentAction, CheckoutEvent['type']>> = {
  pay: 'checkout.session.completed',
  'pay-later': 'checkout.session.completed',
  succeed: 'checkout.session.async_payment_succeeded',
  fail: 'checkout.session.async_payment_failed'
}

/** Of a PaymentIntent: another attempt may be made, if its session is still open. */
function failed(code: string, message: string): object {
  return { status: 'requires_payment_method', last_payment_error: { type: 'card_error', code, message } }
}
