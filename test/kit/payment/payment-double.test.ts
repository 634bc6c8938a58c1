// The stand-in for Stripe, asked by Stripe's SDK: what it takes and refuses, and what becomes of a payment.
import { once } from 'node:events'
import { request } from 'node:http'
import { mock } from 'node:test'
import Stripe from 'stripe'
import t from 'tap'
import { openPaymentDouble } from '../../../src/kit/payment/payment-double.ts'
import {
  connect,
  openDouble,
  problemFrom,
  SECRET_KEY,
  type SessionParams,
  sessionParams,
  WEBHOOK_SECRET
} from './open-double.ts'

t.test('a paid session has all that Stripe says of one', async t => {
  const { double, stripe } = await openDouble(t)
  const { id, url } = await stripe.checkout.sessions.create(sessionParams())
  t.match(url, new RegExp(`^${double.origin}/c/pay/${id}#`))
  double.act(id, 'pay')
  const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })
  t.match(session, {
    status: 'complete',
    payment_status: 'paid',
    url: null,
    amount_total: 2990,
    customer_details: { email: 'may@example.com' },
    payment_intent: {
      object: 'payment_intent',
      status: 'succeeded',
      amount: 2990,
      amount_received: 2990,
      currency: 'eur',
      description: 'Order 7KQM-3XH9',
      metadata: { payment: '7KQM-3XH9-1' },
      latest_charge: /^ch_/
    }
  })
  const intent = session.payment_intent as Stripe.PaymentIntent
  t.strictSame({ ...(await stripe.paymentIntents.retrieve(intent.id)) }, intent)
  t.equal((await stripe.checkout.sessions.retrieve(id)).payment_intent, intent.id, 'it is an id unless it is expanded')
  t.throws(() => double.act(id, 'pay'), { message: `pay: not now, as ${id} is complete` }, 'nobody pays twice')
  const { code, message } = await problemFrom(stripe.checkout.sessions.expire(id))
  t.match({ code, message }, { code: undefined, message: /has a status of `complete`/ })
})

t.test('what was not sent is as Stripe has it by default', async t => {
  const { double, stripe, seconds } = await openDouble(t)
  const { line_items, success_url } = sessionParams({}, 'sek')
  const session = await stripe.checkout.sessions.create({ mode: 'payment', line_items, success_url } as SessionParams)
  t.match(session, { cancel_url: null, client_reference_id: null, customer_email: null, locale: null, metadata: {} })
  t.equal(session.expires_at, seconds() + 24 * 60 * 60)
  t.throws(() => double.act(session.id, 'pay-later'), 'no method of SEK is paid later')
  double.act(session.id, 'pay')
  const { payment_intent } = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })
  t.match(payment_intent, { description: null, metadata: {} })
})

t.test('a declined card leaves the session open, until it is paid or has expired', async t => {
  const { double, stripe } = await openDouble(t)
  const expand = { expand: ['payment_intent'] }
  const paid = await stripe.checkout.sessions.create(sessionParams())
  double.act(paid.id, 'decline')
  const error = { type: 'card_error', code: 'card_declined' }
  const declined = { status: 'requires_payment_method', amount_received: 0, last_payment_error: error }
  t.match(await stripe.checkout.sessions.retrieve(paid.id, expand), { status: 'open', payment_intent: declined })
  double.act(paid.id, 'pay')
  const succeeded = { status: 'succeeded', last_payment_error: null }
  t.match(await stripe.checkout.sessions.retrieve(paid.id, expand), { status: 'complete', payment_intent: succeeded })

  const expired = await stripe.checkout.sessions.create(sessionParams())
  double.act(expired.id, 'decline')
  const canceled = { status: 'canceled', cancellation_reason: 'expired' }
  t.match(await stripe.checkout.sessions.expire(expired.id, expand), { status: 'expired', payment_intent: canceled })
})

t.test('a session expires by the clock', async t => {
  const { stripe, tick, seconds } = await openDouble(t)
  const { id } = await stripe.checkout.sessions.create(sessionParams({ expires_at: seconds() + 1800 }))
  tick(29)
  t.equal((await stripe.checkout.sessions.retrieve(id)).status, 'open')
  tick(1)
  t.match(await stripe.checkout.sessions.retrieve(id), { status: 'expired', payment_status: 'unpaid', url: null })
})

