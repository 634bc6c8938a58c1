// Failures that only bags of the simulator meet, where they would happen, and the messages about their orders. Everybody else's
// bags, sent at the same time, are served as ever.
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import t, { type Test } from 'tap'
import { deliverMessages } from '../../../src/checkout/webhook/outbox.ts'
import { httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { openFaultInjection, SLOW_ANSWER } from '../../../src/kit/fault-injection/fault-injection.ts'
import { openPaymentDouble } from '../../../src/kit/payment/payment-double.ts'
import type { StepView } from '../../../src/kit/simulator/steps-view.ts'
import { noopObserver } from '../../../src/observer.ts'
import { signatureHeaders } from '../../../src/secrets.ts'
import { SILENT } from '../../any-context.ts'
import { type Build, buildListening, merchantFile, simulatorCookie, uuid } from '../../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { listen } from '../../listen.ts'
import { KEY, PAYMENT, SECRET } from '../../pages/paying-shop.ts'
import { ADA, type Form, formOf } from '../../pages/shopper.ts'
import { until } from '../../until.ts'

type Sent = { steps: StepView[]; page?: { frame: string; url: string; status: number; isPayment: boolean } }

const CART = {
  items: [
    { sku: 'THROW', quantity: '1' },
    { sku: 'MUG', quantity: '2' }
  ],
  currency: 'GBP'
}
const SHOP = { publicUrl: '/shop', countries: ['GB'] }

async function open(t: Test, parts: Build = {}) {
  const faults = openFaultInjection()
  const merchants = [merchantFile('2A', SHOP)]
  const built = await buildListening(t, { merchants, ...parts, simulator: { faults, ...parts.simulator } })
  const { app } = built
  const origin = app.listeningOrigin
  const headers = { 'content-type': 'application/json', ...simulatorCookie(app) }
  const post = async (path: string, payload: object): Promise<Sent> => {
    const url = `/simulator/${path}`
    const answer = await app.inject({ method: 'POST', url, headers, payload: { merchant: 'shop', ...payload } })
    t.equal(answer.statusCode, 200, path)
    return answer.json()
  }
  const htmlOf = async ({ page }: Sent) => (await app.inject({ url: String(page?.frame), headers })).body
  return {
    ...built,
    faults,
    origin,
    /** The journey has the name of the reference. */
    transfer: (reference: string, failure?: string) =>
      post('transfers', { cart: { ...CART, reference }, failure, journey: reference }),
    /** Presses the button of a page, as the phone does. */
    press: async ({ action, fields }: Form, failure?: string, journey = uuid(), typed = ADA) => {
      const body = String(new URLSearchParams({ ...fields, ...typed }))
      const sent = [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }]
      const request = { method: 'POST', url: URL.parse(action, origin)?.href, headers: sent, body }
      return post('requests', { sender: 'shopper', request, failure, journey })
    },
    follow: (url: string, journey: string) =>
      post('requests', { sender: 'shopper', request: { method: 'GET', url, headers: [] }, journey }),
    /** Sends a form past the simulator. */
    sendDirectly: ({ action, fields }: Form) =>
      fetch(origin + action, { method: 'POST', body: new URLSearchParams({ ...fields, ...ADA }), redirect: 'manual' }),
    formIn: async (sent: Sent) => formOf(await htmlOf(sent)) as Form,
    htmlOf,
    messages: async (journey: string): Promise<StepView[]> =>
      (await app.inject({ url: `/simulator/messages?journey=${journey}`, headers })).json()
  }
}

/** What servers have told each other. */
const told = ({ steps }: Sent) => steps.filter(({ request }) => request?.sender === 'server')

const shopping: [failure: string, status: number, page: RegExp][] = [
  ['sold-out', 409, /data-sku="THROW"/],
  ['price-changed', 409, /£88\.00/],
  ['expired', 410, /expired|open for too long|tap checkout again/i],
  ['busy', 503, /order/i]
]
for (const [failure, status, page] of shopping) {
  t.test(`${failure}: the shopper meets it, and nobody else`, async t => {
    const { transfer, press, formIn, htmlOf, sendDirectly } = await open(t)
    const form = await formIn(await transfer(uuid()))
    const met = await press(form, failure)
    t.equal(met.page?.status, status)
    t.match(await htmlOf(met), page)
    t.match(met.steps, [
      { title: 'The shopper presses a button', request: { method: 'POST', body: /email=ada/ } },
      { title: 'The shop shows a refusal page', isFailure: true, answer: { status } }
    ])
    const { status: direct } = await sendDirectly(form)
    t.equal(direct, 303, 'the same form, sent past the simulator, is an order')
    t.match(await press(form, failure), failure === 'busy' ? { page: { status } } : {}, 'and it can be met again')
  })
}

