// Transactions that others are in the way of, and what the connections tell of commits.
import pg from 'pg'
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../../src/errors.ts'
import { type Connections, connectionsOf, type Run } from '../../../src/store/postgres/connections.ts'
import { statement } from '../../../src/store/postgres/statement.ts'
import { driverReason } from '../../../src/store/postgres/unavailable.ts'
import { urlOf } from './opened.ts'

async function connect(t: Test, onCommit?: (duration: number) => void): Promise<Connections> {
  const connections = connectionsOf(new pg.Pool({ connectionString: await urlOf(t) }), onCommit)
  t.teardown(connections.close)
  return connections
}

/** Fails as PostgreSQL does with this SQLSTATE. */
const fail = (run: Run, state: string) =>
  run(`DO $$ BEGIN RAISE EXCEPTION 'told to' USING ERRCODE = '${state}'; END $$`)

t.test('a transaction that another one is in the way of runs again, and a few times at most', async t => {
  const { transaction, run } = await connect(t)
  await run('CREATE TABLE numbers (n INT)')
  for (const state of ['40001', '40P01', '23505']) {
    let tries = 0
    await transaction(async run => {
      await run('INSERT INTO numbers VALUES (1)')
      if (++tries < 3) await fail(run, state)
    })
    t.equal(tries, 3, state)
  }
  t.match((await run('SELECT count(*)::int AS n FROM numbers')).rows, [{ n: 3 }], 'what failed was undone')

  const cases: [state: string, tries: number, isUnavailable: boolean][] = [
    ['40001', 5, true],
    ['40P01', 5, true],
    ['23505', 5, false],
    ['55P03', 1, true],
    ['22012', 1, false]
  ]
  for (const [state, expected, isUnavailable] of cases) {
    let tries = 0
    const error = await transaction(async run => {
      tries++
      await fail(run, state)
    }).catch(reason => reason)
    t.equal(tries, expected, state)
    t.equal(error instanceof StoreUnavailable, isUnavailable, state)
  }
})

t.test('what fails in the program, and not in the database, is neither repeated nor called unavailable', async t => {
  const { transaction } = await connect(t)
  const wrong = new TypeError('wrong')
  let tries = 0
  const running = transaction(async () => {
    tries++
    throw wrong
  })
  t.equal(await running.catch(error => error), wrong)
  t.equal(tries, 1)
})

t.test('whoever counts commits is told of those that write', async t => {
  const durations: number[] = []
  const { run, transaction } = await connect(t, duration => durations.push(duration))
  await run('CREATE TABLE numbers (n INT)')
  await run(statement('SELECT * FROM numbers'))
  t.strictSame(durations, [])
  await run(statement('INSERT INTO numbers VALUES ($1)'), [1])
  await transaction(run => run(statement('DELETE FROM numbers')))
  await t.rejects(run(statement('INSERT INTO numbers VALUES ($1)'), ['x']))
  t.equal(durations.length, 2)
  for (const duration of durations) t.ok(duration > 0)
})

t.test('an error without a message, as of a host with two addresses, is told by its code', async t => {
  t.equal(driverReason(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'ECONNREFUSED')
  t.equal(driverReason(new Error('no')), 'no')
})
