// The provider for Stripe over real sockets: against its stand-in, and against a server that does what no Stripe should.
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import t, { type Test } from 'tap'
import { Problem } from '../../../../src/errors.ts'
import type { Fetch } from '../../../../src/integrations/outgoing/http-client.ts'
import { PaymentFailed, ProviderDown } from '../../../../src/integrations/payment/provider.ts'
import { stripe as provider } from '../../../../src/integrations/payment/stripe/stripe.ts'
import { openDouble, SECRET_KEY, WEBHOOK_SECRET } from '../../../kit/payment/open-double.ts'
import { listen } from '../../../listen.ts'
import { failureOf, openAccount, paymentRequest, signal } from './open-account.ts'

async function openPayment(t: Test, changes = {}) {
  const opened = await openDouble(t)
  const account = openAccount(opened.double.origin)
  const request = paymentRequest(changes)
  const payment = await account.open(request, signal)
  return { ...opened, account, request, payment, look: () => account.retrievePayment(payment.providerId, signal) }
}

const MONEY = { id: '7KQM-3XH9-1', merchantId: 'harbour', currency: 'EUR', amount: 2990 }

t.test('a payment is opened at Stripe, and the same again leads to the same page', async t => {
  const { double, stripe, account, request, payment, look } = await openPayment(t)
  t.strictSame(account.pageOrigins, [double.origin])
  t.ok(payment.url.startsWith(`${double.origin}/c/pay/${payment.providerId}`))
  t.strictSame(payment.expiresAt, new Date('2026-11-26T11:00:00Z'))
  t.strictSame(await account.open(request, signal), payment)
  const session = await stripe.checkout.sessions.retrieve(payment.providerId)
  t.match(session, { client_reference_id: 'R-1', customer_email: 'may@example.com', metadata: { order: '7KQM-3XH9' } })
  t.match(await look(), { ...MONEY, state: 'open', providerId: payment.providerId })
  const other = account.open({ ...request, reference: 'R-2' }, signal)
  t.match(await failureOf(other), ['StripeRejection', /^Stripe answered 400 \(idempotency_error\), request req_\w+$/])
})

t.test('a key says whether money moves', async t => {
  const keys = ['sk_test_1', 'rk_test_1', 'sk_live_1', 'rk_live_1']
  t.strictSame(keys.filter(provider.isTest), ['sk_test_1', 'rk_test_1'])
})

t.test('without a stand-in, Stripe itself is asked, and shoppers are sent there', async t => {
  const asked: unknown[] = []
  const fetch: Fetch = async (url, { method, headers }) => {
    asked.push([method, String(url), headers?.authorization])
    return new Response('{}', { status: 500 })
  }
  const account = openAccount(undefined, { fetch })
  t.match(await failureOf(account.retrievePayment('cs_1/../x', signal)), ['ProviderDown', 'Stripe answered 500'])
  const address = 'https://api.stripe.com/v1/checkout/sessions/cs_1%2F..%2Fx?expand[0]=payment_intent.latest_charge'
  t.strictSame(asked, [['GET', address, `Bearer ${SECRET_KEY}`]])
  t.strictSame(account.pageOrigins, ['https://checkout.stripe.com'])
})

t.test('an email that Stripe does not take is asked for on its page', async t => {
  const { stripe, account, request, payment } = await openPayment(t, { email: 'may@localhost' })
  t.match(await stripe.checkout.sessions.retrieve(payment.providerId), { customer_email: null, amount_total: 2990 })
  t.strictSame(await account.open(request, signal), payment)
})

t.test('a payment is paid, at once or later, or fails', async t => {
  const { double, account, payment, look } = await openPayment(t)
  double.act(payment.providerId, 'pay')
  t.match(await look(), { ...MONEY, state: 'paid', transactionId: /^pi_/ })
  const later = await account.open(paymentRequest({ id: '7KQM-3XH9-2' }), signal)
  double.act(later.providerId, 'pay-later')
  t.match(await account.retrievePayment(later.providerId, signal), { state: 'pending', transactionId: /^pi_/ })
  double.act(later.providerId, 'fail')
  t.match(await account.retrievePayment(later.providerId, signal), { state: 'failed' })
  t.equal(await account.retrievePayment('cs_test_nobody', signal), undefined, 'it knows no other')
})

t.test('a payment that is cancelled cannot be paid; one that is not open says what it is', async t => {
  const { double, account, payment, look } = await openPayment(t)
  t.match(await account.cancel(payment.providerId, signal), { ...MONEY, state: 'ended' })
  t.match(await look(), { state: 'ended' })
  t.throws(() => double.act(payment.providerId, 'pay'))
  t.match(await account.cancel(payment.providerId, signal), { state: 'ended' }, 'once more')
  const paid = await account.open(paymentRequest({ id: '7KQM-3XH9-2' }), signal)
  double.act(paid.providerId, 'pay')
  t.match(await account.cancel(paid.providerId, signal), { ...MONEY, id: '7KQM-3XH9-2', state: 'paid' })
  t.equal(await account.cancel('cs_test_nobody', signal), undefined)
})