t.test('what is stored while bags expire has the dates that it has for everybody else', async t => {
  const { transfer, press, formIn, clock, store } = await open(t)
  const form = await formIn(await transfer(uuid(), 'expired'))
  t.equal((await store.newestCheckout('shop', uuid()))?.createdAt, clock().toISOString())
  t.match((await press(form, 'expired')).page, { status: 410 })
  const unknown = { ...form, action: form.action.replace(/checkout\/./, 'checkout/-') }
  t.match((await press(unknown, 'expired')).page, { status: 404 })
})

t.test('a connection from the same port to another server is another one', async t => {
  const faults = openFaultInjection()
  const [from, remotePort, localPort] = ['127.0.0.1', 50_000, 3000]
  const ends = { localAddress: from, localPort: remotePort, remotePort: localPort }
  faults.connected(Object.assign(new EventEmitter(), ends) as Socket, 'busy')
  const isPlayed = (end: object) => {
    let goesOn = false
    faults.play({ remoteAddress: from, remotePort, localPort, ...end } as Socket, () => {
      goesOn = true
    })
    return !goesOn
  }
  t.equal(isPlayed({}), true)
  t.equal(isPlayed({ localPort: 3001 }), false)
  t.equal(isPlayed({ remotePort: 50_001 }), false)
})

t.test('only the first line is sold out', async t => {
  const { transfer, press, formIn, htmlOf } = await open(t)
  const html = await htmlOf(await press(await formIn(await transfer(uuid())), 'sold-out'))
  t.equal(html.match(/out of stock|sold out/gi)?.length, 1)
})

t.test('a busy database refuses a bag, with every option', async t => {
  for (const name of ['1', '2A', '2B']) {
    const { transfer, logs } = await open(t, { merchants: [merchantFile(name, SHOP)] })
    t.match((await transfer(uuid(), 'busy')).steps[1], { isFailure: true, answer: { status: 503 } }, `option ${name}`)
    t.match(JSON.stringify(logs), 'the simulator plays a busy database')
    t.match((await transfer(uuid())).page, { status: 200 }, `option ${name}, afterwards`)
  }
})

t.test('an answer takes five seconds, and others do not wait for it', async t => {
  const { transfer, origin } = await open(t)
  let isAnswered = false
  const slow = transfer(uuid(), 'slow').finally(() => {
    isAnswered = true
  })
  const body = new URLSearchParams({
    'items[0][sku]': 'MUG',
    'items[0][quantity]': '1',
    currency: 'GBP',
    reference: uuid(2)
  })
  t.equal((await fetch(`${origin}/shop/cart`, { method: 'POST', body })).status, 200)
  t.equal(isAnswered, false)
  const { steps } = await slow
  t.match(steps[1]?.answer, { status: 200 })
  t.ok(Number(steps[1]?.answer?.milliseconds) > SLOW_ANSWER - 10)
})

t.test('without a network nothing is sent: the app fails, and a page stays', async t => {
  const { transfer, press, formIn, logs } = await open(t)
  const says = /^No response: the phone has no network, so nothing was sent\./
  const failed = await transfer(uuid(), 'offline')
  t.match(failed.steps, [{ title: 'The app shows its generic error', says }])
  t.equal(failed.page, undefined)
  t.equal(logs.filter(({ msg }) => msg === 'transfer').length, 0)
  const form = await formIn(await transfer(uuid()))
  const { steps, page } = await press(form, 'offline')
  t.strictSame(
    steps.map(({ title, says }) => [title, says]),
    [['The page stays as it is', 'No response: the phone has no network, so nothing was sent.']]
  )
  t.equal(page, undefined)
})

