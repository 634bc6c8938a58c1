// Two people with one bag. Whoever knows reference and cart can send the bag again, and whoever has its token opens its page: neither
// sees or pays what somebody else has begun, and nobody keeps the other from paying.
import t from 'tap'
import type { Payment } from '../../src/checkout/orders/payment.ts'
import { PaymentFailed } from '../../src/integrations/payment/provider.ts'
import { uuid } from '../build.ts'
import { until } from '../until.ts'
import { openPayingShop } from './paying-shop.ts'
import { textOf } from './read-page.ts'
import { ADA, BAG, formOf, PERSONAL, titleOf } from './shopper.ts'

type PayingShop = Awaited<ReturnType<typeof openPayingShop>>

const CONFIRMATION = /^\/shop\/checkout\/[\w-]+\/complete\?order=/
const OTHER_BAG = [{ sku: 'THROW', quantity: 1 }]
const MALLORY = {
  email: 'mallory@elsewhere.example',
  name: 'Mallory Grey',
  address1: '9 Dead End',
  address2: '',
  organization: '',
  city: 'Gotham',
  postcode: 'NG11 0BB',
  phone: ''
}

const statesOf = async (shop: PayingShop, token: string) => (await shop.payments(token)).map(({ state }) => state)

/** Counts what the provider is asked. */
function countLooks(shop: PayingShop): () => number {
  const { gateway } = shop.paying
  const { retrievePayment } = gateway
  let looks = 0
  gateway.retrievePayment = id => {
    looks++
    return retrievePayment(id)
  }
  return () => looks
}

for (const option of ['2A', '2B']) {
  t.test(`${option}: a bag that is sent again shows and offers what it did before anybody began to pay`, async t => {
    const shop = await openPayingShop(t, {}, {}, option)
    const reference = uuid(1)
    const before = textOf((await shop.send(BAG, reference)).body)
    const token = await shop.token(BAG, reference)
    const address = await shop.buy(token)
    const [payment] = await shop.payments(token)
    const ways = [
      () => shop.send(BAG, reference),
      () => shop.page(token),
      () => shop.visit(`/shop/checkout/${token}/paid`)
    ]
    for (const outage of [undefined, 'down'] as const) {
      shop.double.fail(outage)
      for (const open of ways) {
        const { body, headers } = await open()
        if (headers.location !== undefined)
          t.equal(headers.location, `/shop/checkout/${token}`, 'no way back of another')
        else t.equal(textOf(body), before)
        const secrets = [...PERSONAL, address, String(payment?.id), String(payment?.secret), shop.idOf(address)]
        t.strictSame(
          secrets.filter(text => body.includes(text)),
          []
        )
      }
    }
  })

  t.test(
    `${option}: a stranger who presses Buy now begins a payment of their own, which its shopper never sees`,
    async t => {
      const shop = await openPayingShop(t, {}, {}, option)
      const reference = uuid(2)
      const token = await shop.token(BAG, reference)
      const address = await shop.buy(token)
      const back = await shop.cancelAddress(address)

      const form = formOf((await shop.send(BAG, reference)).body)
      if (!form) throw new Error('the page has no form')
      const theirs = String((await shop.submit(form, MALLORY)).headers.location)
      t.not(theirs, address)
      t.match(await (await fetch(address)).text(), /expired/i, 'the earlier one has ended')
      t.strictSame(await statesOf(shop, token), ['ended', 'open'])

      for (const open of [() => shop.visit(back), () => shop.page(token), () => shop.send(BAG, reference)]) {
        const { statusCode, body } = await open()
        t.equal(statusCode, 200)
        for (const text of [...Object.values(MALLORY).filter(Boolean), theirs]) t.notOk(body.includes(text), text)
      }
      const own = await shop.visit(back)
      t.match(textOf(own.body), 'You haven’t been charged.')
      const again = await shop.submit(formOf(own.body) as NonNullable<ReturnType<typeof formOf>>)
      const second = String(again.headers.location)
      t.strictSame(await statesOf(shop, token), ['ended', 'ended', 'open'])
      t.match(await (await fetch(theirs)).text(), /expired/i)
      t.match((await shop.visit(await shop.act(second, 'pay'))).headers.location, CONFIRMATION)
      t.match(await shop.store.findOrder('shop', token), {
        customer: { email: ADA.email, address: { city: ADA.city } }
      })
    }
  )
}

