// The behaviour of a store's order list, as the commands use it; independent of any database.
import type { Test } from 'tap'
import type { ListedOrder, Order, OrderFilter } from '../../src/checkout/orders/order.ts'
import { newOrder, place } from './new-order.ts'
import { closed, type OpenStore } from './store-suite.ts'

const UUID = 'abcdef00112233445566778899aabbcc'

const orders = [
  newOrder(1, { placedAt: '2026-11-18T23:59:59.999Z' }),
  newOrder(2, { placedAt: '2026-11-19T00:00:00.000Z', merchantId: 'other' }),
  newOrder(3, { placedAt: '2026-11-19T00:00:00.000Z', reference: UUID }),
  newOrder(4, { placedAt: '2026-11-20T00:00:00.000Z' })
]

const filters: [string, OrderFilter, number[]][] = [
  ['no condition', {}, [1, 2, 3, 4]],
  ['a merchant', { merchantId: 'shop' }, [1, 3, 4]],
  ['since a time', { from: '2026-11-19T00:00:00.000Z' }, [2, 3, 4]],
  ['before a time', { before: '2026-11-20T00:00:00.000Z' }, [1, 2, 3]],
  ['a reference', { reference: 'order-1' }, [1]],
  ['a UUID with hyphens and in the other case', { reference: 'ABCDEF00-1122-3344-5566-778899AABBCC' }, [3]],
  ['a number', { number: 'AAAA-0004' }, [4]],
  ['all conditions', { merchantId: 'shop', from: '2026-11-19T00:00:00.000Z', before: '2026-11-20T00:00:00.000Z' }, [3]],
  ['no match', { merchantId: 'shop', number: 'AAAA-0002' }, []]
]

export function orderListSuite(t: Test, name: string, open: OpenStore): void {
  const fresh = closed(open)

  t.test(`${name}: orders are filtered by every condition and listed oldest first`, async t => {
    const store = await fresh(t)
    for (const order of orders.toReversed()) await place(store, order, false)
    for (const [what, filter, expected] of filters) {
      const listed = await store.listOrders(filter, undefined, 100)
      t.strictSame(
        listed,
        expected.map(n => ({ ...orders[n - 1], option: '1' })),
        what
      )
    }
  })

  t.test(`${name}: paging lists each order once`, async t => {
    const store = await fresh(t)
    for (const order of orders) await place(store, order, false)
    const seen: string[] = []
    let last: ListedOrder | undefined
    do {
      ;[last] = await store.listOrders({}, last, 1)
      if (last) seen.push(last.number)
    } while (last)
    t.strictSame(
      seen,
      orders.map(({ number }) => number)
    )
  })

  t.test(`${name}: a listed order has the state of its webhook`, async t => {
    const store = await fresh(t)
    await place(store, newOrder(1))
    t.strictSame(await store.listOrders({}, undefined, 10), [{ ...newOrder(1), option: '1', webhook: 'pending' }])
  })

  t.test(`${name}: an erased order keeps everything except what the shopper typed`, async t => {
    const store = await fresh(t)
    for (const n of [1, 2]) await place(store, newOrder(n))
    t.equal(await store.eraseOrder('AAAA-0001'), true)
    const { customer, ...kept } = newOrder(1)
    t.strictSame(await store.findOrder('shop', 'token-1'), kept)
    t.strictSame(await store.findOrder('shop', 'token-2'), newOrder(2), 'no other order is touched')
    t.match(await store.leaseMessage('shop', '2027-01-01T00:00:00.000Z', '2027-01-01T00:01:00.000Z'), {
      order: { customer: undefined }
    })
    t.equal(await store.eraseOrder('AAAA-0001'), true, 'erasing again is fine')
    t.equal(await store.eraseOrder('NONE'), false)
    t.match(await store.placeOrder(newOrder(1)), { outcome: 'repeated', order: kept })
  })
  t.test(`${name}: orders are erased by age, per merchant, oldest first, up to a limit`, async t => {
    const store = await fresh(t)
    for (const order of orders) await place(store, order, false)
    const erased = async () =>
      (await store.listOrders({}, undefined, 10)).filter(order => !('customer' in order)).map(({ number }) => number)
    const MIDNIGHT = '2026-11-20T00:00:00.000Z'
    t.equal(await store.countUnerased('shop', MIDNIGHT), 2)
    t.equal(await store.eraseOrders('shop', MIDNIGHT, 1), 1)
    t.strictSame(await erased(), ['AAAA-0001'])
    t.equal(await store.countUnerased('shop', MIDNIGHT), 1)
    t.equal(await store.eraseOrders('shop', MIDNIGHT, 10), 1)
    t.strictSame(await erased(), ['AAAA-0001', 'AAAA-0003'], 'one that was placed at that moment stays')
    t.equal(await store.eraseOrders('shop', MIDNIGHT, 10), 0, 'nothing is erased twice')
    t.equal(await store.countUnerased('shop', MIDNIGHT), 0)
    await store.purgeErased()
    await store.purgeErased()
    const [{ customer, ...kept }] = [orders[0] as Order]
    t.strictSame(await store.findOrder('shop', 'token-1'), kept, 'everything else stays')
  })

  t.test(`${name}: an order is not erased by age before its webhook has been delivered`, async t => {
    const store = await fresh(t)
    const [now, until] = ['2027-01-01T00:00:00.000Z', '2027-01-01T00:01:00.000Z']
    await place(store, newOrder(1))
    const erase = () => store.eraseOrders('shop', now, 10)
    const settle = async (state: 'pending' | 'failed' | 'delivered') => {
      const leased = await store.leaseMessage('shop', now, until)
      t.ok(leased?.order.customer, 'the message is complete')
      t.equal(await erase(), 0, 'nothing is erased while it is being sent')
      if (leased) await store.settleMessage(leased, { state, attempts: 1, dueAt: now, attemptedAt: now })
    }
    t.equal(await erase(), 0, 'before the first attempt')
    await settle('pending')
    t.equal(await erase(), 0, 'between two attempts')
    await settle('failed')
    t.equal(await erase(), 0, 'after the last attempt')
    t.equal(await store.countUnerased('shop', now), 1)
    await store.redeliver('AAAA-0001', now)
    await settle('delivered')
    t.equal(await erase(), 1)
  })
}
