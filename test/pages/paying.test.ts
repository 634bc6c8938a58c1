// Orders that are paid first, at the stand-in for Stripe over real sockets: only what the provider says is paid is an order, and
// whichever way a shopper comes back, nothing is lost, doubled, or shown as paid that is not.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { eraseOldOrders } from '../../src/checkout/orders/erase-old.ts'
import type { Order } from '../../src/checkout/orders/order.ts'
import type { Payment } from '../../src/checkout/orders/payment.ts'
import { nextPoll } from '../../src/checkout/orders/payment-rules.ts'
import { pollPayments, reportUnpolled } from '../../src/checkout/orders/poll-payments.ts'
import { StoreUnavailable } from '../../src/errors.ts'
import { type PaymentFacts, PaymentFailed } from '../../src/integrations/payment/provider.ts'
import type { Store } from '../../src/store/store.ts'
import { uuid } from '../build.ts'
import { until } from '../until.ts'
import { change, openPayingShop } from './paying-shop.ts'
import { readPolicy, textOf } from './read-page.ts'
import { ADA, BAG, formOf, openShop, PERSONAL, titleOf } from './shopper.ts'

type PayingShop = Awaited<ReturnType<typeof openPayingShop>>

const CONFIRMATION = /^\/shop\/checkout\/[\w-]+\/complete\?order=([\w-]+)(&attempt=\w+)?$/
const THANKS = /Order complete/

/** The confirmation that an answer leads to. */
async function confirmationOf(shop: PayingShop, { headers }: { headers: Record<string, unknown> }) {
  const address = String(headers.location)
  const page = await shop.visit(address)
  return {
    address,
    number: CONFIRMATION.exec(address)?.[1],
    title: titleOf(page.body),
    body: page.body
  }
}

const statesOf = async (shop: PayingShop, token: string) => (await shop.payments(token)).map(({ state }) => state)

t.test('an order is placed once it is paid, and not before', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const page = await shop.page(token)
  t.match(textOf(page.body), 'You’ll pay on the next page by card, with Stripe.')
  t.equal(readPolicy(page.headers['content-security-policy'] as string)['form-action'], `'self' ${shop.double.origin}`)

  const address = await shop.buy(token)
  t.ok(address.startsWith(`${shop.double.origin}/c/pay/`), 'the provider’s page')
  t.strictSame(shop.orders(), [])
  const { secret } = (await shop.payments(token))[0] ?? {}
  t.equal(
    (await shop.paid(token)).headers.location,
    `/shop/checkout/${token}?attempt=${secret}`,
    'who has not paid gets back to the checkout'
  )
  shop.tick(5000)
  t.equal(await shop.act(address, 'decline'), new URL(address).pathname, 'a card that is declined leaves the page open')
  t.strictSame([shop.orders(), await statesOf(shop, token)], [[], ['open']])

  const back = await shop.act(address, 'pay')
  t.equal(back, `/shop/checkout/${token}/paid?attempt=${secret}`)
  const { number, title, body, address: confirmation } = await confirmationOf(shop, await shop.visit(back))
  t.match([title, number], [THANKS, /./])
  t.notMatch(body, 'paymentNote')
  const [session] = shop.double.notifications.events
  t.match(await shop.store.findOrder('shop', token), {
    number,
    customer: { email: ADA.email },
    payment: {
      status: 'paid',
      provider: 'stripe',
      amount: 14_500,
      refunded: 0,
      id: session?.data.object.payment_intent
    }
  })
  t.strictSame(await statesOf(shop, token), ['paid'])
  const policy = readPolicy((await shop.visit(confirmation)).headers['content-security-policy'] as string)
  t.equal(policy['form-action'], "'self'", 'no other page leads there')
  const messages = shop.logs.filter(({ msg }) => ['order', 'payment', 'payment opened'].includes(String(msg)))
  t.match(messages, [
    { msg: 'payment opened', order: number, total: '145.00', currency: 'GBP', attempt: 1 },
    { msg: 'order', order: number, state: 'paid', reference: uuid() }
  ])
  t.strictSame(
    PERSONAL.filter(text => JSON.stringify(shop.logs).includes(text)),
    []
  )
})

t.test(
  'what came along with the cart is frozen with the order, and told to the merchant, not to the provider',
  async t => {
    const shop = await openPayingShop(t)
    const token = 'cameAlong'
    const [createdAt, expiresAt] = [shop.clock().toISOString(), '2999-01-01T00:00:00.000Z']
    const extras = { attribution: { utm_source: 'Came-From-Here' }, codes: ['No-Such-Code'] }
    const cart = { reference: uuid(), currency: 'GBP', items: BAG, ...extras }
    await shop.store.addCheckout({ token, merchantId: 'shop', option: '1', cart, createdAt, expiresAt })
    const address = await shop.buy(token)
    t.match((await shop.payments(token))[0]?.order, extras)
    t.equal(await shop.buy(token), address, 'the same form leads to the same page')
    await shop.visit(await shop.act(address, 'pay'))
    const order = await shop.store.findOrder('shop', token)
    t.match(order, { ...extras, total: 14_500, payment: { status: 'paid' } })
    const told = JSON.stringify([shop.logs, shop.double.notifications.events])
    t.notMatch(told, /Came-From-Here|No-Such-Code/)
  }
)

