// The store suite on SQLite, and what only SQLite guarantees: its settings, its commits, its errors.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { mistakes, OperatorError, problems, StoreUnavailable, StoreUncertain } from '../../../src/errors.ts'
import { connectSqlite, migrateSqlite } from '../../../src/store/sqlite/sqlite-file.ts'
import { openSqlite, sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { allSuites } from '../all-suites.ts'
import { newOrder, place } from '../new-order.ts'
import { opened } from '../payments-suite.ts'
import { rejectsAsUnavailable } from '../rejects-as-unavailable.ts'
import { CREATED, NO_RECORDS, newCheckout } from '../store-suite.ts'
import { newRecord } from '../transfers-suite.ts'
import { connect, fileOf, record } from './connected.ts'

/** Every statement that the suites have made a store prepare. */
const prepared = new Set<string>()

const openFresh = async (t: Test) => {
  t.testdir({})
  const db = connectSqlite(fileOf(t))
  migrateSqlite(db)
  const prepare = db.prepare.bind(db)
  db.prepare = sql => {
    prepared.add(sql)
    return prepare(sql)
  }
  return sqliteStore(db)
}
const openAgain = async (t: Test) => openSqlite(fileOf(t))

allSuites(t, 'SQLite', openFresh, openAgain)

const settings = (db: DatabaseSync, ...names: string[]) =>
  names.map(name => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

t.test('the connection uses WAL and syncs every commit; once it is open, SQLite waits for nobody', t => {
  const { db } = connect(t)
  t.strictSame(settings(db, 'journal_mode', 'synchronous', 'busy_timeout'), ['wal', 2, 0])
  t.end()
})

t.test('an existing file is opened with the same settings, and opening waits five seconds', t => {
  t.testdir({ data: {} })
  const old = new DatabaseSync(fileOf(t))
  old.exec('PRAGMA journal_mode = DELETE; CREATE TABLE something (id TEXT)')
  old.close()
  const db = connectSqlite(fileOf(t))
  t.strictSame(settings(db, 'journal_mode', 'synchronous', 'busy_timeout'), ['wal', 2, 5000])
  db.close()
  t.end()
})

t.test('a missing file and its folder are created, but no folder above', async t => {
  const folder = t.testdir({})
  const file = join(folder, 'a/b/c.sqlite')
  t.throws(() => openSqlite(file), { message: /mkdir .*; give a file that .*, in an existing folder$/ })
  t.notOk(existsSync(join(folder, 'a')))
  mkdirSync(join(folder, 'a'))
  await openSqlite(file).close()
  t.ok(existsSync(file))
})

t.test('a file that is not a database is refused and not modified', t => {
  const text = 'id\ttitle\tprice\n'.repeat(100)
  const file = join(t.testdir({ 'feed.tsv': text }), 'feed.tsv')
  t.throws(() => openSqlite(file), new OperatorError('file is not a database; give an SQLite file'))
  t.equal(readFileSync(file, 'utf8'), text)
  t.end()
})

t.test('a damaged database is refused with the advice to restore a backup', async t => {
  const file = join(t.testdir({}), 'damaged.sqlite')
  await openSqlite(file).close()
  const bytes = readFileSync(file)
  // The schema is on the first page, after the file header of 100 bytes.
  writeFileSync(file, bytes.fill(0xff, 100, 4096))
  t.throws(() => openSqlite(file), {
    message: /malformed; stop every server and restore a backup, as src\/store\/README.md says$/
  })
})

t.test('a write resolves after its COMMIT has returned, when every other connection sees it', async t => {
  const { store, db, file } = connect(t)
  const reader = new DatabaseSync(file, { readOnly: true })
  t.teardown(() => reader.close())
  const log = record(db)
  const tokens = () => reader.prepare('SELECT token FROM checkouts').all()
  const written = store.addCheckout(newCheckout('t1')).then(() => log.push(`resolved with ${tokens().length} stored`))
  t.strictSame([log, tokens()], [[], []], 'nothing is on disk yet, and nothing has resolved')
  await written
  await store
    .deleteExpired('shop', '2099-01-01T00:00:00.000Z', 1, NO_RECORDS)
    .then(() => log.push(`${tokens().length} left`))
  const expected = ['BEGIN IMMEDIATE', 'COMMIT', 'resolved with 1 stored', 'BEGIN IMMEDIATE', 'COMMIT', '0 left']
  t.strictSame(log, expected)
})

t.test('reads take no lock and make no commit, nor does polling while nothing is due', async t => {
  const { store, db } = connect(t)
  const log = record(db)
  await Promise.all([store.newestCheckout('shop', 'order-1'), store.findCheckout('shop', 't1')])
  t.equal(await store.leaseMessage('shop', '2026-11-20T10:00:00.000Z', '2026-11-20T10:01:00.000Z'), undefined)
  t.strictSame(log, [])
})

t.test('every check of readiness changes what is on disk; checks at the same time share one write', async t => {
  const { store, db } = connect(t)
  const contents = () => db.prepare('SELECT content FROM write_checks').all()
  const changes = () => Number(db.prepare('SELECT total_changes() AS n').get()?.n)
  const before = changes()
  await Promise.all([store.checkReady(), store.checkReady(), store.checkReady()])
  t.equal(changes() - before, 1)
  const [first] = contents()
  await store.checkReady()
  const [second, ...others] = contents()
  t.notSame(second, first)
  t.strictSame(others, [], 'the last one is kept')
})

t.test('on a full disk the write that does not fit is rejected, and afterwards the store works again', async t => {
  const { store, db } = connect(t)
  await store.addCheckout(newCheckout('before'))
  const [pages] = settings(db, 'page_count')
  db.exec(`PRAGMA max_page_count = ${pages}`)
  const large = { items: [{ sku: 'MUG', quantity: 1, price: 'x'.repeat(50_000) }] }
  const writes = [
    store.addCheckout(newCheckout('small', { reference: 'small' })),
    store.addCheckout(newCheckout('large', large)),
    store.addCheckout(newCheckout('small-2', { reference: 'small-2' }))
  ]
  const settled = await Promise.allSettled(writes)
  for (const [i, token] of ['small', 'large', 'small-2'].entries()) {
    const result = settled[i]
    const isStored = (await store.findCheckout('shop', token)) !== undefined
    t.equal(isStored, result?.status === 'fulfilled', `${token} is stored if and only if its write resolved`)
    if (result?.status === 'rejected') await rejectsAsUnavailable(t, Promise.reject(result.reason), /full/)
  }
  t.equal(settled[1]?.status, 'rejected', 'the one that does not fit is rejected')
  t.match(await store.newestCheckout('shop', 'order-1'), { token: 'before', supersededAt: undefined })
  db.exec(`PRAGMA max_page_count = ${Number(pages) + 1000}`)
  t.match(await store.addCheckout(newCheckout('large', large)), { token: 'large' })
})

t.test('a write that the system fails half-way is rejected, and the writes before it are kept', async t => {
  const file = join(t.testdir({}), 'test.sqlite')
  const script = join(import.meta.dirname, 'fill-up.ts')
  // Limits files to about half a megabyte; env -i removes what tap adds to the environment.
  const limited = `trap '' XFSZ; ulimit -f 1000; exec env -i "$0" "$1" "$2"`
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited, process.execPath, script, file])
  const { stored, found, refused, notReady } = JSON.parse(stdout)
  t.match(refused, { name: 'StoreUnavailable', code: /^(13|778)$/ }, 'full, or an I/O error while writing')
  t.ok(stored > 0, `${stored} were stored before it`)
  t.equal(found, stored)
  t.match(notReady, refused, 'the store is not ready')
  const store = openSqlite(file)
  t.match(await store.findCheckout('shop', `t${stored - 1}`), { token: `t${stored - 1}` })
  t.equal(await store.findCheckout('shop', `t${stored}`), undefined)
  await store.close()
})

