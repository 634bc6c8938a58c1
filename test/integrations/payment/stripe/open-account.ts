// The provider for Stripe, connected over a socket, and a payment to open there.
import { httpFetch } from '../../../../src/integrations/outgoing/http-client.ts'
import type { PaymentRequest, ProviderAccess, ProviderAccount } from '../../../../src/integrations/payment/provider.ts'
import { stripe } from '../../../../src/integrations/payment/stripe/stripe.ts'
import { SECRET_KEY, WEBHOOK_SECRET } from '../../../kit/payment/open-double.ts'

type Opening = Partial<Pick<ProviderAccess, 'secret' | 'webhookSecrets' | 'fetch'>>

/** @param apiUrl Stripe itself, if absent */
export function openAccount(apiUrl?: string, opening: Opening = {}): ProviderAccount {
  const settings = apiUrl === undefined ? {} : { apiUrl }
  const access = { secret: SECRET_KEY, webhookSecrets: [WEBHOOK_SECRET], fetch: httpFetch, ...opening }
  return stripe.connect({ ...access, settings })
}

export const { signal } = new AbortController()

/** Two mugs and their delivery, as they are frozen. */
export function paymentRequest(changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    id: '7KQM-3XH9-1',
    merchantId: 'harbour',
    orderNumber: '7KQM-3XH9',
    reference: 'R-1',
    currency: 'EUR',
    total: 2990,
    lines: [{ title: 'Mug', quantity: 2, unitPrice: 1250 }],
    delivery: { label: 'Post', price: 490 },
    email: 'may@example.com',
    language: 'en-GB',
    paidUrl: 'https://shop.example/app/checkout/t0ken/paid',
    cancelledUrl: 'https://shop.example/app/checkout/t0ken',
    expiresAt: new Date('2026-11-26T11:00:00.500Z'),
    ...changes
  }
}

/** @returns the class of what a call rejects with, and its message */
export async function failureOf(call: Promise<unknown>): Promise<[kind: string, message: string]> {
  const error = await call.then(
    () => new Error('It did not fail'),
    (error: Error) => error
  )
  return [error.constructor.name, error.message]
}