t.test('whoever comes back from paying reads what they typed whole, once; other addresses never show it', async t => {
  for (const isTold of [false, true]) {
    const shop = await openPayingShop(t)
    const token = await shop.token()
    const back = await shop.act(await shop.buy(token), 'pay')
    if (isTold) await shop.notify(shop.double.notifications.events.at(-1) as never)
    // Who has the token alone is sent to the confirmation too, once there is an order.
    if (isTold) t.notMatch((await shop.visit(back.replace(/\?.*/, ''))).headers.location, 'attempt')
    const { headers } = await shop.visit(back)
    const isWhole = async () => (await shop.visit(String(headers.location))).body.includes(ADA.email)
    t.equal(await isWhole(), true)
    t.equal(await isWhole(), false, 'a reload')
    t.equal((await shop.visit(back)).headers.location, headers.location)
    t.equal(await isWhole(), false, 'nor does the way back')
  }
})

t.test('an order that is paid has the language of its form, also if the shopper does not come back', async t => {
  const delivery = [{ id: 'van', label: { en: 'Van', de: 'Lieferwagen' }, price: '5.00' }]
  const shop = await openPayingShop(t, { locales: ['de-DE'], delivery })
  const token = await shop.token()
  const form = formOf((await shop.visit(`/shop/checkout/${token}?lang=de-DE`)).body)
  if (!form) throw new Error('the page has no form')
  const { headers } = await shop.submit(form)
  await shop.act(String(headers.location), 'pay')
  shop.tick(10 * 60_000)
  await shop.sweep()
  t.match(await shop.store.findOrder('shop', token), {
    language: 'de-DE',
    delivery: { label: 'Lieferwagen' },
    payment: { status: 'paid' }
  })
})

t.test('a form that is sent again leads to the same page, and to one order', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const form = await shop.form(token)
  const answers = await Promise.all([shop.submit(form), shop.submit(form)])
  const [first, ...others] = answers.map(({ statusCode, headers }) => `${statusCode} ${headers.location}`)
  t.match(first, /^303 http/)
  t.strictSame(new Set(others), new Set([first]))
  t.strictSame(await statesOf(shop, token), ['open'])
  await shop.act(String(answers[0]?.headers.location), 'pay')
  t.equal((await shop.submit(form)).headers.location, answers[0]?.headers.location, 'the provider has just been asked')
  shop.tick(5000)
  const again = await shop.submit(form)
  t.match(again.headers.location, CONFIRMATION, 'the button leads to the order as soon as it is paid')
  t.equal((await confirmationOf(shop, again)).number, (await shop.store.findOrder('shop', token))?.number)
  t.equal(shop.orders().length, 1)
})

t.test('other details end the page before; if that was paid, it is the order', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const form = await shop.form(token)
  const first = await shop.buy(token)
  const second = await shop.buy(token, { ...ADA, city: 'Ockham' })
  t.not(second, first)
  t.match(await (await fetch(first)).text(), /expired/i)
  t.strictSame(await statesOf(shop, token), ['ended', 'open'])
  t.strictSame(
    (await shop.payments(token)).map(({ id, orderNumber }) => id.replace(orderNumber, '')),
    ['-1', '-2'],
    'attempts at one order'
  )
  await shop.act(second, 'pay')
  const third = await shop.submit(form)
  t.match([third.statusCode, textOf(third.body)], [409, 'your order has not changed'])
  t.equal((await shop.store.findOrder('shop', token))?.customer?.address.city, 'Ockham')
})

t.test('who gives up finds all that was typed, and has not been charged; who only has the token does not', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(7)
  const token = await shop.token(BAG, reference)
  const fresh = textOf((await shop.page(token)).body)
  const address = await shop.buy(token)
  const back = await shop.cancelAddress(address)
  const [{ id, secret } = { id: '', secret: '' }] = await shop.payments(token)
  t.equal(back, `/shop/checkout/${token}?attempt=${secret}`)
  const page = (await shop.visit(back)).body
  t.match(textOf(page), 'You haven’t been charged. To pay, tap “Buy now”.')
  t.match(page, '.alert{', 'with the style of a notice')
  t.match(formOf(page)?.fields, ADA)
  const { headers } = await shop.submit(formOf(page) as NonNullable<ReturnType<typeof formOf>>, {})
  t.equal(headers.location, address, 'the button pays again')

  await shop.send(BAG, reference)
  for (const others of ['', `?attempt=${secret}1`, '?attempt=', `?attempt=${id}`, `?payment=${id}`]) {
    const { body } = await shop.visit(`/shop/checkout/${token}${others}`)
    t.equal(textOf(body), fresh, `${others} shows what a bag shows that nobody has begun to pay for`)
    t.notMatch(body, address)
  }
})

t.test('a bag that is sent again after it was paid leads to its order, at the latest by its button', async t => {
  const shop = await openPayingShop(t, {}, {}, '2A')
  const reference = uuid(8)
  const token = await shop.token(BAG, reference)
  await shop.act(await shop.buy(token), 'pay')
  const form = formOf((await shop.send(BAG, reference)).body)
  if (!form) throw new Error('nobody has told us yet that it is paid')
  t.match((await shop.submit(form)).headers.location, CONFIRMATION)
  const answer = await shop.send(BAG, reference)
  t.equal(answer.statusCode, 409)
  t.match(textOf(answer.body), 'You’ve already placed this order')
  t.equal(shop.orders().length, 1)
})

