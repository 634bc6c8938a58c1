// Requests for everything but the transfer: checkout pages, order forms, pictures. Only what holds for all answers is
// checked.
import fc from 'fast-check'
import Stripe from 'stripe'
import { ADA } from '../pages/shopper.ts'
import { anyNumbers, type Choose, chooser, pick } from './draft.ts'
import { DIGEST, type FuzzCase, TOKEN } from './fuzz-case.ts'
import { mutate } from './mutate.ts'
import { shopOf, writeRequest } from './write-request.ts'

const VALUES = [
  ...['Ada', 'ada@example.com', 'GB', '1 High Street', 'London', 'N1 1AA', '', ' ', '\0', '%00', '\ufeff', '<script>'],
  ...['"', '__proto__', `${'x'.repeat(22)}gjdgxr_0-zz`, `${'x'.repeat(22)}${'-'.repeat(500)}_`, 'x'.repeat(300)],
  ...['\ud800', '\u202e', 'a@b', '@', 'a'.repeat(5000), '\n\n', '🛒'.repeat(60), '{{x}}', '<%= it %>']
]
/** A form that places an order. */
const FORM = { digest: DIGEST, shown: 'GB', country: 'GB', delivery: 'express', ...ADA }
const OTHER_FIELDS = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'name[]', 'name', 'token', '', 'country']
]

export const STRIPE_KEY = 'sk_test_ofAFuzzedShop'
export const STRIPE_SECRET = 'whsec_ofAFuzzedShop123456'
const SESSIONS = ['cs_test_1', '..', '', 'cs_1/expire', 'cs_\ud800', 'x'.repeat(300), '__proto__']
const TYPES = ['checkout.session.completed', 'checkout.session.expired', 'charge.refunded', '']
/** So late that it never is too old. */
const SIGNED_AT = 4_102_444_800

/** A notification of a payment, signed as it is sent, damaged afterwards, or not at all. */
function notification(choose: Choose, changes: [number, number, number][]) {
  const event = { object: 'event', type: pick(choose, TYPES), data: { object: { id: pick(choose, SESSIONS) } } }
  const text = JSON.stringify(event)
  const payload = choose(2) === 0 ? text : mutate(text, changes)
  const secret = choose(4) === 3 ? 'another' : STRIPE_SECRET
  const sent = Buffer.from(payload, 'latin1').toString()
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: sent, secret, timestamp: SIGNED_AT })
  const signatures = [signature, signature, mutate(signature, changes).replace(/[^ -~]/g, '!'), 't=1,v1=', '']
  const headers = ['Content-Type: application/json', `Stripe-Signature: ${pick(choose, signatures)}`]
  return { method: 'POST', headers, body: choose(2) === 0 ? payload : mutate(payload, changes) }
}

const damage = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 3 })

export const anyPageRequest: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom('1' as const, '2A' as const, '2B' as const), fc.nat(9), anyNumbers, damage)
  .map(([any, way, numbers, changes]) => {
    // The others take no payment.
    const option = way < 7 ? any : '2B'
    const choose = chooser(numbers)
    const { path } = shopOf(option)
    const page = `${path}/checkout`
    const headers = ['Content-Type: application/x-www-form-urlencoded']
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(FORM))
      form.append(name, choose(12) === 11 ? pick(choose, VALUES) : value)
    for (let i = choose(4); i > 0; i--) form.append(pick(choose, OTHER_FIELDS), pick(choose, VALUES))
    // Only printable ASCII is a request line.
    const damaged = (target: string) => target + mutate(TOKEN, changes).replace(/[^!-~]/g, '%')
    const order = encodeURIComponent(pick(choose, VALUES).toWellFormed())
    const others = [path, `${path}/pictures/`, `${path}/logo`, '/', '/healthz', '/favicon.ico', `${path}/cart/`]
    const type = pick(choose, ['text/plain', 'application/json', 'a'])
    const ways = [
      { method: 'POST', target: page, headers, body: mutate(`token=${TOKEN}`, changes) },
      { method: 'GET', target: damaged(`${page}/`) },
      { method: 'POST', target: `${page}/${TOKEN}`, headers, body: mutate(form.toString(), changes) },
      { method: 'GET', target: `${damaged(`${page}/`)}/complete?order=${order}` },
      { method: pick(choose, ['HEAD', 'PUT', 'OPTIONS', 'TRACE']), target: `${page}/${TOKEN}` },
      { method: 'GET', target: damaged(pick(choose, others)) },
      { method: 'POST', target: `${page}/${TOKEN}`, headers: [`Content-Type: ${type}`], body: '{}' },
      { method: 'GET', target: `${damaged(`${page}/`)}/paid${choose(2) === 0 ? '' : `?lang=${order}`}` },
      { method: 'GET', target: `${page}/${TOKEN}?attempt=${order}${choose(3) === 0 ? `&lang=${order}` : ''}` },
      { target: `${path}/payments/stripe`, ...notification(choose, changes) }
    ]
    const request = ways[way] as (typeof ways)[0]
    const isHead = request.method === 'HEAD'
    const send = [writeRequest(request, choose)]
    return { option, kind: 'page', what: `${request.method} a page`, send, answers: [{}], ...(isHead && { isHead }) }
  })
