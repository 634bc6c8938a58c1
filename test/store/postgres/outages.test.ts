// PostgreSQL stopped, cut off, hanging, locked, read-only or full of connections: every call ends, most of them at once, as
// unavailable; what was answered is kept; and when it is back, so is the store.
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../../src/errors.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { sharedPostgres } from '../../postgres.ts'
import { until } from '../../until.ts'
import { newOrder } from '../new-order.ts'
import { rejectsAsUnavailable } from '../rejects-as-unavailable.ts'
import { newCheckout } from '../store-suite.ts'
import { newRecord } from '../transfers-suite.ts'
import { connectClient, openNetworkOf, openTested, urlOf } from './opened.ts'

/** In milliseconds. */
const TIMEOUT = 1500
const MANY = 100

const isReady = (store: Store) =>
  store.checkReady().then(
    () => true,
    () => false
  )

/** Waits until so many statements wait for somebody else's lock. */
function untilLocked(count: number): Promise<void> {
  return until('statements to wait', async () => {
    const { rows } = await (await sharedPostgres()).query('SELECT count(*) FROM pg_locks WHERE NOT granted')
    return Number(rows[0].count) >= count
  })
}

/** Begins a transaction of somebody else's. @returns what ends it */
async function holdOpen(t: Test, ...statements: string[]): Promise<() => Promise<void>> {
  const client = await connectClient(t)
  for (const statement of ['BEGIN', ...statements]) await client.query(statement)
  return async () => void (await client.query('ROLLBACK'))
}

t.test('stopped and started again, it is used again without a restart, and what was answered is there', async t => {
  const postgres = await sharedPostgres()
  const { url, attempts } = await openNetworkOf(t)
  const store = await openPostgres(url, {}, { timeout: TIMEOUT })
  t.teardown(store.close)
  await store.addCheckout(newCheckout('t1'))

  await postgres.stop()
  await until('the store to notice', async () => !(await isReady(store)))
  const before = attempts()
  for (let i = 0; i < MANY; i++) {
    await rejectsAsUnavailable(t, store.addCheckout(newCheckout(`u${i}`, { reference: `u${i}` })))
    await rejectsAsUnavailable(t, store.findCheckout('shop', 't1'))
  }
  t.ok(attempts() - before < MANY, 'most calls are refused without an attempt to connect')

  await postgres.start()
  await until('the store to be back', () => isReady(store))
  t.match(await store.findCheckout('shop', 't1'), { token: 't1' })
  t.equal(await store.findCheckout('shop', 'u0'), undefined)
})

t.test('a call whose connection is cut is rejected, and leaves nothing half done', async t => {
  const { url, cut } = await openNetworkOf(t)
  const store = await openPostgres(url)
  t.teardown(store.close)
  await store.addCheckout(newCheckout('t1'))
  const letGo = await holdOpen(t, 'LOCK TABLE orders')
  const calls = [store.placeOrder(newOrder(1, { token: 't1' })), store.findOrder('shop', 't1'), store.eraseOrder('N')]
  await untilLocked(calls.length)
  cut()
  await Promise.all(calls.map(call => rejectsAsUnavailable(t, call, /terminated/)))
  await letGo()
})

t.test('while it hangs, calls end in time, and later ones at once; afterwards it is used again', async t => {
  const { url, hold, attempts } = await openNetworkOf(t)
  const store = await openPostgres(url, {}, { timeout: TIMEOUT })
  t.teardown(store.close)
  await Promise.all(Array.from({ length: 8 }, () => store.checkReady()))
  hold(true)
  const calls = Array.from({ length: MANY }, (_, i) => store.addCheckout(newCheckout(`t${i}`, { reference: `t${i}` })))
  const reads = Array.from({ length: MANY }, () => store.findCheckout('shop', 't1'))
  await Promise.all([...calls, ...reads].map(call => rejectsAsUnavailable(t, call)))
  const before = attempts()
  for (let i = 0; i < MANY; i++) await rejectsAsUnavailable(t, store.findCheckout('shop', 't1'))
  t.ok(attempts() - before < MANY)
  hold(false)
  await until('the store to be back', () => isReady(store))
})

t.test("somebody else's lock is waited for, but not for ever", async t => {
  const store = await openTested(t, { timeout: TIMEOUT })
  t.teardown(store.close)
  await store.addCheckout(newCheckout('t1'))
  const letGo = await holdOpen(t, 'LOCK TABLE orders')
  await rejectsAsUnavailable(t, store.placeOrder(newOrder(1, { token: 't1' })), /lock timeout/)
  t.match(await store.addCheckout(newCheckout('t2', { reference: 'order-2' })), { token: 't2' }, 'bags go on')
  await letGo()
  t.match(await store.placeOrder(newOrder(1, { token: 't1' })), { outcome: 'placed' })
})

