// A payment provider: where a shopper pays for an order, on the provider's own page. What a provider says of a payment is read
// here as facts; whether an order follows from them is decided in checkout/orders/.
import type { TObject } from '@sinclair/typebox'
import type { SecretFormat } from '../../secrets.ts'
import type { ReportError } from '../../transfer/option.ts'
import type { Fetch } from '../outgoing/http-client.ts'

/** What is to be paid. Amounts are integers in minor units of the currency, as ISO 4217 has them. */
export type PaymentRequest = {
  /** Ours, unique among all payments of a merchant: the key of idempotency, at most 64 URL-safe characters. */
  id: string
  merchantId: string
  orderNumber: string
  reference: string
  currency: string
  total: number
  lines: { title: string; quantity: number; unitPrice: number }[]
  delivery?: { label: string; price: number }
  email: string
  /** A locale of the merchant, such as `en-GB`. */
  language: string
  /** Where the shopper comes back to, paid or not. */
  paidUrl: string
  cancelledUrl: string
  expiresAt: Date
}

/** Where the shopper pays: `providerId` is the provider's name for it. */
export type OpenedPayment = { providerId: string; url: string; expiresAt: Date }

/**
 * `open`: nothing was paid, and still may be. `pending`: the shopper is done, and the money is on its way. `failed`: it will not
 * come. `ended`: nothing was paid, and nothing can be any more.
 */
export type ProviderState = 'open' | 'pending' | 'paid' | 'failed' | 'ended'

/** Of a chargeback, by which the shopper's bank asks for the money back; `won` by the merchant, who keeps it. */
export type DisputeState = 'open' | 'won' | 'lost'

/** What the provider says of a payment. */
export type PaymentFacts = {
  state: ProviderState
  providerId: string
  /** Of our own, as they were given when it was opened; another text, or undefined, if it is not one of ours. */
  id: string | undefined
  merchantId: string | undefined
  /** What is charged. The amount is undefined if it is not a whole number of our minor units. */
  currency: string
  amount: number | undefined
  /** What the provider's own pages and exports call the money; absent before there is any. */
  transactionId?: string
  /** What has been sent back in all, whoever did it; absent as long as nothing is paid, or as the amount is undefined. */
  refunded?: number
  /** Absent if it has never been disputed. */
  dispute?: DisputeState
  /** The https address of what a pending payment asks of the shopper, such as a voucher. */
  instructionsUrl?: string
}

/**
 * Why no payment of an amount can be taken: it is less than the least (`least`) or more than the most (`most`) of its currency, or
 * what the provider charges has no such step (`exact`). `nearest` can be paid, in minor units.
 */
export type AmountProblem = { breaks: 'least' | 'most' | 'exact'; nearest: number }

/** A merchant's account. Every call rejects with PaymentFailed, of which ProviderDown is one. */
export type ProviderAccount = {
  /** Origins of the pages that shoppers are sent to. */
  pageOrigins: string[]
  /** Opens the page of a payment; the same request again leads to the same page. */
  open: (request: PaymentRequest, signal: AbortSignal) => Promise<OpenedPayment>
  /** @param providerId or a transaction id @returns undefined if there is no such payment in this account */
  retrievePayment: (providerId: string, signal: AbortSignal) => Promise<PaymentFacts | undefined>
  /** Ends an open payment, so that it cannot be paid any more. @returns what it is now: it may have been paid meanwhile */
  cancel: (providerId: string, signal: AbortSignal) => Promise<PaymentFacts | undefined>
  /** Without an amount, all that is left. @param key of idempotency */
  refund: (
    refund: { transactionId: string; currency: string; amount?: number; key: string },
    signal: AbortSignal
  ) => Promise<void>
  /**
   * Which payment a notification is about, for `look`; nothing else of it is believed. Undefined if it is about none.
   * @throws Problem `unauthorized` if the provider did not send it, or not lately
   */
  readPaymentWebhook: (headers: Record<string, unknown>, body: Buffer, now: Date) => Promise<string | undefined>
}

export type ProviderAccess<Settings = unknown> = {
  settings: Settings
  secret: string
  /** One or two; either signs notifications. */
  webhookSecrets: string[]
  fetch: Fetch
}

export type PaymentProvider<Settings = unknown> = {
  /** Its name in merchant files, as `provider`, and in the address of its notifications. */
  name: string
  title: string
  /** Keys that it adds to `checkout.payment`. */
  settings: TObject
  /** What its secrets look like. */
  secret: SecretFormat
  webhookSecret: SecretFormat
  /** Whether no money moves with this secret. */
  isTest(secret: string): boolean
  /** Checks what the schema of its settings cannot, and reports currencies in which it cannot be paid. */
  check(settings: Settings, merchant: { secret: string; currencies: string[] }, report: ReportError): void
  /** Whether a payment of this amount can be taken, as far as can be known without asking. @param amount in minor units, above 0 */
  checkAmount(amount: number, currency: string): AmountProblem | undefined
  /** Called once for each merchant that uses it. */
  connect(access: ProviderAccess<Settings>): ProviderAccount
}

/** The provider refused what was asked, or answered nonsense. The message is for the log and quotes nothing secret. */
export class PaymentFailed extends Error {
  /** If it takes no payment of so small or large an amount, for reasons of its own: no other attempt will succeed. */
  readonly breaks: 'least' | 'most' | undefined
}

/** It is out of reach, slow, or failing: another attempt may succeed. */
export class ProviderDown extends PaymentFailed {}