t.test('a notification settles a payment, however often it comes, and only if the provider sent it', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  await shop.act(await shop.buy(token), 'pay')
  const [event] = shop.double.notifications.events
  if (!event) throw new Error('nothing has happened')
  const late = new Date(shop.clock().getTime() - 301_000)
  for (const forged of [{ secret: 'whsec_ofAnotherShop12' }, { at: late }, { body: `${JSON.stringify(event)} ` }]) {
    t.equal((await shop.notify(event, forged)).statusCode, 401)
  }
  t.strictSame(shop.orders(), [])
  shop.double.fail('down')
  t.match(await shop.notify(event), { statusCode: 503, headers: { 'retry-after': '5' } }, 'it comes again')
  shop.double.fail()
  for (let n = 0; n < 3; n++) t.match(await shop.notify(event), { statusCode: 200, body: '' })
  t.equal(shop.orders().length, 1)
  t.match((await shop.paid(token)).headers.location, CONFIRMATION)
  t.equal(shop.logs.filter(({ msg }) => msg === 'order').length, 1)
})

t.test('payments of others in the same account are none of ours', async t => {
  const shop = await openPayingShop(t)
  const other = await openPayingShop(t, { id: 'other' })
  const address = await other.buy(await other.token())
  await other.act(address, 'pay')
  const [event] = other.double.notifications.events
  if (!event) throw new Error('nothing has happened')
  t.equal((await shop.notify(event)).statusCode, 200, 'the account does not know it')
  t.equal(
    (await other.notify({ ...event, type: 'payment_intent.succeeded' } as never)).statusCode,
    200,
    'it is about no session'
  )
  change(other, 'DELETE FROM payments')
  t.equal((await other.notify(event)).statusCode, 200, 'it was made by another system')
  const unknown = () => other.logs.filter(({ msg }) => msg === 'payment not on record')
  t.match(unknown(), [{ level: 50, state: 'paid' }])
  const { session } = other.double.payments()[0] ?? {}
  Object.assign(session?.metadata ?? {}, { merchant: 'a third' })
  t.equal((await other.notify(event)).statusCode, 200, 'it is that of another shop')
  t.equal(unknown().length, 1)
  t.strictSame([shop.orders(), other.orders()], [[], []])
})

t.test('money that comes later: the order is pending, and says what is left to do', async t => {
  const webhook = { url: 'https://acme.example/hooks', secretVariable: 'HOOK' }
  const parts = { variables: { HOOK: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } }
  const shop = await openPayingShop(t, { webhook } as object, parts)
  const outcomes = [
    { action: 'succeed', status: 'paid', event: 'order.paid', text: 'Thank you' },
    { action: 'fail', status: 'failed', event: 'order.payment-failed', text: 'Your payment did not arrive' }
  ] as const
  for (const [n, { action, status, event, text }] of outcomes.entries()) {
    const token = await shop.token(BAG, uuid(20 + n))
    const address = await shop.buy(token)
    const back = await shop.act(address, 'pay-later')
    const confirmation = await confirmationOf(shop, await shop.visit(back))
    t.match([confirmation.title, textOf(confirmation.body)], [THANKS, 'Your payment is on its way.'])
    t.equal((await shop.store.findOrder('shop', token))?.payment?.status, 'pending')
    shop.double.act(shop.idOf(address), action)
    t.equal((await shop.notify(shop.double.notifications.events.at(-1) as never)).statusCode, 200)
    t.equal((await shop.store.findOrder('shop', token))?.payment?.status, status)
    const after = textOf((await shop.visit(confirmation.address)).body)
    t.match(after, text)
    t.equal(after.includes('We’ll send your order'), status === 'paid')
    const until = new Date(shop.clock().getTime() + 60_000).toISOString()
    const sent = []
    for (let i = 0; i < 2; i++) {
      const leased = await shop.store.leaseMessage('shop', shop.clock().toISOString(), until)
      if (!leased) throw new Error('no message is due')
      sent.push(leased.event)
      await shop.store.settleMessage(leased, { state: 'delivered', attempts: 0, dueAt: until })
    }
    t.strictSame(sent, ['order.placed', event])
  }
})

t.test('money that is for no order is sent back, and the shopper is told', async t => {
  const shop = await openPayingShop(t)
  const wrongs: [reason: string, wrong: (token: string) => unknown][] = [
    ['amount-differs', () => change(shop, "UPDATE payments SET amount = amount + 1 WHERE state = 'open'")],
    ['superseded', token => change(shop, `UPDATE checkouts SET superseded_at = '2026' WHERE token = '${token}'`)],
    ['amount-differs', () => change(shop, "UPDATE payments SET currency = 'USD' WHERE state = 'open'")],
    ['checkout-gone', () => change(shop, "UPDATE payments SET content = NULL WHERE state = 'open'")]
  ]
  for (const [n, [reason, wrong]] of wrongs.entries()) {
    const reference = uuid(30 + n)
    const token = await shop.token(BAG, reference)
    const address = await shop.buy(token)
    const back = await shop.act(address, 'pay')
    wrong(token)
    const { statusCode, body } = await shop.visit(back)
    t.match([statusCode, textOf(body)], [409, 'We’re sending your money back'], reason)
    t.notMatch(titleOf(body), THANKS)
    t.match(await shop.payments(token), [{ state: 'refunding', reason, refunded: 0 }])
    await shop.sweep()
    t.match(await shop.payments(token), [{ state: 'refunded', reason }])
    t.match(
      shop.logs.filter(({ level }) => Number(level) >= 40).slice(-2),
      [
        { level: 50, reason, msg: 'payment has no order; refunding' },
        { level: 40, reason, msg: 'payment refunded' }
      ],
      'it is an alert'
    )
    t.equal((await shop.visit(back)).statusCode, 409)
  }
  t.strictSame(shop.orders(), [])
})