t.test('money that comes for an attempt that another has replaced goes back, and its shopper is told', async t => {
  const shop = await openPayingShop(t)
  const { gateway } = shop.paying
  const token = await shop.token()
  const address = await shop.buy(token)
  const back = await shop.cancelAddress(address)
  // The provider takes the money, though it has said that it would not.
  const { cancel } = gateway
  gateway.cancel = async id => {
    const facts = await gateway.retrievePayment(id)
    return facts && { ...facts, state: 'ended' }
  }
  const theirs = await shop.buy(token, MALLORY)
  gateway.cancel = cancel
  const paid = await shop.act(address, 'pay')
  await shop.notify(shop.double.notifications.events.at(-1) as never)
  t.match(await shop.payments(token), [{ state: 'refunding', reason: 'replaced' }, { state: 'open' }])
  for (const url of [paid, back]) {
    const { statusCode, body } = await shop.visit(url)
    t.match([statusCode, textOf(body)], [409, 'We’re sending your money back'])
  }
  t.strictSame(shop.orders(), [])
  await shop.sweep()
  t.match(await shop.payments(token), [{ state: 'refunded' }, { state: 'open' }])
  t.match((await shop.visit(await shop.act(theirs, 'pay'))).headers.location, CONFIRMATION)
  t.equal(shop.orders().length, 1)
  t.match((await shop.visit(paid)).statusCode, 409, 'who did not pay for that order does not see it confirmed')
})

t.test('who comes back to an attempt that came to nothing is not shown the order of another as theirs', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const [back, paid] = await shop.buy(token).then(async address => {
    const cancelled = await shop.cancelAddress(address)
    return [cancelled, cancelled.replace('?', '/paid?')] as const
  })
  await shop.visit(await shop.act(await shop.buy(token, MALLORY), 'pay'))
  t.equal((await shop.visit(paid)).headers.location, back)
  const { statusCode, body } = await shop.visit(back)
  t.match([statusCode, textOf(body)], [409, 'You’ve already placed this order'])
  t.notMatch(titleOf(body), /Order complete/)
})

t.test(
  'the provider is not asked for those who look at a bag, and once in five seconds for those who press',
  async t => {
    const shop = await openPayingShop(t)
    const token = await shop.token()
    const form = await shop.form(token)
    const address = await shop.buy(token)
    const back = await shop.cancelAddress(address)
    const looks = countLooks(shop)
    const view = () => Promise.all(Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? shop.page(token) : shop.send())))
    shop.double.fail('silent')
    await view()
    t.equal(looks(), 0, 'and nobody waits for it')
    shop.double.fail()
    for (let n = 0; n < 3; n++) t.equal((await shop.submit(form)).headers.location, address)
    t.equal(looks(), 1)
    t.match(
      textOf((await shop.visit(back)).body),
      'You haven’t been charged.',
      'who comes back has a turn of their own'
    )
    shop.tick(4999)
    await Promise.all([shop.submit(form), shop.visit(back)])
    t.equal(looks(), 2)
    shop.tick(1)
    await shop.submit(form)
    t.equal(looks(), 3)

    const paid = await shop.act(address, 'pay')
    const ways = await Promise.all([shop.visit(paid), shop.notify(shop.double.notifications.events.at(-1) as never)])
    t.equal(ways[0]?.headers.location?.match(CONFIRMATION)?.length, 1, 'who comes back is not held up')
    t.equal(shop.orders().length, 1)
    const after = looks()
    await Promise.all([view(), shop.visit(paid)])
    t.equal(looks(), after, 'nothing is left to ask')
  }
)

t.test(
  'those who reload their own way back keep nobody from paying, not even after the provider has failed',
  async t => {
    const shop = await openPayingShop(t)
    const token = await shop.token()
    const paid = (await shop.cancelAddress(await shop.buy(token))).replace('?', '/paid?')
    const other = await shop.form(await shop.token(BAG, uuid(2)))
    shop.double.fail('down')
    for (let n = 0; n < 6; n++) {
      await shop.submit(other, { ...ADA, name: `Ada ${n}` })
      shop.tick(2000)
    }
    t.ok(shop.logs.some(({ msg }) => /circuit open/.test(String(msg))))
    shop.double.fail()
    const reloads = Array.from({ length: 30 }, () => shop.visit(paid))
    t.equal((await shop.submit(other)).statusCode, 303)
    await Promise.all(reloads)
  }
)