t.test('the webhook is a step, as it was sent, and nobody else’s is', async t => {
  const answers = [503, 200, 200]
  const receiver = await listen(t, (_request, response) =>
    response.writeHead(answers.shift() ?? 200, { 'x-own': 'a' }).end()
  )
  const webhook = { url: `${receiver.origin}/hook`, secretVariable: 'SHOP_SECRET' }
  const merchants = [{ ...merchantFile('2A', SHOP), webhook }]
  const built = await open(t, { merchants, variables: { SHOP_SECRET } })
  const { transfer, press, formIn, sendDirectly, messages, faults, store, clock, tick, logs } = built
  const place = async (reference: string) => {
    const sent = await press(await formIn(await transfer(reference)), undefined, reference)
    return { order: String(new URL(String(sent.page?.url)).searchParams.get('order')), seen: told(sent) }
  }
  const { order } = await place(uuid())
  const location = (await sendDirectly(await formIn(await transfer(uuid(2))))).headers.get('location')
  const direct = String(new URL(String(location), built.origin).searchParams.get('order'))
  t.strictSame(await messages(uuid()), [], 'before it is sent')
  const stop = deliverMessages({
    store,
    merchants: built.merchants,
    clock,
    logger: SILENT,
    observer: noopObserver,
    random: () => 0,
    interval: 10,
    fetch: faults.watch(httpFetch),
    trace: (_name, work) => work()
  })
  t.teardown(stop)
  const settled = (number: string, attempts: number) =>
    until('an attempt', async () => {
      const message = await store.findMessage(number)
      return message?.state === 'delivered' || (message?.attempts === attempts && message.problem !== undefined)
    })
  await Promise.all([settled(order, 1), settled(direct, 1)])
  tick(10_000)
  await Promise.all([settled(order, 2), settled(direct, 2)])
  const seen = await messages(uuid())
  const sent = {
    title: 'This server sends the webhook order.placed',
    request: { method: 'POST', url: webhook.url }
  }
  t.match(seen.at(-1), { ...sent, isFailure: false, answer: { status: 200, statusText: 'OK' } })
  t.match(seen.at(-1)?.request, { sender: 'server', body: `"orderNumber":"${order}"` })
  t.match(seen.at(-1)?.request?.body, ADA.email, 'whole')
  t.match(JSON.stringify(seen.at(-1)?.answer?.headers), '{"name":"x-own","value":"a"}')
  const names = seen[0]?.request?.headers.map(({ name }) => name)
  t.strictSame(names, ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])
  t.strictSame(await messages(uuid()), [], 'it is given out once')
  t.strictSame(await messages(uuid(2)), [], 'an order that was placed past the simulator')
  t.notMatch(JSON.stringify([seen, logs]), SHOP_SECRET.replace('whsec_', ''))

  await receiver.close()
  const lost = await place(uuid(3))
  await settled(lost.order, 1)
  t.match(
    [...lost.seen, ...(await messages(uuid(3)))],
    [{ isFailure: true, says: /No answer came\.$/, answer: undefined }]
  )
})

t.test('a report of the merchant’s own shop is a step, if the bag was the simulator’s', async t => {
  const shop = await openOwnShop(t)
  const merchants = [shopFile('1', shop.url, { publicUrl: '/shop' })]
  const { app, transfer, messages, origin, clock } = await open(t, { merchants, variables: { SHOP_SECRET } })
  t.match(await transfer(uuid()), { page: { status: 200 } })
  const send = (reference: string, number: string) => {
    const items = CART.items.map(({ sku, quantity }) => ({ sku, quantity: Number(quantity) }))
    const payload = JSON.stringify({ reference, number, currency: 'GBP', total: '90.00', items })
    const headers = { 'content-type': 'application/json', ...signatureHeaders(SHOP_SECRET, number, payload, clock()) }
    return app.inject({ method: 'POST', url: '/shop/orders', headers, payload })
  }
  t.equal((await app.inject({ method: 'POST', url: '/shop/orders' })).statusCode, 401)
  t.equal((await send(uuid(), 'O-1')).statusCode, 201)
  t.equal((await send(uuid(2), 'O-2')).statusCode, 201)
  t.match(await messages(uuid()), [
    {
      title: 'The shop reports the order to this server',
      isFailure: false,
      request: { method: 'POST', url: `${origin}/shop/orders`, body: /"number":"O-1"/ },
      answer: { status: 201, text: /"orderNumber":"O-1"/ }
    }
  ])
  t.strictSame(await messages(uuid(2)), [])
  t.strictSame(await messages(''), [])
})

