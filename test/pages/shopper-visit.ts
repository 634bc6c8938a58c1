// A shopper's whole visit to a merchant, a request at a time: what is typed has the shopper's own mark in it.
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import Stripe from 'stripe'
import type { Item } from '../../src/cart/cart.ts'
import type { PaymentDouble } from '../../src/kit/payment/payment-double.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type Built, FEED, uuid } from '../build.ts'
import { SECRET } from './paying-shop.ts'
import { type Element, elements } from './read-page.ts'
import { type Form, formOf } from './shopper.ts'

/** A second picture and a variant, beside products on sale, sent later, with no picture, and with markup in their titles. */
export const PRODUCTS = `${FEED}\nJUG\tJug\tpictures/jug.svg\tin_stock\t12.50 GBP\t`
const SKUS = ['MUG', 'JUG', 'THROW', 'CLOCK', 'BASKET', 'ROPE', 'ソ-☕', '<script>alert("sku")</script>']

/** What a shopper does before the order, what becomes of a payment, and what is done afterwards. */
const EARLIER = [
  'show',
  'send again',
  'mistakes',
  'inputWarnings',
  'language',
  'country',
  'stale prices',
  'lost',
  'refused'
] as const
const FATES = ['pay', 'pay-later', 'fail', 'decline', 'cancel', 'leave'] as const
const LATER = ['show', 'show order', 'order again', 'change bag', 'lost'] as const

export type Plan = {
  language: string
  items: Item[]
  earlier: (typeof EARLIER)[number][]
  fate: (typeof FATES)[number]
  later: (typeof LATER)[number][]
}

export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  language: fc.constantFrom('en-GB', 'ar', 'de'),
  items: fc.uniqueArray(
    fc.record({
      sku: fc.constantFrom(...SKUS),
      quantity: fc.integer({ min: 1, max: 3 }),
      price: fc.constantFrom('12.50', '80')
    }),
    { selector: ({ sku }) => sku, minLength: 1, maxLength: 3 }
  ),
  earlier: fc.shuffledSubarray([...EARLIER], { minLength: 3, maxLength: 6 }),
  fate: fc.constantFrom(...FATES),
  later: fc.shuffledSubarray([...LATER], { minLength: 3 })
})

type Ask = { method?: 'GET' | 'POST'; url: string; payload?: string; headers?: Record<string, string> }
export type Answer = { step: string; response: LightMyRequestResponse }

const POSTCODES: Record<string, string> = { GB: 'SW1Y 4JH', US: '20500', JP: '100-0001', DE: '26133', FR: '75002' }

/** A mark is `mark` and five digits. */
export const referenceOf = (mark: string) => uuid(Number(mark.slice(4)))

const pathOf = (address: string) => address.replace(/^https?:\/\/[^/]*/, '')

/** What is typed into a field. A country that asks for a postcode gets one of its own. */
const TYPED: Record<'right' | 'mistakes' | 'inputWarnings', (name: string, mark: string, country: string) => string> = {
  right: (name, mark, country) => {
    const shaped: Record<string, string | undefined> = {
      email: `ada@${mark}.example`,
      phone: '+44 20 7946 0958',
      postcode: POSTCODES[country]
    }
    return shaped[name] ?? `${name} of ${mark}`
  },
  mistakes: (name, mark) => (name === 'email' ? mark : `${mark}\x07`),
  inputWarnings: (name, mark) => {
    const doubtful: Record<string, string> = { email: `${mark}@gmail.con`, phone: '1', address1: '.', postcode: '.' }
    return doubtful[name] ?? mark
  }
}

/** The names of the fields of a page's form into which anything can be typed. */
function typedFields(html: string): string[] {
  const isTyped = ({ name, attributes: { name: field, type = 'text' } }: Element) =>
    /^(input|select|textarea)$/.test(name) &&
    !/^(hidden|radio)$/.test(type) &&
    field !== undefined &&
    field !== 'country'
  return elements(html)
    .filter(isTyped)
    .map(({ attributes }) => String(attributes.name))
}

/** What the stand-in for Stripe tells the shop at last about a payment. */
function notification(double: PaymentDouble, merchant: Merchant, session: string): Ask {
  const event = double.notifications.events.findLast(({ data }) => data.object.id === session)
  const payload = JSON.stringify(event)
  const timestamp = Number(event?.created)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  return { method: 'POST', url: `${merchant.path}/payments/stripe`, headers, payload }
}

