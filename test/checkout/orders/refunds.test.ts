// Refunds and chargebacks that are made on the provider's own pages: its notifications, and what follows from them.
import t, { type Test } from 'tap'
import type { Payment } from '../../../src/checkout/orders/payment.ts'
import { handlePaymentWebhook } from '../../../src/checkout/orders/refunds.ts'
import { PaymentFailed } from '../../../src/integrations/payment/provider.ts'
import type { PaymentAction } from '../../../src/kit/payment/checkout-account.ts'
import { change, openPayingShop } from '../../pages/paying-shop.ts'
import { BAG } from '../../pages/shopper.ts'
import { beginRefund, bookRefund } from '../../store/payments-suite.ts'

const webhook = { url: 'https://acme.example/hooks', secretVariable: 'HOOK' }
const HOOK = { variables: { HOOK: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } }

/** A shop with an order of 145.00 that is paid. */
async function openPaidShop(t: Test) {
  const shop = await openPayingShop(t, { webhook } as object, HOOK)
  const { double, store, notify } = shop
  const ordered = await shop.token()
  const address = await shop.buy(ordered)
  await shop.visit(await shop.act(address, 'pay'))
  const id = shop.idOf(address)
  const newest = () => double.notifications.events.at(-1) as Parameters<typeof notify>[0]
  return {
    ...shop,
    ordered,
    newest,
    refund: (amount: number) => double.refund(id, amount),
    play: (action: PaymentAction) => double.act(id, action),
    /** Sends the newest event. @returns the status of the answer */
    tell: async () => (await notify(newest())).statusCode,
    payment: async () => (await store.findOrder('shop', ordered))?.payment,
    /** The messages that wait, each taken. */
    messages: async () => {
      const found: string[] = []
      while (true) {
        const now = shop.clock().toISOString()
        const leased = await store.leaseMessage('shop', now, '2099-01-01T00:00:00.000Z')
        if (!leased) return found
        const { status, refunded, dispute = '-' } = leased.order.payment ?? {}
        found.push(`${leased.event}: ${status} ${refunded} ${dispute}`)
        await store.settleMessage(leased, { state: 'delivered', attempts: 0, dueAt: now, attemptedAt: now })
      }
    },
    told: (msg: string) => shop.logs.filter(line => line.msg === msg)
  }
}

t.test('a refund on the pages of Stripe is in the books, the log and the webhook, once', async t => {
  const shop = await openPaidShop(t)
  t.strictSame(await shop.messages(), ['order.placed: paid 0 -'])
  shop.refund(1250)
  t.equal(shop.newest().type, 'charge.refunded')
  for (let n = 0; n < 3; n++) t.equal(await shop.tell(), 200)
  t.match(await shop.payment(), { status: 'paid', refunded: 1250, dispute: undefined })
  t.strictSame(await shop.messages(), ['order.refunded: paid 1250 -'])
  t.match(shop.told('payment refunded'), [{ level: 30, refunded: '12.50', total: '145.00', transaction: /^pi_/ }])
  shop.tick(60_000)
  shop.play('refund')
  await shop.tell()
  t.match(await shop.payment(), { status: 'refunded', refunded: 14_500 })
  t.strictSame(await shop.messages(), ['order.refunded: refunded 14500 -'])
  t.match(shop.told('payment refunded'), [{ state: 'paid' }, { state: 'refunded', refunded: '145.00' }])
})

t.test('a refund that fails later is taken out of the books, and an older answer takes nothing out', async t => {
  const shop = await openPaidShop(t)
  await shop.messages()
  shop.play('refund')
  const refunded = shop.newest()
  await shop.tell()
  t.match(await shop.payment(), { status: 'refunded' })
  shop.tick(60_000)
  shop.play('fail-refund')
  t.equal(shop.newest().type, 'refund.failed')
  await shop.tell()
  t.match(await shop.payment(), { status: 'paid', refunded: 0 })
  const failed = shop.told('refund failed; the provider has the money again')
  t.match(failed, [{ level: 50, state: 'paid', refunded: '0.00', total: '145.00' }])
  await shop.notify(refunded)
  t.match(await shop.payment(), { status: 'paid', refunded: 0 }, 'nothing that a notification says is believed')
  t.strictSame(await shop.messages(), ['order.refunded: paid 0 -', 'order.refunded: paid 0 -'])
})

