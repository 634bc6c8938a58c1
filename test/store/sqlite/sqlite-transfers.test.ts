// The suite of transfer records and reconciling on SQLite, and the size of a record.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { mistakes, problems } from '../../../src/errors.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { newCheckout } from '../store-suite.ts'
import { newRecord, transfersSuite } from '../transfers-suite.ts'

transfersSuite(t, 'SQLite', async t => openSqlite(join(t.testdir({}), 'test.sqlite')))

t.test('the longest record takes less than 1 kB of the file, indexes included', async t => {
  const file = join(t.testdir({}), 'test.sqlite')
  const store = openSqlite(file)
  const longest = {
    merchantId: 'm'.repeat(40),
    option: '2B',
    problem: Object.keys(problems).reduce((a, b) => (a.length > b.length ? a : b)),
    mistakes: Object.keys(mistakes)
  }
  const pages = () => {
    const db = new DatabaseSync(file)
    const size = Number(db.prepare('SELECT sum(pgsize) AS size FROM dbstat').get()?.size)
    db.close()
    return size
  }
  const before = pages()
  const count = 500
  const write = (i: number) => store.addTransfer(newRecord({ ...longest, reference: String(i).padStart(32, 'r') }))
  await Promise.all(Array.from({ length: count }, (_, i) => write(i)))
  const each = (pages() - before) / count
  t.ok(each < 1024, `${each} bytes`)
  await store.close()
})

t.test('reading for reconciling leaves no transaction open, even if it fails', async t => {
  const file = join(t.testdir({}), 'test.sqlite')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  const other = new DatabaseSync(file)
  await store.addCheckout(newCheckout('t1'))
  other.exec(`UPDATE checkouts SET cart = 'not JSON'`)
  await t.rejects(store.referenceHistories(['shop'], ['order-1']), { name: 'SyntaxError' })
  other.exec('DELETE FROM checkouts')
  other.close()
  t.strictSame(await store.referenceHistories(['shop'], ['order-1']), [[]])
  await store.addCheckout(newCheckout('t2'))
  t.match(await store.referenceHistories(['shop'], ['order-1']), [[{ checkouts: [{}] }]])
})
