// Migrations in PostgreSQL: each applied once, completely or not at all, by several servers at once; and databases that
// this version cannot use.
import pg from 'pg'
import t, { type Test } from 'tap'
import { type Connections, connectionsOf } from '../../../src/store/postgres/connections.ts'
import { migratePostgres, postgresMigrations } from '../../../src/store/postgres/postgres-schema.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { sharedPostgres } from '../../postgres.ts'
import { newOrder, place } from '../new-order.ts'
import { opened } from '../payments-suite.ts'
import { newReport } from '../reported-orders-suite.ts'
import { newCheckout } from '../store-suite.ts'
import { newRecord } from '../transfers-suite.ts'
import { addColumns, openTested, urlOf } from './opened.ts'

/** Migrations as a later version may add them. */
const later = [
  ...postgresMigrations,
  { name: '998-note', statements: ['ALTER TABLE checkouts ADD COLUMN note TEXT', 'CREATE TABLE extra (id TEXT)'] }
]

async function connect(t: Test): Promise<Connections> {
  const connections = connectionsOf(new pg.Pool({ connectionString: await urlOf(t) }))
  t.teardown(connections.close)
  return connections
}

/** The tables, columns and indices of the schema, and the migrations applied to it. */
async function shapeOf({ read }: Connections) {
  const columns = await read(
    `SELECT table_name, column_name, data_type, collation_name FROM information_schema.columns
     WHERE table_schema = current_schema ORDER BY 1, 2`
  )
  const indices = await read('SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema ORDER BY 1')
  const applied = await read('SELECT name FROM migrations ORDER BY 1')
  return { columns: columns.rows, indices: indices.rows, applied: applied.rows.map(({ name }) => name) }
}

t.test(
  'ten servers that start at once on an empty database all open it, and each migration is applied once',
  async t => {
    await urlOf(t)
    const stores = await Promise.all(Array.from({ length: 10 }, () => openTested(t)))
    await Promise.all(stores.map(store => store.checkReady()))
    await Promise.all(stores.map(store => store.close()))
    const { applied } = await shapeOf(await connect(t))
    t.strictSame(
      applied,
      postgresMigrations.map(({ name }) => name)
    )
  }
)

t.test('text is compared byte by byte', async t => {
  const connections = await connect(t)
  await connections.session(run => migratePostgres(run))
  const { columns } = await shapeOf(connections)
  const texts = columns.filter(({ data_type }) => data_type === 'text')
  t.ok(texts.length > 50)
  t.strictSame(
    texts.filter(({ collation_name }) => collation_name !== 'C'),
    []
  )
})

t.test(
  'an upgrade keeps what is stored, and the version before it refuses the database and leaves it alone',
  async t => {
    const connections = await connect(t)
    const store = await openTested(t)
    await store.addCheckout(newCheckout('t1'))
    await store.close()
    await connections.session(run => migratePostgres(run, { steps: later }))
    const upgraded = await shapeOf(connections)
    t.match(upgraded.applied, [
      '001-schema',
      '015-order-language',
      '016-shop-orders',
      '017-payments',
      '018-attempts',
      '019-refunds',
      '020-order-secrets',
      '021-idempotency-keys',
      '998-note'
    ])
    const newer = /the database has the migration "998-note", which this version does not know; use a newer version$/
    await t.rejects(openTested(t), { message: newer })
    t.strictSame(await shapeOf(connections), upgraded)
    t.match((await connections.read('SELECT token, note FROM checkouts')).rows, [{ token: 't1', note: null }])
  }
)

t.test('015: an order from before has no language, and one placed now has its own', async t => {
  const connections = await connect(t)
  const steps = postgresMigrations.filter(({ name }) => name < '015')
  await connections.session(run => migratePostgres(run, { steps }))
  await connections.write(
    `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total, placed_at)
     VALUES ('N1', 'shop', 'before', 'before', 'before', 'GBP', '[]', 1, 1, '2020')`
  )
  const store = await openTested(t)
  t.teardown(() => store.close())
  const listed = await store.listOrders({}, undefined, 10)
  t.match(listed, [{ number: 'N1', placedAt: '2020' }])
  t.notOk(listed.some(order => 'language' in order))
  await place(store, newOrder(1, { language: 'de-CH' }))
  t.match(await store.listOrders({}, undefined, 10), [{ number: 'N1' }, { language: 'de-CH' }])
})

