// The same conversation with Stripe, or with its stand-in: what our use of its API depends on, as far as no shopper is needed.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { problemFrom, type SessionParams, sessionParams } from './open-double.ts'

/** @param now in seconds @returns what was found, one by one @throws AssertionError if anything differs */
export async function* converse(stripe: Stripe, stranger: Stripe, now: number): AsyncGenerator<string> {
  const sessions = stripe.checkout.sessions
  const params = sessionParams({ expires_at: now + 3600, origin_context: 'mobile_app' })
  const idempotencyKey = randomUUID()

  const session = await sessions.create(params, { idempotencyKey })
  const { url, id } = session
  const opened = { status: 'open', payment_status: 'unpaid', amount_total: 2990, currency: 'eur', livemode: false }
  assertHas(session, { ...opened, payment_intent: null, client_reference_id: 'R-1', customer_email: 'may@example.com' })
  assertHas(session, { expires_at: now + 3600, locale: 'en-GB', metadata: params.metadata, mode: 'payment' })
  assert.match(id, /^cs_test_\w+$/)
  assert.match(String(url), /^https?:\/\//)
  yield 'a session is opened, with all that was sent'

  const again = await sessions.create(params, { idempotencyKey })
  assert.deepEqual({ ...again }, { ...session })
  assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true')
  yield 'the same key of idempotency is answered the same again'

  const other = { ...params, client_reference_id: 'R-2' }
  await assertRefused(sessions.create(other, { idempotencyKey }), { rawType: 'idempotency_error', statusCode: 400 })
  yield 'with other parameters, the key is refused'

  assertHas(await sessions.retrieve(id, { expand: ['payment_intent'] }), { id, ...opened, payment_intent: null, url })
  yield 'it is looked up, and still open'

  const invalid: [what: string, changes: object, expected: object][] = [
    ['an unknown parameter', { colour: 'red' }, { code: 'parameter_unknown', param: 'colour' }],
    ['a missing one', { success_url: undefined }, { code: 'parameter_missing', param: 'success_url' }],
    ['an unknown language', { locale: 'tlh' }, { param: 'locale' }],
    ['an email address that is none', { customer_email: 'may' }, { param: 'customer_email' }],
    ['an end within half an hour', { expires_at: now + 600 }, { param: 'expires_at' }],
    ['an end after more than a day', { expires_at: now + 90_000 }, { param: 'expires_at' }],
    ['more than 100 lines', { line_items: Array(101).fill(params.line_items?.[0]) }, {}],
    [
      'a total below the least',
      { line_items: sessionParams({}, 'eur', 1).line_items?.slice(0, 1) },
      { code: 'amount_too_small' }
    ],
    ['a currency that is none', { line_items: sessionParams({}, 'eux').line_items }, {}],
    [
      'a part of a cent',
      { line_items: sessionParams({}, 'eur', 1.5).line_items },
      { code: 'parameter_invalid_integer' }
    ]
  ]
  for (const [what, changes, expected] of invalid) {
    const call = sessions.create({ ...params, ...changes } as SessionParams)
    await assertRefused(call, { statusCode: 400, rawType: 'invalid_request_error', ...expected })
    yield `refused: ${what}`
  }

  assertHas(await sessions.expire(id), { id, status: 'expired', payment_status: 'unpaid', url: null })
  yield 'it is expired'
  await assertRefused(sessions.expire(id), { statusCode: 400, rawType: 'invalid_request_error' })
  yield 'it cannot be expired twice'
  assertHas(await sessions.retrieve(id), { id, status: 'expired', payment_status: 'unpaid' })
  yield 'it is looked up, and expired'
  assert.equal((await sessions.create(params, { idempotencyKey })).status, 'open')
  yield 'the same key is still answered as it was first'

  const missing = { statusCode: 404, code: 'resource_missing' }
  await assertRefused(sessions.retrieve('cs_test_none'), missing)
  await assertRefused(stripe.paymentIntents.retrieve('pi_none'), missing)
  await assertRefused(stripe.refunds.create({ payment_intent: 'pi_none' }), missing)
  yield 'what does not exist is not found'

  await assertRefused(stranger.checkout.sessions.retrieve(id), { statusCode: 401, type: 'StripeAuthenticationError' })
  yield 'another key is refused'
}

function assertHas(found: object, expected: object): void {
  assert.partialDeepStrictEqual({ ...found }, expected)
}

async function assertRefused(call: Promise<unknown>, expected: object): Promise<void> {
  assertHas(await problemFrom(call), expected)
}