t.test('if the file has become read-only, writes are rejected and reads are not', async t => {
  const { store, db } = connect(t)
  await store.addCheckout(newCheckout('t1'))
  db.exec('PRAGMA query_only = 1')
  const writes = ['a', 'b'].map(token => store.addCheckout(newCheckout(token, { reference: token })))
  for (const write of writes) await rejectsAsUnavailable(t, write, /readonly/)
  await rejectsAsUnavailable(t, store.checkReady(), /readonly/)
  t.match(await store.findCheckout('shop', 't1'), { token: 't1' })
  db.exec('PRAGMA query_only = 0')
  t.match(await store.addCheckout(newCheckout('a', { reference: 'a' })), { token: 'a' })
})

t.test('if a commit cannot be synced, nobody knows whether the next start finds it', async t => {
  const { store, db } = connect(t)
  const exec = db.exec.bind(db)
  db.exec = sql => {
    if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 1034 })
    exec(sql)
  }
  const write = store.addCheckout(newCheckout('t1'))
  await t.rejects(write, new StoreUncertain('the SQLite store is locked, full or out of reach'))
})

t.test('a store without its tables is not "unavailable": that is not a transient error', async t => {
  const { store, db } = connect(t)
  db.exec('DROP TABLE checkouts')
  const error = await store.findCheckout('shop', 't1').catch(reason => reason)
  t.match(error, { message: /no such table/ })
  t.notOk(error instanceof StoreUnavailable)
})

t.test('a server that starts while another process has locked the new file waits for it', async t => {
  t.testdir({ data: {} })
  const file = fileOf(t)
  const holder = new Worker(
    `const { DatabaseSync } = require('node:sqlite')
    const { workerData, parentPort } = require('node:worker_threads')
    const db = new DatabaseSync(workerData)
    db.exec('CREATE TABLE held (one TEXT); BEGIN IMMEDIATE')
    parentPort.postMessage('held')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    db.exec('COMMIT')
    db.close()`,
    { eval: true, workerData: file }
  )
  const ended = new Promise(resolve => holder.once('exit', resolve))
  await new Promise(resolve => holder.once('message', resolve))
  const db = connectSqlite(file)
  t.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal')
  db.close()
  await ended
})

