// What a store keeps of orders that merchants report, as documented in src/store/store.ts; independent of any database.
import type { Test } from 'tap'
import type { ListedOrder, Order, OrderFilter } from '../../src/checkout/orders/order.ts'
import type { ReportedOrder } from '../../src/checkout/orders/reported-order.ts'
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

  t.test(`${name}: orders are told apart by the way that their cart came in`, async t => {
    const store = await fresh(t)
    for (const [i, option] of ['1', 'meta', 'meta'].entries()) {
      await store.addCheckout({ ...newCheckout(`t${i}`, { reference: `r${i}` }), option })
    }
    for (const i of [0, 1]) {
      await store.placeOrder(newOrder(i, { number: `N${i}`, token: `t${i}`, reference: `r${i}` }))
    }
    await store.keepNotice(newReport(2, { reference: 'r2' }))
    await store.keepNotice(newReport(3, { reference: 'r2' }))
    await store.keepReport(newReport(4, { reference: 'never-arrived' }))
    const numbers = async (way?: string) =>
      (await store.ordersAfter('shop', '', 10, way)).map(({ number }) => number).sort()
    t.strictSame(await numbers(), ['#2', '#3', '#4', 'N0', 'N1'])
    t.strictSame(await numbers('meta'), ['#2', '#3', '#4', 'N1'], 'and the one of which no way is known')
    t.strictSame(await numbers('1'), ['#4', 'N0'])
  })

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
    const [first, second, third] = placed.map(order => ({ ...order, option: '1' })) as Order[] as [Order, Order, Order]
    for (const order of placed) await place(store, order, false)
    for (const order of reported) await store.keepReport(order)
    const all: ListedOrder[] = [reported[3], reported[0], first, reported[4], second, reported[1], reported[2], third]
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
      [{ merchantId: 'shop' }, [reported[3], first, reported[1], reported[2], third]],
      [{ from: late }, [third]],
      [{ before: AT }, [reported[3]]],
      [{ reference: UUID.toUpperCase() }, [reported[3]]],
      [{ number: 'zebra' }, [reported[3]]],
      [{ number: 'ZEBRA' }, []],
      [{ number: 'aaaa-0001' }, [first]],
      [{ number: 'AAAA-0001' }, [reported[0], first, reported[4]]]
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
      { key: 'reported-0', number: 'AAAA-0001', total: 9445, placedAt: newOrder(1).placedAt, option: '1' },
      { key: 'reported-1', number: '#1', total, reportedAt: AT, arrivedAt: CREATED, option: '1' },
      { key: 'reported-2', number: '#2', total, reportedAt: AT },
      { key: 'reported-4', number: 'AAAA-0004', total: 9445, placedAt: newOrder(1).placedAt, option: '1' }
    ].map(order => ({ ...order, reference: order.key, currency: 'GBP' }))
    t.same(await store.ordersAfter('shop', '', 10), expected)
    t.same(await store.ordersAfter('shop', 'reported-0', 2), expected.slice(1, 3))
    t.same(await store.ordersAfter('other', '', 10), [
      { key: 'reported-3', reference: 'reported-3', number: '#3', currency, total, reportedAt }
    ])
  })

  t.test(`${name}: an order has its newest status, which a report without one leaves`, async t => {
    const store = await fresh(t)
    const order = newReport(1)
    const at = (second: number) => `2026-11-20T11:00:0${second}.000Z`
    await store.keepReport({ ...order, status: 'placed', statusAt: at(1) })
    const told: [status: ReportedOrder['status'], second: number, kept: string, isChanged?: boolean][] = [
      ['cancelled', 3, 'cancelled', true],
      ['placed', 2, 'cancelled'],
      ['placed', 3, 'cancelled'],
      ['placed', 4, 'placed', true],
      ['cancelled', 4, 'cancelled', true],
      ['placed', 4, 'cancelled'],
      ['cancelled', 5, 'cancelled', false],
      ['placed', 4, 'cancelled'],
      [undefined, 6, 'cancelled'],
      ['refunded', 7, 'refunded', true],
      ['placed', 8, 'placed', true]
    ]
    for (const [status, second, kept, isChanged] of told) {
      const answer = await store.keepReport({ ...order, ...(status && { status }), statusAt: at(second) })
      t.match(answer, { outcome: 'reference-known', order: { status: kept }, isChanged }, `${status} ${second}`)
      t.match(await store.listOrders({}, undefined, 10), [{ status: kept }])
    }
    const other = { ...order, total: 1, status: 'cancelled', statusAt: at(9) } as const
    t.match(
      await store.keepReport(other),
      { order: { total: order.total, status: 'placed' } },
      'another order says nothing'
    )
    t.match(await store.keepNotice(other), { order: { total: order.total, status: 'cancelled' }, isChanged: true })
  })

  t.test(`${name}: no time that a shop gives freezes the status of its order`, async t => {
    const store = await fresh(t)
    const FAR = '9999-12-31T23:59:59.000Z'
    const order = newReport(1)
    await store.keepReport({ ...order, status: 'placed', statusAt: FAR })
    t.match(await store.keepReport({ ...order, status: 'cancelled', statusAt: AT }), { isChanged: true })
    for (const [statusAt, kept] of [
      [FAR, 'cancelled'],
      ['2026-11-20T11:05:00.000Z', 'placed']
    ] as const) {
      await store.keepReport({ ...order, status: 'placed', statusAt })
      t.match(await store.listOrders({}, undefined, 10), [{ status: kept }], statusAt)
    }
    await store.keepReport({ ...newReport(2), status: 'refunded', statusAt: FAR })
    t.match(await store.keepReport({ ...newReport(2), status: 'placed', statusAt: '2026-11-20T11:00:01.000Z' }), {
      order: { status: 'placed' },
      isChanged: true
    })
  })

  t.test(`${name}: what a shop tells by itself is kept beside the order that its reference has`, async t => {
    const store = await fresh(t)
    const bag = { currency: 'GBP', items: newReport(1).items }
    const handover = { url: 'https://shop.example', httpMethod: 'GET' } as const
    await store.addCheckout({ ...newCheckout('bag', { reference: UUID, ...bag }), handover })
    const cancelled = newReport(9, { reference: UUID, status: 'cancelled' })
    t.strictSame(await store.keepNotice(cancelled), { outcome: 'never-placed' })
    t.strictSame(await store.keepNotice(newReport(9, { reference: 'elsewhere' })), { outcome: 'never-arrived' })
    const first = newReport(1, { reference: UUID })
    const cart = { reference: UUID, ...bag }
    const arrivedAt = CREATED
    t.strictSame(await store.keepNotice(first), { outcome: 'kept', order: { ...first, arrivedAt }, cart })
    const second = newReport(2, { reference: UUID.toUpperCase(), total: 1 })
    const kept = { ...second, isFurther: true, arrivedAt }
    const found = { ...first, arrivedAt }
    t.strictSame(await store.keepNotice(second), { outcome: 'kept', order: kept, cart, first: found })
    t.match(await store.keepNotice(second), { outcome: 'reference-known', order: kept })
    t.match(await store.keepReport(newReport(3, { reference: UUID })), { outcome: 'reference-known', order: found })
    t.match(await store.keepNotice(newReport(2, { reference: 'other' })), { outcome: 'number-known', order: kept })
    await place(store, newOrder(5), false)
    t.match(await store.keepNotice(newReport(5, { reference: 'order-5' })), { outcome: 'placed' })
    t.strictSame(await store.listOrders({ reference: UUID }, undefined, 10), [
      { ...found, option: '1' },
      { ...kept, option: '1' }
    ])
    t.match(await store.findCheckout('shop', 'bag'), { orderNumber: '#1' })

    const history = async () => (await store.referenceHistories(['shop'], [UUID]))[0]
    const order = { number: '#1', total: first.total }
    t.match(await history(), [{ order, further: ['#2'], checkouts: [{ createdAt: CREATED }] }])
    const keys = async () =>
      (await store.ordersAfter('shop', '', 10)).map(({ key, ...order }) => [
        key,
        'status' in order ? order.status : undefined
      ])
    t.strictSame(await keys(), [
      [UUID, undefined],
      [`${UUID} #2`, undefined],
      ['order-5', undefined]
    ])
    await store.keepNotice({ ...first, status: 'refunded', statusAt: AT })
    t.match(
      await history(),
      [{ order: { number: '#2', total: 1, status: undefined }, further: undefined }],
      'that one stands'
    )
    await store.keepNotice({ ...second, status: 'cancelled', statusAt: AT })
    t.match(await history(), [{ order: { number: '#1', status: 'refunded' }, further: undefined }])
    t.strictSame((await keys())[0], [UUID, 'refunded'])
  })

  t.test(`${name}: a further order is compared with its own bag, and leaves that of the first as it is`, async t => {
    const store = await fresh(t)
    const handover = { url: 'https://shop.example', httpMethod: 'GET' } as const
    const carts = [1, 2].map(quantity => ({ reference: 'r', currency: 'GBP', items: [{ sku: 'MUG', quantity }] }))
    for (const [i, cart] of carts.entries()) await store.addCheckout({ ...newCheckout(`t${i}`, cart), handover })
    const orderOf = (i: number) => newReport(i, { reference: 'r', items: carts[i]?.items ?? [] })
    t.match(await store.keepNotice(orderOf(1)), { outcome: 'kept', cart: carts[1] })
    t.match(await store.keepNotice(orderOf(0)), { outcome: 'kept', cart: carts[0], first: { number: '#1' } })
    t.match(await store.findCheckout('shop', 't1'), { supersededAt: undefined })
    t.match(await store.findCheckout('shop', 't0'), { supersededAt: String })
  })

  t.test(`${name}: bags in a shop are found by what is in them, while they may become an order`, async t => {
    const store = await fresh(t)
    const [lamp, mug] = [
      { sku: 'LAMP', quantity: 1 },
      { sku: 'MUG', quantity: 1 }
    ]
    const handover = { url: 'https://shop.example', httpMethod: 'GET' } as const
    const [createdAt, expiresAt] = ['2026-11-20T12:00:00.000Z', '2026-11-22T12:00:00.000Z']
    const add = async (reference: string, changes: object = {}) => {
      const times = { createdAt, expiresAt }
      const checkout = newCheckout(`${reference} ${JSON.stringify(changes)}`, {
        reference,
        items: [mug, lamp, mug],
        ...times,
        ...changes
      })
      await store.addCheckout({ ...checkout, handover })
    }
    await add('fits')
    await add('in another order', { items: [{ ...mug, quantity: 2 }, lamp], expiresAt: '2026-11-22T12:00:01.000Z' })
    await add('other units', { items: [mug, lamp] })
    await add('other currency', { currency: 'EUR' })
    await add('of another merchant', { merchantId: 'other' })
    await add('superseded')
    await add('superseded', { items: [lamp], createdAt: '2026-11-20T12:00:01.000Z' })
    await add('ordered')
    await store.keepReport(newReport(1, { reference: 'ordered' }))
    await store.addCheckout(
      newCheckout('on our page', { reference: 'on our page', items: [mug, lamp, mug], createdAt, expiresAt })
    )
    const like = (at: string, limit = 9) =>
      store.cartsLike('shop', { currency: 'GBP', items: [{ ...mug, quantity: 2 }, lamp] }, at, limit)
    t.strictSame(await like(createdAt), ['fits', 'in another order'])
    t.strictSame(await like(createdAt, 1), ['fits'])
    t.strictSame(await like('2026-11-20T11:55:00.000Z'), ['fits', 'in another order'], 'clocks may differ')
    t.strictSame(await like('2026-11-20T11:54:59.999Z'), [])
    t.strictSame(await like('2026-11-22T11:59:59.999Z'), ['fits', 'in another order'])
    t.strictSame(await like(expiresAt), ['in another order'])
  })

  t.test(`${name}: of the same report many times at once, on two stores, one is kept`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, i) => stores[i % 2 ? 1 : 0].keepReport(newReport(1, { total: i })))
    )
    t.equal(kept.filter(({ outcome }) => outcome === 'kept').length, 1)
    t.equal(new Set(kept.map(one => 'order' in one && one.order.total)).size, 1, 'all answer with that one')
  })

  t.test(
    `${name}: of many orders at once, on two stores, each is kept once, and one of a reference is its first`,
    async t => {
      const stores = [await fresh(t), await another(t)] as const
      for (const reference of ['r', 'a', 'b', 'c', 'd'])
        await stores[0].addCheckout(newCheckout(reference, { reference }))
      const keepAll = (orders: ReportedOrder[]) =>
        Promise.all(orders.map((order, i) => stores[i % 2 ? 1 : 0].keepNotice(order)))
      const told = await keepAll(Array.from({ length: 20 }, (_, i) => newReport(i % 5, { reference: 'r' })))
      const kept = told.filter(({ outcome }) => outcome === 'kept')
      t.equal(kept.length, 5)
      t.equal(kept.filter(one => 'first' in one).length, 4)
      const listed = await stores[0].listOrders({ reference: 'r' }, undefined, 10)
      t.strictSame(
        listed.map(({ number }) => number),
        ['#0', '#1', '#2', '#3', '#4']
      )
      t.equal(listed.filter(order => 'isFurther' in order).length, 4)

      const claimed = await keepAll(['a', 'b', 'c', 'd'].map(reference => newReport(9, { reference })))
      t.strictSame(claimed.map(({ outcome }) => outcome).toSorted(), ['kept', ...Array(3).fill('number-known')])
    }
  )
}
