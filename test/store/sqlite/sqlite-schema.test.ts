// Migrations: each applied once, completely or not at all, from any version and by several servers at once.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import type { Migration } from '../../../src/store/migrations.ts'
import { connectSqlite, migrateSqlite } from '../../../src/store/sqlite/sqlite-file.ts'
import { sqliteMigrations as migrations } from '../../../src/store/sqlite/sqlite-schema.ts'
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { newOrder, place } from '../new-order.ts'
import { opened } from '../payments-suite.ts'
import { NO_RECORDS, newCheckout } from '../store-suite.ts'
import { atOnce, ROUNDS } from './at-once.ts'

/** Migrations as a later version may add them. */
const later: Migration[] = [
  ...migrations,
  { name: '998-note', statements: ['ALTER TABLE checkouts ADD COLUMN note TEXT', 'CREATE TABLE extra (id TEXT)'] },
  { name: '999-more', statements: [`INSERT INTO extra (id) VALUES ('one')`, 'CREATE INDEX extra_id ON extra (id)'] }
]
const names = (list: Migration[]) => list.map(({ name }) => name)

/** The schema of the database, and the migrations applied to it. */
function shapeOf(db: DatabaseSync) {
  const parts = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  const applied = db.prepare('SELECT name FROM migrations ORDER BY name').all()
  return { parts: parts.map(part => ({ ...part })), applied: applied.map(({ name }) => name) }
}

function database(steps?: Migration[]): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  if (steps) migrateSqlite(db, steps)
  return db
}

t.test('migrations have unique names that sort in their order', t => {
  t.strictSame(names(migrations), [...new Set(names(migrations))].sort())
  for (const { name, statements } of migrations) {
    t.match(name, /^\d{3}-[a-z-]+$/)
    t.ok(statements.length > 0)
  }
  t.end()
})

t.test('running the migrations again changes nothing', async t => {
  const db = database(migrations)
  const store = sqliteStore(db)
  const checkout = newCheckout('t1')
  await store.addCheckout(checkout)
  const state = () => ({ ...shapeOf(db), version: { ...db.prepare('PRAGMA schema_version').get() } })
  const before = state()
  migrateSqlite(db)
  migrateSqlite(db)
  t.strictSame(state(), before)
  t.strictSame(await store.findCheckout('shop', 't1'), checkout)
  await store.close()
})

for (const list of [migrations, later]) {
  for (let length = 0; length <= list.length; length++) {
    t.test(`a database with ${length} of ${list.length} migrations upgrades to the same schema`, t => {
      const db = database(list.slice(0, length))
      t.strictSame(shapeOf(db).applied, names(list.slice(0, length)))
      migrateSqlite(db, list)
      t.strictSame(shapeOf(db), shapeOf(database(list)))
      t.end()
    })
  }
}

t.test('an upgrade that fails is rolled back completely: the version before it still opens the database', t => {
  const [next] = later.slice(-2) as [Migration]
  const broken: Migration = {
    name: '999-broken',
    statements: ['CREATE TABLE half_done (id TEXT)', 'DROP TABLE checkouts', 'INSERT INTO nowhere VALUES (1)']
  }
  const db = database(migrations)
  t.throws(() => migrateSqlite(db, [...migrations, next, broken]), { message: /nowhere/ })
  t.notOk(db.isTransaction, 'no transaction is left open')
  t.strictSame(shapeOf(db), shapeOf(database(migrations)))
  migrateSqlite(db, later)
  t.strictSame(shapeOf(db), shapeOf(database(later)), 'once fixed, it is applied')
  t.end()
})

t.test('a database of a newer version is refused with a remedy, and not modified', t => {
  const db = database(later)
  const before = shapeOf(db)
  t.throws(() => migrateSqlite(db), { message: /"99[89]-[a-z]+".*use a newer version/ })
  t.strictSame(shapeOf(db), before)
  t.end()
})

t.test('two servers starting at once on a new file both open it, and every migration is applied once', async t => {
  const folder = t.testdir({})
  const results = await atOnce(folder, new URL('../../../src/store/sqlite/sqlite-store.ts', import.meta.url))
  t.strictSame([...new Set(results)], ['opened'])
  for (let round = 1; round <= ROUNDS; round++) {
    const db = connectSqlite(join(folder, `${round}.sqlite`))
    const { applied } = shapeOf(db)
    if (applied.length !== migrations.length) t.fail(`round ${round}: ${applied}`)
    db.close()
  }
})

t.test('a migration whose transaction is ended by SQLite, as on a full disk, fails with the cause', t => {
  const ending = { name: '999-ending', statements: [`INSERT OR ROLLBACK INTO migrations VALUES ('001-checkouts')`] }
  const db = database(migrations)
  t.throws(() => migrateSqlite(db, [...migrations, ending]), { message: /UNIQUE/ })
  t.strictSame(shapeOf(db), shapeOf(database(migrations)))
  t.end()
})