t.test('it expires even if nobody asks', async t => {
  const { double, stripe, tick, seconds } = await openDouble(t)
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  await stripe.checkout.sessions.create(sessionParams({ expires_at: seconds() + 1800 }))
  tick(30)
  t.strictSame(double.notifications.events, [])
  mock.timers.tick(30 * 60_000)
  t.match(double.notifications.events, [{ type: 'checkout.session.expired' }])
})

t.test(
  'paid later: at a convenience store with a voucher, elsewhere by debit; the money comes, or does not',
  async t => {
    const { double, stripe } = await openDouble(t)
    const look = (id: string) => stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })
    const konbini = {
      status: 'requires_action',
      next_action: {
        type: 'konbini_display_details',
        konbini_display_details: { hosted_voucher_url: double.origin, stores: { lawson: { payment_code: /^\d{10}$/ } } }
      }
    }
    const ways: [currency: string, method: string, waiting: object][] = [
      ['jpy', 'konbini', konbini],
      ['eur', 'sepa_debit', { status: 'processing', next_action: null }]
    ]
    for (const [currency, method, waiting] of ways) {
      const ids = []
      for (let i = 0; i < 2; i++) {
        const { id, payment_method_types } = await stripe.checkout.sessions.create(sessionParams({}, currency))
        t.strictSame(payment_method_types, ['card', method])
        double.act(id, 'pay-later')
        t.match(await look(id), { status: 'complete', payment_status: 'unpaid', payment_intent: waiting }, currency)
        ids.push(id)
      }
      const [comes = '', fails = ''] = ids
      double.act(comes, 'succeed')
      const succeeded = { status: 'succeeded', next_action: null, amount_received: 2990 }
      t.match(await look(comes), { payment_status: 'paid', payment_intent: succeeded })
      double.act(fails, 'fail')
      const failed = { status: 'requires_payment_method', next_action: null, last_payment_error: {} }
      t.match(await look(fails), { status: 'complete', payment_status: 'unpaid', payment_intent: failed })
      t.throws(() => double.act(fails, 'succeed'), /not now/)
    }
  }
)

t.test('money is sent back up to what was paid, once for each key', async t => {
  const { double, stripe } = await openDouble(t)
  const { id } = await stripe.checkout.sessions.create(sessionParams({}, 'bhd', 12_500))
  double.act(id, 'decline')
  const payment_intent = String((await stripe.checkout.sessions.retrieve(id)).payment_intent)
  const refund = (amount?: number, key?: string) =>
    stripe.refunds.create({ payment_intent, ...(amount && { amount }) }, key ? { idempotencyKey: key } : {})
  t.match(await problemFrom(refund()), { message: /does not have a successful charge/ })
  double.act(id, 'pay')
  t.match(await problemFrom(refund(1001)), { param: 'amount', message: /divisible by 10/ })
  t.match(await problemFrom(refund(-10)), { code: 'parameter_invalid_integer', message: /greater or equal to 1/ })
  const first = await refund(1000, 'one')
  t.match(first, {
    object: 'refund',
    amount: 1000,
    currency: 'bhd',
    payment_intent,
    charge: /^ch_/,
    status: 'succeeded'
  })
  t.equal((await refund(1000, 'one')).id, first.id)
  const tooMuch = await problemFrom(refund(24_500))
  t.match(tooMuch, { param: 'amount' })
  t.equal(
    tooMuch.message.replaceAll('\u00a0', ' '),
    'Refund amount (BHD 24.500) is greater than unrefunded amount on charge (BHD 24.490)'
  )
  const rest = await refund()
  t.match(rest, { amount: 24_490, metadata: {} })
  t.match(await problemFrom(refund(10)), { code: 'charge_already_refunded' })
})

