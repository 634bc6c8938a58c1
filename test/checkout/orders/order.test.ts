// Order numbers: short, with no two characters that look alike, and not countable. How an order was paid, as merchants see it.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { newOrderNumber, type OrderPayment, orderData, orderSummary } from '../../../src/checkout/orders/order.ts'
import { newOrder } from '../../store/new-order.ts'
import { OrderData } from './order-placed.ts'

const numbers = Array.from({ length: 5000 }, newOrderNumber)

t.test('a number is two groups of four, without 0, O, 1, I, L and U', t => {
  t.strictSame(
    numbers.filter(number => !/^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/.test(number)),
    []
  )
  t.end()
})

t.test('numbers are unpredictable: unique, in random order, with every character in every position', t => {
  t.equal(new Set(numbers).size, numbers.length)
  const rising = numbers.filter((number, i) => i > 0 && number > String(numbers[i - 1])).length
  t.ok(rising > 2200 && rising < 2800, `${rising} of 5000 follow a smaller one`)
  for (const place of [0, 1, 2, 3, 5, 6, 7, 8]) {
    t.equal(new Set(numbers.map(number => number[place])).size, 30, `place ${place}`)
  }
  t.end()
})

t.test('a payment is told in major units, with what was sent back, and without what only the shopper needs', t => {
  const payment: OrderPayment = { status: 'paid', provider: 'stripe', id: 'pi_1', amount: 9445, refunded: 0 }
  const paid = orderData(newOrder(1, { payment: { ...payment, instructionsUrl: 'https://pay.example/voucher' } }))
  t.strictSame(paid.payment, { status: 'paid', provider: 'stripe', id: 'pi_1', amount: '94.45' })
  const yen = orderData(newOrder(2, { currency: 'JPY', payment: { ...payment, amount: 9445, refunded: 45 } }))
  t.match(yen.payment, { amount: '9445', refunded: '45' })
  for (const data of [paid, yen]) t.strictSame([...Value.Errors(OrderData, data)], [])
  t.notOk('payment' in orderData(newOrder(3)))
  t.end()
})

t.test('a merchant is told what came along with the cart, and an app reads none of it', t => {
  const extras = { attribution: { utm_source: 'instagram', utm_campaign: 'autumn' }, codes: ['WELCOME10'] }
  const order = newOrder(1, extras)
  const data = orderData(order)
  t.match(data, extras)
  t.strictSame([...Value.Errors(OrderData, data)], [])
  t.strictSame(
    { ...data, attribution: undefined, codes: undefined },
    { ...orderData(newOrder(1)), attribution: undefined, codes: undefined },
    'which changes nothing else'
  )
  t.strictSame(orderSummary(order), orderSummary(newOrder(1)))
  for (const field of ['attribution', 'codes']) t.notOk(field in orderData(newOrder(1)), field)
  t.end()
})
