// The stand-in for Stripe with a clock of its own, and Stripe's SDK connected to it.
import Stripe from 'stripe'
import { openPaymentDouble, type PaymentDoubleOptions } from '../../../src/kit/payment/payment-double.ts'
import type { Cleanup } from '../../server-process.ts'

export const SECRET_KEY = 'sk_test_0123456789abcdef'
export const WEBHOOK_SECRET = 'whsec_0123456789abcdef'

export type SessionParams = Stripe.Checkout.SessionCreateParams

/** A session of two lines that has all that the shop sends. @param changes of the whole @param price of a unit of the first line */
export function sessionParams(changes: Partial<SessionParams> = {}, currency = 'eur', price = 1250): SessionParams {
  const line = (name: string, quantity: number, unit_amount: number) => ({
    quantity,
    price_data: { currency, unit_amount, product_data: { name } }
  })
  return {
    mode: 'payment',
    line_items: [line('Mug', 2, price), line('Delivery', 1, 490)],
    client_reference_id: 'R-1',
    customer_email: 'may@example.com',
    locale: 'en-GB',
    metadata: { payment: '7KQM-3XH9-1' },
    payment_intent_data: {
      capture_method: 'automatic',
      description: 'Order 7KQM-3XH9',
      metadata: { payment: '7KQM-3XH9-1' }
    },
    success_url: 'https://shop.example/paid?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/checkout',
    ...changes
  }
}

export async function openDouble(t: Cleanup, options: Partial<PaymentDoubleOptions> = {}) {
  let now = Date.parse('2026-11-26T10:00:00Z')
  const clock = () => new Date(now)
  const double = await openPaymentDouble({ clock, secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, ...options })
  t.teardown(double.close)
  const tick = (minutes: number) => {
    now += minutes * 60_000
  }
  return { double, stripe: connect(double.origin), clock, tick, seconds: () => now / 1000 }
}

export function connect(origin: string, key = SECRET_KEY): Stripe {
  const { hostname: host, port } = new URL(origin)
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
}

/** @returns the error that Stripe's SDK makes of a refusal */
export async function problemFrom(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error
  )
  if (error instanceof Stripe.errors.StripeError) return error
  throw new Error('It was not refused', { cause: error })
}
