// The list of payment providers. A new one is a folder next to these, its import and its name here.
import type { PaymentProvider } from './provider.ts'
import { stripe } from './stripe/stripe.ts'

export const paymentProviders: PaymentProvider[] = [stripe]
