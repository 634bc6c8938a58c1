// What a store records about transfers and returns for reconciling, as documented in src/store/store.ts. Every
// implementation runs this suite, so it is independent of any database.
import type { Test } from 'tap'
import type { TransferRecord } from '../../src/checkout/checkout-store.ts'
import type { Order } from '../../src/checkout/orders/order.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../until.ts'
import { newOrder as orderNumbered } from './new-order.ts'
import { CREATED, closed, newCheckout, type OpenStore } from './store-suite.ts'

/** A record of a refused transfer of merchant `shop`, reference `order-1`. */
export function newRecord(changes: Partial<TransferRecord> = {}): TransferRecord {
  return {
    merchantId: 'shop',
    reference: 'order-1',
    option: '1',
    at: CREATED,
    outcome: 'refused',
    problem: 'cart-not-sellable',
    mistakes: ['sku-unknown', 'out-of-stock'],
    ...changes
  }
}

const { reference: _, ...withoutReference } = newRecord()
/** A record of a transfer without a reference that could be read. */
export const unreadable = withoutReference

/** An order with this number, placed from a checkout of `newCheckout`. */
export function newOrder(number: string, token: string, changes: Partial<Order> = {}): Order {
  return orderNumbered(1, { number, token, total: 8995, placedAt: CREATED, ...changes })
}

const at = (day: string, time = '10:00:00.000') => `2026-11-${day}T${time}Z`
const UUID = 'abcdef00112233445566778899aabbcc'

