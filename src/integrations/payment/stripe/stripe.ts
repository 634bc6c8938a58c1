// The provider for Stripe Checkout: a page of Stripe's for each payment, looked up whenever somebody says that it is paid.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Problem } from '../../../errors.ts'
import { AddressSetting } from '../../destination/destination.ts'
import { isPrivate } from '../../destination/shop-page.ts'
import { PaymentFailed, type PaymentProvider, type ProviderAccess, type ProviderAccount } from '../provider.ts'
import { amountProblem, isCharged, toStripeOrFail } from './stripe-amounts.ts'
import { StripeRejection, stripeClient } from './stripe-client.ts'
import { disputeState, isDisputed, onlySession, paymentFacts, readOpened, sessionParams } from './stripe-session.ts'

const CHECKOUT = 'https://checkout.stripe.com'

const StripeSettings = Type.Object({
  apiUrl: Type.Optional(
    AddressSetting(
      'the origin of a stand-in for Stripe, for tests with a test key: loopback or private, such as "http://127.0.0.1:4242"'
    )
  ),
  pageOrigin: Type.Optional(
    AddressSetting('the origin of your own domain for Checkout, such as "https://pay.shop.example"')
  )
})
type StripeSettings = Static<typeof StripeSettings>

export const stripe: PaymentProvider<StripeSettings> = {
  name: 'stripe',
  title: 'Stripe',
  settings: StripeSettings,
  secret: {
    name: 'a secret key of Stripe',
    right: 'the one that begins with "sk_" or "rk_", not the publishable one ("pk_")',
    isValid: text => /^[sr]k_(test|live)_\w{10,250}$/.test(text)
  },
  webhookSecret: {
    name: 'the signing secret of a webhook endpoint of Stripe',
    right: 'the one that begins with "whsec_"',
    isValid: text => /^whsec_[\w+/=]{16,250}$/.test(text)
  },
  isTest: secret => /^.k_test_/.test(secret),
  check: ({ apiUrl, pageOrigin }, { secret, currencies }, report) => {
    const problem = apiUrl === undefined ? undefined : apiUrlProblem(apiUrl, secret)
    const others = currencies.filter(currency => !isCharged(currency)).join(', ')
    const remedy = 'of "currencies"; leave it out there, or take no payment here'
    const { protocol, origin } = URL.parse(pageOrigin ?? CHECKOUT) ?? {}
    const isOrigin = protocol === 'https:' && origin === (pageOrigin ?? CHECKOUT)
    const right = 'give an origin such as "https://pay.shop.example", or leave it out'
    if (problem !== undefined) report(['apiUrl'], problem)
    if (!isOrigin) report(['pageOrigin'], right)
    if (others !== '') report(['provider'], `Stripe charges no ${others}, ${remedy}`)
  },
  checkAmount: amountProblem,
  connect: connectStripe
}

function apiUrlProblem(apiUrl: string, secret: string): string | undefined {
  const { protocol = '', origin, hostname = '' } = URL.parse(apiUrl) ?? {}
  if (!/^https?:$/.test(protocol) || origin !== apiUrl || !isPrivate(hostname)) {
    return 'give an origin on a loopback or private address, such as "http://127.0.0.1:4242", or leave it out'
  }
  if (!/^.k_live_/.test(secret)) return undefined
  return 'a stand-in gets no live key; leave it out, or give the variable a test key'
}

const EXPANDED = { expand: ['payment_intent.latest_charge'] }

/** An event about a session; its type says what has happened, and is not needed. */
const SessionEvent = Type.Object({
  type: Type.String({ pattern: '^checkout\\.session\\.' }),
  data: Type.Object({ object: Type.Object({ id: Type.String({ pattern: '^cs_\\w{1,250}$' }) }) })
})

