// Stripe's objects, whole, as its API answers them; their fields are those of the SDK's types.
import { randomInt } from 'node:crypto'
import type Stripe from 'stripe'
import type { SessionRequest } from './session-request.ts'

/** That of the SDK, which has hundreds of files: it is loaded by the first notification. */
export const API_VERSION: Stripe.LatestApiVersion = '2026-10-28.endive'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** An id as long as Stripe's. */
export function newId(prefix: string, length = 24): string {
  return prefix + Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** The fields of these names, all null. */
export function allNull<Names extends string>(names: Names): { [Name in Words<Names>]: null } {
  return Object.fromEntries(names.split(' ').map(name => [name, null])) as { [Name in Words<Names>]: null }
}

/** `created` is in seconds, as all of Stripe's times. */
type SessionBasics = { created: number; total: number; currency: string; methods: string[] }

export function newSession(
  request: SessionRequest,
  { created, total, currency, methods, origin }: SessionBasics & { origin: string }
): Stripe.Checkout.Session {
  const id = newId('cs_test_a1', 56)
  return {
    id,
    object: 'checkout.session',
    ...allNull('after_expiration allow_promotion_codes allowed_payment_method_types billing_address_collection'),
    ...allNull('client_secret collected_information consent consent_collection currency_conversion customer'),
    ...allNull('customer_account customer_details integration_identifier invoice invoice_creation'),
    ...allNull('payment_intent payment_link payment_method_configuration_details permissions recovered_from'),
    ...allNull('saved_payment_method_options setup_intent shipping_address_collection shipping_cost'),
    ...allNull('submit_type subscription wallet_options'),
    adaptive_pricing: { enabled: false },
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    cancel_url: request.cancel_url ?? null,
    client_reference_id: request.client_reference_id ?? null,
    created,
    currency,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer_creation: 'if_required',
    customer_email: request.customer_email ?? null,
    discounts: [],
    expires_at: request.expires_at ?? created + 24 * 60 * 60,
    livemode: false,
    locale: request.locale ?? null,
    managed_payments: { enabled: false },
    metadata: request.metadata ?? {},
    mode: 'payment',
    origin_context: request.origin_context ?? null,
    payment_method_collection: 'if_required',
    payment_method_options: {},
    payment_method_types: methods,
    payment_status: 'unpaid',
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: 'open',
    success_url: request.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    // Stripe's have a long fragment, too.
    url: `${origin}/c/pay/${id}#${newId('fid', 300)}`
  }
}

export function newPaymentIntent({
  created,
  total,
  currency,
  methods,
  data
}: SessionBasics & { data: SessionRequest['payment_intent_data'] }): Stripe.PaymentIntent {
  const id = newId('pi_3', 23)
  return {
    id,
    object: 'payment_intent',
    ...allNull('allowed_payment_method_types application application_fee_amount automatic_payment_methods'),
    ...allNull('canceled_at cancellation_reason customer customer_account excluded_payment_method_types'),
    ...allNull('last_payment_error latest_charge managed_payments next_action on_behalf_of'),
    ...allNull('payment_method_configuration_details payment_record processing receipt_email review'),
    ...allNull('setup_future_usage shipping source statement_descriptor statement_descriptor_suffix'),
    ...allNull('transfer_group'),
    amount: total,
    amount_capturable: 0,
    amount_received: 0,
    capture_method: 'automatic_async',
    client_secret: newId(`${id}_secret_`),
    confirmation_method: 'automatic',
    created,
    currency,
    description: data?.description ?? null,
    livemode: false,
    metadata: data?.metadata ?? {},
    payment_method: newId('pm_1', 23),
    payment_method_options: {},
    payment_method_types: methods,
    status: 'requires_payment_method'
  }
}

export function newRefund(
  intent: Stripe.PaymentIntent,
  { amount, created }: { amount: number; created: number }
): Stripe.Refund {
  return {
    id: newId('re_3', 23),
    object: 'refund',
    ...allNull('balance_transaction customer customer_account receipt_number source_transfer_reversal'),
    ...allNull('reason transfer_reversal'),
    amount,
    charge: intent.latest_charge,
    created,
    currency: intent.currency,
    metadata: {},
    payment_intent: intent.id,
    payment_method: intent.payment_method,
    status: 'succeeded'
  }
}

/** Of all that was paid. */
export function newCharge(intent: Stripe.PaymentIntent, created: number): Stripe.Charge {
  const unknown = allNull('address email name phone tax_id')
  return {
    id: newId('ch_3', 23),
    object: 'charge',
    ...allNull('application application_fee application_fee_amount balance_transaction customer'),
    ...allNull(
      'calculated_statement_descriptor failure_balance_transaction failure_code failure_message fraud_details'
    ),
    ...allNull('on_behalf_of outcome payment_method_details receipt_email receipt_number receipt_url review shipping'),
    ...allNull('source source_transfer statement_descriptor statement_descriptor_suffix transfer_data transfer_group'),
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    billing_details: unknown,
    captured: true,
    created,
    currency: intent.currency,
    description: intent.description,
    disputed: false,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    payment_method: String(intent.payment_method),
    refunded: false,
    status: 'succeeded'
  }
}

/** Of a whole charge; of the evidence, nothing is played. */
export function newDispute(charge: Stripe.Charge, created: number): Stripe.Dispute {
  return {
    id: newId('du_1', 23),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {} as Stripe.Dispute.Evidence,
    evidence_details: {} as Stripe.Dispute.EvidenceDetails,
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response'
  }
}

export type CheckoutEvent =
  | Stripe.CheckoutSessionCompletedEvent
  | Stripe.CheckoutSessionExpiredEvent
  | Stripe.CheckoutSessionAsyncPaymentSucceededEvent
  | Stripe.CheckoutSessionAsyncPaymentFailedEvent
  | Stripe.ChargeRefundedEvent
  | Stripe.RefundFailedEvent
  | Stripe.ChargeDisputeCreatedEvent
  | Stripe.ChargeDisputeClosedEvent

/** @param object whole, as it is then */
export function newEvent(
  type: CheckoutEvent['type'],
  object: CheckoutEvent['data']['object'],
  created: number
): CheckoutEvent {
  return {
    id: newId('evt_1', 23),
    object: 'event',
    api_version: API_VERSION,
    created,
    data: { object: structuredClone(object) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type
  } as CheckoutEvent
}
