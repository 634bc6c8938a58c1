// Several servers on one database, each with a store of its own, that all write to the same references at once.
import t from 'tap'
import type { NewCheckout } from '../../../src/checkout/checkout-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { newOrder, place } from '../new-order.ts'
import { newReport } from '../reported-orders-suite.ts'
import { CREATED, newCheckout } from '../store-suite.ts'
import { openReplicas } from './opened.ts'

const REPLICAS = 4
const LONG_AGO = '2026-11-19T10:00:00.000Z'
const LONG_AFTER = '2099-01-01T00:00:00.000Z'
const handover = { url: 'https://shop.example/checkout', httpMethod: 'GET' as const }

/** Does something at every store at once, several times each. */
const everywhere = <T>(stores: Store[], times: number, work: (store: Store, i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: stores.length * times }, (_, i) => work(stores[i % stores.length] as Store, i)))

t.test('bags of the same references, in opposite orders, do not wait for each other', async t => {
  const stores = await openReplicas(t, 2)
  const references = Array.from({ length: 60 }, (_, i) => `order-${i}`)
  const send = (store: Store, run: string, list: string[]) =>
    Promise.all(list.map(reference => store.addCheckout(newCheckout(`${run} ${reference}`, { reference }))))
  const [one = [], other = []] = await Promise.all([
    send(stores[0], 'a', references),
    send(stores[1] as Store, 'b', references.toReversed())
  ])
  t.strictSame(
    one.map(({ token }) => token),
    other.map(({ token }) => token).toReversed()
  )
})

t.test('of placing an order and replacing its cart, one wins, everywhere', async t => {
  const stores = await openReplicas(t, REPLICAS)
  const wins = { placed: 0, replaced: 0 }
  for (let n = 0; n < 40; n++) {
    const reference = `order-${n}`
    const [token, newer] = [`old-${n}`, `new-${n}`]
    await stores[0].addCheckout(newCheckout(token, { reference }))
    const results = await Promise.all(
      stores.map(async (store, i) => {
        // So that they meet at any point of each other, and each is sometimes far ahead.
        const ahead = i % 2 ? 10 - (n % 20) : (n % 20) - 10
        for (let reads = 0; reads < ahead; reads++) await store.findCheckout('shop', token)
        if (i % 2) return store.addCheckout(newCheckout(newer, { reference, currency: 'USD' }))
        return store.placeOrder(newOrder(n * 10 + i, { reference, token }))
      })
    )
    const order = await stores[0].findOrder('shop', token)
    const newest = await stores[0].newestCheckout('shop', reference)
    t.match(newest, order ? { token, orderNumber: order.number } : { token: newer, orderNumber: undefined })
    for (const result of results) {
      if ('token' in result) t.equal(result.token, order ? token : newer)
      else if (order) t.match(result, { order: { number: order.number } })
      else t.match(result, { outcome: 'superseded' })
    }
    const outcomes = results.flatMap(result => ('outcome' in result ? result.outcome : []))
    t.equal(outcomes.filter(outcome => outcome === 'placed').length, order ? 1 : 0)
    wins[order ? 'placed' : 'replaced']++
  }
  t.equal((await stores[0].listOrders({}, undefined, 100)).length, wins.placed)
  t.ok(wins.placed > 0 && wins.replaced > 0, JSON.stringify(wins))
})

t.test('two orders with one number, of different merchants: one has it', async t => {
  const stores = await openReplicas(t, REPLICAS)
  for (const [i, store] of stores.entries()) await store.addCheckout(newCheckout(`t${i}`, { merchantId: `shop-${i}` }))
  const results = await Promise.all(
    stores.map((store, i) => store.placeOrder(newOrder(1, { merchantId: `shop-${i}`, token: `t${i}` })))
  )
  const outcomes = results.map(({ outcome }) => outcome).sort()
  t.strictSame(outcomes, [...Array(REPLICAS - 1).fill('number-taken'), 'placed'])
})

t.test("a cart for a merchant's own shop gets one key and one checkout, and its order is reported once", async t => {
  const stores = await openReplicas(t, REPLICAS)
  for (let n = 0; n < 10; n++) {
    const reference = `order-${n}`
    const { merchantId, cart, createdAt } = newCheckout('', { reference })
    const keys = await everywhere(stores, 2, (store, i) =>
      store.beginHandoff({ key: `${n}-${i}`, merchantId, cart, createdAt }, LONG_AGO)
    )
    const [key = ''] = new Set(keys)
    t.strictSame(new Set(keys), new Set([key]))
    const finished = await everywhere(stores, 2, store =>
      store.finishHandoff(newCheckout(key, { reference, handover }))
    )
    t.strictSame(new Set(finished.map(checkout => checkout?.token)), new Set([key]))

    // While it is reported, another cart comes under its reference.
    const other = newCheckout(`other-${n}`, { reference, handover, currency: 'USD' })
    await stores[0].beginHandoff({ ...other, key: other.token }, LONG_AGO)
    const [replaced, ...kept] = await Promise.all([
      stores[0].finishHandoff(other),
      ...stores.map((store, i) => store.keepReport(newReport(n, { reference, total: i })))
    ])
    t.equal(kept.filter(({ outcome }) => outcome === 'kept').length, 1)
    const newest = await stores[0].newestCheckout('shop', reference)
    t.match(newest, { token: key, orderNumber: `#${n}`, supersededAt: undefined }, 'the ordered cart has its place')
    const found = await stores[0].findCheckout('shop', other.token)
    if (replaced?.token === other.token) t.type(found?.supersededAt, 'string')
    else t.equal(found, undefined)
  }
})

t.test('orders reported under one number, with different references: one is kept', async t => {
  const stores = await openReplicas(t, REPLICAS)
  const kept = await everywhere(stores, 3, (store, i) => store.keepReport(newReport(i, { number: '#1' })))
  const outcomes = kept.map(({ outcome }) => outcome)
  t.equal(outcomes.filter(outcome => outcome === 'kept').length, 1)
  t.equal(outcomes.filter(outcome => outcome === 'number-known').length, kept.length - 1)
})

t.test('servers that clean up at once delete each checkout once, and record its transfer once', async t => {
  const stores = await openReplicas(t, REPLICAS)
  const checkouts = Array.from(
    { length: 300 },
    (_, i): NewCheckout => newCheckout(`t${i}`, { reference: `order-${i}` })
  )
  await Promise.all(checkouts.map(checkout => stores[0].addCheckout(checkout)))
  await place(stores[0], newOrder(7, { reference: 'order-7', token: 't7' }), false)
  let deleted = 0
  let batch: number[]
  do {
    batch = await everywhere(stores, 1, store => store.deleteExpired('shop', LONG_AFTER, 20, CREATED))
    deleted += batch.reduce((sum, count) => sum + count, 0)
  } while (batch.some(count => count > 0))
  t.equal(deleted, 299)
  t.match(await stores[0].findCheckout('shop', 't7'), { orderNumber: newOrder(7).number })
  let records = 0
  do {
    batch = await everywhere(stores, 1, store => store.deleteTransfers('shop', LONG_AFTER, 20))
    records += batch.reduce((sum, count) => sum + count, 0)
  } while (batch.some(count => count > 0))
  t.equal(records, 299)
})