/** An event about a refund or a dispute; the intent may be that of a payment that was not made by Checkout. */
const MoneyEvent = Type.Object({
  type: Type.String({ pattern: '^(charge\\.(refunded$|refund\\.|dispute\\.)|refund\\.)' }),
  data: Type.Object({ object: Type.Object({ payment_intent: Type.String({ pattern: '^pi_\\w{1,250}$' }) }) })
})

function connectStripe({
  settings: { apiUrl, pageOrigin = CHECKOUT },
  secret,
  webhookSecrets,
  fetch
}: ProviderAccess<StripeSettings>): ProviderAccount {
  const { ask, isSigned } = stripeClient(secret, fetch, apiUrl)
  /** @returns a session; undefined if the intent has none */
  const find = (id: string, signal: AbortSignal): Promise<unknown> => {
    if (!id.startsWith('pi_')) return ask(signal, ({ checkout }) => checkout.sessions.retrieve(id, EXPANDED))
    const params = { payment_intent: id, limit: 1, expand: EXPANDED.expand.map(name => `data.${name}`) }
    return ask<unknown>(signal, ({ checkout }) => checkout.sessions.list(params)).then(onlySession)
  }
  const retrievePayment: ProviderAccount['retrievePayment'] = async (id, signal) => {
    try {
      const session = await find(id, signal)
      if (session === undefined) return undefined
      const facts = paymentFacts(session)
      if (!isDisputed(session)) return facts
      const params = { payment_intent: String(facts.transactionId), limit: 100 }
      return { ...facts, dispute: disputeState(await ask<unknown>(signal, ({ disputes }) => disputes.list(params))) }
    } catch (error) {
      if (error instanceof StripeRejection && error.code === 'resource_missing') return undefined
      throw error
    }
  }
  return {
    pageOrigins: [apiUrl ?? pageOrigin],
    open: async (request, signal) => {
      const params = sessionParams(request)
      const create = (more: { customer_email?: string }, key: string) =>
        ask(signal, ({ checkout }) => checkout.sessions.create({ ...params, ...more }, { idempotencyKey: key }))
      const session = await create({ customer_email: request.email }, request.id).catch(error => {
        if (!(error instanceof StripeRejection) || error.param !== 'customer_email') throw error
        // The page asks for one, and says what is wrong with it.
        return create({}, `${request.id}-no-email`)
      })
      return readOpened(session, request)
    },
    retrievePayment,
    cancel: async (id, signal) => {
      try {
        return paymentFacts(await ask(signal, ({ checkout }) => checkout.sessions.expire(id, EXPANDED)))
      } catch (error) {
        if (!(error instanceof StripeRejection)) throw error
        const facts = await retrievePayment(id, signal)
        // It is refused if the session was open no more.
        if (facts?.state === 'open') throw error
        return facts
      }
    },
    refund: async ({ transactionId, currency, amount, key }, signal) => {
      const part = amount === undefined ? {} : { amount: toStripeOrFail(amount, currency) }
      const params = { payment_intent: transactionId, ...part }
      try {
        const { status } = await ask(signal, ({ refunds }) => refunds.create(params, { idempotencyKey: key }))
        if (!['succeeded', 'pending', 'requires_action'].includes(status ?? '')) {
          throw new PaymentFailed(`the refund at Stripe is ${JSON.stringify(status)}`)
        }
      } catch (error) {
        if (!(error instanceof StripeRejection && error.code === 'charge_already_refunded')) throw error
      }
    },
    readPaymentWebhook: async ({ 'stripe-signature': signature }, body, now) => {
      if (!(await isSigned(body, String(signature), webhookSecrets, now.getTime()))) {
        const detail = 'Stripe-Signature is not that of Stripe for this body, or more than five minutes old.'
        throw new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': 'Stripe realm="cart transfer"' } })
      }
      const sent = parseOrUndefined(body)
      if (Value.Check(SessionEvent, sent)) return sent.data.object.id
      return Value.Check(MoneyEvent, sent) ? sent.data.object.payment_intent : undefined
    }
  }
}

function parseOrUndefined(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