/** A shopper's whole visit, a request at a time. */
export async function* visit(app: Built['app'], double: PaymentDouble, merchant: Merchant, mark: string, plan: Plan) {
  const reference = referenceOf(mark)
  const [country = ''] = merchant.countries.GBP ?? []
  const [{ option }] = merchant.ways
  const formType = { 'content-type': 'application/x-www-form-urlencoded' }

  async function* ask(step: string, { headers, ...request }: Ask): AsyncGenerator<Answer, LightMyRequestResponse> {
    const response = await app.inject({ ...request, headers: { ...headers, 'accept-language': plan.language } })
    yield { step, response }
    return response
  }
  async function* send(step: string, items: Item[], ofReference = reference) {
    const cart = { items, currency: 'GBP', reference: ofReference }
    const { method, url, headers, body } = option.request(cart, `${merchant.path}/cart`)
    const named = Object.fromEntries(headers.map(({ name, value }) => [name, value]))
    const sent = { method: method as 'GET', url, headers: named, ...(body !== undefined && { payload: body }) }
    const answer = yield* ask(step, sent)
    if (option.answer === 'page' || answer.statusCode !== 200) return answer
    const described = answer.json()
    return yield* ask(step, { method: 'POST', url: pathOf(described.url), payload: described.body, headers: formType })
  }
  let { body } = yield* send('send', plan.items)
  const address = pathOf(formOf(body)?.action ?? `${merchant.path}/checkout/none`).replace(/\?.*/, '')
  /** Fills in the page's form and sends it; stays on the page that it was on, if there is no form in the answer. */
  async function* submit(step: string, how: keyof typeof TYPED, more: Record<string, string> = {}) {
    const { action, fields } = formOf(body) as Form
    const typed = Object.fromEntries(
      typedFields(body).map(name => [name, TYPED[how](name, mark, fields.country ?? country)])
    )
    const payload = `${new URLSearchParams({ ...fields, ...typed, ...more })}`
    const answer = yield* ask(step, { method: 'POST', url: pathOf(action), payload, headers: formType })
    if (formOf(answer.body)) body = answer.body
    return answer
  }
  const lost = () => ask('lost', { url: `${merchant.path}/checkout/${'0'.repeat(32)}` })
  if (!formOf(body)) return yield* lost()

  for (const step of plan.earlier) {
    if (step === 'show') yield* ask(step, { url: `${address}?lang=ja` })
    if (step === 'send again') yield* send(step, plan.items)
    if (step === 'mistakes' || step === 'inputWarnings') yield* submit(step, step)
    if (step === 'language') yield* submit(step, 'right', { lang: 'ar' })
    if (step === 'country') yield* submit(step, 'right', { look: '1', country: 'JP' })
    if (step === 'stale prices') yield* submit(step, 'right', { digest: 'none' })
    if (step === 'lost') yield* lost()
    if (step === 'refused')
      yield* send(step, [{ sku: 'NOBODY', quantity: 1, price: '1' }, ...plan.items], uuid(2 ** 40))
  }
  let ordered = yield* submit('order', 'right')
  if (ordered.statusCode === 409) ordered = yield* submit('order', 'right')
  const { location = '' } = ordered.headers
  let confirmation: string | undefined
  if (location.startsWith(double.origin)) {
    double.expireDue()
    const { session } = double.payments().find(({ session }) => location.includes(session.id)) ?? {}
    if (!session) throw new Error(`${location} is no page of a payment`)
    const isOpen = session.status === 'open'
    const back = plan.fate === 'decline' || plan.fate === 'cancel' || !isOpen ? session.cancel_url : session.success_url
    if (isOpen && plan.fate !== 'cancel' && plan.fate !== 'leave') {
      double.act(session.id, plan.fate === 'fail' ? 'pay-later' : plan.fate)
    }
    const answer = yield* ask(plan.fate, { url: pathOf(String(back)) })
    if (answer.statusCode === 303) confirmation = pathOf(String(answer.headers.location))
    if (confirmation) yield* ask(`${plan.fate}: then`, { url: confirmation })
    if (confirmation && plan.fate === 'fail' && isOpen) {
      double.act(session.id, 'fail')
      yield* ask('notified', notification(double, merchant, session.id))
      yield* ask('failed', { url: confirmation })
    }
  } else if (ordered.statusCode === 303) {
    confirmation = location
    yield* ask('confirmation', { url: confirmation })
  }

  for (const step of plan.later) {
    if (step === 'show') yield* ask('show later', { url: address })
    if (step === 'show order' && confirmation) yield* ask(step, { url: confirmation })
    if (step === 'order again') yield* submit(step, 'right')
    if (step === 'change bag') {
      yield* send(step, [{ sku: 'BASKET', quantity: 9, price: '1' }])
      yield* ask('show old bag', { url: address })
    }
    if (step === 'lost') yield* lost()
  }
}