export function transfersSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const fresh = closed(open)
  const another = closed(openAgain)
  const lastOf = async (store: Store, merchant: string, key: string) =>
    (await store.referenceHistories([merchant], [key]))[0]?.[0]?.lastTransfer

  t.test(`${name}: a checkout is the record of its transfer, and leaves one if it is recent when deleted`, async t => {
    const store = await fresh(t)
    const [older, newer] = [at('19'), at('20')]
    await store.addCheckout(newCheckout('t1', { reference: 'older', createdAt: older }))
    await store.addCheckout(newCheckout('t2', { reference: 'newer', createdAt: newer }))
    await store.addCheckout(newCheckout('t3', { reference: 'newer', createdAt: newer, merchantId: 'other' }))
    t.match(await store.referenceHistories(['shop'], ['newer']), [[{ checkouts: [{ createdAt: newer }] }]])
    t.equal(await lastOf(store, 'shop', 'newer'), undefined)
    t.equal(await store.deleteExpired('shop', at('30'), 10, newer), 2)
    t.strictSame(await store.referenceHistories(['shop'], ['older', 'newer']), [
      [],
      [{ merchant: 'shop', option: '1', checkouts: [], lastTransfer: { outcome: 'accepted', at: newer, mistakes: [] } }]
    ])
    t.equal(await lastOf(store, 'other', 'newer'), undefined)
  })

  t.test(`${name}: the result of a transfer is found by merchant and reference`, async t => {
    const store = await fresh(t)
    await store.addTransfer(newRecord())
    t.strictSame(await store.referenceHistories(['shop'], ['order-1', 'order-2']), [
      [
        {
          merchant: 'shop',
          option: '1',
          checkouts: [],
          lastTransfer: {
            at: CREATED,
            outcome: 'refused',
            problem: 'cart-not-sellable',
            mistakes: ['sku-unknown', 'out-of-stock']
          }
        }
      ],
      []
    ])
    t.strictSame(await store.referenceHistories(['other'], ['order-1']), [[]])
    t.strictSame(await store.referenceHistories([], ['order-1']), [[]])
    t.strictSame(await store.referenceHistories(['shop'], []), [])
  })

  t.test(`${name}: references are compared by their key`, async t => {
    const store = await fresh(t)
    await store.addTransfer(newRecord({ reference: 'ABCDEF00-1122-3344-5566-778899AABBCC' }))
    t.match(await lastOf(store, 'shop', UUID), { outcome: 'refused' })
    t.equal(await lastOf(store, 'shop', UUID.toUpperCase()), undefined)
  })

  t.test(`${name}: the latest of several records counts, whatever the order they were written in`, async t => {
    const store = await fresh(t)
    await store.addTransfer(newRecord({ at: at('20', '10:00:02.000'), outcome: 'repeated', mistakes: [] }))
    await store.addTransfer(newRecord({ at: at('20', '10:00:03.000'), problem: 'contract-broken', mistakes: [] }))
    await store.addTransfer(newRecord({ at: at('20', '10:00:01.000') }))
    t.match(await lastOf(store, 'shop', 'order-1'), { at: at('20', '10:00:03.000'), problem: 'contract-broken' })
  })

  t.test(`${name}: a record without a problem has none`, async t => {
    const store = await fresh(t)
    const { problem: _, ...record } = newRecord({ outcome: 'accepted', mistakes: [] })
    await store.addTransfer(record)
    t.strictSame(await lastOf(store, 'shop', 'order-1'), { at: CREATED, outcome: 'accepted', mistakes: [] })
  })

  t.test(`${name}: a transfer without a reference is only counted, per merchant and day`, async t => {
    const counting = await open(t)
    const days: [string, string, number][] = [
      ['shop', at('18', '23:59:59.999'), 1],
      ['shop', at('19', '00:00:00.000'), 3],
      ['shop', at('20'), 2],
      ['other', at('19'), 5]
    ]
    for (const [merchantId, day, times] of days) {
      for (let i = 0; i < times; i++) await counting.addTransfer({ ...unreadable, merchantId, at: day })
    }
    await counting.close()
    const store = await another(t)
    await store.addTransfer({ ...unreadable, at: at('18') })
    const sum = () => store.unreadableTransfers('shop', '', at('30'))
    await until('what was counted to be written', async () => (await sum()) === 7)
    const counts: [string, string, string, number][] = [
      ['shop', '', at('30'), 7],
      ['shop', at('19'), at('19'), 3],
      ['shop', at('19', '12:00:00.000'), at('20'), 5],
      ['shop', at('21'), at('30'), 0],
      ['other', '', at('30'), 5],
      ['third', '', at('30'), 0]
    ]
    for (const [merchant, from, to, count] of counts) {
      t.equal(await store.unreadableTransfers(merchant, from, to), count, `${merchant} ${from} ${to}`)
    }
    t.equal(await store.deleteTransfers('shop', at('20', '05:00:00.000'), 100), 0, 'counts are not records')
    t.equal(
      await store.unreadableTransfers('shop', '', at('30')),
      2,
      'the counts of that day stay, those before it are deleted'
    )
    t.equal(await store.unreadableTransfers('other', '', at('30')), 5)
  })

  t.test(`${name}: old records are deleted per merchant, oldest first, up to a limit`, async t => {
    const store = await fresh(t)
    for (const day of ['14', '12', '13', '11', '15']) {
      await store.addTransfer(newRecord({ reference: day, at: at(day) }))
      await store.addTransfer(newRecord({ merchantId: 'other', reference: day, at: at(day) }))
    }
    const left = async (merchant: string) => {
      const days = ['11', '12', '13', '14', '15']
      const known = await store.referenceHistories([merchant], days)
      return days.filter((_, i) => known[i]?.length).join(' ')
    }
    const steps: [string, number, number, string][] = [
      [at('11'), 10, 0, '11 12 13 14 15'],
      [at('14'), 2, 2, '13 14 15'],
      [at('14'), 2, 1, '14 15'],
      [at('30'), 10, 2, '']
    ]
    for (const [before, limit, deleted, stay] of steps) {
      t.strictSame([await store.deleteTransfers('shop', before, limit), await left('shop')], [deleted, stay])
    }
    t.equal(await left('other'), '11 12 13 14 15')
  })

  t.test(`${name}: old records of one option are deleted alone, and no counts`, async t => {
    const store = await fresh(t)
    for (const option of ['1', '2A']) {
      for (const day of ['11', '12'])
        await store.addTransfer(newRecord({ option, reference: `${option} ${day}`, at: at(day) }))
    }
    await store.addTransfer({ ...unreadable, at: at('11') })
    await until('it to be counted', async () => (await store.unreadableTransfers('shop', '', at('30'))) === 1)
    t.equal(await store.deleteTransfers('shop', at('12'), 10, '2A'), 1)
    const known = await store.referenceHistories(['shop'], ['1 11', '1 12', '2A 11', '2A 12'])
    t.strictSame(
      known.map(({ length }) => length),
      [1, 1, 0, 1]
    )
    t.equal(await store.unreadableTransfers('shop', '', at('30')), 1)
  })

  t.test(`${name}: a history has the newest checkout first, then the superseded ones, latest first`, async t => {
    const store = await fresh(t)
    const skus = ['A', 'B', 'C']
    for (const [i, sku] of skus.entries()) {
      const items = [{ sku, quantity: i + 1, price: '1.00' }]
      await store.addCheckout(newCheckout(sku, { items, createdAt: at('20', `1${i}:00:00.000`) }))
    }
    const expiresAt = '2026-11-21T10:00:00.000Z'
    t.strictSame(await store.referenceHistories(['shop'], ['order-1']), [
      [
        {
          merchant: 'shop',
          option: '1',
          checkouts: [
            { items: [{ sku: 'C', quantity: 3 }], createdAt: at('20', '12:00:00.000'), expiresAt },
            {
              items: [{ sku: 'B', quantity: 2 }],
              createdAt: at('20', '11:00:00.000'),
              expiresAt,
              supersededAt: at('20', '12:00:00.000')
            },
            {
              items: [{ sku: 'A', quantity: 1 }],
              createdAt: at('20', '10:00:00.000'),
              expiresAt,
              supersededAt: at('20', '11:00:00.000')
            }
          ]
        }
      ]
    ])
  })

  t.test(`${name}: the history of a reference sent very often has only a few checkouts`, async t => {
    const store = await fresh(t)
    const second = (i: number) => new Date(Date.parse(CREATED) + i * 1000).toISOString()
    for (let i = 0; i < 80; i++) {
      await store.addCheckout(newCheckout(`t${i}`, { items: [{ sku: `S${i}`, quantity: 1 }], createdAt: second(i) }))
    }
    const [[known] = []] = await store.referenceHistories(['shop'], ['order-1'])
    t.ok(Number(known?.checkouts.length) <= 50)
    t.match(known?.checkouts, [{ items: [{ sku: 'S79' }] }, { items: [{ sku: 'S78' }] }, { items: [{ sku: 'S77' }] }])
  })

  t.test(`${name}: the history of an ordered reference has only the order, and only its merchant`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('t1'))
    await store.addCheckout(newCheckout('t2', { merchantId: 'other' }))
    await store.addTransfer(newRecord())
    await store.placeOrder(newOrder('N1', 't1'))
    const items = [
      { sku: 'MUG', quantity: 2 },
      { sku: 'THROW', quantity: 1 }
    ]
    t.strictSame(await store.referenceHistories(['other', 'shop'], ['order-1']), [
      [
        {
          merchant: 'shop',
          order: { number: 'N1', currency: 'GBP', total: 8995, items, placedAt: CREATED },
          option: '1',
          checkouts: []
        }
      ]
    ])
    t.match(await store.referenceHistories(['other'], ['order-1']), [[{ merchant: 'other', checkouts: [{ items }] }]])
  })

  t.test(`${name}: orders are paged in the order of their keys, each once`, async t => {
    const store = await fresh(t)
    const references = ['r3', UUID.toUpperCase(), 'R1', 'ソ', 'r1', '😀']
    for (const [i, reference] of references.entries()) {
      await store.addCheckout(newCheckout(`t${i}`, { reference }))
      await store.placeOrder(newOrder(`N${i}`, `t${i}`, { reference, total: i, placedAt: at(`1${i}`) }))
    }
    await store.addCheckout(newCheckout('other', { merchantId: 'other' }))
    await store.placeOrder(newOrder('N9', 'other', { merchantId: 'other' }))
    const numbers: string[] = []
    let after = ''
    while (true) {
      const orders = await store.ordersAfter('shop', after, 4)
      t.ok(orders.length <= 4)
      if (orders.length === 0) break
      for (const { key, reference, number, total, currency, option, ...time } of orders) {
        const i = Number(number.slice(1))
        t.strictSame(
          [reference, total, currency, option, time],
          [references[i], i, 'GBP', '1', { placedAt: at(`1${i}`) }]
        )
        t.equal(key, i === 1 ? UUID : reference)
        numbers.push(number)
      }
      after = String(orders.at(-1)?.key)
    }
    t.strictSame(numbers.toSorted(), ['N0', 'N1', 'N2', 'N3', 'N4', 'N5'])
    t.equal(new Set(numbers).size, numbers.length)
  })

  t.test(`${name}: merchantsInStore lists every merchant with any data`, async t => {
    const store = await fresh(t)
    t.strictSame(await store.merchantsInStore(), [])
    await store.addTransfer(newRecord({ merchantId: 'c' }))
    await store.addCheckout(newCheckout('t1', { merchantId: 'b' }))
    await store.addCheckout(newCheckout('t2', { merchantId: 'a' }))
    await store.placeOrder(newOrder('N1', 't2', { merchantId: 'a' }))
    await store.addTransfer(newRecord({ merchantId: 'a' }))
    const counting = await openAgain(t)
    await counting.addTransfer({ ...unreadable, merchantId: 'd' })
    await counting.close()
    t.strictSame(await store.merchantsInStore(), ['a', 'b', 'c', 'd'])
  })

  t.test(`${name}: hostile references are kept apart and harm nothing`, async t => {
    const store = await fresh(t)
    const hostile = [`'; DROP TABLE transfers; --`, '%', '_', '"a\\b', '__proto__', '\u202eabc', '☕😀', '[]']
    for (const reference of hostile) await store.addTransfer(newRecord({ reference, mistakes: [reference] }))
    const known = await store.referenceHistories(['shop'], hostile)
    t.strictSame(
      known.map(one => one[0]?.lastTransfer?.mistakes),
      hostile.map(reference => [reference])
    )
  })
}
