// The connections to PostgreSQL: a pool, statements and transactions on it, and how long they may take. While it is out of
// reach, calls cost nothing: four times a second one of them tries to connect, and the others are refused at once.
import { hash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { referenceKey } from '../../cart/cart.ts'
import { StoreUnavailable, StoreUncertain } from '../../errors.ts'
import {
  type Database,
  type DatabaseRow,
  type Queries,
  type Result,
  type SqlValues,
  type Work,
  watchForDamage
} from '../database.ts'
import { shareConnections } from './connection-shares.ts'

/** The pause after a failed attempt to connect, in milliseconds. */
const RETRY_AFTER = 250

/** How long a call waits for a connection, in milliseconds, unless the pool's settings say otherwise. */
const PATIENCE = 5000

const COMMIT = 'COMMIT'

/** Nearly a month, as the driver takes 0 for its default. */
const NO_TIMEOUT = 2 ** 31 - 1

/** How often a transaction is attempted if others are in its way. */
const MAX_TRIES = 5

const LOCK_REFERENCE = 'SELECT pg_advisory_xact_lock(hashtextextended($1, hashtextextended($2, 0)))'
/** Earlier versions of rows that VACUUM had to leave, as a transaction still sees them. */
const COUNT_LEFT = `SELECT sum(n_dead_tup) AS rows FROM pg_stat_user_tables
  WHERE relid IN ('orders'::regclass, 'payments'::regclass)`

/** Runs one statement, which is prepared if it has values. */
export type Run = (sql: string, values?: SqlValues) => Promise<Result>

export type Connections = Database & {
  /** Runs `work` on a connection that is closed afterwards, without preparing its statements or limiting their time. */
  session: <T>(work: (run: Run) => Promise<T>) => Promise<T>
}

/** @param onCommit told of every transaction that was committed, and how long it took, in milliseconds */
export function connectionsOf(pool: Pool, onCommit: (duration: number) => void = () => {}): Connections {
  const { max, connectionTimeoutMillis = PATIENCE } = pool.options
  const inTurn = shareConnections(max, connectionTimeoutMillis)
  let failure: { at: number; error: unknown } | undefined
  let open = 0
  const { watch, checkSound } = watchForDamage('the database', error => DAMAGED.test(String(sqlState(error))))

  // Without listeners, a connection that is cut would end the process. Whoever uses it learns of it from the statement.
  pool.on('error', () => {})
  pool.on('connect', client => {
    open++
    client.on('error', () => {})
  })
  pool.on('remove', () => {
    open--
  })

  async function connect(): Promise<PoolClient> {
    if (failure && open === 0) {
      if (performance.now() - failure.at < RETRY_AFTER) throw explained(failure.error)
      failure.at = performance.now()
    }
    try {
      const client = await pool.connect()
      failure = undefined
      return client
    } catch (error) {
      failure = { at: performance.now(), error }
      throw new StoreUnavailable('PostgreSQL cannot be reached', { cause: error })
    }
  }

  /** @param isKept whether the connection goes back to the pool; then what it runs is prepared */
  async function onConnection<T>(isKept: boolean, work: (run: Run) => Promise<T>, isCommitting = false): Promise<T> {
    const client = await connect()
    let isBroken = !isKept
    const run: Run = async (sql, values) => {
      try {
        // A prepared COMMIT may fail although it has committed: if the server ends the connection right after it.
        // Named after its text: two versions of this server may share the connections of a proxy.
        const name = isKept && values ? { name: hash('sha1', sql, 'base64url') } : {}
        const limit = isKept ? {} : { query_timeout: NO_TIMEOUT }
        const query = { text: sql, values: [...(values ?? [])], ...name, ...limit }
        const { rows, rowCount } = await client.query<DatabaseRow>(query)
        return { rows, count: rowCount ?? 0 }
      } catch (error) {
        const isCut = sqlState(error) === undefined
        isBroken ||= isCut
        throw explained(error, isCut && (isCommitting || sql === COMMIT))
      }
    }
    try {
      return await work(run)
    } finally {
      client.release(isBroken)
    }
  }

  function attempt<T>(work: Work<T>, begin: string): Promise<T> {
    return onConnection(true, async run => {
      await run(begin)
      try {
        let step = work.next()
        while (!step.done) {
          const { value } = step
          const isLock = 'lock' in value
          const result = isLock
            ? await run(LOCK_REFERENCE, [value.lock.key, value.lock.merchantId])
            : await run(value.sql, value.values)
          step = work.next(result)
        }
        await run(COMMIT)
        return step.value
      } catch (error) {
        // If that fails too, the connection is gone, and the transaction with it.
        await run('ROLLBACK').catch(() => {})
        throw error
      }
    })
  }

  async function timed<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    const result = await work()
    onCommit(performance.now() - started)
    return result
  }

  function queriesOf(merchantId?: string, reference?: string): Queries {
    const key = reference === undefined ? undefined : referenceKey(reference)
    const whenDue = <T>(call: () => Promise<T>) => inTurn(call, merchantId, key)
    return {
      read: (sql, values) => whenDue(() => onConnection(true, run => run(sql, values))),
      write: async (sql, values) => {
        checkSound()
        return timed(() => whenDue(() => onConnection(true, run => run(sql, values), true)))
      },
      transaction: async work => {
        checkSound()
        for (let i = 1; ; i++) {
          try {
            return await timed(() => whenDue(() => attempt(work(), 'BEGIN')))
          } catch (error) {
            const { cause = error } = error as Error
            if (i === MAX_TRIES || !isConflict(cause)) throw error
          }
        }
      },
      snapshot: work => whenDue(() => attempt(work(), 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'))
    }
  }

  const session: Connections['session'] = work => inTurn(() => onConnection(false, work))
  return {
    ...queriesOf(),
    of: queriesOf,
    checkDurable: checkSound,
    guard: watch,
    /** Frees the space of earlier versions of rows. It blocks neither readers nor orders. */
    purge: () =>
      session(async run => {
        await run('SET statement_timeout = 0')
        await run('VACUUM checkouts, orders, payments')
        return Number((await run(COUNT_LEFT)).rows[0]?.rows) === 0
      }),
    session,
    close: () => pool.end()
  }
}

/**
 * SQLSTATE classes and codes for a PostgreSQL that cannot serve at the moment, rather than for a wrong statement: connection
 * lost, out of resources or disk, shutting down or starting, cancelled by a timeout, locked, read-only, I/O error, and
 * conflicts that have outlasted every retry.
 */
const UNAVAILABLE = /^(08|53|58|57P|57014|55P03|25006|25P0[34]|40001|40P01)/

/** SQLSTATE codes for a table or an index that is damaged. */
const DAMAGED = /^XX00[12]$/

/** The code of an error from the server; undefined for others, such as a lost connection, and without an error. */
export function sqlState(error: unknown): string | undefined {
  const { severity, code } = (error ?? {}) as { severity?: string; code?: string }
  return severity === undefined ? undefined : code
}

/** Whether what failed may succeed if it is run again: another transaction was in its way. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(sqlState(error) ?? '')
}

/** What the driver or the server says is wrong. A host with several addresses has an error without a message. */
export function driverReason(error: unknown): string {
  const { message, code } = error as { message: string; code?: string }
  if (code === 'ECONNREFUSED') return 'no PostgreSQL listens there; start it, or correct the address'
  return message || String(code)
}

/**
 * An error of a statement or a connection, as the rest of the server is to see it.
 * @param isUncertain whether the database may have done what was asked of it
 */
function explained(error: unknown, isUncertain = false): unknown {
  const state = sqlState(error)
  // It may show a whole row, personal data included.
  delete (error as { detail?: string }).detail
  if (state !== undefined && !UNAVAILABLE.test(state)) return error
  const Unavailable = isUncertain ? StoreUncertain : StoreUnavailable
  return new Unavailable('PostgreSQL is out of reach, too slow or read-only', { cause: error })
}