t.test('what was paid is sold, though it has sold out, costs more or has expired meanwhile', async t => {
  const shop = await openPayingShop(t, { checkout: { expiresAfterMinutes: 30 } })
  const token = await shop.token()
  const address = await shop.buy(token)
  shop.change('MUG', { availability: 'out_of_stock', price: 9999 })
  shop.tick(31 * 60_000)
  t.equal((await shop.page(token)).statusCode, 410)
  await shop.act(address, 'pay')
  t.match((await shop.paid(token)).headers.location, CONFIRMATION)
  t.match(await shop.store.findOrder('shop', token), { total: 14_500, payment: { status: 'paid' } })
})

t.test('a page that has expired can be had again', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const first = await shop.buy(token)
  const back = await shop.cancelAddress(first)
  shop.tick(61 * 60_000)
  shop.double.expireDue()
  t.match(formOf((await shop.visit(back)).body)?.fields, ADA, 'with all that was typed')
  t.strictSame(await statesOf(shop, token), ['ended'])
  t.not(await shop.buy(token), first)
  t.strictSame(await statesOf(shop, token), ['ended', 'open'])
  const form = await shop.form(token)
  shop.tick(61 * 60_000)
  shop.double.expireDue()
  t.equal((await shop.submit(form)).statusCode, 303)
  t.strictSame(await statesOf(shop, token), ['ended', 'ended', 'open'], 'also if nobody has told us that it has')
})

t.test('while the provider fails, nothing is charged, and nothing typed is lost', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const form = await shop.form(token)
  for (const outage of ['down', 'forgetful'] as const) {
    shop.double.fail(outage)
    const { statusCode, body } = await shop.submit(form)
    t.match([statusCode, textOf(body)], [503, 'Payment can’t be started just now. Nothing was charged.'])
    t.match(formOf(body)?.fields, ADA)
    t.strictSame(
      (await statesOf(shop, token)).filter(state => state !== 'ended'),
      [],
      'the next try has another key'
    )
  }
  shop.double.fail()
  const address = await shop.buy(token)
  const back = await shop.cancelAddress(address)
  shop.double.fail('down')
  const unknown = await shop.submit(form)
  t.equal(unknown.statusCode, 503)
  shop.tick(5000)
  for (const { body } of [unknown, await shop.visit(back)]) {
    t.match(textOf(body), 'Please wait a moment, then try again. You won’t be charged twice.')
    t.notMatch(textOf(body), /nothing was charged|not been charged/i, 'it may have been paid meanwhile')
  }
  t.notMatch(textOf((await shop.page(token)).body), /charged/, 'to others it is a bag like any other')
  t.match(await shop.paid(token), { statusCode: 503, headers: { 'retry-after': '5' } })
  const { body } = await shop.paid(token)
  t.match(textOf(body), /We’re still checking your payment.*Try again/s)
  t.match(body, `href="${back.replace('?', '/paid?')}"`, 'by the address of the attempt')
  shop.double.fail()
  shop.tick(5000)
  await shop.act(address, 'pay')
  t.match((await shop.paid(token)).headers.location, CONFIRMATION)
  t.equal(shop.orders().length, 1)
})

t.test('a shopper who does not come from the app is not led there, neither by the form nor after paying', async t => {
  const store = (opened: Store): Store => ({
    ...opened,
    findCheckout: async (...asked) => {
      const found = await opened.findCheckout(...asked)
      return found && { ...found, option: 'meta' }
    }
  })
  const shop = await openPayingShop(t, {}, { store })
  const token = await shop.token()
  await shop.buy(token)
  shop.double.fail('down')
  shop.tick(5000)
  const refused = await shop.submit(await shop.form(token))
  const unknown = await shop.paid(token)
  for (const { statusCode, body } of [refused, unknown]) {
    t.equal(statusCode, 503)
    t.notMatch(body, 'shop://continue')
  }
})

t.test('a provider that only fails is asked by one at a time', async t => {
  const shop = await openPayingShop(t)
  const tokens = await Promise.all(Array.from({ length: 5 }, (_, n) => shop.token(BAG, uuid(50 + n))))
  shop.double.fail('down')
  for (const token of tokens) {
    shop.tick(2000)
    t.equal((await shop.submit(await shop.form(token))).statusCode, 503)
  }
  t.equal(shop.logs.filter(({ msg }) => /circuit open, nobody can pay/.test(String(msg))).length, 1)
  const forms = await Promise.all(tokens.map(shop.form))
  await Promise.all(forms.map(form => shop.submit(form)))
  const fast = shop.logs.filter(({ reason }) => String(reason).startsWith('circuit open; the last failure:'))
  t.equal(fast.length, 4)
  shop.double.fail()
  await shop.buy(String(tokens[0]))
  t.match(
    shop.logs.filter(({ msg }) => msg === 'payment provider answers again'),
    [{ merchant: 'shop', provider: 'stripe' }]
  )
})

