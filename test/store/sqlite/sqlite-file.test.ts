// A database file that goes away while the server runs: nothing more is taken, and what can be read is read.
import { copyFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { OperatorError, StoreUnavailable } from '../../../src/errors.ts'
import { backupSqlite } from '../../../src/store/sqlite/copy-sqlite.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { CREATED, newCheckout } from '../store-suite.ts'
import { connect, lock } from './connected.ts'

const KEY = { merchantId: 'shop', scope: 'key', digest: '', at: CREATED }

async function isGone(t: Test, promise: Promise<unknown>, file: string): Promise<void> {
  const error = await promise.catch(reason => reason)
  t.ok(error instanceof StoreUnavailable)
  t.equal(
    (error as Error).message,
    `the database file ${file} was deleted or replaced: put it back, and do not restart before: ` +
      'a restart begins with whatever is at that path, and what was deleted is then gone'
  )
}

/** A store with one checkout, `t1` of the reference `order-1`. */
async function storeWithOne(t: Test) {
  const { store, file } = connect(t)
  await store.addCheckout(newCheckout('t1'))
  await store.keepAnswer(KEY, { status: 200, body: '{}' })
  await store.checkReady()
  return { store, file }
}

/** Checks that a store takes nothing: neither a new bag, nor one that it already has. */
async function takesNothing(t: Test, store: Store, file: string): Promise<void> {
  await isGone(t, store.checkReady(), file)
  await isGone(t, store.addCheckout(newCheckout('new', { reference: 'new' })), file)
  await isGone(t, store.newestCheckout('shop', 'order-1'), file)
  await isGone(t, store.findAnswer('shop', 'key'), file)
  t.match(await store.findCheckout('shop', 't1'), { token: 't1' }, 'pages that only read go on')
  t.equal(await store.findCheckout('shop', 'new'), undefined, 'nothing that was rejected is kept')
}

t.test('once the file is deleted nothing is taken, and once it is back everything is', async t => {
  const { store, file } = await storeWithOne(t)
  renameSync(file, `${file}.moved`)
  await takesNothing(t, store, file)
  renameSync(`${file}.moved`, file)
  await store.checkReady()
  t.match(await store.newestCheckout('shop', 'order-1'), { token: 't1' })
})

t.test('once the file is replaced nothing is taken, and the new file is left alone, also on closing', async t => {
  const { store, file } = await storeWithOne(t)
  const other = openSqlite(`${file}.other`)
  await other.addCheckout(newCheckout('theirs', { merchantId: 'other' }))
  await other.close()
  renameSync(`${file}.other`, file)
  await takesNothing(t, store, file)
  await store.close()
  copyFileSync(file, `${file}.copy`)
  const next = openSqlite(`${file}.copy`)
  t.match(await next.findCheckout('other', 'theirs'), { token: 'theirs' })
  t.equal(await next.findCheckout('shop', 't1'), undefined)
  await next.close()
})

t.test('the write-ahead log counts too: the last commits are only there', async t => {
  const { store, file } = await storeWithOne(t)
  rmSync(`${file}-wal`)
  await takesNothing(t, store, `${file}-wal`)
})

t.test('a link to the database is followed when it is opened, and must lead there afterwards', async t => {
  const folder = t.testdir({ one: {}, two: {}, link: t.fixture('symlink', 'one') })
  const file = join(folder, 'link/test.sqlite')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  await store.addCheckout(newCheckout('t1'))
  await store.keepAnswer(KEY, { status: 200, body: '{}' })
  rmSync(join(folder, 'link'))
  symlinkSync('two', join(folder, 'link'))
  await takesNothing(t, store, file)
})

t.test('a file that is deleted while a write waits for the lock does not get that write', async t => {
  const { store, file } = await storeWithOne(t)
  const unlock = lock(t, file)
  const write = store.addCheckout(newCheckout('t2', { reference: 'order-2' }))
  rmSync(file)
  unlock()
  await isGone(t, write, file)
})

t.test('a backup beside the write-ahead log of another database is refused, and opens once that is gone', async t => {
  const { store, file } = await storeWithOne(t)
  await backupSqlite(file, `${file}.backup`)
  await store.addCheckout(newCheckout('t2', { reference: 'order-2' }))
  const restored = join(t.testdirName, 'restored.sqlite')
  copyFileSync(`${file}.backup`, restored)
  copyFileSync(`${file}-wal`, `${restored}-wal`)
  t.throws(
    () => openSqlite(restored),
    new OperatorError(
      `${restored}-wal belongs to another database and would damage this one, which looks like a restored backup; ` +
        `move ${restored}-wal and ${restored}-shm away`
    )
  )
  rmSync(`${restored}-wal`)
  const opened = openSqlite(restored)
  t.teardown(() => opened.close())
  t.match(await opened.findCheckout('shop', 't1'), { token: 't1' })
  t.equal(await opened.findCheckout('shop', 't2'), undefined)
  await opened.checkReady()
  const again = openSqlite(restored)
  t.match(await again.findCheckout('shop', 't1'), { token: 't1' }, 'its own write-ahead log is no obstacle')
  await again.close()
})