t.test('of many returns at once, one asks the provider, and the others wait for what it learns', async t => {
  const shop = await openPayingShop(t)
  const token = await shop.token()
  const address = await shop.buy(token)
  const paid = (await shop.cancelAddress(address)).replace('?', '/paid?')
  const looks = countLooks(shop)
  const visit = (times: number) => Promise.all(Array.from({ length: times }, () => shop.visit(paid)))
  const unpaid = (await visit(30)).map(({ statusCode }) => statusCode).sort()
  t.equal(looks(), 1)
  t.strictSame(unpaid, [303, ...Array(29).fill(503)], 'of one that is not paid, the others are asked to try again')
  shop.tick(5000)
  await shop.act(address, 'pay')
  for (const { headers } of await visit(3)) t.match(headers.location, CONFIRMATION)
  t.equal(looks(), 2)
})

t.test('of many presses of Buy now, two are in progress, and the third is told before it takes a place', async t => {
  const begun: string[] = []
  const shop = await openPayingShop(
    t,
    {},
    {
      store: store => ({
        ...store,
        beginPayment: payment => {
          begun.push(payment.order.token)
          return store.beginPayment(payment)
        }
      })
    }
  )
  const { gateway } = shop.paying
  const { open } = gateway
  const isOpening = Promise.withResolvers<void>()
  const mayOpen = Promise.withResolvers<void>()
  gateway.open = async request => {
    isOpening.resolve()
    await mayOpen.promise
    return open(request)
  }
  const [token, other] = [await shop.token(BAG, uuid(1)), await shop.token(BAG, uuid(2))]
  const form = await shop.form(token)
  const first = shop.submit(form)
  await isOpening.promise
  const second = shop.submit(form)
  await until('the second press', () => begun.length === 2)
  for (const typed of [ADA, MALLORY]) {
    const { statusCode, body } = await shop.submit(form, typed)
    t.match([statusCode, textOf(body)], [429, 'Please wait a moment, then try again. You won’t be charged twice.'])
    t.match(formOf(body)?.fields.city, typed.city, 'with what was typed')
  }
  t.equal(begun.length, 2)
  const elsewhere = shop.submit(await shop.form(other))
  await until('another bag', () => begun.includes(other))
  mayOpen.resolve()
  const answers = await Promise.all([first, second, elsewhere])
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [303, 303, 303]
  )
  t.equal(answers[0]?.headers.location, answers[1]?.headers.location)
})

t.test('of two presses at once, both are told that the page could not be opened', async t => {
  const shop = await openPayingShop(t)
  const { gateway } = shop.paying
  const isOpening = Promise.withResolvers<void>()
  const mayFail = Promise.withResolvers<void>()
  gateway.open = async () => {
    isOpening.resolve()
    await mayFail.promise
    throw new PaymentFailed('refused')
  }
  const { pause } = gateway
  gateway.pause = async milliseconds => {
    mayFail.resolve()
    await pause(milliseconds)
  }
  const token = await shop.token()
  const form = await shop.form(token)
  const first = shop.submit(form)
  await isOpening.promise
  for (const { statusCode, body } of await Promise.all([first, shop.submit(form)])) {
    t.match([statusCode, textOf(body)], [503, 'Payment can’t be started just now. Nothing was charged.'])
  }
  t.strictSame(await statesOf(shop, token), ['ended'])
})

t.test(
  'sixty presses under sixty names store one order, open twenty sessions, and then the page says to come back',
  async t => {
    const rows = Array.from({ length: 500 }, (_, n) => `S${n}\tThing number ${n}\tin_stock\t1.00 GBP`)
    const shop = await openPayingShop(t, {}, { feed: ['id\ttitle\tavailability\tprice', ...rows].join('\n') })
    const token = await shop.token(Array.from({ length: 500 }, (_, n) => ({ sku: `S${n}`, quantity: 1 })))
    const form = await shop.form(token)
    const statuses: number[] = []
    for (let n = 0; n < 60; n++) {
      const { statusCode, body } = await shop.submit(form, { ...ADA, name: `Ada ${n}` })
      statuses.push(statusCode)
      if (n === 59) t.match(textOf(body), 'You’ve started to pay for this bag many times. Please try again in an hour.')
    }
    t.strictSame(statuses, [...Array(20).fill(303), ...Array(40).fill(429)])
    const { length } = await shop.store.paymentsOf({}, 100)
    const frozen = (await shop.store.paymentsOf({}, 100)).filter(({ order }) => order)
    t.strictSame([length, frozen.length, shop.double.payments().length], [20, 1, 20])
    t.equal((await shop.store.latestPayment('shop', token))?.state, 'open', 'the last one can still be paid')
    shop.tick(60 * 60_000)
    await shop.act(await shop.buy(token), 'pay')
  }
)

