// Transactions that others are in the way of, and what the connections tell of commits.
import pg from 'pg'
import t, { type Test } from 'tap'
import { StoreDamaged, StoreUnavailable } from '../../../src/errors.ts'
import { statement as step } from '../../../src/store/database.ts'
import { type Connections, connectionsOf, driverReason } from '../../../src/store/postgres/connections.ts'
import { urlOf } from './opened.ts'

async function connect(t: Test, onCommit?: (duration: number) => void, max = 8): Promise<Connections> {
  const connections = connectionsOf(new pg.Pool({ connectionString: await urlOf(t), max }), onCommit)
  t.teardown(connections.close)
  return connections
}

/** Fails as PostgreSQL does with this SQLSTATE. */
const fail = (state: string) => step(`DO $$ BEGIN RAISE EXCEPTION 'told to' USING ERRCODE = '${state}'; END $$`)

t.test('a transaction that another one is in the way of runs again, and a few times at most', async t => {
  const { transaction, read, write } = await connect(t)
  await write('CREATE TABLE numbers (n INT)')
  for (const state of ['40001', '40P01', '23505']) {
    let tries = 0
    await transaction(function* () {
      yield step('INSERT INTO numbers VALUES (1)')
      if (++tries < 3) yield fail(state)
    })
    t.equal(tries, 3, state)
  }
  t.match((await read('SELECT count(*)::int AS n FROM numbers')).rows, [{ n: 3 }], 'what failed was undone')

  const cases: [state: string, tries: number, isUnavailable: boolean][] = [
    ['40001', 5, true],
    ['40P01', 5, true],
    ['23505', 5, false],
    ['55P03', 1, true],
    ['22012', 1, false]
  ]
  for (const [state, expected, isUnavailable] of cases) {
    let tries = 0
    const error = await transaction(function* () {
      tries++
      yield fail(state)
    }).catch(reason => reason)
    t.equal(tries, expected, state)
    t.equal(error instanceof StoreUnavailable, isUnavailable, state)
  }
})

t.test('a damaged table or index is remembered: what is there is read, and nothing is taken', async t => {
  for (const state of ['XX001', 'XX002']) {
    const { guard, read, write, transaction, checkDurable } = await connect(t)
    await write('CREATE TABLE IF NOT EXISTS taken (n INT)')
    const failing = guard(() =>
      transaction(function* () {
        yield fail(state)
      })
    )
    const error = await failing.catch(reason => reason)
    t.ok(error instanceof StoreDamaged, state)
    t.match(error, { message: /^the database is damaged: .* restore a backup/, cause: { message: 'told to' } })
    await t.rejects(write('INSERT INTO taken VALUES (1)'), error)
    const insert = function* () {
      yield step('INSERT INTO taken VALUES (2)')
    }
    await t.rejects(transaction(insert), error)
    t.throws(checkDurable, error)
    t.match((await read('SELECT n FROM taken')).rows, [])
  }
})

t.test('what fails in the program, and not in the database, is neither repeated nor called unavailable', async t => {
  const { transaction } = await connect(t)
  const wrong = new TypeError('wrong')
  let tries = 0
  const running = transaction(function* () {
    yield step('SELECT 1')
    tries++
    throw wrong
  })
  t.equal(await running.catch(error => error), wrong)
  t.equal(tries, 1)
})

t.test(
  'what begins and ends a transaction is not prepared: a COMMIT that is cut off would fail though it was kept',
  async t => {
    const { transaction, read } = await connect(t, undefined, 1)
    await transaction(function* () {
      yield step('SELECT 1')
    })
    t.match((await read('SELECT statement FROM pg_prepared_statements')).rows, [{ statement: 'SELECT 1' }])
  }
)

t.test('whoever counts commits is told of those that write', async t => {
  const durations: number[] = []
  const { read, write, transaction } = await connect(t, duration => durations.push(duration))
  await write('CREATE TABLE numbers (n INT)')
  await read('SELECT * FROM numbers')
  t.equal(durations.length, 1)
  await write('INSERT INTO numbers VALUES ($1)', [1])
  await transaction(function* () {
    yield step('DELETE FROM numbers')
  })
  await t.rejects(write('INSERT INTO numbers VALUES ($1)', ['x']))
  t.equal(durations.length, 3)
  for (const duration of durations) t.ok(duration > 0)
})

t.test('an error without a message, as of a host with two addresses, is told by its code', async t => {
  t.equal(driverReason(Object.assign(new AggregateError([]), { code: 'EHOSTUNREACH' })), 'EHOSTUNREACH')
  t.equal(driverReason(new Error('no')), 'no')
})
