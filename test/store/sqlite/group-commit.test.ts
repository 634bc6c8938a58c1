// Writes that arrive together share a commit; none is answered before it, and one that fails is alone in that.
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type GroupCommit, groupCommit } from '../../../src/store/sqlite/group-commit.ts'

type Grouped = GroupCommit & {
  db: DatabaseSync
  /** Writes a row with this number; a number written twice fails. */
  add: (id: number) => Promise<number>
  ids: () => unknown[]
  /** What was executed and answered, in order. */
  log: string[]
}

function grouped(t: Test): Grouped {
  const db = new DatabaseSync(':memory:')
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
  const group = groupCommit(db)
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

t.test('a write is answered with its result, after the commit', async t => {
  const { add, log } = grouped(t)
  t.equal(await add(1).then(result => log.push('answered') && result), 10)
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 1', 'COMMIT', 'answered'])
})

t.test('writes of one turn share a commit, in the order in which they came', async t => {
  const { add, log } = grouped(t)
  t.strictSame(await Promise.all([add(3), add(1), add(2)]), [30, 10, 20])
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 3', 'wrote 1', 'wrote 2', 'COMMIT'])
})

t.test('nothing runs before the turn is over', async t => {
  const { add, log, ids } = grouped(t)
  const answer = add(1)
  await undefined
  t.strictSame([log, ids()], [[], []])
  await answer
})

t.test('what comes after a commit goes into the next one', async t => {
  const { add, log } = grouped(t)
  await add(1)
  await nextTurn()
  await Promise.all([add(2), add(3)])
  t.strictSame(log, ['BEGIN IMMEDIATE', 'wrote 1', 'COMMIT', 'BEGIN IMMEDIATE', 'wrote 2', 'wrote 3', 'COMMIT'])
})

t.test('a write that fails gets its own error and takes no other with it', async t => {
  const { add, write, ids } = grouped(t)
  const failing = write(() => {
    throw new RangeError('not this one')
  })
  const settled = await Promise.allSettled([add(1), add(1), failing, add(2)])
  t.match(settled, [{ value: 10 }, { reason: { message: /UNIQUE/ } }, { reason: RangeError }, { value: 20 }])
  t.strictSame(ids(), [1, 2])
})

t.test('a write that fails half-way leaves nothing', async t => {
  const { db, add, write, ids } = grouped(t)
  const half = write(() => {
    db.exec('INSERT INTO rows (id) VALUES (7)')
    throw new Error('half-way')
  })
  await t.rejects(half, { message: 'half-way' })
  await add(1)
  t.strictSame(ids(), [1])
})

t.test('when the commit fails, no write of it is answered or stored, and the next one works', async t => {
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

t.test('a failure that ends the whole transaction: what is answered is stored, what is not is not', async t => {
  const { db, add, write, ids } = grouped(t)
  await add(1)
  const ending = write(() => db.exec('INSERT OR ROLLBACK INTO rows (id) VALUES (1)'))
  const settled = await Promise.allSettled([add(2), ending, add(3)])
  t.match(settled[1], { status: 'rejected', reason: { message: /UNIQUE/ } }, 'its cause is told')
  for (const [i, id] of [[0, 2] as const, [2, 3] as const]) {
    t.equal(ids().includes(id), settled[i]?.status === 'fulfilled', `${id}`)
    const { reason } = settled[i] as { reason?: Error }
    t.notMatch(reason?.message ?? '', /savepoint/, 'and no other error hides it')
  }
  t.equal(await add(4), 40)
})

t.test('when no transaction can begin, every write is refused with the reason', async t => {
  const { db, add } = grouped(t)
  db.exec('BEGIN')
  const rejected = { status: 'rejected', reason: { message: /within a transaction/ } }
  t.match(await Promise.allSettled([add(1), add(2)]), [rejected, rejected])
  t.equal(await add(3), 30)
})

t.test('on a closed database every write is refused', async t => {
  const { db, add } = grouped(t)
  const waiting = Promise.race([Promise.allSettled([add(1), add(2)]), nextTurn().then(() => nextTurn('no answer'))])
  db.close()
  const rejected = { status: 'rejected', reason: { message: /not open/ } }
  t.match(await waiting, [rejected, rejected])
})

t.test('flush waits for what was asked for, and for nothing else', async t => {
  const { add, flush, ids, log } = grouped(t)
  await flush()
  t.strictSame(log, [])
  const answers = Promise.all([add(1), add(2)])
  await flush()
  t.strictSame(ids(), [1, 2])
  await answers
})

t.test('flush waits for what is asked for while it waits', async t => {
  const { add, flush, ids } = grouped(t)
  const second = add(1).then(() => add(2))
  await flush()
  t.strictSame(ids(), [1, 2])
  await second
})

t.test('flush waits for a write that fails, and does not fail with it', async t => {
  const { add, flush, ids } = grouped(t)
  const settled = Promise.allSettled([add(1), add(1)])
  await flush()
  t.strictSame(ids(), [1])
  await settled
})
