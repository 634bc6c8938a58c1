// A Checkout Session of Stripe: what one is asked for, and what the one that there is says of the payment.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Stripe } from 'stripe'
import { createTranslator } from '../../../messages/translator.ts'
import {
  type DisputeState,
  type OpenedPayment,
  type PaymentFacts,
  PaymentFailed,
  type PaymentRequest,
  type ProviderState
} from '../provider.ts'
import { fromStripe, toStripe, toStripeOrFail } from './stripe-amounts.ts'

/** Of a Checkout Session: the delivery is one of them. */
const MAX_LINES = 100

/** Of the name of a line, in characters: as much as Stripe's dashboard takes. */
const MAX_NAME = 250

/** Languages of Checkout (`locale`). */
const LOCALES =
  `bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro
  ru sk sl sv th tr vi zh zh-HK zh-TW`.split(/\s+/)

type SessionParams = Stripe.Checkout.SessionCreateParams

/** All but the email. What an account can change about what was shown is off, and so is by default what a session can. */
export function sessionParams(request: PaymentRequest): SessionParams {
  const { id, merchantId, orderNumber, reference, language } = request
  const metadata = { merchant: merchantId, order: orderNumber, payment: id }
  const { language: code, region } = new Intl.Locale(language)
  return {
    mode: 'payment',
    ui_mode: 'hosted_page',
    line_items: linesOf(request),
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: false,
    client_reference_id: reference,
    metadata,
    payment_intent_data: { capture_method: 'automatic', description: orderNumber, metadata },
    locale: [`${code}-${region}`, code].find(tag => LOCALES.includes(tag)) ?? 'auto',
    origin_context: 'mobile_app',
    expires_at: Math.floor(request.expiresAt.getTime() / 1000),
    success_url: request.paidUrl,
    cancel_url: request.cancelledUrl
  }
}

/** One line for all if there are too many, or if Stripe can charge the total exactly, but not each unit price. */
function linesOf({
  currency,
  total,
  lines,
  delivery,
  language,
  reference
}: PaymentRequest): NonNullable<SessionParams['line_items']> {
  const parts = [...lines, ...(delivery ? [{ title: delivery.label, quantity: 1, unitPrice: delivery.price }] : [])]
  const lineOf = (title: string, quantity: number, amount: number) => {
    const name = Array.from(title.trim()).slice(0, MAX_NAME).join('') || reference
    const price = { currency: currency.toLowerCase(), unit_amount: amount, product_data: { name } }
    return { quantity, price_data: price }
  }
  const each = parts.flatMap(({ title, quantity, unitPrice }) => {
    const amount = toStripe(unitPrice, currency)
    return amount === undefined ? [] : [lineOf(title, quantity, amount)]
  })
  if (each.length === parts.length && each.length <= MAX_LINES) return each
  const units = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const goods = createTranslator(language).translateCount('item-count', units)
  const name = delivery ? `${goods} + ${delivery.label}` : goods
  return [lineOf(name, 1, toStripeOrFail(total, currency))]
}

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const OneOf = <Word extends string>(...words: Word[]) => Type.Union(words.map(word => Type.Literal(word)))

/** What a number can be exactly. */
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Seconds, until the year 9999: beyond the year 275760, a `Date` is none. */
const Time = Type.Integer({ minimum: 0, maximum: 253_402_300_799 })

/** What is read of a session; its payment intent and the charge of that are expanded. */
const CheckoutSession = Type.Object({
  id: Type.String({ pattern: '^cs_\\w{1,250}$' }),
  status: OneOf('open', 'complete', 'expired'),
  payment_status: OneOf('paid', 'unpaid', 'no_payment_required'),
  currency: Type.String({ pattern: '^[a-z]{3}$' }),
  amount_total: Amount,
  metadata: Nullable(Type.Record(Type.String(), Type.String())),
  url: Nullable(Type.String()),
  expires_at: Time,
  payment_intent: Type.Optional(
    Nullable(
      Type.Object({
        id: Type.String({ pattern: '^pi_\\w{1,250}$' }),
        status: Type.String(),
        amount_received: Amount,
        latest_charge: Type.Optional(Nullable(Type.Object({ amount_refunded: Amount, disputed: Type.Boolean() }))),
        next_action: Nullable(Type.Record(Type.String(), Type.Unknown()))
      })
    )
  )
})
type CheckoutSession = Static<typeof CheckoutSession>

