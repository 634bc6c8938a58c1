// What a Checkout Session of Stripe is asked for, and what is read in one.
import t from 'tap'
import { PaymentFailed } from '../../../../src/integrations/payment/provider.ts'
import {
  disputeState,
  onlySession,
  paymentFacts,
  readOpened,
  sessionParams
} from '../../../../src/integrations/payment/stripe/stripe-session.ts'
import { paymentRequest } from './open-account.ts'

const metadata = { merchant: 'harbour', order: '7KQM-3XH9', payment: '7KQM-3XH9-1' }

const lineOf = (name: string, quantity: number, unit_amount: number, currency = 'eur') => ({
  quantity,
  price_data: { currency, unit_amount, product_data: { name } }
})

t.test('a session charges what was shown, and nothing about it can be changed there', async t => {
  t.strictSame(sessionParams(paymentRequest()), {
    mode: 'payment',
    ui_mode: 'hosted_page',
    line_items: [lineOf('Mug', 2, 1250), lineOf('Post', 1, 490)],
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: false,
    client_reference_id: 'R-1',
    metadata,
    payment_intent_data: { capture_method: 'automatic', description: '7KQM-3XH9', metadata },
    locale: 'en-GB',
    origin_context: 'mobile_app',
    expires_at: Date.parse('2026-11-26T11:00:00Z') / 1000,
    success_url: 'https://shop.example/app/checkout/t0ken/paid',
    cancel_url: 'https://shop.example/app/checkout/t0ken'
  })
  const { delivery, ...collected } = paymentRequest({ total: 2500 })
  t.strictSame(sessionParams(collected).line_items, [lineOf('Mug', 2, 1250)], 'without a delivery')
})

t.test('the page is in the language of the shopper, if Stripe has it', async t => {
  const cases: [language: string, locale: string][] = [
    ['en-GB', 'en-GB'],
    ['en-US', 'en'],
    ['en', 'en'],
    ['de-AT', 'de'],
    ['fr-CA', 'fr-CA'],
    ['fr-CH', 'fr'],
    ['es-MX', 'es'],
    ['ja-JP', 'ja'],
    ['zh-Hant-TW', 'zh-TW'],
    ['ar', 'auto'],
    ['ar-AE', 'auto'],
    ['ga-IE', 'auto']
  ]
  for (const [language, locale] of cases) t.equal(sessionParams(paymentRequest({ language })).locale, locale, language)
})

const manyLines = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `Mug ${i}`, quantity: 2, unitPrice: 10 }))

t.test('more than 100 lines, the delivery included, are one', async t => {
  const itemised = sessionParams(paymentRequest({ lines: manyLines(99), total: 2470 })).line_items
  t.equal(itemised?.length, 100)
  t.match(itemised?.at(-1), lineOf('Post', 1, 490))
  const inOne = (changes: object) =>
    sessionParams(paymentRequest({ lines: manyLines(100), total: 2490, ...changes })).line_items
  t.strictSame(inOne({}), [lineOf('200 items + Post', 1, 2490)])
  t.strictSame(inOne({ language: 'de-DE' }), [lineOf('200 Artikel + Post', 1, 2490)], 'in words of the shopper')
  const { delivery, ...collected } = paymentRequest({ lines: manyLines(101), total: 2020 })
  t.strictSame(sessionParams(collected).line_items, [lineOf('202 items', 1, 2020)])
})

t.test('prices that only add up to what Stripe can charge are one line, and others are refused', async t => {
  const lines = [{ title: 'Mug', quantity: 2, unitPrice: 1005 }]
  const dinars = { currency: 'KWD', lines, delivery: { label: 'Post', price: 500 } }
  const { line_items } = sessionParams(paymentRequest({ ...dinars, total: 2510 }))
  t.strictSame(line_items, [lineOf('2 items + Post', 1, 2510, 'kwd')])
  const odd = paymentRequest({ ...dinars, total: 2505 })
  t.throws(() => sessionParams(odd), new PaymentFailed('Stripe cannot charge 2505 minor units of KWD exactly'))
  const krona = paymentRequest({ currency: 'ISK', lines: [{ title: 'Mug', quantity: 2, unitPrice: 990 }], total: 2470 })
  t.strictSame(sessionParams(krona).line_items, [lineOf('Mug', 2, 99_000, 'isk'), lineOf('Post', 1, 49_000, 'isk')])
})

t.test('the name of a line is neither empty nor longer than Stripe takes', async t => {
  const nameOf = (title: string) =>
    sessionParams(paymentRequest({ lines: [{ title, quantity: 2, unitPrice: 1250 }] })).line_items?.[0]?.price_data
      ?.product_data?.name
  t.equal(nameOf(' Mug, blue '), 'Mug, blue')
  t.equal(nameOf('🫖'.repeat(500)), '🫖'.repeat(250))
  t.equal(nameOf(' '), 'R-1', 'the reference, if there is nothing else')
})

