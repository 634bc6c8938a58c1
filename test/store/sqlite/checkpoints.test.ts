// What commits have written is moved from the write-ahead log into the database file now and then, after the answers.
import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { checkpoints } from '../../../src/store/sqlite/checkpoints.ts'
import { newCheckout } from '../store-suite.ts'
import { connect } from './connected.ts'

t.test('every 64 commits, once the last of them has been answered', async t => {
  const { store, db, file } = connect(t)
  const token = (i: number) => `token-${i}-`
  const isInFile = (i: number) => readFileSync(file, 'latin1').includes(token(i))
  const add = (i: number) => store.addCheckout(newCheckout(token(i), { reference: `order-${i}` }))
  for (let i = 1; i <= 63; i++) await add(i)
  await nextTurn()
  t.notOk(isInFile(1), 'after 63 commits')
  await add(64)
  t.notOk(isInFile(64), 'after 64 commits, when the last has been answered')
  await nextTurn()
  t.ok(isInFile(1) && isInFile(64), 'in the next turn')
  for (let i = 65; i <= 128; i++) await add(i)
  await nextTurn()
  t.ok(isInFile(128), 'after 128 commits')
  t.equal(db.prepare('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint, 4000, 'or when the log has 4,000 pages')
})

t.test('one that fails changes nothing: the next moves everything', async t => {
  const { db, file } = connect(t)
  const committed = checkpoints(db)
  const commitOften = () => {
    for (let i = 0; i < 64; i++) committed()
  }
  const isInFile = () => readFileSync(file, 'latin1').includes('in the log')
  db.exec('CREATE TABLE notes (text TEXT)')
  db.exec("INSERT INTO notes VALUES ('in the log')")
  db.exec("BEGIN; INSERT INTO notes VALUES ('not committed')")
  commitOften()
  await nextTurn()
  t.notOk(isInFile(), 'SQLite refuses it within a transaction')
  db.exec('COMMIT')
  commitOften()
  await nextTurn()
  t.ok(isInFile())
})

t.test('none is begun once the database is closed', async t => {
  const { store, db } = connect(t)
  const log: string[] = []
  const exec = db.exec.bind(db)
  const committed = checkpoints(db)
  db.exec = sql => {
    log.push(sql)
    exec(sql)
  }
  for (let i = 0; i < 64; i++) committed()
  await store.close()
  await nextTurn()
  t.strictSame(log, [])
})
