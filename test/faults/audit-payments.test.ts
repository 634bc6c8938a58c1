// The comparison with the books of the stand-in for Stripe, tried on books, databases and webhooks that are wrong.
import t, { type Test } from 'tap'
import type { CheckoutPayment } from '../../src/kit/payment/checkout-account.ts'
import { uuid } from '../build.ts'
import { SECRET } from '../checkout/webhook/receiver.ts'
import { change, openPayingShop } from '../pages/paying-shop.ts'
import { BAG } from '../pages/shopper.ts'
import { auditMessages, auditPayments, type PaymentFindings } from './audit-payments.ts'

/** A shop with an order that is paid, one that is pending, a payment that was sent back and one that ended. */
async function openBooks(t: Test) {
  const webhook = { url: 'http://127.0.0.1:9/hooks', secretVariable: 'HOOK' }
  const shop = await openPayingShop(t, { webhook } as object, { variables: { HOOK: SECRET } })
  const { double, store } = shop
  const damage = (sql: string) => change(shop, sql)
  for (const [n, action] of (['pay', 'pay-later', 'pay', 'decline'] as const).entries()) {
    const token = await shop.token(BAG, uuid(n))
    const back = await shop.act(await shop.buy(token), action)
    if (n === 2) damage(`UPDATE checkouts SET superseded_at = '2026' WHERE token = '${token}'`)
    await shop.visit(back)
  }
  shop.tick(61 * 60_000)
  await shop.sweep()
  const orders = [await store.findOrder('shop', await tokenOf(0)), await store.findOrder('shop', await tokenOf(1))]
  async function tokenOf(n: number): Promise<string> {
    return String((await store.newestCheckout('shop', uuid(n)))?.token)
  }
  const [paid, pending] = orders
  return {
    find: () => auditPayments(double.payments(), store),
    books: double.payments() as [CheckoutPayment, CheckoutPayment, CheckoutPayment, CheckoutPayment],
    numbers: [String(paid?.number), String(pending?.number)] as const,
    damage,
    messages: orders.map(order => ({
      type: 'order.placed',
      data: { orderNumber: order?.number, payment: order?.payment }
    })),
    told: (messages: object[]) =>
      auditMessages(
        store,
        messages.map((message, i) => ({
          method: 'POST',
          headers: { 'webhook-id': `${i}` },
          body: JSON.stringify(message)
        }))
      )
  }
}

type Books = Awaited<ReturnType<typeof openBooks>>

const NOTHING: PaymentFindings = { lost: [], doubled: [], wrong: [] }

t.test('nothing is found where the books agree', async t => {
  const { find, told, messages } = await openBooks(t)
  t.strictSame(await find(), NOTHING)
  t.strictSame(await told(messages), [])
})

const WRONGS: [
  what: string,
  wrong: (books: Books) => unknown,
  found: Partial<Record<keyof PaymentFindings, RegExp>>
][] = [
  [
    'money for no order',
    ({ books: [, , back] }) => Object.assign(back, { refunded: 0 }),
    { lost: /for no order; 0 of/ }
  ],
  ['money back in part', ({ books: [, , back] }) => back.refunded--, { lost: /for no order; 14499 of 14500/ }],
  ['an order that is lost', ({ damage }) => damage('DELETE FROM orders'), { lost: /is paid, for no order/ }],
  [
    'an ordered payment refunded',
    ({ books: [paid] }) => Object.assign(paid, { refunded: 14_500 }),
    { doubled: /went back/ }
  ],
  [
    'a bag paid twice',
    ({ books: [paid, , back] }) => {
      back.refunded = 0
      back.session.client_reference_id = paid.session.client_reference_id
    },
    { doubled: /are paid, for one bag/ }
  ],
  [
    'two orders of one payment',
    ({ damage }) => damage(`UPDATE orders SET payment_id = (SELECT id FROM payments WHERE state = 'paid')`),
    { doubled: /is for 2 orders/ }
  ],
  [
    'an order that nobody has paid',
    ({ books: [paid] }) => Object.assign(paid.session, { payment_status: 'unpaid', status: 'expired' }),
    { wrong: /is paid; payment .* is undefined/ }
  ],
  [
    'an order whose money has not come',
    ({ books: [, pending] }) => Object.assign(pending.intent ?? {}, { status: 'requires_payment_method' }),
    { wrong: /is pending; payment .* is failed/ }
  ],
  ['another amount', ({ damage }) => damage('UPDATE orders SET total = total + 1'), { wrong: /of 14501, is paid/ }],
  [
    'an order without a payment',
    ({ damage }) => damage('UPDATE orders SET payment_id = NULL'),
    { wrong: /has no payment/ }
  ],
  [
    'a payment that still waits',
    ({ damage }) => damage(`UPDATE payments SET state = 'opening' WHERE state = 'ended'`),
    { wrong: /is still opening/ }
  ]
]

for (const [what, wrong, found] of WRONGS) {
  t.test(`it finds ${what}`, async t => {
    const opened = await openBooks(t)
    await wrong(opened)
    const findings = await opened.find()
    for (const [kind, line] of Object.entries(found)) t.match(findings[kind as 'lost'].join('\n'), line)
  })
}

t.test('it finds what merchants were not told, told twice, or told otherwise', async t => {
  const { told, messages, numbers } = await openBooks(t)
  const [paid, pending] = messages as [(typeof messages)[0], (typeof messages)[0]]
  const isNot = (number: string) => [new RegExp(`^order ${number} is `)]
  t.match(await told([paid]), isNot(numbers[1]), 'not told')
  t.match(await told([paid, paid, pending]), isNot(numbers[0]), 'two ids')
  t.match(await told([{ ...paid, type: 'order.paid' }, pending]), isNot(numbers[0]), 'not placed first')
  const other = { ...paid, data: { ...paid.data, payment: pending.data.payment } }
  t.match(await told([other, pending]), isNot(numbers[0]), 'another payment')
  t.strictSame(
    await told([
      { ...paid, data: { ...paid.data, payment: { status: 'pending' } } },
      { ...paid, type: 'order.paid' },
      pending
    ]),
    []
  )
})
