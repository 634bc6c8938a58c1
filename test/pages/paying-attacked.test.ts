// Whoever would be sent goods that are not paid, see what others typed, lead shoppers elsewhere, or keep others from paying.
import Stripe from 'stripe'
import t, { type Test } from 'tap'
import type { FeedCatalogue } from '../../src/merchant/catalogue/followed-feed.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { meterServer } from '../../src/start/metrics/metrics.ts'
import type { Store } from '../../src/store/store.ts'
import { build, merchantFile, uuid } from '../build.ts'
import { listen } from '../listen.ts'
import { scrape } from '../start/metrics/metered-shop.ts'
import { until } from '../until.ts'
import { KEY, openPayingShop, PAYMENT, SECRET } from './paying-shop.ts'
import { readPolicy, textOf } from './read-page.ts'
import { ADA, BAG, formOf, PERSONAL, titleOf } from './shopper.ts'

type PayingShop = Awaited<ReturnType<typeof openPayingShop>>

const CONFIRMATION = /^\/shop\/checkout\/[\w-]+\/complete\?order=/
const JSON_TYPE = { 'content-type': 'application/json' }

const statesOf = async (shop: PayingShop, token: string) => (await shop.payments(token)).map(({ state }) => state)

const leaksOf = (text: string) => [...PERSONAL, KEY, SECRET].filter(secret => text.includes(secret))

/** A shop with a bag that has been paid, and what Stripe would tell of it. */
async function openPaid(t: Test) {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  await shop.act(await shop.buy(token), 'pay')
  const event = shop.double.notifications.events.at(-1)
  if (!event) throw new Error('nothing has happened')
  return { shop, token, event }
}

/** Signed as Stripe does, with whatever is to be signed. */
function signed(payload: string, secret = SECRET, at = Date.now()): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1000) })
}

t.test(
  'a notification that the provider has not sent lately is refused, whatever is in it, and nobody is asked',
  async t => {
    const { shop, token, event } = await openPaid(t)
    const body = JSON.stringify(event)
    const now = shop.clock().getTime()
    const right = signed(body, SECRET, now)
    const hour = 60 * 60_000
    const forged: [what: string, signature: string | undefined, body?: string][] = [
      ['none', undefined],
      ['empty', ''],
      ['another secret', signed(body, 'whsec_ofAnotherShop1234567', now)],
      ['the key in place of the secret', signed(body, KEY, now)],
      ['an empty secret', signed(body, 'undefined', now)],
      ['an hour old', signed(body, SECRET, now - hour)],
      ['another body', right, body.replace('"complete"', '"expired"')],
      ['one byte more', right, `${body}\n`],
      ['another time', right.replace(/t=\d+/, `t=${Math.floor(now / 1000) + 1}`)],
      ['no time', right.replace(/t=\d+,/, '')],
      ['a time that is none', right.replace(/t=\d+/, 't=NaN')],
      ['another scheme', right.replace('v1=', 'v0=')],
      ['cut off', right.slice(0, -1)],
      ['two, the last of which is old', `${right},${signed(body, SECRET, now - hour)}`],
      ['not ASCII', 't=1,v1=é'],
      ['not ASCII, as long as a right one', right.replace(/.$/, 'é')],
      ['none after its scheme', right.replace(/v1=.*/, 'v1=')],
      ['long', `t=1,${'v1=0,'.repeat(5000)}`]
    ]
    shop.double.fail('down')
    for (const [what, signature, sent = body] of forged) {
      const headers = { ...JSON_TYPE, ...(signature !== undefined && { 'stripe-signature': signature }) }
      const answer = await shop.app.inject({ method: 'POST', url: '/shop/payments/stripe', headers, payload: sent })
      t.match(answer, { statusCode: 401, headers: { 'www-authenticate': /^Stripe / } }, what)
      t.match(answer.json(), { type: /:unauthorized$/ }, what)
    }
    t.equal(shop.logs.filter(({ msg }) => msg === 'payment webhook refused').length, forged.length)
    t.strictSame(await statesOf(shop, token), ['open'])
    t.strictSame(leaksOf(JSON.stringify(shop.logs)), [])
  }
)