const SESSION = {
  id: 'cs_test_a1b2',
  status: 'open',
  payment_status: 'unpaid',
  currency: 'eur',
  amount_total: 2990,
  metadata,
  url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2#fid',
  expires_at: Date.parse('2026-11-26T11:00:00Z') / 1000,
  payment_intent: null
}

t.test('an opened session has its page', async t => {
  t.strictSame(readOpened(SESSION, paymentRequest()), {
    providerId: 'cs_test_a1b2',
    url: SESSION.url,
    expiresAt: new Date('2026-11-26T11:00:00Z')
  })
})

t.test('a session that charges something else, or has no page, is not taken', async t => {
  const cases: [changes: object, message: string][] = [
    [{ amount_total: 2991 }, 'Stripe would charge 2991 eur, which is not the total'],
    [{ currency: 'usd' }, 'Stripe would charge 2990 usd, which is not the total'],
    [{ url: null }, 'Stripe has opened a Checkout Session without a page'],
    ...['/c/pay/cs_test_a1b2', 'javascript:alert(1)', 'https://', 'https://a b/'].map((url): (typeof cases)[number] => [
      { url },
      'Stripe has opened a Checkout Session without a page'
    ])
  ]
  for (const [changes, message] of cases) {
    const read = () => readOpened({ ...SESSION, ...changes }, paymentRequest())
    t.throws(read, new PaymentFailed(message), message)
  }
})

t.test('the address of a page is written as a header takes it', async t => {
  const { url } = readOpened({ ...SESSION, url: 'https://checkout.stripe.com/ソ\u0000#\n☕' }, paymentRequest())
  t.equal(url, 'https://checkout.stripe.com/%E3%82%BD%00#%E2%98%95')
})

const INTENT = { id: 'pi_3abc', status: 'succeeded', amount_received: 2990, next_action: null }

t.test('what a session says of the payment', async t => {
  const facts = { providerId: 'cs_test_a1b2', id: '7KQM-3XH9-1', merchantId: 'harbour', currency: 'EUR', amount: 2990 }
  const money = { ...facts, transactionId: 'pi_3abc' }
  const waiting = { ...INTENT, amount_received: 0 }
  const cases: [name: string, changes: object, found: object][] = [
    ['open', {}, { ...facts, state: 'open' }],
    [
      'declined once',
      { payment_intent: { ...waiting, status: 'requires_payment_method' } },
      { ...facts, state: 'open' }
    ],
    ['expired', { status: 'expired', url: null }, { ...facts, state: 'ended' }],
    ['paid', { status: 'complete', payment_status: 'paid', payment_intent: INTENT }, { ...money, state: 'paid' }],
    [
      'paid, whatever else',
      { status: 'expired', payment_status: 'paid', payment_intent: INTENT },
      { ...money, state: 'paid' }
    ],
    [
      'paid in part',
      { status: 'complete', payment_status: 'paid', payment_intent: { ...INTENT, amount_received: 90 } },
      { ...money, state: 'paid', amount: 90 }
    ],
    [
      'paid, without an intent',
      { status: 'complete', payment_status: 'paid', payment_intent: undefined },
      { ...facts, state: 'paid' }
    ],
    [
      'by debit',
      { status: 'complete', payment_intent: { ...waiting, status: 'processing' } },
      { ...money, state: 'pending' }
    ],
    ['complete a moment ago', { status: 'complete' }, { ...facts, state: 'pending' }],
    [
      'a debit that failed',
      { status: 'complete', payment_intent: { ...waiting, status: 'requires_payment_method' } },
      { ...money, state: 'failed' }
    ],
    [
      'a voucher that ran out',
      { status: 'complete', payment_intent: { ...waiting, status: 'canceled' } },
      { ...money, state: 'failed' }
    ],
    [
      'sent back in part',
      {
        status: 'complete',
        payment_status: 'paid',
        payment_intent: { ...INTENT, latest_charge: { amount_refunded: 990, disputed: false } }
      },
      { ...money, state: 'paid', refunded: 990 }
    ],
    [
      'a debit that is charged, and not there yet',
      {
        status: 'complete',
        payment_intent: { ...waiting, status: 'processing', latest_charge: { amount_refunded: 0, disputed: false } }
      },
      { ...money, state: 'pending' }
    ],
    [
      'sent back in parts of a króna',
      {
        ...{ status: 'complete', payment_status: 'paid', currency: 'isk', amount_total: 55_000 },
        payment_intent: { ...INTENT, amount_received: 55_000, latest_charge: { amount_refunded: 50, disputed: false } }
      },
      { ...money, state: 'paid', currency: 'ISK', amount: 550 }
    ],
    ['for nothing', { status: 'complete', payment_status: 'no_payment_required' }, { ...facts, state: 'ended' }],
    ['of somebody else', { metadata: {} }, { ...facts, state: 'open', id: undefined, merchantId: undefined }],
    ['without metadata', { metadata: null }, { ...facts, state: 'open', id: undefined, merchantId: undefined }],
    [
      'in krónur',
      { currency: 'isk', amount_total: 550 },
      { ...facts, state: 'open', currency: 'ISK', amount: undefined }
    ]
  ]
  for (const [name, changes, found] of cases) t.strictSame(paymentFacts({ ...SESSION, ...changes }), found, name)
})