t.test('only the owner can read a new file: it will hold names and addresses', async t => {
  const file = join(t.testdir({}), 'new.sqlite')
  await openSqlite(file).close()
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('no checkout is deleted without the record that takes its place', async t => {
  const { store, db } = connect(t)
  await store.addCheckout(newCheckout('t1'))
  db.exec("CREATE TRIGGER full BEFORE INSERT ON transfers BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
  await t.rejects(store.deleteExpired('shop', NO_RECORDS, 10, CREATED))
  t.match(await store.findCheckout('shop', 't1'), { token: 't1' })
})

t.test('no statement of the store goes through all checkouts, orders, payments or transfers', t => {
  const { db } = connect(t)
  const plans = [...prepared].flatMap(sql =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => ({ sql, detail: String(detail) }))
  )
  const has = (plan: RegExp) => plans.some(({ detail }) => plan.test(detail))
  t.ok(has(/^SEARCH checkouts USING INDEX checkouts_newest/))
  t.ok(has(/^SEARCH orders USING INDEX orders_personal \(merchant_id=\? AND placed_at<\?\)/), 'to be erased')
  t.ok(has(/^SEARCH payments USING INDEX payments_due \(merchant_id=\? AND due_at<\?\)/), 'to be asked for')
  t.ok(has(/^SEARCH payments USING INDEX payments_personal \(merchant_id=\? AND expires_at<\?\)/), 'to be erased')
  t.ok(has(/^SCAN payments USING COVERING INDEX payments_waiting/), 'to be counted')
  // Only a search in an index, for more than the merchant: others go through as many rows as a scan. Which index a page of
  // a list of orders or payments is read by depends on what the operator filters by. Of payments, the index of those that wait is
  // short.
  const isNarrow = (detail: string) =>
    /^SEARCH \w+ USING (?!AUTOMATIC).*\(/.test(detail) && !detail.includes('(merchant_id=?)')
  const isOfMany = (detail: string) =>
    /^(SCAN|SEARCH) (checkouts|orders|payments|reported_orders|transfers)\b/.test(detail)
  const isPage = (sql: string) => /merchant_id\) > \(\?1, \?2, \?3\)|ORDER BY created_at DESC, id DESC LIMIT/.test(sql)
  const wide = plans.filter(
    ({ sql, detail }) => isOfMany(detail) && !isNarrow(detail) && !detail.endsWith('payments_waiting') && !isPage(sql)
  )
  t.strictSame(wide, [])
  t.end()
})

t.test('an order and its message are stored together or not at all', async t => {
  const { store, db } = connect(t)
  db.exec(`CREATE TRIGGER no_message BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no message'); END`)
  const order = newOrder(1)
  await t.rejects(place(store, order), { message: /no message/ })
  t.equal(await store.findOrder('shop', order.token), undefined)
})

t.test('a payment whose number another order has by now is sent back', async t => {
  const { store, db } = connect(t)
  const payment = await opened(store, 1)
  const { orderNumber, currency, amount } = payment
  await place(store, newOrder(2))
  db.exec(`UPDATE orders SET number = '${orderNumber}'`)
  const facts = { state: 'paid', providerId: 'cs_1', currency, amount } as const
  const settled = await store.changePayment(payment, { type: 'reported', facts }, '2026')
  t.match(settled, { isPlaced: false, order: undefined, payment: { state: 'refunding', reason: 'number-taken' } })
})

t.test('the longest record takes less than 1 kB of the file, indexes included', async t => {
  const { store, db } = connect(t)
  const longest = {
    merchantId: 'm'.repeat(40),
    option: '2B',
    problem: Object.keys(problems).reduce((a, b) => (a.length > b.length ? a : b)),
    mistakes: Object.keys(mistakes)
  }
  const size = () => Number(db.prepare('SELECT sum(pgsize) AS size FROM dbstat').get()?.size)
  const before = size()
  const count = 500
  const write = (i: number) => store.addTransfer(newRecord({ ...longest, reference: String(i).padStart(32, 'r') }))
  await Promise.all(Array.from({ length: count }, (_, i) => write(i)))
  const each = (size() - before) / count
  t.ok(each < 1024, `${each} bytes`)
})

t.test('reading for reconciling leaves no transaction open, even if it fails', async t => {
  const { store, db } = connect(t)
  await store.addCheckout(newCheckout('t1'))
  db.exec(`UPDATE checkouts SET cart = 'null'`)
  await t.rejects(store.referenceHistories(['shop'], ['order-1']), { name: 'TypeError' })
  db.exec('DELETE FROM checkouts')
  t.strictSame(await store.referenceHistories(['shop'], ['order-1']), [[]])
  await store.addCheckout(newCheckout('t2'))
  t.match(await store.referenceHistories(['shop'], ['order-1']), [[{ checkouts: [{}] }]])
})