t.test(
  'a notification names one payment and nothing else, and what it names is asked for under no other address',
  async t => {
    const asked: string[] = []
    const { origin } = await listen(t, ({ url }, response) => {
      asked.push(String(url))
      response.writeHead(404, JSON_TYPE).end('{"error":{"type":"invalid_request_error","code":"resource_missing"}}')
    })
    const shop = await openPayingShop(t, { checkout: { payment: { ...PAYMENT, apiUrl: origin } } })
    const about = (id: unknown, type = 'checkout.session.completed') =>
      JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object: { id, payment_status: 'paid' } } })
    const send = (payload: string, headers = {}) =>
      shop.app.inject({
        method: 'POST',
        url: '/shop/payments/stripe',
        headers: { ...JSON_TYPE, 'stripe-signature': signed(payload, SECRET, shop.clock().getTime()), ...headers },
        payload
      })
    const ids = [
      '',
      '.',
      '..',
      '../refunds',
      '%2e%2e',
      'cs_1/expire',
      'cs_1?expand=x',
      'cs_1#',
      'cs_é',
      'cs_\ud800',
      'pi_1'
    ]
    const odd = [
      ...[...ids, 'cs_'.repeat(9000), 7, null, ['cs_1'], { id: 'cs_1' }].map(id => about(id)),
      ...['', 'null', '[]', '"cs_1"', '{', '\0', '{"type":"checkout.session.completed"}', '['.repeat(200_000)],
      ...['charge.refunded', 'payment_intent.succeeded', 'x'.repeat(9000)].map(type => about('cs_1', type)),
      `{"type":"checkout.session.completed","data":{"object":{"id":"cs_1","__proto__":{"id":7}},"object":${'['.repeat(50_000)}`
    ]
    for (const payload of odd) t.equal((await send(payload)).statusCode, 200, payload.slice(0, 80))
    t.strictSame(asked, [])
    t.equal((await send(about('cs_test_1'))).statusCode, 200)
    t.match(asked, [/^\/v1\/checkout\/sessions\/cs_test_1\?expand/], 'asked once')
    t.equal((await send(about('cs_test_1'), { 'content-type': 'text/plain' })).statusCode, 415)
    t.equal((await send(about('cs_test_1'), { 'content-encoding': 'gzip' })).statusCode, 415)
    t.equal((await send(`${about('cs_test_1')}${' '.repeat(256 * 1024)}`)).statusCode, 413)
    t.equal(asked.length, 1)
    t.strictSame(
      shop.logs.filter(({ level }) => Number(level) >= 50),
      []
    )
  }
)