t.test('each currency has its unit and its least amount', async t => {
  const { stripe } = await openDouble(t)
  const open = (currency: string, price: number) =>
    stripe.checkout.sessions.create({
      ...sessionParams(),
      line_items: [{ quantity: 1, price_data: { currency, unit_amount: price, product_data: { name: 'Mug' } } }]
    })
  for (const [currency, least] of Object.entries({
    eur: 50,
    gbp: 30,
    jpy: 50,
    huf: 17_500,
    isk: 100,
    ugx: 100,
    bhd: 10,
    clp: 1
  })) {
    t.match(await open(currency, least), { amount_total: least, currency })
    if (least % 50 === 0 && !['isk', 'ugx'].includes(currency)) {
      t.match(await problemFrom(open(currency, least - 1)), { code: 'amount_too_small' }, currency)
    }
  }
  for (const [currency, price] of [
    ['isk', 150],
    ['ugx', 150],
    ['kwd', 1005]
  ] as const) {
    const param = 'line_items[0][price_data][unit_amount]'
    t.match(await problemFrom(open(currency, price)), { param, message: /evenly divisible/ })
  }
  t.match(await problemFrom(open('EUR', 100)), {
    param: 'line_items[0][price_data][currency]',
    message: /Invalid currency: EUR/
  })
  t.match(await problemFrom(open('eur', 1e12)), { code: 'parameter_invalid_integer' })
  t.match(await problemFrom(open('eur', 1e8)), { code: 'amount_too_large' })
  t.match(await open('idr', 1e8), { amount_total: 1e8 }, 'twelve digits')
  const [line] = sessionParams({}, 'eur', 99_999_999).line_items ?? []
  t.match(
    await problemFrom(
      stripe.checkout.sessions.create(sessionParams({ line_items: [line] as SessionParams['line_items'] & {} }))
    ),
    { code: 'amount_too_large' }
  )
})

t.test('what is wrong is named as Stripe names it', async t => {
  const { stripe } = await openDouble(t)
  const [line] = sessionParams().line_items ?? []
  const [pounds] = sessionParams({}, 'gbp').line_items ?? []
  const wrong: [changes: object, expected: object][] = [
    [{ line_items: [line, pounds] }, { param: 'line_items[1][price_data][currency]' }],
    [
      { line_items: [{ ...line, tax_rates: ['txr_1'] }] },
      { code: 'parameter_unknown', param: 'line_items[0][tax_rates]' }
    ],
    [
      { line_items: [{ quantity: 1, price_data: { currency: 'eur', product_data: { name: 'Mug' } } }] },
      { code: 'parameter_missing', param: 'line_items[0][price_data][unit_amount]' }
    ],
    [
      { line_items: [{ ...line, quantity: 0 }] },
      { code: 'parameter_invalid_integer', param: 'line_items[0][quantity]' }
    ],
    [{ line_items: 'Mug' }, { param: 'line_items', message: /Expected array/ }],
    [{ line_items: { 1: line } }, { param: 'line_items', message: /Expected array/ }],
    [{ payment_intent_data: 'x' }, { param: 'payment_intent_data', message: /Expected object/ }],
    [{ customer_email: { is: 'x' } }, { param: 'customer_email', message: /Expected string/ }],
    [{ customer_email: '' }, { code: 'parameter_invalid_empty', param: 'customer_email' }],
    [
      { client_reference_id: 'x'.repeat(201) },
      { param: 'client_reference_id', message: /length less or equal to 200/ }
    ],
    [{ success_url: 'shop.example' }, { code: 'url_invalid', param: 'success_url' }],
    [{ cancel_url: 'https://shop.example;script-src' }, { code: 'url_invalid', param: 'cancel_url' }],
    [{ mode: undefined }, { code: 'parameter_missing', param: 'mode' }],
    [{ mode: 'subscription' }, { param: 'mode', message: /must be one of payment/ }],
    [{ allow_promotion_codes: true }, { param: 'allow_promotion_codes', message: /plays only false/ }],
    [{ metadata: 'x' }, { param: 'metadata' }],
    [{ metadata: { key: 'x'.repeat(501) } }, { param: 'metadata[key]' }],
    [{ metadata: { ['x'.repeat(41)]: 'x' } }, { param: `metadata[${'x'.repeat(41)}]` }],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, 'x'])) },
      { param: 'metadata', message: /no more than 50/ }
    ],
    [{ automatic_tax: { enabled: true } }, { param: 'automatic_tax[enabled]' }]
  ]
  for (const [changes, expected] of wrong) {
    const refused = await problemFrom(
      stripe.checkout.sessions.create({ ...sessionParams(), ...changes } as SessionParams)
    )
    t.match(
      refused,
      { statusCode: 400, rawType: 'invalid_request_error', requestId: /^req_/, ...expected },
      JSON.stringify(changes)
    )
  }
  const allowed = {
    allow_promotion_codes: false,
    adaptive_pricing: { enabled: false },
    ui_mode: 'hosted_page'
  } as const
  t.match(await stripe.checkout.sessions.create(sessionParams(allowed)), { status: 'open' })
})

