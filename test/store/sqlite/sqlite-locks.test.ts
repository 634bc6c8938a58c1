// Other processes that write to the same file: only writes wait for them, with a limit, and the event loop goes on.
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { spawnNode } from '../../node-process.ts'
import { until } from '../../until.ts'
import { rejectsAsUnavailable } from '../rejects-as-unavailable.ts'
import { CREATED, NO_RECORDS, newCheckout } from '../store-suite.ts'
import { connect, count, lock } from './connected.ts'

/** Asks for the whole file, then holds the write lock until its input ends. */
const HOLDER = `
const { DatabaseSync } = require('node:sqlite')
const greedy = new DatabaseSync(process.argv[1])
try {
  greedy.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE mine (id TEXT); COMMIT')
  console.log('has the file')
} catch ({ message }) {
  console.log(message)
}
greedy.close()
const db = new DatabaseSync(process.argv[1])
db.exec('BEGIN IMMEDIATE; CREATE TABLE other (id TEXT)')
console.log('has the lock')
process.stdin.on('end', () => db.exec('COMMIT')).resume()`

t.test('while another process writes, reads and timers go on, and a write waits until it is done', async t => {
  const { store, db, file } = connect(t, { lockTimeout: 60_000 })
  await store.addCheckout(newCheckout('before', { reference: 'before' }))
  const holder = spawnNode(['-e', HOLDER, file])
  t.teardown(() => holder.kill())
  const closed = once(holder, 'close')
  let printed = ''
  for await (const chunk of holder.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += chunk
    if (printed.includes('has the lock')) break
  }
  t.match(printed, /^database is locked\n/, 'none gets the file for itself, so reads are never locked out')
  const settled: string[] = []
  const written = store.addCheckout(newCheckout('t1')).finally(() => settled.push('write'))
  const ready = store.checkReady().finally(() => settled.push('check'))
  let timers = 0
  const timer = setInterval(() => timers++, 1)
  let reads = 0
  for (; reads < 200 || timers < 20; reads++) {
    if ((await store.findCheckout('shop', 'before'))?.token !== 'before') t.fail('not found')
    await nextTurn()
  }
  clearInterval(timer)
  t.strictSame(settled, [], `both still wait after ${reads} reads and ${timers} timers`)
  holder.stdin.end()
  t.match(await written, { token: 't1' })
  await ready
  t.equal(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'other'").get()?.n, 1)
  await closed
})

t.test('if another process writes for too long, writes are rejected and reads are not', async t => {
  const { store, file } = connect(t, { lockTimeout: 30 })
  const unlock = lock(t, file)
  const writes = ['a', 'b'].map(token => store.addCheckout(newCheckout(token, { reference: token })))
  for (const write of writes) await rejectsAsUnavailable(t, write, /locked/)
  await rejectsAsUnavailable(t, store.deleteExpired('shop', CREATED, 1, NO_RECORDS), /locked/)
  await rejectsAsUnavailable(t, store.checkReady(), /locked/)
  t.equal(await store.newestCheckout('shop', 'a'), undefined)
  unlock()
  t.match(await store.addCheckout(newCheckout('c')), { token: 'c' }, 'afterwards the store works again')
  await store.checkReady()
  const found = await Promise.all(['a', 'b'].map(token => store.findCheckout('shop', token)))
  t.strictSame(found, [undefined, undefined], 'nothing that was rejected is written later')
})

t.test('a bag that was sent again is answered though another process writes, or nothing can be written', async t => {
  const { store, db, file } = connect(t)
  const sent = newCheckout('t1')
  await store.addCheckout(sent)
  const unlock = lock(t, file)
  const writes = [store.addCheckout(newCheckout('t2')), store.addCheckout(newCheckout('t3', { reference: 'other' }))]
  t.match(await writes[0], sent)
  unlock()
  t.match(await writes[1], { token: 't3' })
  db.exec('PRAGMA query_only = 1')
  const refused = store.addCheckout(newCheckout('t4', { reference: 'another' }))
  t.match(await store.addCheckout(newCheckout('t5')), sent)
  await rejectsAsUnavailable(t, refused, /readonly/)
})

t.test('closing waits for the lock, but no longer than its writes do', async t => {
  const { store, db, file } = connect(t, { lockTimeout: 30 })
  lock(t, file)
  const write = store.addCheckout(newCheckout('t1'))
  const closed = store.close()
  await rejectsAsUnavailable(t, write, /locked/)
  await closed
  t.notOk(db.isOpen)
})

t.test('what waits when the store is closed is written once the lock is gone', async t => {
  const { store, db, file } = connect(t, { lockTimeout: 60_000 })
  const unlock = lock(t, file)
  const attempts = count(db)
  const write = store.addCheckout(newCheckout('t1'))
  const closed = store.close()
  await until('attempts to write', () => attempts() > 3)
  t.ok(db.isOpen)
  unlock()
  await closed
  t.match(await write, { token: 't1' })
})