t.test('nobody is told of a payment by another merchant, in one account or two', async t => {
  const shop = await openPayingShop(t)
  const file = (id: string, payment: object) =>
    merchantFile('1', { id, publicUrl: `http://127.0.0.1:3000/${id}`, checkout: { payment } })
  const same = { ...PAYMENT, apiUrl: shop.double.origin }
  const other = await openPayingShop(t)
  const { app, store, logs } = await build(t, {
    merchants: [file('one', same), file('two', same), file('three', { ...same, apiUrl: other.double.origin })],
    variables: { STRIPE_KEY: KEY, STRIPE_SECRET: SECRET }
  })
  const items = [{ sku: 'MUG', quantity: 2 }]
  for (const id of ['one', 'two', 'three'])
    await app.inject({ method: 'POST', url: `/${id}/cart`, payload: { items, currency: 'GBP', reference: uuid() } })
  const tokenOf = async (id: string) => String((await store.newestCheckout(id, uuid()))?.token)
  const token = await tokenOf('one')
  const form = formOf((await app.inject(`/one/checkout/${token}`)).body)
  const payload = `${new URLSearchParams({ ...form?.fields, ...ADA })}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const buy = (url: string) => app.inject({ method: 'POST', url, headers, payload })
  const page = String((await buy(String(form?.action))).headers.location)
  const back = await shop.cancelAddress(page)
  await shop.act(page, 'pay')

  const body = JSON.stringify(shop.double.notifications.events.at(-1))
  const tell = (id: string) => {
    const signature = signed(body, SECRET, new Date('2026-11-20T10:00:00Z').getTime())
    const url = `/${id}/payments/stripe`
    return app.inject({ method: 'POST', url, headers: { ...JSON_TYPE, 'stripe-signature': signature }, payload: body })
  }
  for (const id of ['two', 'three']) {
    t.equal((await tell(id)).statusCode, 200)
    t.equal((await app.inject(back.replace('/one/', `/${id}/`))).statusCode, 404, 'with its token')
    t.equal((await app.inject(`/${id}/checkout/${token}/paid`)).statusCode, 404)
    t.equal((await buy(`/${id}/checkout/${token}`)).statusCode, 404)
    const theirs = await tokenOf(id)
    t.equal((await app.inject(`/${id}/checkout/${theirs}/paid`)).headers.location, `/${id}/checkout/${theirs}`)
    const seen = await app.inject(back.replace(`/one/checkout/${token}`, `/${id}/checkout/${theirs}`))
    t.strictSame([seen.statusCode, leaksOf(seen.body)], [200, []], 'with its payment')
  }
  t.equal((await store.listOrders({}, undefined, 9)).length, 0)
  t.equal((await tell('one')).statusCode, 200)
  t.match(await store.listOrders({}, undefined, 9), [{ merchantId: 'one', payment: { status: 'paid' } }])
  t.strictSame(
    logs.filter(({ level }) => Number(level) >= 40),
    []
  )
})

t.test(
  'what the provider is asked decides, not what it was asked for: an amount, a currency, a name changed meanwhile',
  async t => {
    const shop = await openPayingShop(t)
    type Booked = ReturnType<typeof shop.double.payments>[number]
    const changes: [what: string, change: (payment: Booked) => unknown, status: number, states: string[]][] = [
      ['less', ({ session }) => Object.assign(session, { amount_total: 1 }), 409, ['refunded']],
      ['less came', ({ intent }) => Object.assign(intent ?? {}, { amount_received: 14_499 }), 409, ['refunded']],
      ['other money', ({ session }) => Object.assign(session, { currency: 'jpy' }), 409, ['refunded']],
      ['nothing', ({ session }) => Object.assign(session, { payment_status: 'no_payment_required' }), 303, ['ended']],
      [
        'another payment',
        ({ session }) => Object.assign(session.metadata ?? {}, { payment: 'AAAA-AAAA-1' }),
        503,
        ['open']
      ],
      ['no names', ({ session }) => Object.assign(session, { metadata: null }), 503, ['open']],
      ['nonsense', ({ session }) => Object.assign(session, { amount_total: '14500' }), 503, ['open']]
    ]
    for (const [n, [what, change, status, states]] of changes.entries()) {
      const token = await shop.token(BAG, uuid(n))
      const address = await shop.buy(token)
      await shop.act(address, 'pay')
      const payment = shop.double.payments().at(-1) as Booked
      change(payment)
      if (what === 'less') Object.assign(payment.intent ?? {}, { amount_received: 1 })
      const { statusCode, body, headers } = await shop.paid(token)
      t.equal(statusCode, status, what)
      t.notMatch(String(headers.location), CONFIRMATION)
      t.notMatch(titleOf(body), /Order complete/)
      await shop.sweep()
      t.strictSame(await statesOf(shop, token), states, what)
      t.equal(payment.refunded, states[0] === 'refunded' ? payment.total : 0, what)
    }
    t.strictSame(shop.orders(), [])
  }
)

t.test('a payment that claims to be one of ours, opened by whoever has the account, pays for nothing', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const address = await shop.buy(token)
  const [payment] = await shop.payments(token)
  const { hostname: host, port } = new URL(shop.double.origin)
  const stripe = new Stripe(KEY, { host, port, protocol: 'http' })
  const claim = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: { currency: 'gbp', unit_amount: 14_500, product_data: { name: 'x' } } }],
    metadata: { merchant: 'shop', order: String(payment?.orderNumber), payment: String(payment?.id) },
    success_url: 'https://shop.example/'
  })
  shop.double.act(claim.id, 'pay')
  t.equal((await shop.notify(shop.double.notifications.events.at(-1) as never)).statusCode, 200)
  t.strictSame([shop.orders(), await statesOf(shop, token)], [[], ['open']])
  t.match(shop.logs.at(-1), { level: 50, payment: payment?.id, state: 'paid', msg: /claims to be this one; ignored$/ })
  t.match((await shop.visit(await shop.act(address, 'pay'))).headers.location, CONFIRMATION)
})

t.test('shoppers are led to pages of the shop and of the provider only', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const page = `/shop/checkout/${token}`
  const address = await shop.buy(token)
  const words = [
    '//evil.example',
    'https://evil.example',
    '%0d%0aLocation:%20//evil.example',
    '\\\\evil.example',
    'de//'
  ]
  const addresses = words.flatMap(word =>
    ['url', 'lang', 'attempt', 'return_url', 'session_id'].map(name => `${page}/paid?${name}=${word}`)
  )
  for (const url of [...addresses, `${page}/paid?lang=de&lang=//evil.example`, `${page}/paid#//evil.example`]) {
    t.match((await shop.visit(url)).headers.location, /^\/shop\/checkout\/[\w-]+(\?lang=[a-z]{2})?$/, url)
  }
  for (const url of [`/${page}/paid`, `${page}//evil.example/paid`, `${page}/paid/`, `${page}%2fpaid`])
    t.equal((await shop.visit(url)).statusCode, 404, url)
  const evil = await shop.app.inject({
    url: `${page}/paid`,
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
  })
  t.equal(evil.headers.location, page)
  await shop.visit(await shop.act(address, 'pay'))
  for (const url of addresses.slice(0, 6)) t.match((await shop.visit(url)).headers.location, CONFIRMATION, url)
})

