// `npm run backup`, on a database that a server has open and writes to.
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { backup } from '../../src/cli/backup.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { runNode } from '../node-process.ts'
import { newOrder, place } from '../store/new-order.ts'
import { newReport } from '../store/reported-orders-suite.ts'
import { runHere } from './run-here.ts'

/** A database that stays open, as a server's does, and the command in its folder. */
function setUp(t: Test) {
  const folder = t.testdir({})
  const file = join(folder, 'shop.sqlite')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  const environment = { DATABASE_URL: `sqlite:${file}`, INIT_CWD: folder }
  const run = (target: string, changes = {}) => runHere(backup, [target], { ...environment, ...changes })
  return { folder, file, store, environment, run }
}

const numbersIn = async (file: string) => {
  const store = openSqlite(file)
  const orders = await store.listOrders({}, undefined, 200)
  await store.close()
  return orders.map(({ number }) => number)
}

t.test('the backup has what is only in the write-ahead log, which a copied file lacks', async t => {
  const { folder, file, store, environment } = setUp(t)
  await place(store, newOrder(1))
  await place(store, newOrder(2))
  const copy = join(folder, 'backup.sqlite')
  const env = { ...process.env, ...environment }
  t.strictSame(await runNode(['src/cli/backup.ts', 'backup.sqlite'], { env, coverage: true }), {
    code: 0,
    stdout: `${copy}: 2 orders, the last of 2026-11-20T10:05:00.000Z\n`,
    stderr: ''
  })
  t.equal(statSync(copy).mode & 0o777, 0o600)
  t.notOk(existsSync(`${copy}-wal`), 'it is one file')
  t.strictSame(await numbersIn(copy), ['AAAA-0001', 'AAAA-0002'])
  copyFileSync(file, join(folder, 'copied.sqlite'))
  t.strictSame(await numbersIn(join(folder, 'copied.sqlite')), [], 'the copy opens as an empty shop')
})

t.test('orders that a shop reported count too, and a database of an older version has none', async t => {
  const { folder, file, store, run } = setUp(t)
  await place(store, newOrder(1))
  const reportedAt = '2026-11-20T10:06:00.000Z'
  await store.keepReport(newReport(1, { reportedAt }))
  t.match((await run('new.sqlite')).stdout, `: 2 orders, the last of ${reportedAt}\n`)
  const db = new DatabaseSync(file)
  db.exec('DROP TABLE reported_orders')
  db.close()
  t.match((await run('old.sqlite')).stdout, /: 1 order, the last of 2026-11-20T10:05:00.000Z\n$/)
  t.ok(existsSync(join(folder, 'old.sqlite')))
})

t.test('a backup taken while orders are placed is of one moment', async t => {
  const { folder, store, run } = setUp(t)
  t.match((await run('empty.sqlite')).stdout, /: 0 orders\n$/)
  const placed = Array.from({ length: 60 }, (_, n) => place(store, newOrder(n)))
  const [{ stdout }] = await Promise.all([run('busy.sqlite'), ...placed])
  const found = await numbersIn(join(folder, 'busy.sqlite'))
  t.match(stdout, `: ${found.length} order`)
})

t.test('what is there already is left alone, and what fails leaves nothing behind', async t => {
  const { folder, file, run } = setUp(t)
  const at = (name: string) => join(folder, name)
  writeFileSync(at('old.sqlite'), 'old')
  copyFileSync(file, at('copied.sqlite'))
  await run('whole.sqlite')
  writeFileSync(at('damaged.sqlite'), readFileSync(at('whole.sqlite')).fill(0xff, 4096, 8192))
  const refused: [target: string, database: string, stderr: string | RegExp][] = [
    ['old.sqlite', file, `${at('old.sqlite')} is there already; give a file that is not\n`],
    ['none/a.sqlite', file, `there is no folder ${at('none')}; create it first\n`],
    ['a.sqlite', '/none.sqlite', 'there is no database /none.sqlite; set DATABASE_URL as for the server\n'],
    ['a.sqlite', at('copied.sqlite'), /copied without its -wal\n$/],
    [
      'a.sqlite',
      at('damaged.sqlite'),
      /^no backup of .*damaged\.sqlite: it is damaged: .*; stop every server and restore a backup/s
    ]
  ]
  for (const [target, database, stderr] of refused) {
    t.match(await run(target, { DATABASE_URL: `sqlite:${database}` }), { code: 1, stdout: '', stderr })
  }
  t.equal(readFileSync(at('old.sqlite'), 'utf8'), 'old')
  t.strictSame(
    readdirSync(folder).filter(name => /^a\.sqlite|\.part/.test(name)),
    []
  )
})
