// What the stand-in for Stripe tells the shop, and what can be done to it on the way.
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import t, { type Test } from 'tap'
import type { PaymentDoubleOptions } from '../../../src/kit/payment/payment-double.ts'
import { listen } from '../../listen.ts'
import { openDouble, sessionParams, WEBHOOK_SECRET } from './open-double.ts'

/** A shop that takes notifications, and reads them as Stripe's SDK does. */
async function openShop(t: Test, options: Partial<PaymentDoubleOptions> = {}) {
  const shop = { status: 200, taken: [] as Stripe.Event[] }
  const { origin } = await listen(t, async (request, response) => {
    const body = await text(request)
    const signature = String(request.headers['stripe-signature'])
    if (shop.status === 0) return response.destroy()
    try {
      shop.taken.push(
        Stripe.webhooks.constructEvent(body, signature, WEBHOOK_SECRET, 300, undefined, clock().getTime())
      )
    } catch {
      return response.writeHead(401).end()
    }
    return response.writeHead(shop.status).end('Thank you')
  })
  const opened = await openDouble(t, { notify: () => origin, ...options })
  const { clock, stripe } = opened
  const open = async (changes = {}, currency = 'eur') =>
    (await stripe.checkout.sessions.create(sessionParams(changes, currency))).id
  const types = () => shop.taken.map(({ type }) => type.replace('checkout.session.', ''))
  return { ...opened, shop, open, types }
}

t.test('each change of a session is told at once, as a whole event', async t => {
  const { double, stripe, open, shop, types, seconds } = await openShop(t)
  const { notifications } = double
  const [paid, later, failed, expired] = [await open(), await open(), await open(), await open()]
  double.act(paid, 'decline')
  double.act(paid, 'pay')
  await notifications.settled()
  t.match(shop.taken, [
    {
      id: /^evt_/,
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: seconds(),
      livemode: false,
      type: 'checkout.session.completed',
      data: {
        object: { id: paid, object: 'checkout.session', payment_status: 'paid', metadata: { payment: '7KQM-3XH9-1' } }
      }
    }
  ])
  for (const id of [later, failed]) double.act(id, 'pay-later')
  await notifications.settled()
  double.act(later, 'succeed')
  await notifications.settled()
  double.act(failed, 'fail')
  await notifications.settled()
  await stripe.checkout.sessions.expire(expired)
  await notifications.settled()
  t.strictSame(types(), [
    'completed',
    'completed',
    'completed',
    'async_payment_succeeded',
    'async_payment_failed',
    'expired'
  ])
  t.match(shop.taken[1], { data: { object: { payment_status: 'unpaid' } } }, 'as it was then')
  t.strictSame(notifications.pending(), [])
})

t.test('a session that the clock has ended is told, too', async t => {
  const { double, open, types, tick } = await openShop(t)
  await open()
  tick(24 * 60)
  double.expireDue()
  await double.notifications.settled()
  t.strictSame(types(), ['expired'])
})

t.test('held back, they are delivered in any order, twice, late, or never', async t => {
  const { double, open, types, shop, tick, clock } = await openShop(t)
  const { notifications } = double
  notifications.hold()
  const [one, two] = [await open(), await open()]
  double.act(one, 'pay-later')
  double.act(one, 'succeed')
  double.act(two, 'pay')
  t.strictSame(types(), [])
  const [completed, succeeded, other] = notifications.events
  t.strictSame(notifications.pending(), [completed, succeeded, other])
  if (!completed || !succeeded || !other) throw new Error('nothing happened')
  t.equal(await notifications.deliver(succeeded), 200)
  t.equal(await notifications.deliver(completed), 200)
  tick(60)
  t.equal(await notifications.deliver(completed), 200, 'signed again')
  t.strictSame(
    shop.taken.map(({ id }) => id),
    [succeeded.id, completed.id, completed.id]
  )
  notifications.drop(other)
  t.strictSame(notifications.pending(), [])
  const old = new Date(clock().getTime() - 301_000)
  t.equal(await notifications.deliver(other, old), 401, 'a signature may be old')
})

t.test('what the shop does not take is pending', async t => {
  const { double, open, shop } = await openShop(t)
  const { notifications } = double
  shop.status = 503
  double.act(await open(), 'pay')
  await notifications.settled()
  const [event] = notifications.pending()
  if (!event) throw new Error('nothing is pending')
  t.equal(await notifications.deliver(event), 503)
  shop.status = 0
  t.equal(await notifications.deliver(event), undefined)
  shop.status = 200
  t.equal(await notifications.deliver(event), 200)
  t.strictSame(notifications.pending(), [])
})

t.test('nobody need listen', async t => {
  const { double, stripe } = await openDouble(t)
  double.act((await stripe.checkout.sessions.create(sessionParams())).id, 'pay')
  await double.notifications.settled()
  t.match(double.notifications.pending(), [{ type: 'checkout.session.completed' }])
})