t.test('a page of the provider’s that is elsewhere, or no page at all, is nowhere a shopper is led', async t => {
  let url: unknown = ''
  let created: Record<string, unknown> = {}
  const { origin } = await listen(t, async (request, response) => {
    const sent = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    const metadata = { payment: sent.get('metadata[payment]'), merchant: 'shop' }
    if (request.method === 'POST')
      created = { id: `cs_test_${created.expires_at}1`, metadata, expires_at: Number(sent.get('expires_at')) }
    const session = {
      ...created,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      currency: 'gbp'
    }
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ ...session, amount_total: 14_500, url, payment_intent: null }))
  })
  const shop = await openPayingShop(t, { checkout: { payment: { ...PAYMENT, apiUrl: origin } } })
  const token = await shop.token()
  const form = await shop.form(token)
  const elsewhere = [
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example/',
      'https://evil.example/',
      '/c/pay/1',
      '',
      'x',
      null
    ],
    ...[`${origin}@evil.example/`, `${origin}.evil.example/`, `https://evil.example/?${origin}`, `blob:${origin}/x`]
  ]
  for (const one of elsewhere) {
    url = one
    const { statusCode, headers, body } = await shop.submit(form)
    t.match([statusCode, headers.location, formOf(body)?.fields.name], [503, undefined, ADA.name], String(one))
    t.match(readPolicy(headers['content-security-policy'])['form-action'], `'self' ${origin}`)
  }
  for (const one of ['/c/pay/1\r\nX-Injected: 1', '/c/pay/é"><script>alert(1)</script>', '/c/\tpay/\n1#fid\u2028']) {
    url = origin + one
    const { statusCode, headers } = await shop.submit(await shop.form(await shop.token(BAG, uuid(one.length))))
    t.equal(statusCode, 303, encodeURI(one))
    t.match(headers.location, new RegExp(`^${origin}/c/pay/[!-~]+$`))
    t.notOk('x-injected' in headers)
  }
})

t.test('what was typed is shown to whoever has the secret of the attempt, and to nobody else', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  await shop.buy(token)
  await shop.buy(token, { ...ADA, city: 'Ockham' })
  const [first, second] = await shop.payments(token)
  const id = String(second?.secret)
  const other = await shop.token(BAG, uuid(2))
  const page = `/shop/checkout/${token}`
  const guesses = [
    ...[
      '',
      id.toUpperCase(),
      `${id}1`,
      id.slice(0, -1),
      id.slice(0, -2),
      ` ${id}`,
      `${id}%00`,
      '*',
      '%25',
      String(first?.secret),
      String(second?.id)
    ],
    ...[`x&attempt=${id}`, `[]=${id}`, "' OR 1=1 --", '__proto__', 'undefined', 'null']
  ]
  for (const guess of guesses) {
    const { statusCode, body } = await shop.visit(`${page}?attempt=${guess}`)
    t.strictSame([statusCode, leaksOf(body)], [200, []], guess)
    t.notMatch(body, shop.double.origin, `${guess}: no page of the provider's`)
  }
  for (const url of [`${page}?Attempt=${id}`, `${page}/paid?attempt=${id}`, `/shop/checkout/${other}?attempt=${id}`])
    t.strictSame(leaksOf((await shop.visit(url)).body), [], url)
  t.equal((await shop.visit(`/shop/checkout/${token.toLowerCase()}?attempt=${id}`)).statusCode, 404)
  t.equal((await shop.visit(`/shop/checkout?attempt=${id}`)).statusCode, 405)
  t.match(formOf((await shop.visit(`${page}?attempt=${id}&attempt=x`)).body)?.fields.city, 'Ockham')
})