t.test(
  'what a payment provider is asked is a step without its key, and so is what it says, of bags of the simulator',
  async t => {
    let [clock, notify] = [() => new Date(), (): string | undefined => undefined]
    const double = await openPaymentDouble({
      ...{ secretKey: KEY, webhookSecret: SECRET, clock: () => clock(), notify: () => notify() }
    })
    t.teardown(() => double.close())
    const checkout = { payment: { ...PAYMENT, apiUrl: double.origin } }
    const merchants = [merchantFile('2A', { ...SHOP, checkout })]
    const variables = { STRIPE_KEY: KEY, STRIPE_SECRET: SECRET }
    const built = await open(t, { merchants, variables })
    const { transfer, press, follow, formIn, htmlOf, sendDirectly, messages, origin } = built
    clock = built.clock
    notify = () => `${origin}/shop/payments/stripe`
    const titlesOf = (steps: StepView[]) => steps.map(({ title }) => title)
    const buy = async (reference: string) => {
      const form = await formIn(await transfer(reference))
      return { form, bought: await press(form, undefined, reference) }
    }
    const [opens, asks, ends] = ['opens the payment', 'asks the payment provider', 'ends the payment'].map(
      what => `This server ${what}`
    )
    const notifies = 'The payment provider notifies this server'
    const follows = 'The web view follows the redirect'

    const { bought } = await buy(uuid())
    t.strictSame(titlesOf(bought.steps), [
      'The shopper presses a button',
      opens,
      'The web view is led to the payment page',
      follows,
      'The payment page opens in the web view'
    ])
    t.match(bought.page, { isPayment: true, url: `${double.origin}/c/pay/` })
    const [opening] = told(bought)
    t.match(opening, {
      request: { url: `${double.origin}/v1/checkout/sessions`, body: /client_reference_id=0{31}1/ },
      answer: { status: 200, text: /"object":"checkout.session"/ }
    })
    t.match(JSON.stringify(opening?.request?.headers), '"value":"Bearer $STRIPE_KEY","variable":"STRIPE_KEY"')
    t.match(opening?.request?.curl, /-H "authorization: Bearer \$\{STRIPE_KEY:\?\}"/)

    const pay = (page: Sent['page'], journey: string, action = 'pay') =>
      press({ action: String(page?.url), fields: { action } }, undefined, journey)
    const paid = await pay(bought.page, uuid())
    t.strictSame(titlesOf(paid.steps), [
      'The shopper presses a button',
      notifies,
      asks,
      'The payment page redirects the web view',
      ...[follows, 'The shop redirects the web view', follows],
      'The next page opens in the web view'
    ])
    t.match(told(paid), [{ request: { url: notify() }, answer: { status: 200 } }, { request: { method: 'GET' } }])
    t.match(paid.page, { isPayment: false, url: '/complete?order=' })
    t.match(await htmlOf(paid), 'Your payment has arrived.')

    double.notifications.hold()
    const { form } = await buy(uuid(2))
    const other = await press(form, undefined, uuid(2), { ...ADA, city: 'Ockham' })
    t.strictSame(titlesOf(told(other)).slice(0, 2), [ends, opens], 'another order, another payment')

    const page = await follow(origin + form.action.replace(/\?.*/, ''), 'page')
    t.strictSame(titlesOf(told(page)), [], 'who opens the page of a bag has nobody asked')
    const again = await press(form, undefined, 'again', { ...ADA, city: 'Ockham' })
    t.strictSame(titlesOf(told(again)), [asks], 'the same order, the same payment')
    const { events } = double.notifications
    double.act(String(other.page?.url.match(/cs_test_\w+/)), 'pay')
    double.fail('down')
    t.equal(await double.notifications.deliver(events.at(-1) as never), 503)
    const late = await messages('again')
    t.strictSame(titlesOf(late), [notifies, asks], 'the latest journey has them')
    t.match(late, [{ isFailure: true, answer: { status: 503 } }, { isFailure: true }])
    t.strictSame(await messages(uuid(2)), [])

    double.fail()
    const location = (await sendDirectly(await formIn(await transfer(uuid(3))))).headers.get('location')
    double.act(String(location?.match(/cs_test_\w+/)), 'pay')
    t.equal(await double.notifications.deliver(events.at(-1) as never), 200)
    t.strictSame(await messages(uuid(3)), [], 'what is bought past the simulator')
    t.notMatch(JSON.stringify([bought, paid, other, again, late]), KEY)
  }
)
