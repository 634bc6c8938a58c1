// A server that runs goes on while a newer version adds columns: statements that a connection has prepared must not name
// all columns of a table by `*`, as PostgreSQL refuses them once there are others.
import t from 'tap'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { newOrder, place } from '../new-order.ts'
import { newReport } from '../reported-orders-suite.ts'
import { newRecord } from '../transfers-suite.ts'
import { addColumns } from './add-columns.ts'
import { urlOf } from './opened.ts'

const LATER = '2026-11-20T12:00:00.000Z'

/** Writes to every table, and reads each of them. */
async function use(store: Store, n: number): Promise<unknown[]> {
  const order = await place(store, newOrder(n))
  const report = await store.keepReport(newReport(n))
  await store.addTransfer(newRecord({ reference: `refused-${n}` }))
  const leased = await store.leaseMessage('shop', LATER, LATER)
  if (leased) await store.settleMessage(leased, { state: 'delivered', attempts: 1, dueAt: LATER, attemptedAt: LATER })
  const found = await store.findCheckout('shop', order.token)
  return [
    report.outcome,
    (await store.keepReport(newReport(n))).outcome,
    (await store.findOrder('shop', order.token))?.number === order.number,
    leased?.order.number === order.number,
    (await store.findMessage(order.number))?.state,
    found?.token === order.token,
    (await store.listOrders({ number: order.number }, undefined, 10)).length,
    (await store.referenceHistories(['shop'], [order.reference, `reported-${n}`, `refused-${n}`])).length
  ]
}

t.test('a server goes on while a newer version adds columns', async t => {
  const url = await urlOf(t)
  // One connection, which has prepared everything.
  const store = await openPostgres(`${url}&pool_max_conns=1`)
  t.teardown(() => store.close())
  const before = await use(store, 1)
  await addColumns(url)
  t.strictSame(await use(store, 2), before)
})