t.test('nothing that was typed, and no secret, is in a log or a metric, whatever happens to a payment', async t => {
  let metered: ReturnType<typeof meterServer> | undefined
  const observe = async (merchants: Merchant[]) => {
    metered = meterServer(merchants)
    return metered.observer
  }
  const shop = await openPayingShop(t, {}, { observe })
  const { merchant, catalogues, store, clock } = shop
  const shops = [{ merchant, catalogue: catalogues[0] as FeedCatalogue }]
  const server = await metered?.serve('127.0.0.1', 0, { store, clock, checkReady: store.checkReady, shops })
  t.teardown(() => server?.close())
  const seen: string[] = []
  for (const [n, outage] of ([undefined, 'down', 'forgetful'] as const).entries()) {
    const token = await shop.token(BAG, uuid(n))
    const form = await shop.form(token)
    shop.double.fail(outage)
    await shop.submit(form)
    shop.double.fail()
    await shop.act(await shop.buy(token), 'pay')
    shop.double.fail(outage)
    await shop.paid(token)
    await shop.notify(shop.double.notifications.events.at(-1) as never)
    shop.double.fail()
    Object.assign(shop.double.payments().at(-1)?.intent ?? {}, { amount_received: 1 })
    await shop.paid(token)
    await shop.sweep()
    seen.push(token)
  }
  const scraped = (await scrape(String(server?.url))).text
  t.match(scraped, /^cart_transfer_payments_settled_total\{.*merchant="shop"/m)
  t.ok(shop.logs.length > 10)
  const text = JSON.stringify(shop.logs) + scraped
  t.strictSame(leaksOf(text), [])
  t.strictSame(
    seen.filter(token => text.includes(token)),
    []
  )
})

t.test('Buy now a thousand times at once is one payment, and no order', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const form = await shop.form(token)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => shop.submit(form)))
  const live = await shop.payments(token)
  const address = live.at(-1)?.url
  t.strictSame(new Set(answers.map(({ statusCode }) => statusCode)), new Set([303, 429]))
  t.strictSame(
    answers.filter(({ statusCode, headers }) => statusCode === 303 && headers.location !== address),
    []
  )
  t.equal(live.filter(({ state }) => state === 'open').length, 1)
  t.equal(shop.double.payments().filter(({ session }) => session.status === 'open').length, 1)
  t.strictSame(shop.orders(), [])
  t.match((await shop.visit(await shop.act(String(address), 'pay'))).headers.location, CONFIRMATION)
  t.equal(shop.orders().length, 1)
})

t.test(
  'every page of the way allows no script, and forms lead nowhere but to the shop, or from its form to the provider',
  async t => {
    const shop = await openPayingShop(t)
    const token = await shop.token()
    const form = await shop.form(token)
    const pages = { form: await shop.page(token) } as Record<string, Awaited<ReturnType<typeof shop.page>>>
    shop.double.fail('down')
    pages['cannot be paid'] = await shop.submit(form)
    pages.mistaken = await shop.submit(form, { email: 'x' })
    shop.double.fail()
    const address = await shop.buy(token)
    pages.begun = await shop.page(token)
    const back = await shop.cancelAddress(address)
    shop.tick(5000)
    pages['not charged'] = await shop.visit(back)
    shop.double.fail('down')
    pages['not known'] = await shop.paid(token)
    shop.tick(5000)
    pages['back, not known'] = await shop.visit(back)
    shop.tick(5000)
    pages['again, not known'] = await shop.submit(form)
    shop.double.fail()
    shop.tick(5000)
    pages.confirmation = await shop.visit(String((await shop.visit(await shop.act(address, 'pay'))).headers.location))
    pages.placed = await shop.page(token)
    const other = await shop.token(BAG, uuid(2))
    const paid = await shop.act(await shop.buy(other), 'pay')
    Object.assign(shop.double.payments().at(-1)?.intent ?? {}, { amount_received: 1 })
    pages.returned = await shop.visit(paid)
    for (const [name, { headers, body }] of Object.entries(pages)) {
      const policy = readPolicy(headers['content-security-policy'])
      t.match(policy, { 'default-src': "'none'", 'frame-ancestors': "'self'", 'base-uri': "'none'" }, name)
      t.notOk('script-src' in policy, name)
      const leads = policy['form-action'] === `'self' ${shop.double.origin}`
      t.equal(leads, /<form/.test(body), `${name}: ${policy['form-action']}`)
      t.equal(headers['referrer-policy'], 'same-origin', name)
      t.match(headers['cache-control'], /^(no-store|private, no-cache)$/, name)
    }
    const text = (name: string) => textOf(String(pages[name]?.body))
    t.notMatch(text('back, not known'), 'not been charged', 'nobody knows')
    t.match(text('back, not known'), 'You won’t be charged twice')
    t.notMatch(text('again, not known'), 'Nothing was charged')
    t.match(formOf(String(pages['again, not known']?.body))?.fields, ADA)
  }
)

