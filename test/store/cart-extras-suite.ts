// What came along with a cart: kept with its checkout and its order, and erased with what the shopper typed. For every
// implementation.
import type { Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { Order } from '../../src/checkout/orders/order.ts'
import type { Store } from '../../src/store/store.ts'
import { newOrder } from './new-order.ts'
import { keyOf, newPayment, opened, settle } from './payments-suite.ts'
import { newReport } from './reported-orders-suite.ts'
import { type CheckoutChanges, closed, NO_RECORDS, newCheckout, type OpenStore } from './store-suite.ts'

const LONG_AFTER = '2099-01-01T00:00:00.000Z'
const NOON = '2026-11-20T12:00:00.000Z'
const OTHER = [{ sku: 'LAMP', quantity: 1 }]

/** Texts that are nowhere else in a test, in the order in which they came, which is no alphabetical one. */
export const extrasOf = (n: number) => ({
  attribution: { utm_source: `source-${n}.`, fbclid: `click-${n}. ☕ '"\\`, cart_origin: '' },
  codes: [`CODE-${n}.`, `ÄLTER-${n}`]
})
const buyerOf = (n: number) => ({ email: `buyer-${n}.`, address: { name: `name-${n}.` } })

const orderOf = (n: number, changes: Partial<Order> = {}) => newOrder(n, { ...extrasOf(n), ...changes })
const bare = ({ customer, attribution, codes, ...order }: Order) => order

/** Stores the checkout of `newOrder(n)`, with everything that may come along with a cart. */
export async function addCart(store: Store, n: number, changes: CheckoutChanges = {}): Promise<Cart> {
  const checkout = newCheckout(`token-${n}`, { reference: `order-${n}`, ...changes })
  const cart = { ...checkout.cart, ...extrasOf(n), buyer: buyerOf(n) }
  return (await store.addCheckout({ ...checkout, cart })).cart
}

export function cartExtrasSuite(t: Test, name: string, open: OpenStore): void {
  const fresh = closed(open)
  const cartAt = async (store: Store, token: string) => (await store.findCheckout('shop', token))?.cart
  const bareCart = (reference: string, items = newCheckout('').cart.items) => ({ reference, currency: 'GBP', items })

  t.test(`${name}: a checkout keeps what came along with its cart, and a repeat changes none of it`, async t => {
    const store = await fresh(t)
    const cart = await addCart(store, 1)
    t.strictSame(await cartAt(store, 'token-1'), cart)
    t.strictSame(Object.keys(cart.attribution ?? {}), ['utm_source', 'fbclid', 'cart_origin'])
    for (const extras of [{}, extrasOf(2), { buyer: buyerOf(2) }]) {
      const { cart: sent, ...checkout } = newCheckout('again', { createdAt: NOON })
      const repeat = await store.addCheckout({ ...checkout, cart: { ...sent, ...extras } })
      t.match(repeat, { token: 'token-1', supersededAt: undefined })
      t.strictSame(repeat.cart, cart, 'the first stays')
    }
    const { reference, currency, items } = cart
    t.match(await store.referenceHistories(['shop'], [reference]), [[{ ...extrasOf(1), checkouts: [{ items }] }]])
    t.strictSame(currency, 'GBP')
    const { cart: other, ...checkout } = newCheckout('other', { createdAt: NOON, items: OTHER })
    await store.addCheckout({ ...checkout, cart: { ...other, ...extrasOf(2) } })
    t.match(await store.referenceHistories(['shop'], [reference]), [[extrasOf(2)]], 'of the newest cart')
  })

  t.test(`${name}: an order keeps what came along with its cart, wherever it is read`, async t => {
    const store = await fresh(t)
    await addCart(store, 1)
    const order = orderOf(1)
    t.strictSame(await store.placeOrder(order, { notifiesWebhook: true }), { outcome: 'placed', order })
    t.strictSame(await store.findOrder('shop', 'token-1'), order)
    t.strictSame(await store.listOrders({}, undefined, 10), [{ ...order, option: '1', webhook: 'pending' }])
    const leased = await store.leaseMessage('shop', NOON, LONG_AFTER)
    t.strictSame(leased?.order, order)
    t.match(await store.referenceHistories(['shop'], ['order-1']), [[{ order: {}, ...extrasOf(1), checkouts: [] }]])
    t.match(await store.ordersAfter('shop', '', 10), [{ number: order.number, ...extrasOf(1) }])
    t.strictSame(await store.placeOrder(orderOf(1, extrasOf(2))), { outcome: 'repeated', order })
  })

  t.test(`${name}: an order may have only a part of it, and one of before has none`, async t => {
    const store = await fresh(t)
    const [{ attribution }, { codes }] = [extrasOf(1), extrasOf(2)]
    for (const order of [newOrder(1, { attribution }), newOrder(2, { codes }), newOrder(3)]) {
      await store.addCheckout(newCheckout(order.token, { reference: order.reference }))
      await store.placeOrder(order)
      t.strictSame(await store.findOrder('shop', order.token), order)
    }
  })

  t.test(`${name}: it is erased with an order, also from its checkout and those before it, and no other`, async t => {
    const store = await fresh(t)
    for (const n of [1, 2, 3]) {
      await addCart(store, n, { token: `earlier-${n}`, items: OTHER })
      await addCart(store, n, { createdAt: NOON })
      await store.placeOrder(orderOf(n))
    }
    t.equal(await store.eraseOrder(orderOf(1).number), true)
    const erased = async (n: number) => {
      t.strictSame(await store.findOrder('shop', `token-${n}`), bare(orderOf(n)))
      t.strictSame(await cartAt(store, `token-${n}`), bareCart(`order-${n}`))
      t.strictSame(await cartAt(store, `earlier-${n}`), bareCart(`order-${n}`, OTHER))
    }
    await erased(1)
    t.strictSame(await store.findOrder('shop', 'token-2'), orderOf(2))
    t.strictSame(
      await cartAt(store, 'token-2'),
      { ...bareCart('order-2'), ...extrasOf(2) },
      'the buyer goes with the order'
    )
    t.equal(await store.eraseOrders('shop', LONG_AFTER, 1), 1)
    await erased(2)
    t.strictSame(await store.findOrder('shop', 'token-3'), orderOf(3))
    t.match(await cartAt(store, 'earlier-3'), { ...extrasOf(3), buyer: buyerOf(3) })
    const [[history] = []] = await store.referenceHistories(['shop'], ['order-1'])
    t.strictSame(Object.keys(history ?? {}), ['merchant', 'order', 'option', 'checkouts'])
    t.match(await store.placeOrder(orderOf(1)), { outcome: 'repeated', order: bare(orderOf(1)) })
  })

  t.test(`${name}: it is frozen with an order that is paid first, and placed with it`, async t => {
    const store = await fresh(t)
    await addCart(store, 1)
    const frozen = await opened(store, 1, extrasOf(1))
    t.match((await store.findPayment('shop', frozen.id))?.order, extrasOf(1))
    await settle(store, frozen, 'paid')
    t.match(await store.findOrder('shop', 'token-1'), { ...orderOf(1), placedAt: String, payment: {} })
    t.strictSame(await cartAt(store, 'token-1'), { ...bareCart('order-1'), ...extrasOf(1) })
    await store.eraseOrder(orderOf(1).number)
    const order = await store.findOrder('shop', 'token-1')
    t.match(order, { ...bare(orderOf(1)), placedAt: String })
    for (const field of ['customer', 'attribution', 'codes']) t.notOk(field in (order ?? {}), field)
    t.strictSame(await cartAt(store, 'token-1'), bareCart('order-1'))
  })

  t.test(`${name}: the platform of an order and the key of its link are about no person, and stay`, async t => {
    const store = await fresh(t)
    const platform = 'https://platform.example/profile.json'
    const { cart, ...checkout } = newCheckout('token-1')
    await store.addCheckout({ ...checkout, option: 'ucp', cart: { ...cart, platform, linkKey: 'k', language: 'de' } })
    t.match(await store.referenceHistories(['shop'], ['order-1']), [[{ option: 'ucp', platform }]])
    const order = orderOf(1)
    await store.placeOrder(order)
    t.equal(await store.eraseOrder(order.number), true)
    t.match(await store.listOrders({}, undefined, 10), [{ option: 'ucp', platform }])
    t.match(await store.referenceHistories(['shop'], ['order-1']), [[{ option: 'ucp', platform }]])
    t.match(await store.ordersAfter('shop', '', 10), [{ option: 'ucp', platform }])
    const kept = await cartAt(store, 'token-1')
    t.strictSame([kept?.platform, kept?.linkKey, kept?.language], [platform, 'k', undefined])
    const reported = { reference: 'reported', currency: 'GBP', items: cart.items }
    const handover = { url: 'https://shop.example', httpMethod: 'GET' } as const
    const own = newCheckout('own', { reference: 'reported', handover })
    await store.addCheckout({ ...own, option: 'ucp', cart: { ...own.cart, platform, linkKey: 'k' } })
    await store.keepReport({ ...reported, merchantId: 'shop', number: '#1', total: 1, reportedAt: NOON })
    t.match(await store.listOrders({ number: '#1' }, undefined, 10), [{ option: 'ucp', platform }])
    t.equal((await cartAt(store, 'own'))?.linkKey, 'k')
    t.match((await store.ordersAfter('shop', '', 10))[1], { option: 'ucp', platform })
  })

  t.test(`${name}: an order after one whose payment has failed has it too`, async t => {
    const store = await fresh(t)
    await addCart(store, 1)
    const failed = await opened(store, 1, extrasOf(1))
    await settle(store, failed, 'pending')
    await settle(store, failed, 'failed')
    t.match(await cartAt(store, 'token-1'), extrasOf(1))
    const order = orderOf(1, { number: 'AAAA-0002' })
    t.match(await store.placeOrder(order), { outcome: 'placed' })
    t.strictSame(await store.findOrder('shop', 'token-1'), order)
    const listed = await store.listOrders({}, undefined, 10)
    t.strictSame(listed.map(({ number, option }) => [number, option]).sort(), [
      [failed.orderNumber, '1'],
      ['AAAA-0002', '1']
    ])
    t.equal((await store.ordersAfter('shop', '', 10, '1')).length, 2, 'both came in by one way')
    t.strictSame(await store.ordersAfter('shop', '', 10, 'meta'), [])
    t.equal(await store.eraseOrder(failed.orderNumber), true)
    t.strictSame(await store.findOrder('shop', 'token-1'), order, 'which keeps it when the first is erased')
  })

  t.test(`${name}: it is erased with a payment that never became an order`, async t => {
    const store = await fresh(t)
    const cases: [n: number, erase: (number: string) => Promise<unknown>][] = [
      [1, number => store.eraseOrder(number)],
      [2, () => store.erasePayments('shop', LONG_AFTER, 10)]
    ]
    for (const [n, erase] of cases) {
      await addCart(store, n)
      await store.beginPayment(newPayment(n, extrasOf(n)))
      await store.changePayment(keyOf(n), { type: 'not-opened' }, NOON)
      t.match((await store.findPayment('shop', keyOf(n).id))?.order, extrasOf(n))
      await erase(newOrder(n).number)
      t.equal((await store.findPayment('shop', keyOf(n).id))?.order, undefined)
      t.strictSame(await cartAt(store, `token-${n}`), bareCart(`order-${n}`))
    }
  })

  t.test(`${name}: the checkout of an order that is reported keeps none of it`, async t => {
    const store = await fresh(t)
    const handover = { url: 'https://shop.example/bag', httpMethod: 'GET' } as const
    const url = `${handover.url}?wc_error=ADA-10+is+over.&refused_code=ADA-10#top`
    await addCart(store, 1, { reference: 'reported-1', handover: { ...handover, url } })
    await addCart(store, 2, { reference: 'reported-2', handover })
    t.match(await store.keepReport(newReport(1)), { outcome: 'kept', cart: extrasOf(1) })
    t.strictSame(await cartAt(store, 'token-1'), bareCart('reported-1'))
    const page = { ...handover, url: `${handover.url}#top` }
    t.match(await store.findCheckout('shop', 'token-1'), { orderNumber: '#1', handover: page })
    t.match(await cartAt(store, 'token-2'), extrasOf(2), 'an open one keeps it')
    t.equal(await store.deleteExpired('shop', LONG_AFTER, 10, NO_RECORDS), 1)
  })
}