/** What the SDK would not send. */
async function send(origin: string, method: string, path: string, { body, ...headers }: Record<string, string> = {}) {
  const own = { authorization: `Bearer ${SECRET_KEY}`, 'stripe-version': Stripe.API_VERSION }
  const answer = await fetch(origin + path, { method, headers: { ...own, ...headers }, body: body ?? null })
  const { error } = (await answer.json()) as { error?: { message: string } }
  return { status: answer.status, message: error?.message }
}

t.test('requests that no SDK sends', async t => {
  const { double, stripe } = await openDouble(t)
  const { origin } = double
  const { id } = await stripe.checkout.sessions.create(sessionParams())
  const path = `/v1/checkout/sessions/${id}`
  const basic = `Basic ${btoa(`${SECRET_KEY}:`)}`
  t.match(await send(origin, 'GET', path, { authorization: basic }), { status: 200 })
  t.match(await send(origin, 'GET', `${path}?expand[]=payment_intent`), { status: 200 })
  t.match(await send(origin, 'POST', `${path}/expire`, { body: '', 'stripe-version': '2020-08-27' }), {
    status: 400,
    message: /2020-08-27/
  })
  t.match(await send(origin, 'GET', path, { authorization: '' }), { status: 401, message: /API Key/ })
  for (const body of ['a=1&a=2', 'a=1&a[b]=2', 'a[b]=1&a=2', '[a]=1', 'a[b=1', '=1']) {
    t.match(await send(origin, 'POST', '/v1/refunds', { body }), { status: 400, message: /^Invalid/ }, body)
  }
  for (const [method, unknown] of [
    ['GET', '/v1/charges'],
    ['DELETE', path],
    ['GET', `${path}/expire`],
    ['GET', '/v1/refunds']
  ] as const) {
    t.match(await send(origin, method, unknown), { status: 404, message: /Unrecognized request URL/ }, unknown)
  }
  t.equal((await stripe.checkout.sessions.retrieve(id)).status, 'open', 'nothing of it changed anything')
})

t.test('a key of idempotency is for one address; what could not be read does not use it up', async t => {
  const { stripe } = await openDouble(t)
  const options = { idempotencyKey: 'one' }
  const create = (changes: object) =>
    stripe.checkout.sessions.create({ ...sessionParams(), ...changes } as SessionParams, options)
  t.match(await problemFrom(create({ locale: 'tlh' })), { statusCode: 400 })
  const { id } = await create({})
  const elsewhere = await problemFrom(stripe.refunds.create({ payment_intent: 'pi_1' }, options))
  t.match(elsewhere, { type: 'StripeIdempotencyError', message: /for the same endpoint/ })
  const expire = () => stripe.checkout.sessions.expire(id, {}, { idempotencyKey: 'two' })
  t.equal((await expire()).status, 'expired')
  t.equal((await expire()).status, 'expired', 'the answer is the first one')
  const again = () => stripe.checkout.sessions.expire(id, {}, { idempotencyKey: 'three' })
  const [first, second] = [await problemFrom(again()), await problemFrom(again())]
  t.equal(second.message, first.message)
  t.not(second.requestId, first.requestId)
})

t.test('it can be down, silent, or carry out what it is asked and not answer', async t => {
  const { double, stripe } = await openDouble(t)
  const create = (key: string) => stripe.checkout.sessions.create(sessionParams(), { idempotencyKey: key })
  double.fail('down')
  t.match(await problemFrom(create('one')), { type: 'StripeAPIError' })
  double.fail('silent')
  const timeout = 50
  t.match(await problemFrom(stripe.checkout.sessions.create(sessionParams(), { timeout })), {
    type: 'StripeConnectionError'
  })
  double.fail('forgetful')
  t.match(await problemFrom(create('two')), { type: 'StripeConnectionError' })
  double.fail()
  t.equal((await create('two')).lastResponse.headers['idempotent-replayed'], 'true', 'it had been carried out')
  t.equal((await create('one')).lastResponse.headers['idempotent-replayed'], undefined)
})

