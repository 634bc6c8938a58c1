// Erasing in PostgreSQL: what was there before is no longer in the table, once nobody sees it any more.
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../../src/errors.ts'
import { addCart, extrasOf } from '../cart-extras-suite.ts'
import { newOrder, place } from '../new-order.ts'
import { begin, keyOf } from '../payments-suite.ts'
import { connectClient, openReplicas } from './opened.ts'

/** Older versions of rows that are still in a table: they are gone afterwards, or somebody sees them. */
async function olderVersions(t: Test, table = 'orders'): Promise<number> {
  const client = await connectClient(t)
  let report = ''
  client.on('notice', ({ message = '' }) => {
    report += message
  })
  await client.query(`VACUUM (VERBOSE) ${table}`)
  const [, removed, left] = /tuples: (\d+) removed, \d+ remain, (\d+) are dead/.exec(report) ?? []
  return Number(removed) + Number(left)
}

t.test('an erased order leaves no older version of its row', async t => {
  const [store, command] = await openReplicas(t, 2)
  for (let n = 0; n < 20; n++) await place(store, newOrder(n), false)
  for (let n = 0; n < 10; n++) t.equal(await command?.eraseOrder(newOrder(n).number), true)
  t.equal(await olderVersions(t), 0)
  t.equal(await store.eraseOrders('shop', '2027', 5), 5)
  t.equal(await olderVersions(t), 5, 'they are found while they are there')
  t.equal(await store.eraseOrders('shop', '2027', 3), 3)
  await store.purgeErased()
  t.equal(await olderVersions(t), 0)
  await store.purgeErased()
})

t.test('while a transaction still sees the order as it was, erasing says that it has not finished', async t => {
  const [store] = await openReplicas(t, 1)
  await place(store, newOrder(1), false)
  const reader = await connectClient(t)
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT * FROM orders')
  const error = await store.eraseOrder(newOrder(1).number).catch(reason => reason)
  t.ok(error instanceof StoreUnavailable)
  t.match(error, { message: /erase again to finish/ })
  t.notHas(await store.findOrder('shop', 'token-1'), { customer: {} }, 'nobody else sees it')
  await reader.query('ROLLBACK')
  t.equal(await store.eraseOrder(newOrder(1).number), true)
  t.equal(await olderVersions(t), 0)
})

t.test('an erased payment leaves no older version of its row, unless somebody sees it', async t => {
  const [store] = await openReplicas(t, 1)
  for (const n of [1, 2, 3]) await begin(store, n)
  await store.eraseOrder(newOrder(1).number)
  t.equal(await olderVersions(t, 'payments'), 0)
  const reader = await connectClient(t)
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT * FROM payments')
  await t.rejects(store.eraseOrder(newOrder(2).number), { message: /erase again to finish/ })
  await reader.query('ROLLBACK')
  await store.changePayment(keyOf(3), { type: 'not-opened' }, '2026')
  t.equal(await store.erasePayments('shop', '2027', 5), 1)
  await store.purgeErased()
  t.equal(await olderVersions(t, 'payments'), 0)
})

t.test('what came along with a cart leaves no older version of it', async t => {
  const [store] = await openReplicas(t, 1)
  for (const n of [1, 2, 3]) await addCart(store, n)
  for (const n of [1, 2]) await store.placeOrder({ ...newOrder(n), ...extrasOf(n) })
  await store.eraseOrder(newOrder(1).number)
  t.equal(await olderVersions(t, 'checkouts'), 0)
  await store.eraseOrders('shop', '2027', 5)
  t.equal(await store.deleteExpired('shop', '2027', 5, '2027'), 1)
  t.ok((await olderVersions(t, 'checkouts')) > 0, 'they are found while they are there')
  await store.purgeErased()
  t.equal(await olderVersions(t, 'checkouts'), 0)
})