t.test('of an answer that is older than the books, nothing is taken', async t => {
  const shop = await openPaidShop(t)
  await shop.messages()
  const [payment] = await shop.payments(shop.ordered)
  const { gateway } = shop.paying
  shop.refund(1250)
  const event = shop.newest()
  const look = gateway.retrievePayment
  let asked = 0
  gateway.retrievePayment = async id => {
    const facts = await look(id)
    // Meanwhile a command has sent back more, and booked it.
    if (++asked === 1) {
      shop.refund(1000)
      await bookRefund(shop.store, payment as Payment, { refunded: 2250 }, shop.clock().toISOString())
    }
    return facts
  }
  await handlePaymentWebhook(shop.paying, String((event.data.object as { payment_intent?: string }).payment_intent))
  t.equal(asked, 2, 'it is asked again')
  t.match(await shop.payment(), { refunded: 2250 })
  shop.play('refund')
  shop.play('fail-refund')
  await bookRefund(shop.store, payment as Payment, { refunded: 14_500 }, shop.clock().toISOString())
  gateway.retrievePayment = id => (++asked === 3 ? look(id) : Promise.resolve(undefined))
  await handlePaymentWebhook(shop.paying, String((event.data.object as { payment_intent?: string }).payment_intent))
  t.match(await shop.payment(), { refunded: 14_500 }, 'nor if it does not know the payment any more')
  t.strictSame(await shop.messages(), [])
})

t.test('a chargeback is on the order, opened, won or lost', async t => {
  for (const [action, end] of [
    ['win', 'won'],
    ['lose', 'lost']
  ] as const) {
    const shop = await openPaidShop(t)
    await shop.messages()
    shop.play('dispute')
    t.equal(shop.newest().type, 'charge.dispute.created')
    for (let n = 0; n < 2; n++) t.equal(await shop.tell(), 200)
    t.match(await shop.payment(), { status: 'paid', refunded: 0, dispute: 'open' })
    shop.tick(60_000)
    shop.play(action)
    t.equal(shop.newest().type, 'charge.dispute.closed')
    await shop.tell()
    t.match(await shop.payment(), { status: 'paid', dispute: end })
    t.strictSame(await shop.messages(), [`order.disputed: paid 0 ${end}`, `order.disputed: paid 0 ${end}`])
    t.match(shop.told('payment disputed'), [
      { level: 40, dispute: 'open' },
      { level: 40, dispute: end }
    ])
  }
})

t.test(
  'a notification of a refund that cannot be looked up comes again; one of another account is none of ours',
  async t => {
    const shop = await openPaidShop(t)
    const other = await openPaidShop(t)
    shop.refund(1250)
    shop.double.fail('down')
    t.equal(await shop.tell(), 503)
    shop.double.fail()
    other.refund(1)
    t.equal((await shop.notify(other.newest())).statusCode, 200)
    t.match(await shop.payment(), { refunded: 0 })
    t.equal(await shop.tell(), 200)
    t.match(await shop.payment(), { refunded: 1250 })
  }
)