t.test('another bag under a reference waits while the first is being paid, and ends nothing', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(3)
  const tokenIn = (answer: { json: () => { body: string } }) => answer.json().body.replace('token=', '')
  const token = tokenIn(await shop.send(BAG, reference))
  const address = await shop.buy(token)
  const answer = await shop.send(OTHER_BAG, reference)
  t.equal(answer.statusCode, 200, 'the platform is told what it was told before')
  t.match(
    shop.logs.filter(({ msg }) => msg === 'transfer'),
    [{ outcome: 'accepted' }, { outcome: 'accepted' }]
  )
  const other = tokenIn(answer)
  t.match(textOf((await shop.page(other)).body), /Your bag Herring throw Qty 1/s)
  const looks = countLooks(shop)
  for (let n = 0; n < 4; n++) {
    const { statusCode, body } = await shop.submit(await shop.form(other), MALLORY)
    t.match([statusCode, textOf(body)], [409, 'An earlier version of this bag is still being paid for.'])
    t.match(formOf(body)?.fields.city, MALLORY.city)
  }
  t.equal(looks(), 1)
  shop.tick(60_000)
  await shop.sweep()
  t.match(await shop.payments(token), [{ state: 'open' }])
  const back = await shop.act(address, 'pay')
  t.match((await shop.visit(back)).headers.location, CONFIRMATION)
  t.match(textOf((await shop.submit({ action: `/shop/checkout/${other}`, fields: {} })).body), 'Your bag has changed')
  t.equal(shop.orders().length, 1)
})

t.test(
  'once a payment has ended, the bag that was sent since can be ordered, though nobody has told us of the end',
  async t => {
    const shop = await openPayingShop(t)
    const reference = uuid(4)
    const token = await shop.token(BAG, reference)
    await shop.buy(token)
    const answer = await shop.send(OTHER_BAG, reference)
    const other = answer.json().body.replace('token=', '')
    shop.tick(61 * 60_000)
    shop.double.expireDue()
    const address = await shop.buy(other)
    t.match(textOf((await shop.page(token)).body), 'Your bag has changed')
    t.match((await shop.visit(await shop.act(address, 'pay'))).headers.location, CONFIRMATION)
    t.match(await shop.store.findOrder('shop', other), { lines: [{ sku: 'THROW' }], payment: { status: 'paid' } })
  }
)

t.test('who has come back from paying, and changes the bag, pays for the new one at once', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(9)
  const token = await shop.token(BAG, reference)
  const address = await shop.buy(token)
  await shop.visit(await shop.cancelAddress(address))
  t.strictSame(await shop.payments(token).then(all => all.map(({ state }) => state)), ['open'], 'it can still be paid')
  const other = (await shop.send(OTHER_BAG, reference)).json().body.replace('token=', '')
  const second = await shop.buy(other)
  t.match(await (await fetch(address)).text(), /expired/i, 'nobody can pay for both')
  t.match((await shop.visit(await shop.act(second, 'pay'))).headers.location, CONFIRMATION)
  t.match(await shop.store.findOrder('shop', other), { lines: [{ sku: 'THROW' }] })
})

t.test('who has come back from paying, and goes on after all, is kept waiting by nobody', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(10)
  const token = await shop.token(BAG, reference)
  const form = await shop.form(token)
  const address = String((await shop.submit(form)).headers.location)
  await shop.visit(await shop.cancelAddress(address))
  shop.tick(1000)
  t.equal((await shop.submit(form)).headers.location, address)
  const other = (await shop.send(OTHER_BAG, reference)).json().body.replace('token=', '')
  t.match(await shop.submit(await shop.form(other), MALLORY), { statusCode: 409 })
  shop.tick(5000)
  t.match((await shop.visit(await shop.act(address, 'pay'))).headers.location, CONFIRMATION)
})

t.test(
  'who has paid, and comes back before we know of it, is not charged again for the bag that was sent since',
  async t => {
    const shop = await openPayingShop(t)
    const reference = uuid(11)
    const token = await shop.token(BAG, reference)
    const address = await shop.buy(token)
    await shop.visit(await shop.cancelAddress(address))
    await shop.act(address, 'pay')
    const other = (await shop.send(OTHER_BAG, reference)).json().body.replace('token=', '')
    t.match(textOf((await shop.submit(await shop.form(other))).body), 'Your bag has changed')
    t.match(await shop.store.findOrder('shop', token), { payment: { status: 'paid' } })
    t.equal(shop.orders().length, 1)
  }
)