t.test('a client that goes away while it sends changes nothing', async t => {
  const { double, stripe } = await openDouble(t)
  const sent = request(`${double.origin}/v1/refunds`, { method: 'POST', headers: { 'content-length': 100 } })
  sent.write('payment_intent=')
  const [socket] = await once(sent, 'socket')
  await once(socket, 'connect')
  sent.destroy()
  await once(sent, 'error')
  t.match(await stripe.checkout.sessions.create(sessionParams()), { status: 'open' })
})

t.test('what it says can be falsified', async t => {
  const { double, stripe } = await openDouble(t)
  const { id } = await stripe.checkout.sessions.create(sessionParams())
  const [payment] = double.payments()
  if (!payment) throw new Error('nothing was opened')
  payment.total = 1
  payment.session.amount_total = 1
  double.act(id, 'pay')
  const paid = { amount_total: 1, payment_intent: { amount_received: 1 } }
  t.match(await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] }), paid)
})

t.test('what breaks in it is no answer of Stripe', async t => {
  let isBroken = false
  const clock = () => {
    if (isBroken) throw new Error('broken')
    return new Date()
  }
  const { stripe } = await openDouble(t, { clock })
  isBroken = true
  t.match(await problemFrom(stripe.checkout.sessions.create(sessionParams())), { type: 'StripeConnectionError' })
})

t.test('it takes no live key', async t => {
  const options = { secretKey: 'sk_live_1', webhookSecret: WEBHOOK_SECRET }
  await t.rejects(openPaymentDouble(options), { message: /takes a test key only/ })
  const double = await openPaymentDouble({ ...options, secretKey: 'rk_test_1' })
  t.teardown(double.close)
  const { expires_at, created } = await connect(double.origin, 'rk_test_1').checkout.sessions.create(sessionParams())
  t.equal(expires_at - created, 24 * 60 * 60, 'its clock is that of the machine')
})

t.test(
  'money goes back on the pages of Stripe, fails to, and is charged back, and the shop is told of each',
  async t => {
    const { double, stripe } = await openDouble(t)
    const { id } = await stripe.checkout.sessions.create(sessionParams())
    double.act(id, 'pay')
    const look = async () => {
      const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] })
      const { latest_charge } = session.payment_intent as Stripe.PaymentIntent
      return latest_charge as Stripe.Charge
    }
    const newest = () => double.notifications.events.at(-1)
    const payment_intent = String((await stripe.checkout.sessions.retrieve(id)).payment_intent)
    t.match(await look(), { amount: 2990, amount_refunded: 0, refunded: false, disputed: false, payment_intent })
    t.throws(() => double.act(id, 'fail-refund'), /not now/)
    double.refund(id, 990)
    t.match(newest(), { type: 'charge.refunded', data: { object: { payment_intent, amount_refunded: 990 } } })
    double.act(id, 'refund')
    t.match(await look(), { amount_refunded: 2990, refunded: true })
    t.throws(() => double.act(id, 'dispute'), /not now/)
    double.act(id, 'fail-refund')
    t.match(newest(), { type: 'refund.failed', data: { object: { payment_intent, amount: 2000, status: 'failed' } } })
    t.match(await look(), { amount_refunded: 990, refunded: false })
    double.act(id, 'dispute')
    t.match(newest(), {
      type: 'charge.dispute.created',
      data: { object: { payment_intent, status: 'needs_response' } }
    })
    t.match(await problemFrom(stripe.refunds.create({ payment_intent })), { code: 'charge_disputed' })
    double.act(id, 'win')
    t.match(newest(), { type: 'charge.dispute.closed', data: { object: { status: 'won' } } })
    t.match(await look(), { disputed: true })
    double.act(id, 'dispute')
    double.act(id, 'lose')
    const { data } = await stripe.disputes.list({ payment_intent })
    t.strictSame(
      data.map(({ status }) => status),
      ['lost', 'won']
    )
    const { data: sessions } = await stripe.checkout.sessions.list({ payment_intent })
    t.match(sessions, [{ id, payment_intent }])
    const nobody = { code: 'resource_missing', param: 'payment_intent' }
    t.match(await problemFrom(stripe.checkout.sessions.list({ payment_intent: 'pi_nobody' })), nobody)
    t.match(await problemFrom(stripe.disputes.list({ payment_intent: 'pi_nobody' })), nobody)
  }
)