t.test('what is left for the shopper to do is at an https address, of whatever method', async t => {
  const found = (details: unknown, changes = {}) => {
    const next_action = { type: 'some_details', some_details: details }
    const payment_intent = { ...INTENT, status: 'requires_action', amount_received: 0, next_action }
    return paymentFacts({ ...SESSION, status: 'complete', payment_intent, ...changes }).instructionsUrl
  }
  const url = 'https://payments.stripe.com/konbini/voucher/test_1'
  t.equal(found({ hosted_voucher_url: url }), url)
  t.equal(found({ hosted_instructions_url: url }), url)
  for (const hosted_voucher_url of ['http://pay.example/', 'javascript:alert(1)', 'https:', null, 5]) {
    t.equal(found({ hosted_voucher_url }), undefined, String(hosted_voucher_url))
  }
  t.equal(found(null), undefined)
  t.equal(found({ hosted_voucher_url: url }, { payment_status: 'paid' }), undefined, 'nothing is left once it is paid')
})

t.test('an answer that is no session says where, and not what', async t => {
  const cases: [answer: unknown, place: string][] = [
    [null, 'its root'],
    [[], 'its root'],
    [{}, '/id'],
    [{ ...SESSION, id: 'pi_1' }, '/id'],
    [{ ...SESSION, id: 'cs_../v1' }, '/id'],
    [{ ...SESSION, status: null }, '/status'],
    [{ ...SESSION, payment_status: 'settled' }, '/payment_status'],
    [{ ...SESSION, currency: 'EUR' }, '/currency'],
    [{ ...SESSION, amount_total: '2990' }, '/amount_total'],
    [{ ...SESSION, amount_total: 29.9 }, '/amount_total'],
    ...[9e15, 1e300, 253_402_300_800, -1, 0.5].map((expires_at): [answer: unknown, place: string] => [
      { ...SESSION, expires_at },
      '/expires_at'
    ]),
    [{ ...SESSION, amount_total: 2 ** 53 }, '/amount_total'],
    [{ ...SESSION, amount_total: -1 }, '/amount_total'],
    [{ ...SESSION, payment_intent: { ...INTENT, amount_received: 1e300 } }, '/payment_intent'],
    [{ ...SESSION, metadata: { payment: 5 } }, '/metadata'],
    [{ ...SESSION, payment_intent: 'pi_not_expanded' }, '/payment_intent'],
    [{ ...SESSION, payment_intent: { ...INTENT, latest_charge: 'ch_not_expanded' } }, '/payment_intent']
  ]
  for (const [answer, place] of cases) {
    const message = `Stripe's answer is wrong at ${place}: no Checkout Session is like this`
    t.throws(() => paymentFacts(answer), new PaymentFailed(message), `${place}: ${JSON.stringify(answer).slice(0, 40)}`)
  }
})

t.test('a dispute is open until it is won or lost, and of several the one that matters most counts', async t => {
  const cases: [statuses: string[], state: string][] = [
    [['needs_response'], 'open'],
    [['under_review'], 'open'],
    [['warning_needs_response'], 'open'],
    [['appeal_under_review'], 'open'],
    [['of tomorrow'], 'open'],
    [[], 'open'],
    [['warning_closed'], 'won'],
    [['prevented'], 'won'],
    [['won'], 'won'],
    [['lost'], 'lost'],
    [['won', 'lost'], 'lost'],
    [['lost', 'needs_response'], 'open']
  ]
  for (const [statuses, state] of cases) {
    t.equal(disputeState({ data: statuses.map(status => ({ status })) }), state, statuses.join())
  }
})

t.test('an answer that is no list is a failure', async t => {
  for (const answer of [null, {}, { data: {} }, { data: [{}, {}] }]) {
    t.throws(() => onlySession(answer), new PaymentFailed("Stripe's answer is no list of Checkout Sessions"))
    t.throws(() => disputeState(answer), new PaymentFailed("Stripe's answer is no list of disputes"))
  }
})