t.test('005: the clean-up keeps the checkouts of existing orders and deletes the others', async t => {
  const db = database(migrations.slice(0, 4))
  for (const token of ['ordered', 'left']) {
    db.exec(
      `INSERT INTO checkouts (token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at)
       VALUES ('${token}', 'shop', '${token}', '1', '{"items":[]}', '2020', '2020')`
    )
  }
  db.exec(
    `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total, placed_at)
     VALUES ('N1', 'shop', 'ordered', 'ordered', 'ordered', 'GBP', '[]', 1, 1, '2020')`
  )
  migrateSqlite(db)
  const store = sqliteStore(db)
  t.equal(await store.deleteExpired('shop', '2021', 10, NO_RECORDS), 1)
  t.match(await store.findCheckout('shop', 'ordered'), { orderNumber: 'N1' })
  await store.close()
})

t.test('006: records of transfers are kept', async t => {
  const db = database(migrations.slice(0, 5))
  const uuid = 'abcdef00112233445566778899aabbcc'
  for (const [id, reference] of ['order-1', uuid.toUpperCase()].entries()) {
    db.exec(
      `INSERT INTO transfers (id, merchant_id, reference_key, reference, transfer_option, outcome, problem, mistakes,
       transferred_at) VALUES ('${id}', 'shop', '${reference.toLowerCase()}', '${reference}', '1', 'refused',
       'contract-broken', '["items-empty"]', '2026')`
    )
  }
  migrateSqlite(db)
  const store = sqliteStore(db)
  const lastTransfer = { at: '2026', outcome: 'refused', problem: 'contract-broken', mistakes: ['items-empty'] }
  t.strictSame(
    await store.referenceHistories(['shop'], ['order-1', uuid]),
    Array(2).fill([{ merchant: 'shop', option: '1', checkouts: [], lastTransfer }])
  )
  t.strictSame(
    db
      .prepare('SELECT reference FROM transfers ORDER BY rowid')
      .all()
      .map(row => row.reference),
    [null, uuid.toUpperCase()],
    'with the reference as sent, if that is not its key'
  )
  t.equal(await store.deleteTransfers('shop', '2027', 10), 2)
  await store.close()
})

t.test('012: messages that have not been delivered are pending since their order was placed', async t => {
  const db = database(migrations.slice(0, 11))
  for (const [number, state] of Object.entries({ N1: 'pending', N2: 'delivered', N3: 'failed' })) {
    db.exec(
      `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total,
       placed_at) VALUES ('${number}', 'shop', '${number}', '${number}', '${number}', 'GBP', '[]', 1, 1, '2020')`
    )
    db.exec(
      `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at)
       VALUES ('${number}', 'shop', '${state}', 1, '2026')`
    )
  }
  migrateSqlite(db)
  const store = sqliteStore(db)
  t.strictSame(await store.countUndelivered(), [{ merchantId: 'shop', pending: 1, failed: 1, pendingSince: '2020' }])
  await store.close()
})

t.test('015: an order from before has no language, and one placed now has its own', async t => {
  const db = database(migrations.filter(({ name }) => name < '015'))
  db.exec(
    `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total, placed_at)
     VALUES ('N1', 'shop', 'before', 'before', 'before', 'GBP', '[]', 1, 1, '2020')`
  )
  migrateSqlite(db)
  const store = sqliteStore(db)
  const listed = await store.listOrders({}, undefined, 10)
  t.match(listed, [{ number: 'N1', placedAt: '2020' }])
  t.notOk(listed.some(order => 'language' in order))
  await place(store, newOrder(1, { language: 'de-CH' }))
  t.match(await store.listOrders({}, undefined, 10), [{ number: 'N1' }, { language: 'de-CH' }])
  await store.close()
})

t.test('017: a message from before is about an order that was placed, and payments can be kept', async t => {
  const db = database(migrations.filter(({ name }) => name < '017'))
  db.exec(
    `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total, placed_at)
     VALUES ('N1', 'shop', 'before', 'before', 'before', 'GBP', '[]', 1, 1, '2020')`
  )
  db.exec(
    `INSERT INTO outbox (order_number, merchant_id, state, attempts, due_at, queued_at)
     VALUES ('N1', 'shop', 'pending', 0, '2020', '2020')`
  )
  migrateSqlite(db)
  const store = sqliteStore(db)
  const leased = await store.leaseMessage('shop', '2021', '2022')
  t.match(leased, { event: 'order.placed', order: { number: 'N1', payment: undefined }, at: undefined })
  t.match(await opened(store, 1), { state: 'opening' })
  await store.close()
})
