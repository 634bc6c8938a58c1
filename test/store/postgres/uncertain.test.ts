// A connection that breaks before PostgreSQL has answered: what was to be written may have been.
import t, { type Test } from 'tap'
import { StoreUnavailable, StoreUncertain } from '../../../src/errors.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Network } from '../../faults/network.ts'
import { until } from '../../until.ts'
import { newOrder, PLACED } from '../new-order.ts'
import { newCheckout } from '../store-suite.ts'
import { connectClient, openNetworkOf } from './opened.ts'

const order = newOrder(1, { token: 't1', reference: 'order-1' })
/** What is done with a connection that breaks at the first statement. */
const CALLS: [name: string, call: (store: Store) => Promise<unknown>, isUncertain: boolean][] = [
  ['an order', store => store.placeOrder(order), false],
  ['a bag', store => store.addCheckout(newCheckout('t2', { reference: 'order-2' })), true],
  ['a batch of the clean-up', store => store.deleteExpired('shop', PLACED, 1, PLACED), false],
  ['a page', store => store.findCheckout('shop', 't1'), false]
]

/** A way to the database that can break, and a store with a checkout that uses it. */
async function openStore(t: Test): Promise<{ network: Network; store: Store }> {
  const network = await openNetworkOf(t)
  const store = await openPostgres(network.url)
  t.teardown(() => store.close())
  await store.addCheckout(newCheckout('t1'))
  return { network, store }
}

t.test('of a statement that commits nobody knows; a transaction that has not come to its end is undone', async t => {
  const { network, store } = await openStore(t)
  for (const [name, call, isUncertain] of CALLS) {
    await store.findCheckout('shop', 't1')
    network.hold(true)
    const failing = call(store).catch(error => error)
    await until('the statement', () => network.held() === 1)
    network.silence(true)
    const error = await failing
    t.ok(error instanceof StoreUnavailable, name)
    t.equal(error instanceof StoreUncertain, isUncertain, name)
    network.silence(false)
    network.hold(false)
    await until('the connection', () => store.findCheckout('shop', 't1').catch(() => false))
  }
})

t.test('of an order whose connection breaks while it is committed, nobody knows', async t => {
  const { network, store } = await openStore(t)
  const [other, watcher] = await Promise.all([connectClient(t), connectClient(t)])
  await other.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(29); RETURN NULL; END'`)
  await other.query(`CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON orders INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait()`)
  await other.query('SELECT pg_advisory_lock(29)')
  const failing = store.placeOrder(order).catch(error => error)
  await until('the COMMIT to wait', async () => {
    const { rows } = await watcher.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)
    return rows.length > 0
  })
  network.silence(true)
  t.ok((await failing) instanceof StoreUncertain)
  network.silence(false)
  await other.query('SELECT pg_advisory_unlock(29)')
  await until('the order', () => store.findOrder('shop', 't1').catch(() => undefined))
  t.match(await store.placeOrder(order), { outcome: 'repeated' })
})