t.test('the sweep settles what nobody has told', async t => {
  const shop = await openPayingShop(t)
  const [paid, open, later] = (await Promise.all([60, 61, 62].map(n => shop.token(BAG, uuid(n))))) as [
    string,
    string,
    string
  ]
  await shop.act(await shop.buy(paid), 'pay')
  const waiting = await shop.buy(open)
  const delayed = await shop.buy(later)
  await shop.act(delayed, 'pay-later')
  await shop.sweep()
  t.strictSame(shop.orders(), [], 'not before a minute')
  shop.tick(60_000)
  await shop.sweep()
  const states = async () => (await Promise.all([paid, open, later].map(token => statesOf(shop, token)))).flat()
  t.strictSame(await states(), ['paid', 'open', 'pending'])
  shop.double.act(shop.idOf(delayed), 'succeed')
  await shop.sweep()
  t.strictSame(await states(), ['paid', 'open', 'pending'], 'then after half of its age, a minute at least')
  shop.double.fail('down')
  shop.tick(60_000)
  await shop.sweep()
  t.match(shop.logs.at(-1), { msg: 'payment provider could not be asked', level: 40 })
  shop.double.fail()
  shop.tick(60_000)
  await shop.sweep()
  t.strictSame(await states(), ['paid', 'open', 'paid'])
  shop.tick(60 * 60_000)
  await shop.sweep()
  t.strictSame(await states(), ['paid', 'ended', 'paid'])
  const placed = ['shop paid', 'shop placed', 'shop pending', 'shop placed']
  t.strictSame(shop.observed, [...placed, 'shop paid', 'shop ended'])
  t.match(await (await fetch(waiting)).text(), /expired/i)
})

t.test('what stays open is asked for ever more rarely, but four times a day', async t => {
  const createdAt = '2026-11-20T10:00:00.000Z'
  const minutes = { 1: 1, 10: 5, 1440: 360, 20000: 360, [-60]: 1 }
  for (const [age, wait] of Object.entries(minutes)) {
    const now = new Date(Date.parse(createdAt) + Number(age) * 60_000)
    t.equal(Date.parse(nextPoll({ createdAt } as Payment, now)) - now.getTime(), wait * 60_000, age)
  }
})

t.test('whether the provider answers or fails, it is asked again only then', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const address = await shop.buy(token)
  await shop.visit(await shop.act(address, 'pay-later'))
  for (const outage of [undefined, 'down'] as const) {
    shop.tick(24 * 60 * 60_000)
    shop.double.fail(outage)
    await shop.sweep()
    shop.double.fail()
  }
  shop.double.act(shop.idOf(address), 'succeed')
  shop.tick(6 * 60 * 60_000 - 1)
  await shop.sweep()
  t.strictSame(await statesOf(shop, token), ['pending'])
  shop.tick(1)
  await shop.sweep()
  t.strictSame(await statesOf(shop, token), ['paid'])
})

t.test('a refund that fails is tried again under another key', async t => {
  const shop = await openPayingShop(t)
  const { gateway } = shop.paying
  const { refund } = gateway
  const keys: string[] = []
  gateway.refund = async request => {
    if (keys.push(request.key) === 1) throw new PaymentFailed('the balance is too low')
    await refund(request)
  }
  const token = await shop.token()
  await shop.act(await shop.buy(token), 'pay')
  change(shop, 'UPDATE payments SET amount = 1')
  t.equal((await shop.paid(token)).statusCode, 409)
  await shop.sweep()
  shop.tick(60_000)
  await shop.sweep()
  t.strictSame([await statesOf(shop, token), new Set(keys).size], [['refunded'], 2])
})

t.test('what a server that was killed has begun is ended after a minute', async t => {
  const wrap = (store: Store): Store => ({
    ...store,
    changePayment: () => Promise.reject(new Error('killed'))
  })
  const shop = await openPayingShop(t, {}, { store: wrap })
  const token = await shop.token()
  t.equal((await shop.submit(await shop.form(token))).statusCode, 500)
  const due = async () => (await shop.store.leasePayment('shop', shop.clock().toISOString(), '2099'))?.payment.state
  shop.tick(59_000)
  t.equal(await due(), undefined)
  shop.tick(1000)
  t.equal(await due(), 'opening')
})

t.test('money that was on its way to a bag that is gone waits until it is there, or does not come', async t => {
  const shop = await openPayingShop(t)
  for (const [n, action] of (['succeed', 'fail'] as const).entries()) {
    const reference = uuid(70 + n)
    const token = await shop.token(BAG, reference)
    const address = await shop.buy(token)
    await shop.act(address, 'pay-later')
    change(shop, `UPDATE checkouts SET superseded_at = '2026' WHERE token = '${token}'`)
    await shop.paid(token)
    await shop.sweep()
    t.match(await shop.payments(token), [{ state: 'refunding', reason: 'superseded' }])
    shop.double.act(shop.idOf(address), action)
    shop.tick(60_000)
    await shop.sweep()
    t.match(await shop.payments(token), [{ state: action === 'succeed' ? 'refunded' : 'ended' }])
  }
})

t.test('a server that was killed while a payment was opened goes on with it, or ends it', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  // As after a kill: the provider has opened the page, and the answer was lost.
  const address = await shop.buy(token)
  change(shop, "UPDATE payments SET state = 'opening', url = NULL, provider_id = NULL")
  shop.tick(10_000)
  t.equal(await shop.buy(token), address, 'the same key')
  change(shop, "UPDATE payments SET state = 'opening', url = NULL, provider_id = NULL")
  t.match((await shop.paid(token)).headers.location, `/shop/checkout/${token}?attempt=`)
  shop.tick(61_000)
  await shop.sweep()
  t.strictSame(await statesOf(shop, token), ['ended'])
  t.notOk(
    shop.logs.some(({ msg }) => /unknown/.test(String(msg))),
    'nobody asks for what has no page'
  )
  await shop.act(address, 'pay')
  await shop.notify(shop.double.notifications.events.at(-1) as never)
  t.strictSame(await statesOf(shop, token), ['paid'], 'paid after all')
})