t.test('a key that Stripe no longer takes says nothing of a payment', async t => {
  const { double, payment } = await openPayment(t)
  const { retrievePayment, cancel } = openAccount(double.origin, { secret: 'sk_test_ofYesterday' })
  for (const call of [retrievePayment, cancel]) {
    t.match(await failureOf(call(payment.providerId, signal)), ['StripeRejection', /^Stripe answered 401/])
  }
})

t.test('money is sent back once for each key, and no more than there is', async t => {
  const { double, stripe, account, payment, look } = await openPayment(t)
  double.act(payment.providerId, 'pay')
  const transactionId = String((await look())?.transactionId)
  const money = { transactionId, currency: 'EUR' }
  const refund = (amount: number, key: string) => account.refund({ ...money, amount, key }, signal)
  await refund(990, 'a')
  await refund(990, 'a')
  const message = /^Stripe answered 400 \(invalid_request_error, amount\)/
  t.match(await failureOf(refund(2001, 'b')), ['StripeRejection', message])
  await refund(500, 'c')
  await account.refund({ ...money, key: 'rest' }, signal)
  const none = stripe.refunds.create({ payment_intent: transactionId })
  await t.rejects(none, { code: 'charge_already_refunded' }, 'nothing is left')
  await refund(2000, 'd')
  t.match(await look(), { state: 'paid', amount: 2990, refunded: 2990 }, 'it was paid all the same')
  const dinars = account.refund({ transactionId, currency: 'KWD', amount: 5, key: 'e' }, signal)
  const exactly = 'Stripe cannot charge 5 minor units of KWD exactly'
  t.strictSame(await failureOf(dinars), ['PaymentFailed', exactly])
})

t.test('a payment is found by its money, and says what went back, and whether it is disputed', async t => {
  const { double, account, payment, look } = await openPayment(t)
  double.act(payment.providerId, 'pay')
  const { transactionId = '', refunded, dispute } = (await look()) ?? {}
  t.strictSame([refunded, dispute], [0, undefined])
  t.strictSame(await account.retrievePayment(transactionId, signal), await look())
  t.equal(await account.retrievePayment('pi_nobody', signal), undefined)
  double.refund(payment.providerId, 990)
  t.match(await look(), { state: 'paid', refunded: 990, dispute: undefined })
  double.act(payment.providerId, 'dispute')
  t.match(await look(), { refunded: 990, dispute: 'open' })
  t.match(await account.retrievePayment(transactionId, signal), { dispute: 'open' })
  double.act(payment.providerId, 'lose')
  t.match(await look(), { dispute: 'lost' })
})

t.test('an intent of another product of Stripe is no payment of ours', async t => {
  const { account, requests } = await openServer(t, { body: '{"data":[]}' })
  t.equal(await account.retrievePayment('pi_1', signal), undefined)
  const query = '?payment_intent=pi_1&limit=1&expand[0]=data.payment_intent.latest_charge'
  t.match(requests, [{ url: `/v1/checkout/sessions${query}` }])
})

const AT = new Date('2026-11-26T10:00:00Z')

function signed(event: unknown, { secret = WEBHOOK_SECRET, age = 0 } = {}) {
  const payload = typeof event === 'string' ? event : JSON.stringify(event)
  const timestamp = AT.getTime() / 1000 - age
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  return [{ 'stripe-signature': signature }, Buffer.from(payload)] as const
}

t.test('a notification is about a session, or about nothing of ours', async t => {
  const { readPaymentWebhook } = openAccount(undefined, { webhookSecrets: [WEBHOOK_SECRET, 'whsec_next'] })
  const read = (event: unknown, options = {}) => readPaymentWebhook(...signed(event, options), AT)
  const event = { object: 'event', type: 'checkout.session.completed', data: { object: { id: 'cs_1' } } }
  t.equal(await read(event), 'cs_1')
  t.equal(await read(event, { secret: 'whsec_next' }), 'cs_1', 'by the other secret')
  t.equal(await read(event, { age: 300 }), 'cs_1', 'five minutes old')
  t.equal(await read({ ...event, type: 'checkout.session.async_payment_failed' }), 'cs_1')
  const types = ['charge.refunded', 'charge.refund.updated', 'charge.dispute.created', 'refund.failed']
  for (const type of types)
    t.equal(await read({ type, data: { object: { id: 'x_1', payment_intent: 'pi_1' } } }), 'pi_1', type)
  const others = [
    { ...event, type: 'charge.refunded' },
    { ...event, type: 'charge.succeeded', data: { object: { payment_intent: 'pi_1' } } },
    { ...event, type: 'charge.refunded', data: { object: { payment_intent: null } } },
    { ...event, type: 'charge.refunded', data: { object: { payment_intent: 'pi_1/../x' } } },
    { ...event, type: 'xcheckout.session.completed' },
    { ...event, data: { object: { id: 5 } } },
    { object: 'v2.core.event', type: 'checkout.session.completed' },
    null,
    '"',
    []
  ]
  for (const other of others) t.equal(await read(other), undefined, JSON.stringify(other))
})

