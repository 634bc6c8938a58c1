// The behaviour of a store's orders as documented in src/store/store.ts, for every implementation.
import type { Test } from 'tap'
import type { Order } from '../../src/checkout/orders/order.ts'
import type { Store } from '../../src/store/store.ts'
import { newOrder as orderNumbered } from './new-order.ts'
import { closed, NO_RECORDS, newCheckout, type OpenStore } from './store-suite.ts'

const LONG_AFTER = '2099-01-01T00:00:00.000Z'
const OTHER = { items: [{ sku: 'LAMP', quantity: 1 }] }

/** An order with this number, placed from `newCheckout('t1')`. */
const newOrder = (number: string, changes: Partial<Order> = {}): Order =>
  orderNumbered(1, { number, token: 't1', reference: 'order-1', ...changes })

export function ordersSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const empty = closed(open)
  const another = closed(openAgain)
  const fresh = async (t: Test, ...tokens: string[]): Promise<Store> => {
    const store = await empty(t)
    for (const token of tokens) await store.addCheckout(newCheckout(token, { reference: token }))
    return store
  }

  t.test(`${name}: an order is found as placed, and its checkout has its number`, async t => {
    const store = await fresh(t, 't1')
    const order = newOrder('N-1')
    t.strictSame(await store.placeOrder(order), { outcome: 'placed', order })
    t.strictSame(await store.findOrder('shop', 't1'), order)
    t.match(await store.findCheckout('shop', 't1'), { token: 't1', orderNumber: 'N-1', supersededAt: undefined })
    t.match(await store.newestCheckout('shop', 't1'), { token: 't1', orderNumber: 'N-1' })
  })

  t.test(`${name}: an order without the optional fields is found as placed`, async t => {
    const store = await fresh(t, 't1')
    const {
      delivery: _,
      language: __,
      ...order
    } = newOrder('N-1', { customer: { email: 'a@b', country: 'GB', address: {} } })
    await store.placeOrder(order)
    t.strictSame(await store.findOrder('shop', 't1'), order)
  })

  t.test(`${name}: strings and the largest amounts survive exactly`, async t => {
    const store = await fresh(t, 't1')
    const hostile = `'"; DROP TABLE orders; -- <b>\u202e☕\u0007`
    const order = newOrder(hostile, {
      lines: [{ sku: hostile, title: hostile, quantity: 9999, unitPrice: 999_999_999, lineTotal: 9_998_999_990_001 }],
      subtotal: 8_999_099_991_000_900,
      total: 8_999_100_091_000_899,
      delivery: { id: hostile, label: hostile, price: 99_999_999 },
      customer: { email: hostile, phone: hostile, country: hostile, address: { [hostile]: hostile } },
      reference: hostile
    })
    await store.placeOrder(order)
    t.strictSame(await store.findOrder('shop', 't1'), order)
  })

  t.test(`${name}: the secret of an order is spent once, by one of many at once`, async t => {
    const store = await fresh(t, 't1', 't2')
    const order = newOrder('N-1', { secret: 's1' })
    const other = newOrder('N-2', { token: 't2', reference: 't2', secret: 's2' })
    await store.placeOrder(order)
    await store.placeOrder(other)
    t.strictSame(await store.findOrder('shop', 't1'), order)
    const spent = await Promise.all(Array.from({ length: 20 }, () => store.spendSecret(order)))
    t.strictSame(
      spent.filter(isFirst => isFirst),
      [true]
    )
    const { secret: _, ...rest } = order
    t.strictSame(await store.findOrder('shop', 't1'), rest)
    t.strictSame(await store.findOrder('shop', 't2'), other, 'and that of no other')
    t.equal(await store.spendSecret(other, 's3'), true, 'or replaced')
    t.equal(await store.spendSecret(other, 's4'), false)
    t.strictSame(await store.findOrder('shop', 't2'), { ...other, secret: 's3' })
  })

  t.test(`${name}: placing again returns the first order of the checkout`, async t => {
    const store = await fresh(t, 't1')
    const order = newOrder('N-1')
    await store.placeOrder(order)
    const again = newOrder('N-2', {
      total: 1,
      placedAt: LONG_AFTER,
      customer: { email: 'e@f', country: 'FR', address: {} }
    })
    t.strictSame(await store.placeOrder(again), { outcome: 'repeated', order })
    t.strictSame(await store.findOrder('shop', 't1'), order)
  })

  t.test(`${name}: placing many times at once gives one order`, async t => {
    const store = await fresh(t, 't1')
    const orders = Array.from({ length: 50 }, (_, i) => newOrder(`N-${i}`))
    const placements = await Promise.all(orders.map(order => store.placeOrder(order)))
    const outcomes = placements.map(({ outcome }) => outcome).sort()
    t.strictSame(outcomes, ['placed', ...Array(49).fill('repeated')])
    const order = await store.findOrder('shop', 't1')
    for (const placement of placements) t.match(placement, { order: { number: order?.number } })
  })

  t.test(`${name}: a superseded or unknown checkout cannot be placed`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('t1'))
    await store.addCheckout(newCheckout('t2', OTHER))
    t.strictSame(await store.placeOrder(newOrder('N-1')), { outcome: 'superseded' })
    t.strictSame(await store.placeOrder(newOrder('N-1', { token: 'nobody' })), { outcome: 'superseded' })
    t.equal(await store.findOrder('shop', 't1'), undefined)
    for (const token of ['nobody', '', 'a\0b', '\ud800']) t.equal(await store.findOrder('shop', token), undefined)
    t.match(await store.placeOrder(newOrder('N-1', { token: 't2' })), { outcome: 'placed' }, 'the newest can')
  })

  t.test(`${name}: of placing and superseding at once, one wins`, async t => {
    const store = await fresh(t)
    for (const isOrderFirst of [true, false]) {
      const merchantId = `shop-${isOrderFirst}`
      const [token, newer] = [`${merchantId}-1`, `${merchantId}-2`]
      await store.addCheckout(newCheckout(token, { merchantId }))
      const place = () => store.placeOrder(newOrder(`N-${merchantId}`, { merchantId, token }))
      const replace = () => store.addCheckout(newCheckout(newer, { merchantId, ...OTHER }))
      const results = await Promise.all(isOrderFirst ? [place(), replace()] : [replace(), place()])
      const [placed, stored] = isOrderFirst ? results : results.toReversed()
      const isPlaced = (await store.findOrder(merchantId, token)) !== undefined
      t.match(placed, { outcome: isPlaced ? 'placed' : 'superseded' })
      t.match(stored, { token: isPlaced ? token : newer })
      t.match(await store.newestCheckout(merchantId, 'order-1'), { token: isPlaced ? token : newer })
    }
  })

  t.test(`${name}: an order number is unique across merchants`, async t => {
    const store = await fresh(t, 't1', 't2')
    await store.addCheckout(newCheckout('t3', { merchantId: 'other' }))
    const order = newOrder('N-1')
    await store.placeOrder(order)
    const second = newOrder('N-1', { token: 't2', reference: 't2' })
    const theirs = newOrder('N-1', { merchantId: 'other', token: 't3' })
    for (const taken of [second, theirs]) t.strictSame(await store.placeOrder(taken), { outcome: 'number-taken' })
    t.strictSame(await store.findOrder('shop', 't1'), order)
    t.equal(await store.findOrder('shop', 't2'), undefined)
    t.match(await store.placeOrder({ ...second, number: 'N-2' }), { outcome: 'placed' })
  })

  t.test(`${name}: merchants do not see or place each other's orders`, async t => {
    const store = await fresh(t, 't1')
    await store.addCheckout(newCheckout('t2', { merchantId: 'other', reference: 't1' }))
    t.strictSame(await store.placeOrder(newOrder('N-1', { merchantId: 'other' })), { outcome: 'superseded' })
    await store.placeOrder(newOrder('N-1'))
    t.equal(await store.findOrder('other', 't1'), undefined)
    t.equal(await store.findOrder('Shop', 't1'), undefined)
    const theirs = newOrder('N-2', { merchantId: 'other', token: 't2' })
    t.match(
      await store.placeOrder(theirs),
      { outcome: 'placed' },
      'another merchant may have an order with the same reference'
    )
    t.equal((await store.findCheckout('other', 't2'))?.orderNumber, 'N-2')
  })

  t.test(`${name}: nothing supersedes a checkout that has an order`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('t1'))
    await store.placeOrder(newOrder('N-1'))
    const placed = await store.findCheckout('shop', 't1')
    const carts: [string, Parameters<typeof newCheckout>[1]][] = [
      ['the same cart', {}],
      ['another cart', OTHER],
      ['the same cart long after it expired', { createdAt: LONG_AFTER, expiresAt: LONG_AFTER }],
      ['another cart long after it expired', { ...OTHER, createdAt: LONG_AFTER, expiresAt: LONG_AFTER }]
    ]
    for (const [what, changes] of carts) {
      t.strictSame(await store.addCheckout(newCheckout('t2', changes)), placed, what)
      t.strictSame(await store.newestCheckout('shop', 'order-1'), placed)
      t.equal(await store.findCheckout('shop', 't2'), undefined)
    }
  })

  t.test(`${name}: a checkout with an order is never deleted, and does not count in a batch`, async t => {
    const store = await fresh(t, 'a', 'b', 'c')
    await store.placeOrder(newOrder('N-1', { token: 'a', reference: 'a' }))
    await store.placeOrder(newOrder('N-2', { token: 'b', reference: 'b' }))
    t.equal(await store.deleteExpired('shop', LONG_AFTER, 1, NO_RECORDS), 1)
    t.equal(await store.deleteExpired('shop', LONG_AFTER, 1, NO_RECORDS), 0)
    const left = await Promise.all(['a', 'b', 'c'].map(token => store.findCheckout('shop', token)))
    t.match(left, [{ orderNumber: 'N-1' }, { orderNumber: 'N-2' }, undefined])
    t.match(await store.findOrder('shop', 'a'), { number: 'N-1' })
  })

  t.test(`${name}: two stores on one database place one order`, async t => {
    const stores = [await fresh(t, 't1'), await another(t)] as const
    const placements = await Promise.all(
      Array.from({ length: 20 }, (_, i) => stores[i % 2 ? 1 : 0].placeOrder(newOrder(`N-${i}`)))
    )
    t.equal(placements.filter(({ outcome }) => outcome === 'placed').length, 1)
    const order = await stores[0].findOrder('shop', 't1')
    for (const placement of placements) t.match(placement, { order: { number: order?.number } })
    t.strictSame(await stores[1].findOrder('shop', 't1'), order)
  })
}