t.test('what the provider does not know, or knows as another payment, is never an order', async t => {
  const shop = await openPayingShop(t)
  const [one, other] = (await Promise.all([80, 81].map(n => shop.token(BAG, uuid(n))))) as [string, string]
  const first = await shop.buy(one)
  await shop.act(first, 'pay')
  await shop.buy(other)
  change(shop, `UPDATE payments SET provider_id = '${shop.idOf(first)}' WHERE token = '${other}'`)
  t.equal((await shop.paid(other)).statusCode, 503)
  shop.tick(5000)
  t.match(shop.logs.at(-1), { reason: /^what it calls cs_test_\w+ is another payment$/ })
  change(shop, `UPDATE payments SET provider_id = 'cs_test_gone' WHERE token = '${other}'`)
  t.match((await shop.paid(other)).headers.location, `/shop/checkout/${other}?attempt=`)
  t.match(shop.logs.at(-1), { level: 30, msg: 'payment', state: 'ended' })
  t.equal(shop.logs.filter(({ msg }) => msg === 'payment unknown to the provider').length, 1)
  t.strictSame(await statesOf(shop, other), ['ended'])
  t.strictSame(shop.orders(), [])
})

t.test('money for no order that the provider no longer knows is not forgotten', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token(BAG, uuid(82))
  const address = await shop.buy(token)
  const back = await shop.cancelAddress(address)
  await shop.act(address, 'pay')
  change(shop, 'UPDATE payments SET amount = 1')
  const { statusCode, body } = await shop.paid(token)
  t.match([statusCode, body], [409, 'amount-differs'])
  t.equal((await shop.visit(back)).statusCode, 409, 'whichever way its shopper comes back')
  change(shop, "UPDATE payments SET provider_id = 'cs_test_gone'")
  await shop.sweep()
  t.match(shop.logs.at(-1), { level: 50, msg: 'payment unknown to the provider; cannot be refunded' })
  t.strictSame(await statesOf(shop, token), ['refunding'])
})

t.test('an order whose money comes as another amount stays unpaid', async t => {
  const shop = await openPayingShop(t)
  for (const [n, action] of (['pending', 'failed'] as const).entries()) {
    const token = await shop.token(BAG, uuid(84 + n))
    const address = await shop.buy(token)
    await shop.visit(await shop.act(address, 'pay-later'))
    shop.double.act(shop.idOf(address), 'succeed')
    const { intent } = shop.double.payments().find(({ session }) => session.id === shop.idOf(address)) ?? {}
    if (intent) intent.amount_received -= 1
    change(shop, `UPDATE payments SET state = '${action}' WHERE token = '${token}'`)
    await shop.notify(shop.double.notifications.events.at(-1) as never)
    t.equal((await shop.store.findOrder('shop', token))?.payment?.status, action)
    t.match(shop.logs.at(-1), { level: 50, total: '145.00', came: '144.99 GBP' })
  }
})

t.test('a page that was left open is closed once its bag is ordered', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token(BAG, uuid(86))
  const address = await shop.buy(token)
  const [payment] = await shop.payments(token)
  await shop.store.placeOrder({ ...(payment?.order as Order), number: 'AAAA-0001' })
  shop.tick(60_000)
  await shop.sweep()
  t.strictSame(await statesOf(shop, token), ['ended'])
  t.match(await (await fetch(address)).text(), /expired/i)
})

t.test('an order that is placed while its shopper comes back is confirmed', async t => {
  let before = async () => {}
  const wrap = (store: Store): Store => ({
    ...store,
    findAttempt: async (...args) => {
      await before()
      return store.findAttempt(...args)
    }
  })
  const shop = await openPayingShop(t, {}, { store: wrap })
  for (const [n, action] of (['pay', 'pay-later'] as const).entries()) {
    const token = await shop.token(BAG, uuid(87 + n))
    await shop.act(await shop.buy(token), action)
    before = async () => void (await shop.notify(shop.double.notifications.events.at(-1) as never))
    t.match((await shop.paid(token)).headers.location, CONFIRMATION)
    before = async () => {}
  }
})

t.test('what was typed anew is not paid on a page that is still opened for what was typed before', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const address = await shop.buy(token)
  change(shop, "UPDATE payments SET state = 'opening', url = NULL, provider_id = NULL")
  shop.tick(10_000)
  t.not(await shop.buy(token, { ...ADA, city: 'Ockham' }), address)
  t.match((await shop.payments(token)).at(-1), { state: 'open', order: { customer: { address: { city: 'Ockham' } } } })
})

t.test('whoever fails to open a page leaves the next try a key of its own', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const address = await shop.buy(token)
  change(shop, "UPDATE payments SET state = 'opening', url = NULL, provider_id = NULL, expires_at = '2099-01-01'")
  shop.tick(10_000)
  t.equal((await shop.submit(await shop.form(token))).statusCode, 503, 'the key was used for something else')
  t.not(await shop.buy(token), address)
})

t.test('a clock that is set back keeps nobody waiting for a page', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const address = await shop.buy(token)
  change(shop, "UPDATE payments SET state = 'opening', url = NULL, provider_id = NULL")
  shop.tick(-60 * 60_000)
  t.equal(await shop.buy(token), address)
})

t.test('payments of a merchant that takes none any more are reported, and erased', async t => {
  const shop = await openPayingShop(t)
  const { app, store, merchant, clock } = shop
  const { payment: _, ...without } = merchant
  const token = await shop.token()
  await shop.buy(token)
  await reportUnpolled(store, [merchant], app.log)
  t.notMatch(shop.logs.at(-1), { level: 50 })
  await reportUnpolled(store, [without], app.log)
  t.match(shop.logs.at(-1), { level: 50, merchant: 'shop', state: 'open', payments: 1 })
  change(shop, "UPDATE payments SET state = 'ended'")
  shop.tick(26 * 60 * 60_000)
  await eraseOldOrders(store, [without], clock(), app.log)
  t.equal((await shop.payments(token))[0]?.order, undefined)
})

