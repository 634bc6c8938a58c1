// The outbox suite on SQLite, and what only SQLite guarantees.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connectSqlite, migrateSqlite, openSqlite, sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { newOrder, place } from '../new-order.ts'
import { outboxSuite } from '../outbox-suite.ts'

const fileOf = (t: Test) => join(t.testdirName, 'test.sqlite')

outboxSuite(
  t,
  'SQLite',
  async t => {
    t.testdir({})
    return openSqlite(fileOf(t))
  },
  async t => openSqlite(fileOf(t))
)

t.test('an order and its message are stored together or not at all', async t => {
  t.testdir({})
  const db = connectSqlite(fileOf(t))
  migrateSqlite(db)
  const store = sqliteStore(db)
  t.teardown(() => store.close())
  db.exec(`CREATE TRIGGER no_message BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no message'); END`)
  const order = newOrder(1)
  await t.rejects(place(store, order), { message: /no message/ })
  t.equal(await store.findOrder('shop', order.token), undefined)
})

t.test('polling makes no commit while nothing is due', async t => {
  t.testdir({})
  const db = connectSqlite(fileOf(t))
  migrateSqlite(db)
  const store = sqliteStore(db)
  t.teardown(() => store.close())
  const commits: string[] = []
  const exec = db.exec.bind(db)
  db.exec = sql => {
    commits.push(sql)
    exec(sql)
  }
  t.equal(await store.leaseMessage('shop', '2026-11-20T10:00:00.000Z', '2026-11-20T10:01:00.000Z'), undefined)
  t.strictSame(commits, [])
})
