// The parameters that this stand-in plays. Their names are checked against the SDK's types.
import { type Static, type TProperties, Type } from '@sinclair/typebox'
import type Stripe from 'stripe'
import { LARGEST_AMOUNT } from './currencies.ts'

const LOCALES =
  'auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl ' +
  'sv th tr vi zh zh-HK zh-TW'

/** An object that is a P in the SDK: no property has a name of its own. */
const objectOf =
  <P>() =>
  <T extends TProperties>(properties: T & { [K in Exclude<keyof T, keyof P>]: never }) =>
    Type.Object<T>(properties, { additionalProperties: false })

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }))
const integer = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, code: 'parameter_invalid_integer' })
const choiceOf = <T extends string>(...values: T[]) =>
  Type.Unsafe<T>(Type.String({ pattern: `^(${values.join('|')})$`, description: `must be one of ${values}` }))
const off = Type.Literal(false, { type: 'boolean', description: 'this stand-in plays only false' })
// A template such as {CHECKOUT_SESSION_ID} stays as it is.
const url = Type.String({
  pattern: '^https?://[\\w.-]+(:\\d{1,5})?([/?#]\\S*)?$',
  maxLength: 5000,
  description: 'Not a valid URL',
  code: 'url_invalid'
})
const email = Type.String({
  minLength: 1,
  maxLength: 800,
  pattern: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
  code: 'email_invalid'
})
/** https://docs.stripe.com/api/metadata */
const metadata = Type.Optional(
  Type.Record(Type.String({ pattern: '^.{1,40}$' }), Type.String({ minLength: 1, maxLength: 500 }), {
    maxProperties: 50,
    additionalProperties: false
  })
)
const line = objectOf<Stripe.Checkout.SessionCreateParams.LineItem>()({
  quantity: integer(1, 999_999),
  price_data: objectOf<Stripe.Checkout.SessionCreateParams.LineItem.PriceData>()({
    currency: Type.String(),
    unit_amount: integer(0, LARGEST_AMOUNT),
    product_data: objectOf<Stripe.Checkout.SessionCreateParams.LineItem.PriceData.ProductData>()({
      name: Type.String({ minLength: 1, maxLength: 5000 })
    })
  })
})

export type SessionRequest = Static<typeof sessionRequest>

export const sessionRequest = objectOf<Stripe.Checkout.SessionCreateParams>()({
  mode: choiceOf('payment'),
  line_items: Type.Array(line, { maxItems: 100 }),
  success_url: url,
  cancel_url: Type.Optional(url),
  adaptive_pricing: Type.Optional(
    objectOf<Stripe.Checkout.SessionCreateParams.AdaptivePricing>()({ enabled: Type.Optional(off) })
  ),
  allow_promotion_codes: Type.Optional(off),
  automatic_tax: Type.Optional(objectOf<Stripe.Checkout.SessionCreateParams.AutomaticTax>()({ enabled: off })),
  client_reference_id: text(200),
  customer_email: Type.Optional(email),
  expires_at: Type.Optional(integer(0, Number.MAX_SAFE_INTEGER)),
  locale: Type.Optional(choiceOf(...LOCALES.split(' '))),
  metadata,
  origin_context: Type.Optional(choiceOf('mobile_app', 'web')),
  payment_intent_data: Type.Optional(
    objectOf<Stripe.Checkout.SessionCreateParams.PaymentIntentData>()({
      capture_method: Type.Optional(choiceOf('automatic')),
      description: text(1000),
      metadata
    })
  ),
  ui_mode: Type.Optional(choiceOf('hosted_page'))
})

/** Of a look-up, and of expiring. */
export const sessionLookUp = objectOf<Stripe.Checkout.SessionRetrieveParams>()({
  expand: Type.Optional(Type.Array(choiceOf('payment_intent', 'payment_intent.latest_charge'), { maxItems: 1 }))
})

export const sessionList = objectOf<Stripe.Checkout.SessionListParams>()({
  payment_intent: Type.String(),
  limit: Type.Optional(integer(1, 100)),
  expand: Type.Optional(Type.Array(choiceOf('data.payment_intent.latest_charge'), { maxItems: 1 }))
})

export const disputeList = objectOf<Stripe.DisputeListParams>()({
  payment_intent: Type.String(),
  limit: Type.Optional(integer(1, 100))
})

export const noParameters = objectOf<object>()({})

export type RefundRequest = Static<typeof refundRequest>

export const refundRequest = objectOf<Stripe.RefundCreateParams>()({
  payment_intent: Type.String(),
  amount: Type.Optional(integer(1, LARGEST_AMOUNT))
})
