// Opens the store that DATABASE_URL names: for the server, which creates what is not there yet, and for commands, which
// work on what the server has.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseAddress, Environment } from '../environment.ts'
import { OperatorError, StoreUnavailable } from '../errors.ts'
import type { Log, Observer } from '../observer.ts'
import type { PostgresOptions } from '../store/postgres/postgres-store.ts'
import { openSqlite } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { visible } from './visible-text.ts'

/** How long a start waits for a PostgreSQL that starts at the same time, and the pause in between, in milliseconds. */
const MAX_WAIT = 30_000
const PAUSE = 500

/** How long a statement of a command may take, in milliseconds: nobody waits for its answer in a shop. */
const COMMAND_TIMEOUT = 60_000

type PostgresAddress = Extract<DatabaseAddress, { kind: 'postgres' }>

/** The folder of what is kept beside a database. */
export function dataFolder({ database }: Environment): string {
  return database.kind === 'sqlite' ? dirname(database.file) : 'data'
}

/** @throws OperatorError with the remedy, if there is none */
export function existingFile(path: string, remedy = 'set DATABASE_URL as for the server'): string {
  const file = resolve(path)
  if (!existsSync(file)) throw new OperatorError(`there is no database ${file}; ${remedy}`)
  return file
}

/** @throws OperatorError if there is none */
export async function openExistingStore({ database }: Pick<Environment, 'database'>): Promise<Store> {
  if (database.kind === 'sqlite') return openSqlite(existingFile(database.file))
  return openPostgresAt(database, { timeout: COMMAND_TIMEOUT, isExisting: true })
}

/**
 * @param maxWait how long a PostgreSQL that is out of reach is waited for, in milliseconds
 * @throws OperatorError naming the variable, and no password
 */
export async function openServerStore(
  { database }: Environment,
  logger: Log,
  { committed: onCommit }: Observer,
  maxWait = MAX_WAIT
): Promise<Store> {
  // Where there should be orders, a new database means that DATABASE_URL names the wrong one.
  const logOpened = (where: object, isNew: boolean) =>
    logger.info(where, isNew ? 'database created' : 'database opened')
  const file = database.kind === 'sqlite' ? resolve(database.file) : ''
  try {
    if (database.kind === 'postgres') {
      const onOpened = (name: string, isNew: boolean) => logOpened({ database: name }, isNew)
      return await whenReachable(() => openPostgresAt(database, { onCommit, onOpened }), logger, maxWait)
    }
    const isNew = !existsSync(file)
    const store = openSqlite(file, { onCommit })
    logOpened({ file }, isNew)
    return store
  } catch (error) {
    throw new OperatorError(['DATABASE_URL', ...(file ? [file] : []), (error as Error).message].join(': '))
  }
}

/** Server and database may be started together. */
async function whenReachable<T>(open: () => Promise<T>, logger: Log, maxWait: number): Promise<T> {
  const deadline = performance.now() + maxWait
  let isWaiting = false
  while (true) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!isWaiting) logger.warn({ reason: error.message }, 'waiting for the database')
      isWaiting = true
      if (performance.now() > deadline) throw error
      await pause(PAUSE)
    }
  }
}

/** Loads the driver, which a start with SQLite does without. */
async function openPostgresAt({ url, tls }: PostgresAddress, options: PostgresOptions): Promise<Store> {
  const { openPostgres } = await import('../store/postgres/postgres-store.ts')
  return openPostgres(url, tls, options)
}

/** What is wrong with a merchant's id if the store has nothing of it: it may be misspelt. */
export async function merchantProblem(store: Store, merchantId: string): Promise<string | undefined> {
  const known = await store.merchantsInStore()
  if (known.includes(merchantId)) return undefined
  return visible(`the store has nothing of "${merchantId}"; it has ${known.join(', ') || 'nothing at all'}`)
}
