// What a store keeps of orders that merchants report, as documented in src/store/store.ts; independent of any database.
import type { Test } from 'tap'
import type { ListedOrder, OrderFilter } from '../../src/orders/order.ts'
import type { ReportedOrder } from '../../src/orders/reported-order.ts'
import { newOrder, place } from './new-order.ts'
import { CREATED, closed, NO_RECORDS, newCheckout, type OpenStore } from './store-suite.ts'
import { newRecord } from './transfers-suite.ts'

const UUID = 'abcdef00112233445566778899aabbcc'
const AT = '2026-11-20T11:00:00.000Z'

/** An order that merchant `shop` reports. */
export function newReport(n: number, changes: Partial<ReportedOrder> = {}): ReportedOrder {
  return {
    merchantId: 'shop',
    reference: `reported-${n}`,
    number: `#${n}`,
    currency: 'GBP',
    items: [
      { sku: 'MUG', quantity: 2 },
      { sku: 'THROW', quantity: 1 }
    ],
    total: 8995,
    reportedAt: AT,
    ...changes
  }
}

export function reportedOrdersSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const fresh = closed(open)
  const another = closed(openAgain)

  t.test(`${name}: a reported order is kept, once per merchant and reference, and per merchant and number`, async t => {
    const store = await fresh(t)
    const order = newReport(1, { reference: UUID })
    t.strictSame(await store.keepReport(order), { outcome: 'kept', order })
    const again = { ...order, reference: 'ABCDEF00-1122-3344-5566-778899AABBCC', total: 1, number: '#9' }
    t.strictSame(await store.keepReport(again), { outcome: 'reference-known', order })
    t.strictSame(await store.keepReport(newReport(2, { number: '#1' })), { outcome: 'number-known', order })
    const theirs = { ...order, merchantId: 'other' }
    t.strictSame(await store.keepReport(theirs), { outcome: 'kept', order: theirs })
    t.match(await store.keepReport(newReport(3, { number: '#1A' })), { outcome: 'kept' })
    t.match(await store.keepReport(newReport(4, { number: '#1a' })), { outcome: 'kept' }, 'the case of a number counts')
    await place(store, newOrder(5), false)
    t.strictSame(await store.keepReport(newReport(6, { reference: 'order-5' })), {
      outcome: 'placed',
      number: 'AAAA-0005'
    })
    t.match(await store.keepReport(newReport(6, { reference: 'order-5', merchantId: 'other' })), { outcome: 'kept' })
  })

  t.test(`${name}: it has the time at which its cart arrived, if that is known`, async t => {
    const store = await fresh(t)
    const checkouts: [string, object][] = [
      ['open', {}],
      ['older', { reference: 'superseded', items: [{ sku: 'LAMP', quantity: 1 }] }],
      ['newer', { reference: 'superseded', createdAt: '2026-11-20T10:30:00.000Z' }],
      ['theirs', { merchantId: 'other' }]
    ]
    for (const [token, changes] of checkouts) {
      await store.addCheckout(newCheckout(token, { reference: token, ...changes }))
    }
    await store.addTransfer(newRecord({ reference: 'refused' }))
    await store.addTransfer(newRecord({ reference: 'accepted', outcome: 'accepted', mistakes: [] }))
    await store.addTransfer(newRecord({ reference: 'accepted', at: '2026-11-20T10:45:00.000Z' }))
    const arrivals: [string, string | undefined][] = [
      ['open', CREATED],
      ['superseded', '2026-11-20T10:30:00.000Z'],
      ['theirs', undefined],
      ['refused', undefined],
      ['accepted', CREATED],
      ['never', undefined]
    ]
    for (const [i, [reference, arrivedAt]] of arrivals.entries()) {
      const kept = await store.keepReport(newReport(i, { reference }))
      t.equal('order' in kept && kept.order.arrivedAt, arrivedAt, reference)
    }
    await store.deleteExpired('shop', '2099-01-01T00:00:00.000Z', 100, NO_RECORDS)
    t.match(await store.listOrders({ reference: 'open' }, undefined, 10), [{ arrivedAt: CREATED }], 'for good')
  })

  t.test(`${name}: strings and the largest amounts survive exactly`, async t => {
    const store = await fresh(t)
    const hostile = `'"; DROP TABLE reported_orders; -- <b>\u202e☕`
    const order = newReport(1, {
      reference: hostile,
      number: hostile,
      items: [{ sku: hostile, quantity: 9999 }],
      total: Number.MAX_SAFE_INTEGER
    })
    await store.keepReport(order)
    t.strictSame(await store.listOrders({ number: hostile }, undefined, 10), [order])
  })

  t.test(`${name}: reported orders are listed among those that were placed, by time, each once`, async t => {
    const store = await fresh(t)
    const [early, late] = ['2026-11-19T11:00:00.000Z', '2026-11-21T11:00:00.000Z']
    const placed = [
      newOrder(1, { placedAt: AT }),
      newOrder(2, { placedAt: AT, merchantId: 'other' }),
      newOrder(3, { placedAt: late })
    ] as const
    const reported = [
      newReport(1, { number: 'AAAA-0001', merchantId: 'another' }),
      newReport(2, { number: '\uffee', reportedAt: AT }),
      newReport(3, { number: '😀', reportedAt: AT }),
      newReport(4, { number: 'zebra', reportedAt: early, reference: UUID }),
      newReport(5, { number: 'AAAA-0001', merchantId: 'the-last' })
    ] as const
    for (const order of placed) await place(store, order, false)
    for (const order of reported) await store.keepReport(order)
    const all: ListedOrder[] = [
      reported[3],
      reported[0],
      placed[0],
      reported[4],
      placed[1],
      reported[1],
      reported[2],
      placed[2]
    ]
    for (const limit of [1, 2, 3, 100]) {
      const seen: ListedOrder[] = []
      let page: ListedOrder[]
      do {
        page = await store.listOrders({}, seen.at(-1), limit)
        t.ok(page.length <= limit)
        seen.push(...page)
      } while (page.length > 0)
      t.strictSame(seen, all, `${limit} at a time`)
    }
    const filters: [OrderFilter, ListedOrder[]][] = [
      [{ merchantId: 'shop' }, [reported[3], placed[0], reported[1], reported[2], placed[2]]],
      [{ from: late }, [placed[2]]],
      [{ before: AT }, [reported[3]]],
      [{ reference: UUID.toUpperCase() }, [reported[3]]],
      [{ number: 'zebra' }, [reported[3]]],
      [{ number: 'ZEBRA' }, []],
      [{ number: 'aaaa-0001' }, [placed[0]]],
      [{ number: 'AAAA-0001' }, [reported[0], placed[0], reported[4]]]
    ]
    for (const [filter, expected] of filters) {
      t.strictSame(await store.listOrders(filter, undefined, 100), expected, JSON.stringify(filter))
    }
  })

  t.test(`${name}: nothing is sent back to the merchant, and there is nothing personal to erase`, async t => {
    const store = await fresh(t)
    await store.keepReport(newReport(1))
    const far = '2099-01-01T00:00:00.000Z'
    t.equal(await store.findMessage('#1'), undefined)
    t.equal(await store.redeliver('#1', AT), undefined)
    t.equal(await store.leaseMessage('shop', far, far), undefined)
    t.equal(await store.eraseOrder('#1'), false)
    t.equal(await store.countUnerased('shop', far), 0)
  })

  t.test(`${name}: reconciling finds reported orders, with the history of their transfers`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('t1', { reference: 'reported-1' }))
    await store.addTransfer(newRecord({ reference: 'reported-2' }))
    const arrived = newReport(1, { arrivedAt: CREATED })
    for (const order of [arrived, newReport(2), newReport(3, { merchantId: 'other' })]) await store.keepReport(order)
    await place(store, newOrder(1, { reference: 'reported-0' }), false)
    await place(store, newOrder(4, { reference: 'reported-4' }), false)
    t.strictSame(await store.merchantsInStore(), ['other', 'shop'])
    const { number, currency, total, items, reportedAt, arrivedAt } = arrived
    const facts = { currency, total, items, reportedAt }
    t.match(await store.referenceHistories(['shop', 'other'], ['reported-1', 'reported-2', 'reported-3']), [
      [{ merchant: 'shop', order: { number, ...facts, arrivedAt }, checkouts: [{ createdAt: CREATED, items }] }],
      [{ merchant: 'shop', order: { number: '#2', ...facts }, checkouts: [], lastTransfer: { outcome: 'refused' } }],
      [{ merchant: 'other', order: { number: '#3', ...facts }, checkouts: [] }]
    ])
    const expected = [
      { key: 'reported-0', number: 'AAAA-0001', total: 9445, placedAt: newOrder(1).placedAt },
      { key: 'reported-1', number: '#1', total, reportedAt: AT, arrivedAt: CREATED },
      { key: 'reported-2', number: '#2', total, reportedAt: AT },
      { key: 'reported-4', number: 'AAAA-0004', total: 9445, placedAt: newOrder(1).placedAt }
    ].map(order => ({ ...order, reference: order.key, currency: 'GBP' }))
    t.same(await store.ordersAfter('shop', '', 10), expected)
    t.same(await store.ordersAfter('shop', 'reported-0', 2), expected.slice(1, 3))
    t.same(await store.ordersAfter('other', '', 10), [
      { key: 'reported-3', reference: 'reported-3', number: '#3', currency, total, reportedAt }
    ])
  })

  t.test(`${name}: of the same report many times at once, on two stores, one is kept`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, i) => stores[i % 2 ? 1 : 0].keepReport(newReport(1, { total: i })))
    )
    t.equal(kept.filter(({ outcome }) => outcome === 'kept').length, 1)
    t.equal(new Set(kept.map(one => 'order' in one && one.order.total)).size, 1, 'all answer with that one')
  })
}
