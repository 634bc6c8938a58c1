// Writes that arrive together share a commit; none resolves before it, and one that fails does not affect the others.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type GroupCommit, groupCommit } from '../../../src/store/sqlite/group-commit.ts'
import { until } from '../../until.ts'
import { count } from './connected.ts'

type Grouped = GroupCommit & {
  db: DatabaseSync
  /** Writes a row with this number; a number written twice fails. */
  add: (id: number) => Promise<number>
  ids: () => unknown[]
  /** What was executed and resolved, in order. */
  log: string[]
}

const LOCK_TIMEOUT = 1000

function grouped(t: Test, file = ':memory:', beforeCommit = () => {}, onCommit?: (duration: number) => void): Grouped {
  const db = new DatabaseSync(file, { timeout: 0 })
  db.exec(`
    CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE rows (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
  t.teardown(() => db.isOpen && db.close())
  const log: string[] = []
  const exec = db.exec.bind(db)
  db.exec = sql => {
    exec(sql)
    if (/BEGIN|COMMIT|^ROLLBACK$/.test(sql)) log.push(sql)
  }
  const group = groupCommit(db, beforeCommit, { lockTimeout: LOCK_TIMEOUT, ...(onCommit && { onCommit }) })
  const add = (id: number) =>
    group.write(() => {
      db.prepare('INSERT INTO rows (id) VALUES (?)').run(id)
      log.push(`wrote ${id}`)
      return id * 10
    })
  const ids = () =>
    db
      .prepare('SELECT id FROM rows ORDER BY id')
      .all()
      .map(({ id }) => id)
  return { db, ...group, add, ids, log }
}

t.test('writes of one turn share a commit, in order of arrival', async t => {
  const { add, log } = grouped(t)
  t.strictSame(await Promise.all([add(3), add(1), add(2)]), [30, 10, 20])
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 3', 'wrote 1', 'wrote 2', 'COMMIT'])
})

/** A clock that the test moves, in milliseconds. @returns what moves it */
function stopClock(t: Test): (milliseconds: number) => void {
  const { now } = performance
  let time = 0
  performance.now = () => time
  t.teardown(() => {
    performance.now = now
  })
  return milliseconds => {
    time += milliseconds
  }
}

/** A group after a commit that took five seconds, with a clock that the test moves. */
async function afterSlowCommit(t: Test): Promise<Grouped & { tick: (milliseconds: number) => void }> {
  const tick = stopClock(t)
  const group = grouped(t)
  await group.write(() => tick(5000))
  group.log.length = 0
  return { ...group, tick }
}

t.test('a commit waits for the writes of later turns', async t => {
  const { add, log } = await afterSlowCommit(t)
  const added = [add(1)]
  for (const id of [2, 3]) {
    await nextTurn()
    added.push(add(id))
  }
  await Promise.all(added)
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 1', 'wrote 2', 'wrote 3', 'COMMIT'])
})

t.test('it does not wait for writes that do not come', async t => {
  const { add, log } = await afterSlowCommit(t)
  const lone = add(1)
  let turns = 0
  for (; !log.includes('COMMIT'); turns++) await nextTurn()
  await lone
  t.ok(turns <= 9, `${turns} turns`)
})

t.test('nor longer than 20 ms, however many come and however long the last commit took', async t => {
  const { add, log, tick } = await afterSlowCommit(t)
  const added: Promise<number>[] = []
  while (!log.includes('COMMIT')) {
    added.push(add(added.length + 1))
    tick(5)
    await nextTurn()
  }
  await Promise.all(added)
  t.ok(added.length <= 5, `${added.length} turns of 5 ms`)
})

t.test('a failing write gets its own error and does not affect the others', async t => {
  const { add, write, ids } = grouped(t)
  const failing = write(() => {
    throw new RangeError('not this one')
  })
  const settled = await Promise.allSettled([add(1), add(1), failing, add(2)])
  t.match(settled, [{ value: 10 }, { reason: { message: /UNIQUE/ } }, { reason: RangeError }, { value: 20 }])
  t.strictSame(ids(), [1, 2])
})

t.test('if the commit fails, all its writes are rejected and none is stored, and the next one works', async t => {
  const { db, add, write, ids, log } = grouped(t)
  db.exec('PRAGMA foreign_keys = 1')
  const orphan = write(() => db.exec('INSERT INTO rows (id, parent) VALUES (5, 99)'))
  const settled = await Promise.allSettled([add(1), orphan, add(2)])
  const rejected = { status: 'rejected', reason: { message: /FOREIGN KEY/ } }
  t.match(settled, [rejected, rejected, rejected])
  t.strictSame([ids(), db.isTransaction], [[], false])
  t.equal(await add(3), 30)
  t.strictSame(ids(), [3])
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 1', 'wrote 2', 'ROLLBACK', 'BEGIN IMMEDIATE', 'wrote 3', 'COMMIT'])
})

t.test('if a failure ends the whole transaction, exactly the writes that resolved are stored', async t => {
  const { db, add, write, ids } = grouped(t)
  await add(1)
  const ending = write(() => db.exec('INSERT OR ROLLBACK INTO rows (id) VALUES (1)'))
  const settled = await Promise.allSettled([add(2), ending, add(3)])
  t.match(settled[1], { status: 'rejected', reason: { message: /UNIQUE/ } }, 'with the cause')
  for (const [i, id] of [[0, 2] as const, [2, 3] as const]) {
    t.equal(ids().includes(id), settled[i]?.status === 'fulfilled', `${id}`)
    const { reason } = settled[i] as { reason?: Error }
    t.notMatch(reason?.message ?? '', /savepoint/, 'no other error hides it')
  }
  t.equal(await add(4), 40)
})

t.test(
  'if a failure ends the whole transaction after another write has failed, none of the batch is stored',
  async t => {
    const { db, add, write, ids } = grouped(t)
    await add(1)
    const ending = () => write(() => db.exec('INSERT OR ROLLBACK INTO rows (id) VALUES (1)'))
    const settled = await Promise.allSettled([add(2), add(1), ending(), add(3)])
    t.strictSame(
      settled.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected', 'rejected']
    )
    t.strictSame([ids(), db.isTransaction], [[1], false])
    t.equal(await add(4), 40)
  }
)

t.test('if no transaction can begin, every write is rejected with the reason', async t => {
  const { db, add } = grouped(t)
  db.exec('BEGIN')
  const rejected = { status: 'rejected', reason: { message: /within a transaction/ } }
  t.match(await Promise.allSettled([add(1), add(2)]), [rejected, rejected])
  t.equal(await add(3), 30)
})

t.test('while others hold the lock, writes wait as long as the limit allows, each from its own arrival', async t => {
  const tick = stopClock(t)
  const file = join(t.testdir({}), 'test.sqlite')
  const { db, add, ids, log } = grouped(t, file)
  const attempts = count(db)
  const other = new DatabaseSync(file)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const first = add(1)
  tick(LOCK_TIMEOUT - 1)
  const second = add(2)
  await until('attempts to go on', () => attempts() > 3)
  t.equal(await Promise.race([first, second, 'both wait']), 'both wait')
  tick(1)
  await t.rejects(first, { message: /locked/ })
  const third = add(3)
  other.exec('COMMIT')
  t.strictSame([await second, await third], [20, 30])
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 2', 'wrote 3', 'COMMIT'])
  t.strictSame(ids(), [2, 3])
})

t.test('every commit is told, with how long it took; none that is rolled back', async t => {
  const told: number[] = []
  let isFull = false
  const full = () => {
    if (isFull) throw new Error('full')
  }
  const { add } = grouped(t, ':memory:', full, duration => told.push(duration))
  await Promise.all([add(1), add(2)])
  t.equal(told.length, 1)
  t.ok(Number(told[0]) > 0)
  isFull = true
  await t.rejects(add(3))
  t.equal(told.length, 1)
})
