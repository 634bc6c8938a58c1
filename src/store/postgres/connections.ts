// The connections to PostgreSQL: a pool, statements and transactions on it, and how long any of them may take. While it is
// out of reach, a call costs nothing: one of them tries to connect, four times a second, and the others are refused at once.
import type { Pool, PoolClient, QueryResult } from 'pg'
import { StoreUnavailable } from '../../errors.ts'
import type { DatabaseRow } from '../database-row.ts'
import type { Statement } from './statement.ts'
import { explained, isConflict, sqlState } from './unavailable.ts'

/** After an attempt to connect that failed, in milliseconds. */
const RETRY_AFTER = 250

const COMMIT = 'COMMIT'

/** For the driver, which takes 0 for its default: a month. */
const NO_TIMEOUT = 2 ** 31 - 1

/** How often a transaction is run if others are in its way. */
const MAX_TRIES = 5

/** Runs one statement: prepared, or as text. */
export type Run = (statement: Statement | string, values?: readonly unknown[]) => Promise<QueryResult<DatabaseRow>>

export type Connections = {
  /** Runs a statement in a transaction of its own. */
  run: Run
  /** Runs `work` in a transaction, and again if another transaction is in its way. */
  transaction: <T>(work: (run: Run) => Promise<T>, begin?: string) => Promise<T>
  /** Runs `work` on a connection that nobody uses afterwards; the driver waits for it as long as it takes. */
  session: <T>(work: (run: Run) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** @param onCommit told of every commit, and how long it took with what it commits, in milliseconds */
export function connectionsOf(pool: Pool, onCommit: (duration: number) => void = () => {}): Connections {
  let failure: { at: number; error: unknown } | undefined
  let open = 0

  // Without listeners, a connection that is cut would end the process. Whoever uses it learns of it by its statement.
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

  async function session<T>(work: (run: Run) => Promise<T>, isKept = false): Promise<T> {
    const client = await connect()
    let isBroken = !isKept
    const run: Run = async (statement, values = []) => {
      const { isWrite, ...query } = typeof statement === 'string' ? { text: statement, isWrite: false } : statement
      try {
        const limit = isKept ? {} : { query_timeout: NO_TIMEOUT }
        return await client.query<DatabaseRow>({ ...query, ...limit, values: [...values] })
      } catch (error) {
        const isCut = sqlState(error) === undefined
        isBroken ||= isCut
        throw explained(error, isCut && (isWrite || query.text === COMMIT))
      }
    }
    try {
      return await work(run)
    } finally {
      client.release(isBroken)
    }
  }

  async function attempt<T>(work: (run: Run) => Promise<T>, begin: string): Promise<T> {
    return session(async run => {
      await run(begin)
      try {
        const result = await work(run)
        await run(COMMIT)
        return result
      } catch (error) {
        // If that fails too, the connection is gone, and the transaction with it.
        await run('ROLLBACK').catch(() => {})
        throw error
      }
    }, true)
  }

  async function timed<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    const result = await work()
    onCommit(performance.now() - started)
    return result
  }

  return {
    run: (statement, values) => {
      const work = () => session(run => run(statement, values), true)
      return typeof statement !== 'string' && statement.isWrite ? timed(work) : work()
    },
    transaction: async (work, begin = 'BEGIN') => {
      for (let i = 1; ; i++) {
        try {
          return await timed(() => attempt(work, begin))
        } catch (error) {
          const { cause = error } = error as Error
          if (i === MAX_TRIES || !isConflict(cause)) throw error
        }
      }
    },
    session,
    close: () => pool.end()
  }
}