t.test('money for no order that the merchant sends back by hand is told once, and no webhook follows', async t => {
  const shop = await openPaidShop(t)
  await shop.messages()
  const reference = '0f8fad5bd9cb469fa165708677289511'
  const token = await shop.token(BAG, reference)
  const address = await shop.buy(token)
  await shop.act(address, 'pay')
  change(shop, `UPDATE checkouts SET superseded_at = '2026' WHERE token = '${token}'`)
  const id = shop.idOf(address)
  const state = async () => (await shop.payments(token))[0]
  await shop.notify(shop.newest())
  t.match(await state(), { state: 'refunding', reason: 'superseded' })
  shop.double.act(id, 'refund')
  await shop.notify(shop.newest())
  t.match(await state(), { state: 'refunded', refunded: 14_500 })
  t.match(shop.told('payment refunded'), [{ level: 40, reason: 'superseded' }])
  await shop.sweep()
  t.equal(shop.told('payment refunded').length, 1)

  shop.double.act(id, 'fail-refund')
  await shop.notify(shop.newest())
  t.match(await state(), { state: 'refunding', refunded: 0 })
  t.match(shop.told('refund failed; the provider has the money again'), [{ state: 'refunding' }])
  await shop.sweep()
  t.match(await state(), { state: 'refunded', refunded: 14_500 }, 'it is sent again')
  t.equal(shop.told('payment refunded').length, 2)
  await shop.notify(shop.newest())
  t.equal(shop.told('payment refunded').length, 2, 'the notification of our own refund is no news')
  t.strictSame(await shop.messages(), [])
})

t.test('a refund that was begun stays so while the provider cannot be asked', async t => {
  const shop = await openPaidShop(t)
  const [payment] = await shop.payments(shop.ordered)
  const refund = { before: 0, amount: 1000, key: 'a key' }
  t.equal(await beginRefund(shop.store, payment as Payment, refund, shop.clock().toISOString()), true)
  const { gateway } = shop.paying
  const { refund: send } = gateway
  gateway.refund = () => Promise.reject(new PaymentFailed('who knows'))
  const { retrievePayment } = gateway
  let looks = 0
  gateway.retrievePayment = id => (++looks === 2 ? Promise.reject(new PaymentFailed('nor this')) : retrievePayment(id))
  await shop.sweep()
  t.match((await shop.payments(shop.ordered))[0], { refund, refunded: 0 })
  gateway.refund = () => Promise.reject(new TypeError('a mistake of ours'))
  shop.tick(24 * 60 * 60_000)
  await t.rejects(shop.sweep(), TypeError)
  gateway.refund = send
  shop.tick(24 * 60 * 60_000)
  await shop.sweep()
  t.match((await shop.payments(shop.ordered))[0], { refund: undefined, refunded: 1000, state: 'paid' })
  t.strictSame(shop.observed, ['shop partly-refunded'])
})

t.test('a refund that was made is in the books, though the provider does not answer after it', async t => {
  const shop = await openPaidShop(t)
  const { gateway } = shop.paying
  const { retrievePayment } = gateway
  const begin = async (before: number, error: Error) => {
    let looks = 0
    gateway.retrievePayment = id => (++looks === 2 ? Promise.reject(error) : retrievePayment(id))
    const refund = { before, amount: 1000, key: `after ${before}` }
    const [now] = await shop.payments(shop.ordered)
    t.equal(await beginRefund(shop.store, now as Payment, refund, shop.clock().toISOString()), true)
  }
  await begin(0, new PaymentFailed('no answer'))
  await shop.sweep()
  t.match((await shop.payments(shop.ordered))[0], { refunded: 1000, refund: undefined })
  await begin(1000, new TypeError('a mistake of ours'))
  shop.tick(24 * 60 * 60_000)
  await t.rejects(shop.sweep(), TypeError)
  t.match((await shop.payments(shop.ordered))[0], { refunded: 1000, refund: { before: 1000 } }, 'it stays open')
})

t.test('what has gone back is told once, though several notifications tell it at once', async t => {
  const shop = await openPaidShop(t)
  await shop.messages()
  shop.refund(1250)
  await Promise.all(Array.from({ length: 8 }, () => shop.tell()))
  t.match(await shop.payment(), { refunded: 1250 })
  t.equal(shop.told('payment refunded').length, 1)
  t.strictSame(await shop.messages(), ['order.refunded: paid 1250 -'])
})