function checkSession(answer: unknown): CheckoutSession {
  const [error] = Value.Errors(CheckoutSession, answer)
  if (error)
    throw new PaymentFailed(`Stripe's answer is wrong at ${error.path || 'its root'}: no Checkout Session is like this`)
  return answer as CheckoutSession
}

/** Checks what Stripe has made of a request. @throws PaymentFailed */
export function readOpened(answer: unknown, { currency, total }: PaymentRequest): OpenedPayment {
  const { id, url, expires_at, ...session } = checkSession(answer)
  if (session.currency !== currency.toLowerCase() || session.amount_total !== toStripe(total, currency)) {
    throw new PaymentFailed(`Stripe would charge ${session.amount_total} ${session.currency}, which is not the total`)
  }
  const page = pageAddress(url)
  if (page === undefined) throw new PaymentFailed('Stripe has opened a Checkout Session without a page')
  return { providerId: id, url: page, expiresAt: new Date(expires_at * 1000) }
}

const Sessions = Type.Object({ data: Type.Array(Type.Unknown(), { maxItems: 1 }) })

/** @param answer the list of the sessions of one payment intent: at most one @throws PaymentFailed */
export function onlySession(answer: unknown): unknown {
  if (Value.Check(Sessions, answer)) return answer.data[0]
  throw new PaymentFailed("Stripe's answer is no list of Checkout Sessions")
}

/** Whether the session's money has been disputed. @throws PaymentFailed */
export function isDisputed(answer: unknown): boolean {
  return checkSession(answer).payment_intent?.latest_charge?.disputed === true
}

/** Of disputes that are closed; anything else is open. An inquiry is closed without money having been taken. */
const CLOSED: Record<string, DisputeState> = { lost: 'lost', won: 'won', warning_closed: 'won', prevented: 'won' }

const Disputes = Type.Object({ data: Type.Array(Type.Object({ status: Type.String() })) })

/** @param answer the list of all disputes of one charge, which is disputed @throws PaymentFailed */
export function disputeState(answer: unknown): DisputeState {
  if (!Value.Check(Disputes, answer)) throw new PaymentFailed("Stripe's answer is no list of disputes")
  const states = answer.data.map(({ status }) => CLOSED[status] ?? 'open')
  return (['open', 'lost', 'won'] as const).find(state => states.includes(state)) ?? 'open'
}

/** @throws PaymentFailed */
export function paymentFacts(answer: unknown): PaymentFacts {
  const session = checkSession(answer)
  const { payment_intent: intent } = session
  const state = stateOf(session)
  const currency = session.currency.toUpperCase()
  const isMoney = intent && ['paid', 'pending', 'failed'].includes(state)
  const amount = state === 'paid' && intent ? intent.amount_received : session.amount_total
  const charge = state === 'paid' ? intent?.latest_charge : undefined
  const refunded = charge ? fromStripe(charge.amount_refunded, currency) : undefined
  const instructions = state === 'pending' ? instructionsIn(intent?.next_action ?? {}) : undefined
  return {
    state,
    providerId: session.id,
    id: session.metadata?.payment,
    merchantId: session.metadata?.merchant,
    currency,
    amount: fromStripe(amount, currency),
    ...(isMoney && { transactionId: intent.id }),
    ...(refunded !== undefined && { refunded }),
    ...(instructions !== undefined && { instructionsUrl: instructions })
  }
}

function stateOf({ status, payment_status: paid, payment_intent: intent }: CheckoutSession): ProviderState {
  if (paid === 'paid') return 'paid'
  if (status === 'open') return 'open'
  // A session of which nothing has to be paid is none of ours.
  if (status === 'expired' || paid === 'no_payment_required') return 'ended'
  return ['requires_payment_method', 'canceled'].includes(intent?.status ?? '') ? 'failed' : 'pending'
}

/** Of a konbini, a bank transfer and the like, each of which has a key of its own. */
function instructionsIn(nextAction: Record<string, unknown>): string | undefined {
  const addresses = Object.values(nextAction).flatMap(details => {
    const { hosted_voucher_url: voucher, hosted_instructions_url: instructions } = Object(details)
    return [voucher, instructions]
  })
  return addresses.map(pageAddress).find(address => address?.startsWith('https:'))
}

/** @returns the address in ASCII, as headers and databases take it, if it is one of the web */
function pageAddress(address: unknown): string | undefined {
  const url = typeof address === 'string' && /^https?:\/\/[^/]/.test(address) ? URL.parse(address) : null
  return url?.href
}