t.test('a bag that waits is found again, though it has sold out since', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(7)
  await shop.buy(await shop.token(BAG, reference))
  const sent = await shop.send(OTHER_BAG, reference)
  shop.change('THROW', { availability: 'out_of_stock' })
  const again = await shop.send(OTHER_BAG, reference)
  t.strictSame([again.statusCode, again.body], [200, sent.body])
  t.equal((await shop.send([{ sku: 'THROW', quantity: 2 }], reference)).statusCode, 422)
})

t.test('a bag that expires while it is being paid, and is sent again, can be paid at once', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(8)
  const token = await shop.token(BAG, reference)
  shop.tick(24 * 60 * 60_000 - 60_000)
  const address = await shop.buy(token)
  shop.tick(2 * 60_000)
  const again = await shop.send(BAG, reference)
  const other = again.json().body.replace('token=', '')
  t.not(other, token)
  const second = await shop.buy(other)
  t.match(await (await fetch(address)).text(), /expired/i, 'which ends the payment of before')
  t.match((await shop.visit(await shop.act(second, 'pay'))).headers.location, CONFIRMATION)
})

t.test('a bag of nothing waits as well', async t => {
  const feed = 'id\ttitle\tavailability\tprice\nFREE\tA sample\tin_stock\t0.00 GBP\nMUG\tA mug\tin_stock\t145.00 GBP'
  const shop = await openPayingShop(t, { catalogue: { freeProducts: true } }, { feed })
  const reference = uuid(5)
  const address = await shop.buy(await shop.token([{ sku: 'MUG', quantity: 1 }], reference))
  const answer = await shop.send([{ sku: 'FREE', quantity: 1 }], reference)
  const form = await shop.form(answer.json().body.replace('token=', ''))
  t.match(await shop.submit(form), { statusCode: 409, body: /still being paid for/ })
  t.match(await shop.act(address, 'pay'), /paid/)
})

t.test('a bag whose delayed payment has failed can be paid again, as whoever pays then types it', async t => {
  const shop = await openPayingShop(t)
  const reference = uuid(6)
  const token = await shop.token(BAG, reference)
  const address = await shop.buy(token)
  const confirmation = String((await shop.visit(await shop.act(address, 'pay-later'))).headers.location)
  const [first] = (await shop.payments(token)) as [Payment]
  t.equal((await shop.page(token)).statusCode, 409, 'while the money is on its way, the order stands')
  shop.double.act(shop.idOf(address), 'fail')
  await shop.notify(shop.double.notifications.events.at(-1) as never)
  t.match((await shop.visit(confirmation)).body, `href="/shop/checkout/${token}"`, 'it leads back to the bag')

  // A day later, the bag itself would have expired.
  shop.tick(25 * 60 * 60_000)
  await shop.send(BAG, reference)
  const page = await shop.page(token)
  t.equal(page.statusCode, 200)
  t.strictSame(
    PERSONAL.filter(text => page.body.includes(text)),
    []
  )
  const back = await shop.visit(`/shop/checkout/${token}?attempt=${first.secret}`)
  t.match(textOf(back.body), 'You haven’t been charged.')
  const second = await shop.buy(token, MALLORY)
  t.match((await shop.visit(await shop.act(second, 'pay'))).headers.location, CONFIRMATION)
  const order = await shop.store.findOrder('shop', token)
  t.match(order, { customer: { address: { city: MALLORY.city } }, payment: { status: 'paid' } })
  t.not(order?.number, first.orderNumber)
  t.equal((await shop.visit(confirmation)).statusCode, 404, 'that of the order that came to nothing shows no other')
  t.equal((await shop.page(token)).statusCode, 409)
  const own = `/shop/checkout/${token}?attempt=${first.secret}`
  t.equal((await shop.visit(own.replace('?', '/paid?'))).headers.location, own, 'whose payment has failed has no order')
  t.equal((await shop.visit(own)).statusCode, 409)

  const late = shop.double.payments().find(({ session }) => session.id === shop.idOf(address))
  Object.assign(late?.session ?? {}, { payment_status: 'paid' })
  Object.assign(late?.intent ?? {}, { status: 'succeeded', amount_received: 14_500 })
  const about = shop.double.notifications.events.find(({ data }) => data.object.id === shop.idOf(address))
  await shop.notify(about as never)
  t.match(await shop.payments(token), [{ reason: 'replaced' }, { state: 'paid' }], 'what comes later goes back')
  for (const way of [own, own.replace('?', '/paid?')]) {
    t.match(textOf((await shop.visit(way)).body), 'We’re sending your money back', 'and is told, whichever way')
  }
})