t.test('a notification that Stripe has not signed, or too long ago, is refused', async t => {
  const { readPaymentWebhook } = openAccount(undefined, { webhookSecrets: [WEBHOOK_SECRET, 'whsec_next'] })
  const [headers, body] = signed({ type: 'checkout.session.completed', data: { object: { id: 'cs_1' } } })
  const cases: [name: string, headers: Record<string, unknown>, body: Buffer][] = [
    ['no signature', {}, body],
    ['an empty one', { 'stripe-signature': '' }, body],
    ['no time', { 'stripe-signature': 'v1=00' }, body],
    ['several', { 'stripe-signature': [headers['stripe-signature'], 'x'] }, Buffer.from('{}')],
    ['another body', headers, Buffer.concat([body, Buffer.from(' ')])],
    ['no body', headers, Buffer.alloc(0)],
    ['another secret', ...signed(JSON.parse(body.toString()), { secret: 'whsec_other' })],
    ['too old', ...signed(JSON.parse(body.toString()), { age: 301 })]
  ]
  for (const [name, headers, body] of cases) {
    const error = await t.rejects(readPaymentWebhook(headers, body, AT), Problem, name)
    t.match(error, { code: 'unauthorized', headers: { 'WWW-Authenticate': 'Stripe realm="cart transfer"' } }, name)
  }
})

type Answer = { status?: number; body?: string; headers?: Record<string, string> }

/** A server in place of Stripe that says the same to everybody, and counts how often. */
async function openServer(t: Test, { status = 200, body = '{}', headers = {} }: Answer) {
  const requests: { url?: string | undefined; headers: object; body: string }[] = []
  const { origin } = await listen(t, async (request, response) => {
    requests.push({ url: request.url, headers: request.headers, body: await text(request) })
    response.writeHead(status, headers).end(body)
  })
  return { account: openAccount(origin), requests }
}

const ERROR = {
  error: {
    type: 'invalid_request_error',
    code: 'parameter_invalid',
    param: 'line_items[0][quantity]',
    message: `No, may@example.com: ${SECRET_KEY}`
  }
}

t.test('Stripe is asked by the API that was tried, once, and told nothing of this machine', async t => {
  const { account, requests } = await openServer(t, { status: 500 })
  await t.rejects(account.open(paymentRequest(), signal))
  t.equal(requests.length, 1)
  const [{ headers, body = '' } = { headers: {} }] = requests
  t.match(headers, { 'stripe-version': '2026-10-28.endive', 'idempotency-key': '7KQM-3XH9-1' })
  const { 'x-stripe-client-user-agent': agent, 'x-stripe-client-telemetry': telemetry } = headers as Record<
    string,
    string
  >
  t.notMatch(agent, /platform|telemetry_id/)
  t.equal(telemetry, undefined)
  t.equal(new URLSearchParams(body).get('customer_email'), 'may@example.com')
})

