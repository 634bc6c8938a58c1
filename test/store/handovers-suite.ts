// What a store keeps of carts on their way into a merchant's own shop, as documented in
// `HandoffStore` in src/checkout/checkout-store.ts. Every implementation runs this suite, so it is independent of any database.
import type { Test } from 'tap'
import type { HandoffAttempt } from '../../src/checkout/checkout-store.ts'
import { newReport } from './reported-orders-suite.ts'
import { CREATED, closed, EXPIRES, NO_RECORDS, newCheckout, type OpenStore } from './store-suite.ts'

const LONG_AGO = '2026-11-19T10:00:00.000Z'
/** A moment after CREATED. */
const AFTER = '2026-11-20T10:00:00.001Z'
const handover = { url: 'https://shop.example/checkout', httpMethod: 'GET' as const }

const attempt = (key: string, changes: Partial<HandoffAttempt> = {}): HandoffAttempt => {
  const { merchantId, cart, createdAt } = newCheckout(key)
  return { key, merchantId, cart, createdAt, ...changes }
}
const otherCart = { ...newCheckout('').cart, items: [{ sku: 'ROPE', quantity: 1 }] }

export function handoversSuite(t: Test, name: string, open: OpenStore): void {
  const fresh = closed(open)

  t.test(`${name}: an attempt with the same cart goes on with its key; any other takes its place`, async t => {
    const store = await fresh(t)
    t.equal(await store.beginHandoff(attempt('a'), LONG_AGO), 'a')
    t.equal(await store.beginHandoff(attempt('b'), LONG_AGO), 'a', 'the same cart')
    t.equal(await store.beginHandoff(attempt('c', { merchantId: 'another' }), LONG_AGO), 'c', 'of another merchant')
    t.equal(await store.beginHandoff(attempt('d'), EXPIRES), 'd', 'too old to go on')
    t.equal(await store.beginHandoff(attempt('e', { cart: otherCart }), LONG_AGO), 'e', 'another cart')
    t.equal(await store.beginHandoff(attempt('f'), LONG_AGO), 'f', 'and back again')
    const claiming = { ...otherCart, items: otherCart.items.map(item => ({ ...item, price: '1' })) }
    t.equal(await store.beginHandoff(attempt('g', { cart: otherCart }), LONG_AGO), 'g')
    t.equal(await store.beginHandoff(attempt('h', { cart: claiming }), LONG_AGO), 'h', 'another claim')
  })

  t.test(`${name}: an attempt ends with its checkout, which has what the shop answered`, async t => {
    const store = await fresh(t)
    await store.beginHandoff(attempt('a'), LONG_AGO)
    const checkout = newCheckout('a', { handover })
    t.strictSame(await store.finishHandoff(checkout), checkout)
    t.strictSame(await store.newestCheckout('shop', 'order-1'), checkout)
    t.strictSame(await store.findCheckout('shop', 'a'), checkout)
    t.equal(await store.beginHandoff(attempt('b'), LONG_AGO), 'b', 'the attempt is over')
  })

  t.test(`${name}: the same cart sent twice at once has one checkout`, async t => {
    const store = await fresh(t)
    await store.beginHandoff(attempt('a'), LONG_AGO)
    await store.beginHandoff(attempt('b'), LONG_AGO)
    const first = newCheckout('a', { handover })
    const second = newCheckout('a', { handover: { ...handover, url: 'https://shop.example/other' } })
    t.equal(await store.finishHandoff(first), first, 'the same object')
    t.strictSame(await store.finishHandoff(second), first)
  })

  t.test(`${name}: the same cart sent twice at once may be refused first and then sold`, async t => {
    const store = await fresh(t)
    const sold = newCheckout('a', { handover })
    await store.beginHandoff(attempt('a'), LONG_AGO)
    await store.endHandoff(attempt('a'))
    t.equal(await store.finishHandoff(sold), sold)
    t.strictSame(await store.newestCheckout('shop', 'order-1'), sold)

    const changed = newCheckout('b', { handover, items: otherCart.items, createdAt: AFTER })
    await store.beginHandoff(attempt('b', { cart: otherCart }), LONG_AGO)
    await store.endHandoff(attempt('b', { cart: otherCart }))
    t.equal(await store.beginHandoff(attempt('c', { cart: otherCart }), LONG_AGO), 'c', 'a third time')
    t.equal(await store.finishHandoff(changed), changed, 'in place of the older checkout')
    const third = newCheckout('c', { handover, items: otherCart.items, createdAt: AFTER })
    t.strictSame(await store.finishHandoff(third), changed, 'which serves the third too')
    t.equal(await store.finishHandoff({ ...sold, createdAt: EXPIRES }), undefined, 'what was replaced is not back')
  })

  t.test(`${name}: a cart whose place another has taken is not stored`, async t => {
    const store = await fresh(t)
    await store.beginHandoff(attempt('a'), LONG_AGO)
    await store.beginHandoff(attempt('b', { cart: otherCart }), LONG_AGO)
    t.equal(await store.finishHandoff(newCheckout('a', { handover })), undefined, 'while the other is asked for')
    t.match(await store.finishHandoff(newCheckout('b', { handover, items: otherCart.items })), { token: 'b' })
    t.equal(await store.finishHandoff(newCheckout('a', { handover })), undefined, 'and after that')
    t.match(await store.newestCheckout('shop', 'order-1'), { token: 'b' })
  })

  t.test(`${name}: a checkout of our own page and one of a shop do not stand for each other`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('page'))
    await store.beginHandoff(attempt('shop'), LONG_AGO)
    t.match(await store.finishHandoff(newCheckout('shop', { handover })), { token: 'shop', handover })
    t.match(await store.addCheckout(newCheckout('page again')), { token: 'page again', handover: undefined })
  })

  t.test(`${name}: a checkout in a shop has the order that the shop reported, and nothing takes its place`, async t => {
    const store = await fresh(t)
    const first = newCheckout('a', { handover })
    await store.beginHandoff(attempt('a'), LONG_AGO)
    await store.finishHandoff(first)
    await store.beginHandoff(attempt('b', { cart: otherCart }), LONG_AGO)
    await store.keepReport(newReport(1, { reference: 'order-1' }))
    await store.keepReport(newReport(1, { reference: 'order-1', merchantId: 'another', number: '#2' }))
    const ordered = { ...first, orderNumber: '#1' }
    t.strictSame(await store.newestCheckout('shop', 'order-1'), ordered)
    t.strictSame(await store.findCheckout('shop', 'a'), ordered)
    t.strictSame(await store.finishHandoff(newCheckout('b', { handover, items: otherCart.items })), ordered)
    t.equal(await store.deleteExpired('shop', '2027', 10, NO_RECORDS), 0, 'it is kept with its order')
    await store.addCheckout(newCheckout('page', { reference: 'order-2' }))
    await store.keepReport(newReport(2, { reference: 'order-2' }))
    t.notHas(await store.findCheckout('shop', 'page'), { orderNumber: '#2' }, 'our own page has orders of its own')
    const late = attempt('late', { cart: { ...otherCart, reference: 'order-2' } })
    t.equal(await store.beginHandoff(late, LONG_AGO), undefined, 'an order that was reported before any cart')
  })

  t.test(`${name}: if the cart before the newest was ordered, it has its place again`, async t => {
    const store = await fresh(t)
    const first = newCheckout('a', { handover })
    const second = newCheckout('b', { handover, items: otherCart.items, createdAt: AFTER })
    for (const checkout of [first, second]) {
      await store.beginHandoff(attempt(checkout.token, { cart: checkout.cart }), LONG_AGO)
      await store.finishHandoff(checkout)
    }
    const report = newReport(1, { reference: 'order-1' })
    await store.keepReport(report)
    t.strictSame(await store.newestCheckout('shop', 'order-1'), { ...first, orderNumber: '#1' })
    t.match(await store.findCheckout('shop', 'b'), { supersededAt: report.reportedAt })
  })

  t.test(`${name}: an attempt that was refused is over; one that failed is deleted by its age`, async t => {
    const store = await fresh(t)
    await store.beginHandoff(attempt('a'), LONG_AGO)
    await store.endHandoff(attempt('other'))
    t.equal(await store.beginHandoff(attempt('b'), LONG_AGO), 'a', 'another attempt does not end it')
    await store.endHandoff(attempt('a'))
    t.equal(await store.beginHandoff(attempt('c'), LONG_AGO), 'c')
    t.equal(await store.deleteHandoffs('shop', CREATED, 10), 0, 'not older than that')
    t.equal(await store.deleteHandoffs('another', EXPIRES, 10), 0)
    t.equal(await store.deleteHandoffs('shop', EXPIRES, 10), 1)
    t.equal(await store.beginHandoff(attempt('d'), LONG_AGO), 'd')
    t.equal(await store.deleteExpired('shop', '2027', 10, NO_RECORDS), 0, 'an attempt is no checkout')
  })
}