t.test(
  'who comes back while a notification settles the payment gets the confirmation, and is told nothing that is not so',
  async t => {
    let between = async () => {}
    const shop = await openPayingShop(
      t,
      {},
      {
        store: store => ({
          ...store,
          findAttempt: async (...of) => {
            await between()
            between = async () => {}
            return store.findAttempt(...of)
          }
        })
      }
    )
    for (const [n, way] of ['paid', 'cancelled'].entries()) {
      const token = await shop.token(BAG, uuid(n))
      const address = await shop.buy(token)
      const cancelled = await shop.cancelAddress(address)
      const back = await shop.act(address, 'pay')
      between = async () => void (await shop.notify(shop.double.notifications.events.at(-1) as never))
      const answer = await shop.visit(way === 'paid' ? back : cancelled)
      if (way === 'paid') t.match(answer.headers.location, CONFIRMATION)
      else t.match([answer.statusCode, textOf(answer.body)], [409, 'You’ve already placed this order'])
    }
  }
)

t.test('many forms that differ, at once, open few payments, one of which can be paid', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const form = await shop.form(token)
  const names = Array.from({ length: 30 }, (_, n) => `Ada ${n}`)
  const answers = await Promise.all(names.map(name => shop.submit(form, { ...ADA, name })))
  const pages = shop.double.payments()
  t.ok(pages.length <= 4, `${pages.length} payments`)
  t.ok(pages.filter(({ session }) => session.status === 'open').length <= 1)
  t.strictSame(new Set(answers.map(({ statusCode }) => statusCode)).difference(new Set([303, 429, 503])).size, 0)
  const last = await shop.buy(token)
  t.match((await shop.visit(await shop.act(last, 'pay'))).headers.location, CONFIRMATION)
})

t.test('a bag that others begin to pay for all the time is given up after a few tries', async t => {
  let begun = 0
  const store = (real: Store): Store => ({
    ...real,
    beginPayment: async () => {
      begun++
      return { outcome: 'number-taken' }
    }
  })
  const shop = await openPayingShop(t, {}, { store })
  const { statusCode, body } = await shop.submit(await shop.form(await shop.token()))
  t.match([statusCode, textOf(body)], [503, 'Nothing was charged'])
  t.equal(begun, 5)
  t.match(shop.logs.at(-1), { reason: /^other requests keep opening payments for the same bag/ })
})

t.test('shoppers of a silent provider, however many, take nothing from the other merchants', async t => {
  const shop = await openPayingShop(t)
  const payment = { ...PAYMENT, apiUrl: shop.double.origin }
  const { app } = await build(t, {
    merchants: [
      merchantFile('1', { checkout: { payment } }),
      merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })
    ],
    variables: { STRIPE_KEY: KEY, STRIPE_SECRET: SECRET }
  })
  const send = (merchant: string, n: number) => {
    const payload = { items: BAG, currency: 'GBP', reference: uuid(n) }
    return app.inject({ method: 'POST', url: `/${merchant}/cart`, payload })
  }
  const { body } = (await send('shop', 1)).json()
  const form = formOf((await app.inject(`/shop/checkout/${body.replace('token=', '')}`)).body)
  shop.double.fail('silent')
  const bags = await Promise.all(Array.from({ length: 150 }, (_, n) => send('shop', 10 + n)))
  const tokens = bags.map(bag => bag.json().body.replace('token=', ''))
  let presses = 0
  const buy = () =>
    app.inject({
      method: 'POST',
      url: `/shop/checkout/${tokens[presses++ % tokens.length]}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams({ ...form?.fields, ...ADA })}`
    })
  const statuses: number[] = []
  const waiting: Promise<unknown>[] = []
  for (let wave = 1; wave <= 3; wave++) {
    const answers = Array.from({ length: 500 }, () => buy().then(({ statusCode }) => statuses.push(statusCode)))
    waiting.push(...answers)
    await until('those that may not wait', () => statuses.length >= wave * 500 - 200)
  }
  t.equal((await send('other', 2)).statusCode, 200)
  await shop.double.close()
  await Promise.all(waiting)
  t.strictSame(new Set(statuses), new Set([429, 503]))
})