t.test('a bag that must wait for a lock holds up neither those that came with it nor those after it', async t => {
  const store = await openTested(t, { timeout: TIMEOUT })
  t.teardown(store.close)
  const columns = '(token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at)'
  const letGo = await holdOpen(t, `INSERT INTO checkouts ${columns} VALUES ('x', 'shop', 'locked', '1', '{}', '', '')`)
  const add = (store: Store, token: string) => store.addCheckout(newCheckout(token, { reference: token }))
  const [locked, ...others] = ['locked', 'a', 'b', 'c'].map(token => add(store, token))
  await rejectsAsUnavailable(t, locked as Promise<unknown>, /lock timeout/)
  t.match(await Promise.all(others), [{ token: 'a' }, { token: 'b' }, { token: 'c' }])
  const patient = await openTested(t, { timeout: 60_000 })
  t.teardown(patient.close)
  const again = add(patient, 'locked')
  await untilLocked(1)
  // By now it has taken long.
  const { now } = performance
  t.intercept(performance, 'now', { value: () => now.call(performance) + 60 })
  t.match(await add(patient, 'd'), { token: 'd' })
  await letGo()
  t.match(await again, { token: 'locked' })
})

t.test('read-only, as a standby is: what is stored can be read, and nothing is taken', async t => {
  const before = await openTested(t)
  await before.addCheckout(newCheckout('t1'))
  await before.close()
  const url = (await urlOf(t)).replace('search_path', 'default_transaction_read_only%3Don%20-c%20search_path')
  const store = await openPostgres(url)
  t.teardown(store.close)
  t.match(await store.findCheckout('shop', 't1'), { token: 't1' })
  await rejectsAsUnavailable(t, store.addCheckout(newCheckout('t2', { reference: 'order-2' })), /read-only/)
  await rejectsAsUnavailable(t, store.checkReady(), /read-only/)
})

t.test('with fewer connections than the store would use, it works with those', async t => {
  const postgres = await sharedPostgres()
  const { rows } = await postgres.query('SELECT current_database() AS name')
  const url = await urlOf(t)
  const schema = /search_path%3D(\w+)/.exec(url)?.[1]
  await postgres.query('CREATE ROLE few LOGIN CONNECTION LIMIT 2')
  await postgres.query(`GRANT ALL ON SCHEMA ${schema} TO few; GRANT CONNECT ON DATABASE ${rows[0].name} TO few`)
  const store = await openPostgres(url.replace('//postgres@', '//few@'))
  t.teardown(store.close)
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => store.checkReady()))
  const refused = results.flatMap(result => (result.status === 'rejected' ? result.reason : []))
  t.ok(refused.length < results.length)
  for (const error of refused) t.match(error, { cause: { message: /too many connections/ } })
  t.equal(await isReady(store), true)
})

t.test('what is wrong with a statement is not "unavailable", and its message shows no row', async t => {
  const store = await openTested(t)
  t.teardown(store.close)
  const error = await store
    .addTransfer(newRecord({ outcome: null as never, problem: 's3cret' }))
    .catch(reason => reason)
  t.match(error, { message: /null value in column "outcome"/ })
  t.notOk(error instanceof StoreUnavailable)
  t.notMatch(JSON.stringify(error), /s3cret/)
})

t.test('a start says what is wrong, without the password, and whether it may be put right by waiting', async t => {
  const url = await urlOf(t)
  const cases: [url: string, message: RegExp, isTransient: boolean][] = [
    [
      'postgres://ada:s3cret@127.0.0.1:1/shop',
      /^postgres:\/\/ada@127\.0\.0\.1:1\/shop: no PostgreSQL listens there; start it, or correct the address$/,
      true
    ],
    [
      'postgres://ada:s3cret@localhost:1/shop',
      /^postgres:\/\/ada@localhost:1\/shop: no PostgreSQL listens there; start it, or correct the address$/,
      true
    ],
    [url.replace('/postgres?', '/nothing?'), /: database "nothing" does not exist$/, false],
    [url.replace('//postgres@', '//nobody:s3cret@'), /: role "nobody" does not exist$/, false],
    ['postgres://ada:s3cret@db/shop?sslmode=prefer', /^postgres:.*: sslmode is "prefer"/, false],
    ['postgres://ada:s3cret@db/shop?sslmode=require&sslrootcert=/no/ca.pem', /: ENOENT: .*'\/no\/ca.pem'/, false]
  ]
  for (const [from, message, isTransient] of cases) {
    const error = await openPostgres(from).catch(reason => reason)
    t.match(error, { message })
    t.equal(error instanceof StoreUnavailable, isTransient, error.message)
    t.notMatch(error.message, /s3cret/)
  }
})