t.test('017: a server of the version before goes on, and takes no later message for that of an order', async t => {
  const connections = await connect(t)
  const steps = postgresMigrations.filter(({ name }) => name < '017')
  await connections.session(run => migratePostgres(run, { steps }))
  /** As that version does. */
  const placeBefore = async (number: string) => {
    await connections.write(
      `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total, placed_at)
       VALUES ($1, 'shop', $1, $1, $1, 'GBP', '[]', 1, 1, '2020')`,
      [number]
    )
    await connections.write(
      `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
       VALUES ($1, 'shop', 'pending', 0, '2020', '2020')`,
      [number]
    )
  }
  await placeBefore('N1')
  const store = await openTested(t)
  t.teardown(() => store.close())
  await placeBefore('N2')
  await connections.write(
    `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at) VALUES ('N2', 'shop', 'pending', 0, $1, $1)
     ON CONFLICT (order_number) DO UPDATE SET state = 'pending', due_at = excluded.due_at`,
    ['2021']
  )
  for (const number of ['N1', 'N2']) {
    t.match(await store.leaseMessage('shop', '2022', '2023'), {
      event: 'order.placed',
      order: { number },
      at: undefined
    })
  }
  const payment = await opened(store, 3)
  const { currency, amount } = payment
  for (const state of ['pending', 'paid'] as const) {
    const facts = { state, providerId: 'cs_1', currency, amount }
    await store.changePayment(payment, { type: 'reported', facts }, '2021', { notifiesWebhook: true })
  }
  const { rows } = await connections.read(
    `SELECT orders.number FROM outbox LEFT JOIN orders ON orders.number = order_number WHERE event <> 'order.placed'`
  )
  t.strictSame(rows, [{ number: null }])
})

t.test('an upgrade that fails leaves the database as it was', async t => {
  const connections = await connect(t)
  await connections.session(run => migratePostgres(run))
  const before = await shapeOf(connections)
  const broken = { name: '999-broken', statements: ['DROP TABLE checkouts', 'INSERT INTO nowhere VALUES (1)'] }
  await t.rejects(
    connections.session(run => migratePostgres(run, { steps: [...later, broken] })),
    { message: /nowhere/ }
  )
  t.strictSame(await shapeOf(connections), before)
  await connections.session(run => migratePostgres(run, { steps: later }))
})

t.test('a database that no server has used is not given to a command', async t => {
  await t.rejects(openTested(t, { isExisting: true }), {
    message: /^postgres:.*: no server has used this database yet; set DATABASE_URL as for the server$/
  })
  await (await openTested(t)).close()
  await (await openTested(t, { isExisting: true })).close()
})

t.test('a database that cannot keep what is confirmed, or not as text in UTF-8, is refused', async t => {
  const postgres = await sharedPostgres()
  await postgres.query(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`)
  const inLatin = (await urlOf(t)).replace('/postgres?', '/latin?')
  await t.rejects(openPostgres(inLatin), { message: /: the database's encoding is LATIN1; create one with .*'UTF8'$/ })
  const careless = (await urlOf(t)).replace('search_path', 'synchronous_commit%3Doff%20-c%20search_path')
  await t.rejects(openPostgres(careless), { message: /: synchronous_commit is off, .*; set it to on$/ })
})

t.test('a PostgreSQL that is no longer maintained is refused', async t => {
  const { read } = await connect(t)
  const old: typeof read = async sql => read(String(sql).replace("current_setting('server_version_num')", "'130022'"))
  await t.rejects(migratePostgres(old), { message: 'this is PostgreSQL 13; use 14 or newer' })
})

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

// Statements that a connection has prepared must not name all columns of a table by `*`: PostgreSQL refuses them once there
// are others.
t.test('a server goes on while a newer version adds columns', async t => {
  const url = await urlOf(t)
  // One connection, which has prepared everything.
  const store = await openPostgres(`${url}&pool_max_conns=1`)
  t.teardown(() => store.close())
  const before = await use(store, 1)
  await addColumns(url)
  t.strictSame(await use(store, 2), before)
})