t.test('what may succeed later is told from what will not, and nothing that was sent is quoted', async t => {
  const requestId = { 'request-id': 'req_aB1' }
  const json = JSON.stringify(ERROR)
  const refused = '(invalid_request_error, parameter_invalid, line_items[0][quantity])'
  const cases: [answer: Answer, message: string, Kind: typeof PaymentFailed][] = [
    [{ status: 500, body: json, headers: requestId }, 'Stripe answered 500, request req_aB1', ProviderDown],
    [{ status: 502, body: '<html>' }, 'Stripe answered 502', ProviderDown],
    [{ status: 503, body: '{}', headers: { 'request-id': 'may@example.com' } }, 'Stripe answered 503', ProviderDown],
    [{ status: 429, body: json }, 'Stripe answered 429', ProviderDown],
    [{ status: 409, body: json }, 'Stripe answered 409', ProviderDown],
    [{ status: 400, body: json, headers: requestId }, `Stripe answered 400 ${refused}, request req_aB1`, PaymentFailed],
    [
      { status: 401, body: json },
      `Stripe answered 401 ${refused}; is the key that secretVariable names still valid?`,
      PaymentFailed
    ],
    [
      { status: 403, body: json },
      `Stripe answered 403 ${refused}; the key must be allowed to write Checkout Sessions and refunds, and to read PaymentIntents, charges and disputes`,
      PaymentFailed
    ],
    [
      { status: 404, body: json },
      `Stripe answered 404 ${refused}; is the key of the account and the mode in which it was paid?`,
      PaymentFailed
    ],
    [{ status: 402, body: '{"error":{"type":"a b","code":"<b>"}}' }, 'Stripe answered 402 ()', PaymentFailed],
    [
      { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
      "Stripe's answer is not one of its API",
      PaymentFailed
    ],
    [{ status: 204 }, "Stripe's answer is not one of its API", PaymentFailed],
    [{ body: '<html>' }, "Stripe's answer is not one of its API", PaymentFailed],
    [{ body: 'null' }, "Stripe's answer is not one of its API", PaymentFailed],
    [{ body: '{}' }, "Stripe's answer is wrong at /id: no Checkout Session is like this", PaymentFailed],
    [{ body: `"${'x'.repeat(256 * 1024)}"` }, "Stripe's answer has more than 262144 bytes", PaymentFailed]
  ]
  for (const [answer, message, Kind] of cases) {
    const { account, requests } = await openServer(t, answer)
    const error = await account.open(paymentRequest(), signal).catch(error => error)
    t.equal(error.message, message)
    t.ok(error instanceof PaymentFailed, message)
    t.equal(error instanceof ProviderDown, Kind === ProviderDown, `${message}: may succeed later`)
    t.equal(requests.length, 1, `${message}: asked once`)
    t.notMatch(JSON.stringify([error, error.stack]), new RegExp(`${SECRET_KEY}|may@example`), message)
  }
})

t.test('a session that stays open though Stripe refuses to end it is a failure', async t => {
  const session = {
    ...{ id: 'cs_1', status: 'open', payment_status: 'unpaid', currency: 'eur', amount_total: 1, url: null },
    ...{ metadata: {}, expires_at: 1, payment_intent: null }
  }
  const { origin } = await listen(t, ({ method }, response) => {
    response.writeHead(method === 'POST' ? 400 : 200).end(JSON.stringify(method === 'POST' ? ERROR : session))
  })
  const account = openAccount(origin)
  t.match(await account.retrievePayment('cs_1', signal), { state: 'open' })
  t.match(await failureOf(account.cancel('cs_1', signal)), ['StripeRejection', /^Stripe answered 400/])
})

t.test('a refund that Stripe has not made is a failure', async t => {
  const refund = { transactionId: 'pi_1', currency: 'EUR', amount: 1, key: 'a' }
  for (const status of ['succeeded', 'pending', 'requires_action']) {
    const { account, requests } = await openServer(t, { body: JSON.stringify({ id: 're_1', status }) })
    await account.refund(refund, signal)
    t.match(requests, [
      { url: '/v1/refunds', headers: { 'idempotency-key': 'a' }, body: 'payment_intent=pi_1&amount=1' }
    ])
  }
  for (const body of ['{"status":"failed"}', '{"status":"canceled"}', '{}']) {
    const { account } = await openServer(t, { body })
    t.match(await failureOf(account.refund(refund, signal)), ['PaymentFailed', /^the refund at Stripe is /], body)
  }
})

t.test('a Stripe that is out of reach, slow or cut off may be asked again', async t => {
  const { double, account, payment, look } = await openPayment(t)
  double.fail('forgetful')
  t.strictSame(await failureOf(look()), ['ProviderDown', 'no connection to Stripe: ECONNRESET'])
  t.match(await failureOf(account.cancel(payment.providerId, signal)), ['ProviderDown'])
  double.fail('silent')
  const controller = new AbortController()
  const waiting = failureOf(account.retrievePayment(payment.providerId, controller.signal))
  controller.abort()
  t.strictSame(await waiting, ['ProviderDown', 'Stripe has not answered in time'])
  double.fail('down')
  t.strictSame(await failureOf(look()), ['ProviderDown', 'Stripe answered 503'])
  double.fail()
  t.match(await look(), { state: 'ended' }, 'what it was asked for was done')
  await double.close()
  t.match(await failureOf(look()), ['ProviderDown', /^no connection to Stripe: E/])

  const { origin } = await listen(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{')
    setImmediate(() => response.destroy())
  })
  const half = openAccount(origin).retrievePayment('cs_1', signal)
  t.strictSame(await failureOf(half), ['ProviderDown', 'no connection to Stripe: ECONNRESET'])
})