t.test('a page that is nowhere expected is not opened', async t => {
  const shop = await openPayingShop(t)
  const { gateway } = shop.paying
  const token = await shop.token()
  gateway.pageOrigins.splice(0)
  const { statusCode } = await shop.submit(await shop.form(token))
  t.equal(statusCode, 503)
  t.match(shop.logs.at(-1), { reason: /127\.0\.0\.1/ })
})

t.test('a payment that another form has ended while it was opened is opened afresh', async t => {
  const shop = await openPayingShop(t)
  const { gateway, store } = shop.paying
  const token = await shop.token()
  const { open } = gateway
  let isFirst = true
  gateway.open = async request => {
    const opened = await open(request)
    if (isFirst) await store.changePayment({ ...request, token }, { type: 'not-opened' }, shop.clock().toISOString())
    isFirst = false
    return opened
  }
  const address = await shop.buy(token)
  t.strictSame(await statesOf(shop, token), ['ended', 'open'])
  const [first] = shop.double.notifications.events
  t.match(first, { type: 'checkout.session.expired' }, 'nobody can pay the first')
  t.not(first?.data.object.id, shop.idOf(address))
})

t.test('a page that two requests have opened at once stays open', async t => {
  const shop = await openPayingShop(t)
  const { gateway, store } = shop.paying
  const token = await shop.token()
  const { open } = gateway
  gateway.open = async request => {
    const opened = await open(request)
    const page = { ...opened, expiresAt: opened.expiresAt.toISOString() }
    await store.changePayment({ ...request, token }, { type: 'opened', page }, shop.clock().toISOString())
    return opened
  }
  const address = await shop.buy(token)
  t.strictSame(await statesOf(shop, token), ['open'])
  t.match(await shop.act(address, 'pay'), /paid\?attempt=/)
})

t.test('a provider that would not end a page keeps others from being opened', async t => {
  const shop = await openPayingShop(t)
  const { gateway } = shop.paying
  const token = await shop.token()
  await shop.buy(token)
  gateway.cancel = gateway.retrievePayment
  t.equal((await shop.submit(await shop.form(token), { ...ADA, city: 'Ockham' })).statusCode, 503)
  t.match(shop.logs.at(-1), { reason: 'it did not end the earlier payment' })
  t.strictSame(await statesOf(shop, token), ['open'])
})

t.test('whatever comes between the form and its payment, there is one order or none', async t => {
  let before = async () => {}
  const isBegun: string[] = []
  const wrap = (store: Store): Store => ({
    ...store,
    beginPayment: async payment => {
      await before()
      before = async () => {}
      isBegun.push(payment.order.number)
      // As once in some 650,000 million orders.
      return isBegun.length === 1 ? { outcome: 'number-taken' } : store.beginPayment(payment)
    }
  })
  const delivery = [{ id: 'van', label: 'Van', price: '4.50' }]
  const shop = await openPayingShop(t, { delivery }, { store: wrap })
  const token = await shop.token(BAG, uuid(90))
  const address = await shop.buy(token)
  t.equal(new Set(isBegun).size, 2, 'another number')
  const page = await (await fetch(address)).text()
  t.match(textOf(page), /149\.50.*Sea-glass mug.*Tide clock.*Van/)

  const form = await shop.form(token)
  before = async () => {
    await shop.act(address, 'pay')
    await shop.notify(shop.double.notifications.events.at(-1) as never)
  }
  t.match((await shop.submit(form)).headers.location, CONFIRMATION, 'paid and told')

  const other = await shop.token(BAG, uuid(91))
  const otherForm = await shop.form(other)
  before = async () => void (await shop.send([{ sku: 'THROW', quantity: 1 }], uuid(91)))
  const { statusCode, body } = await shop.submit(otherForm)
  t.match([statusCode, textOf(body)], [409, 'Your bag has changed'])

  const third = await shop.token(BAG, uuid(92))
  const thirdForm = await shop.form(third)
  await shop.buy(third)
  change(shop, `UPDATE payments SET content = NULL WHERE token = '${third}'`)
  t.equal((await shop.submit(thirdForm)).statusCode, 303)
  t.strictSame(await statesOf(shop, third), ['ended', 'open'], 'one that nobody could place any more is replaced')
  t.equal(shop.orders().length, 1)
})

t.test('the server sweeps by itself, goes on after a failure, and stops', async t => {
  let isFailing = true
  const wrap = (store: Store): Store => ({
    ...store,
    changePayment: (payment, event, ...how) =>
      isFailing && event.type === 'reported'
        ? Promise.reject(new Error('no store'))
        : store.changePayment(payment, event, ...how)
  })
  const shop = await openPayingShop(t, {}, { store: wrap })
  const token = await shop.token()
  await shop.act(await shop.buy(token), 'pay')
  shop.tick(60_000)
  const stop = pollPayments([shop.paying], 5)
  await until('a failure', () => shop.logs.some(({ msg }) => msg === 'polling payments failed'))
  isFailing = false
  // Its lease ends.
  shop.tick(60_000)
  await until('the order', () => shop.orders().length === 1)
  await stop()
})

