// The store in PostgreSQL, which any number of servers share. Nothing of it is in a process, apart from what never changes:
// what one server has stored, the next request finds at any other.
import type { Pool } from 'pg'
import { OperatorError, StoreUnavailable } from '../../errors.ts'
import { type Store, storeIn } from '../store.ts'
import { type Connections, connectionsOf } from './connections.ts'
import { addInGroups } from './group-inserts.ts'
import { driverReason, sqlState } from './postgres-errors.ts'
import { migratePostgres } from './postgres-schema.ts'
import { type PostgresSettings, readPostgresUrl, shownPostgresUrl } from './postgres-url.ts'

/** How long a statement may take, in milliseconds. */
const TIMEOUT = 5000

/** How long connecting may take, in milliseconds. */
const CONNECT_TIMEOUT = 5000

/** At a start, what is wrong with the user or the name of the database is no matter of time. */
const REFUSED = /^(28|3D)/

export type PostgresOptions = {
  /** How long a statement may take, in milliseconds. */
  timeout?: number
  /** Whether a server must have used it before. */
  isExisting?: boolean
  /** Told of every commit, and how long it took, in milliseconds. */
  onCommit?: (duration: number) => void
  /** Told which database it is, without its password, and whether this created its tables. */
  onOpened?: (database: string, isNew: boolean) => void
}

/**
 * Connects to a database, and migrates it to the newest schema.
 * @param tls what libpq's variables say of TLS
 * @throws OperatorError without the password; StoreUnavailable if it may be reached later
 */
export async function connectPostgres(
  url: string,
  tls?: Record<string, string | undefined>,
  options: PostgresOptions = {}
): Promise<Connections> {
  const { timeout = TIMEOUT, isExisting = false, onCommit, onOpened } = options
  const shown = shownPostgresUrl(url)
  try {
    const connections = connectionsOf(await poolOf(readPostgresUrl(url, tls), timeout), onCommit)
    try {
      const isNew = await connections.session(run => migratePostgres(run, { isExisting }))
      onOpened?.(shown, isNew)
    } catch (error) {
      await connections.close()
      throw error
    }
    return connections
  } catch (error) {
    const { cause = error } = error as Error
    const reason = `${shown}: ${driverReason(cause)}`
    const isTransient = error instanceof StoreUnavailable && !REFUSED.test(String(sqlState(cause)))
    throw isTransient ? new StoreUnavailable(reason) : new OperatorError(reason)
  }
}

/** As `connectPostgres`. */
export async function openPostgres(
  url: string,
  tls?: Record<string, string | undefined>,
  options: PostgresOptions = {}
): Promise<Store> {
  return postgresStore(await connectPostgres(url, tls, options), options.timeout ?? TIMEOUT)
}

async function poolOf({ connectionString, max }: PostgresSettings, timeout: number): Promise<Pool> {
  const { default: pg } = await import('pg')
  const config = {
    connectionString,
    max,
    fallback_application_name: 'cart-transfer',
    connectionTimeoutMillis: Math.min(timeout, CONNECT_TIMEOUT),
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 30 * 60,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server's own limits come first: they say what happened, and leave the connection usable.
    statement_timeout: timeout * 0.8,
    lock_timeout: timeout * 0.6,
    idle_in_transaction_session_timeout: timeout,
    query_timeout: timeout
  }
  // Reads the files that the URL names, of certificates: what is wrong with them shows here.
  new pg.Client(config)
  return new pg.Pool(config)
}

function postgresStore(connections: Connections, timeout: number): Store {
  const pending = new Set<Promise<unknown>>()
  let isClosing = false
  /** Runs a call to its end before the store closes, and none afterwards. */
  const track = <Call extends (...args: never[]) => Promise<unknown>>(call: Call) =>
    (async (...args: Parameters<Call>) => {
      if (isClosing) throw new StoreUnavailable('the store is closed')
      const running = call(...args)
      pending.add(running)
      try {
        return await running
      } finally {
        pending.delete(running)
      }
    }) as Call
  const store = { ...storeIn(connections), addCheckout: addInGroups(connections, timeout) }
  const tracked = Object.fromEntries(Object.entries(store).map(([name, call]) => [name, track(call)])) as Store
  return {
    ...tracked,
    close: async () => {
      isClosing = true
      await Promise.allSettled(pending)
      await connections.close()
    }
  }
}