t.test('a sweep that takes long is not begun twice', async t => {
  const mayGoOn = Promise.withResolvers<void>()
  let leases = 0
  let otherLeases = 0
  const wrap = (store: Store): Store => ({
    ...store,
    leasePayment: async (...args) => {
      leases++
      await mayGoOn.promise
      return store.leasePayment(...args)
    }
  })
  const { paying } = await openPayingShop(t, {}, { store: wrap })
  const nothingDue = async () => void otherLeases++
  const other = { ...paying, store: { ...paying.store, leasePayment: nothingDue as Store['leasePayment'] } }
  const stop = pollPayments([paying, other], 5)
  await until('the sweep of another shop has been begun thrice', () => otherLeases === 3)
  t.equal(leases, 1)
  mayGoOn.resolve()
  await stop()
})

t.test('a store that is out of reach is no failure of the provider', async t => {
  let isFailing = false
  const unavailable = () => Promise.reject(new StoreUnavailable('the disk is full'))
  const wrap = (store: Store): Store => ({
    ...store,
    beginPayment: payment => (isFailing ? unavailable() : store.beginPayment(payment)),
    findPayment: (...args) => (isFailing ? unavailable() : store.findPayment(...args))
  })
  const shop = await openPayingShop(t, {}, { store: wrap })
  const token = await shop.token()
  const form = await shop.form(token)
  await shop.act(await shop.buy(token), 'pay')
  isFailing = true
  const { statusCode, body } = await shop.submit(form)
  t.match([statusCode, textOf(body)], [503, 'Your order has not been placed'])
  const [event] = shop.double.notifications.events
  const answer = await shop.notify(event as never)
  t.match([answer.statusCode, answer.body], [503, 'store-unavailable'], 'it comes again')
  isFailing = false
  t.equal((await shop.notify(event as never)).statusCode, 200)
  t.equal(shop.orders().length, 1)
})

t.test('money of an unknown amount is sent back, once, whoever does it', async t => {
  let isTaken = false
  const wrap = (store: Store): Store => ({
    ...store,
    changePayment: async (payment, event, ...how) => {
      if (event.type === 'booked' && !isTaken) {
        await store.changePayment(payment, event, ...how)
        isTaken = true
      }
      return store.changePayment(payment, event, ...how)
    }
  })
  const shop = await openPayingShop(t, {}, { store: wrap })
  const { gateway } = shop.paying
  const { retrievePayment } = gateway
  const token = await shop.token()
  await shop.act(await shop.buy(token), 'pay')
  gateway.retrievePayment = async id => ({ ...((await retrievePayment(id)) as PaymentFacts), amount: undefined })
  t.equal((await shop.paid(token)).statusCode, 409)
  await shop.sweep()
  t.match(await shop.payments(token), [{ state: 'refunded', reason: 'amount-differs', refunded: 14_500 }])
  t.notMatch(shop.logs.at(-1), { msg: 'payment refunded' }, 'the other server has said so')
})

t.test('what was typed for a payment that came to nothing is erased once its bag has expired', async t => {
  const shop = await openPayingShop(t)
  const { app, store, merchant, clock } = shop
  const token = await shop.token()
  const back = await shop.cancelAddress(await shop.buy(token))
  shop.tick(61 * 60_000)
  await shop.sweep()
  const erase = () => eraseOldOrders(store, [merchant], clock(), app.log)
  await erase()
  t.match(formOf((await shop.visit(back)).body)?.fields, ADA, 'not before')
  shop.tick(24 * 60 * 60_000)
  await erase()
  t.equal((await shop.payments(token))[0]?.order, undefined)
  const folder = dirname(shop.file)
  const bytes = readdirSync(folder).map(name => readFileSync(join(folder, name), 'latin1'))
  t.notOk(bytes.join('').includes(ADA.email))
})

t.test('what costs nothing is ordered at once', async t => {
  const feed = 'id\ttitle\tavailability\tprice\nFREE\tA sample\tin_stock\t0.00 GBP'
  const shop = await openPayingShop(t, { catalogue: { freeProducts: true } }, { feed })
  const token = await shop.token([{ sku: 'FREE', quantity: 1 }])
  t.notMatch(textOf((await shop.page(token)).body), 'You’ll pay on the next page')
  t.match((await shop.submit(await shop.form(token))).headers.location, CONFIRMATION)
  t.equal((await shop.store.findOrder('shop', token))?.payment, undefined)
  t.strictSame(await shop.payments(token), [])
})

t.test(
  'a form whose look-up fails while a notification places the order never says that nothing was charged',
  async t => {
    const shop = await openPayingShop(t)
    const { gateway } = shop.paying
    const token = await shop.token()
    const form = await shop.form(token)
    await shop.act(await shop.buy(token), 'pay')
    const { retrievePayment } = gateway
    gateway.retrievePayment = async () => {
      gateway.retrievePayment = retrievePayment
      await shop.notify(shop.double.notifications.events.at(-1) as never)
      throw new PaymentFailed('no answer in time')
    }
    const { statusCode, body } = await shop.submit(form)
    t.match([statusCode, textOf(body)], [503, 'You won’t be charged twice.'])
    t.notMatch(textOf(body), 'Nothing was charged')
    t.match((await shop.submit(form)).headers.location, CONFIRMATION)
    t.equal(shop.orders().length, 1)
  }
)

t.test('a shop without payment has none of its addresses', async t => {
  const shop = await openShop(t, '1')
  const token = await shop.transfer()
  t.notMatch((await shop.page(token)).body, 'You’ll pay on the next page')
  t.equal((await shop.app.inject(`/shop/checkout/${token}/paid`)).statusCode, 404)
  t.equal((await shop.app.inject({ method: 'POST', url: '/shop/payments/stripe' })).statusCode, 404)
})
