// The store in one SQLite file, through Node's own driver. The file is in WAL mode and every commit is synced before its
// answer is sent, so what was answered survives a crash of the process and of the machine. Nothing is written to a file
// that was deleted or replaced: it would be gone after a restart.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError, StoreUnavailable, StoreUncertain } from '../../errors.ts'
import { type Migration, pendingMigrations } from '../migrations.ts'
import type { Store } from '../store.ts'
import type { Access } from './access.ts'
import { checkpoints } from './checkpoints.ts'
import { errorCode, isSyncError, SQLITE_BUSY } from './error-code.ts'
import { groupCommit } from './group-commit.ts'
import { refuseForeignWal, rememberFiles } from './opened-file.ts'
import { checkoutRows, sqliteCheckouts } from './sqlite-checkouts.ts'
import { sqliteHandovers } from './sqlite-handovers.ts'
import { sqliteOrderList } from './sqlite-order-list.ts'
import { sqliteOrders } from './sqlite-orders.ts'
import { sqliteOutbox } from './sqlite-outbox.ts'
import { sqliteReconcile } from './sqlite-reconcile.ts'
import { sqliteReportedOrders } from './sqlite-reported-orders.ts'
import { sqliteMigrations } from './sqlite-schema.ts'
import { sqliteTransfers } from './sqlite-transfers.ts'
import { writeCheck } from './write-check.ts'

/** How long opening, and later each write, waits for another process that is writing, in milliseconds. */
const LOCK_TIMEOUT = 5000

/** SQLite's codes for a file that is locked, full, read-only or unreadable: not the fault of the request. */
const UNAVAILABLE = new Set([SQLITE_BUSY, 6, 8, 10, 13, 14])

/** What to do about a database that cannot be opened, by SQLite's code. */
const REMEDIES: Record<number, string> = {
  [SQLITE_BUSY]: 'another process has locked it; try again',
  11: 'restore a backup',
  26: 'give an SQLite file'
}

/** Opens a connection as the store needs it; a missing file is created, and its folder, but none above. */
export function connectSqlite(file: string): DatabaseSync {
  createFolder(dirname(file))
  // It holds names and addresses: a new file is for its owner only.
  closeSync(openSync(file, 'a', 0o600))
  refuseForeignWal(file)
  const db = new DatabaseSync(file, { timeout: LOCK_TIMEOUT })
  try {
    enableWal(db)
    db.exec('PRAGMA synchronous = FULL')
    // Every connection overwrites what it deletes: erased personal data leaves no copy in the file.
    db.exec('PRAGMA secure_delete = ON')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Creates the last folder of a path only: below /proc, Node's recursive mkdir never ends. */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(folder)) throw error
  }
}

/** Enables WAL mode. SQLite does not apply its busy timeout here, though another server may be doing the same. */
function enableWal(db: DatabaseSync): void {
  const deadline = Date.now() + LOCK_TIMEOUT
  while (true) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (errorCode(error) !== SQLITE_BUSY || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

/**
 * Migrates a database to the newest schema, in one transaction: if a step fails, the version before it can still use it.
 * @throws OperatorError if the file was written by a newer version of this server
 */
export function migrateSqlite(db: DatabaseSync, steps: Migration[] = sqliteMigrations): void {
  db.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)')
  const pending = () => {
    const applied = db.prepare('SELECT name FROM migrations').all()
    return pendingMigrations(
      steps,
      applied.map(({ name }) => String(name))
    )
  }
  // A newer database is refused, without a lock.
  pending()
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const { name, statements } of pending()) {
      for (const statement of statements) db.exec(statement)
      db.prepare('INSERT INTO migrations (name) VALUES (?)').run(name)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

export type SqliteStoreOptions = {
  /** The path by which the database was opened, and by which the next start will look for it. */
  file?: string
  /** How long a write waits for other processes, in milliseconds. */
  lockTimeout?: number
  /** Told of every commit, and how long it took, in milliseconds. */
  onCommit?: (duration: number) => void
}

/** The store on an open connection, which it closes in the end. */
export function sqliteStore(db: DatabaseSync, options: SqliteStoreOptions = {}): Store {
  const { file = db.location(), lockTimeout = LOCK_TIMEOUT, onCommit } = options
  // A database in memory has no file. The name of the log follows that of the file itself, not of a link to it.
  const checkFiles = file === null ? () => {} : rememberFiles([file, `${db.location()}-wal`])
  const committed = checkpoints(db)
  const { write, flush } = groupCommit(db, {
    lockTimeout,
    beforeCommit: checkFiles,
    onCommit: duration => {
      committed()
      onCommit?.(duration)
    }
  })
  const durably = <T>(work: () => T) => {
    const found = work()
    if (found !== undefined) checkFiles()
    return found
  }
  const access: Access = {
    read: guard,
    readDurable: work => guard(() => durably(work)),
    write: (work, find) => guard(() => write(work, find && (() => durably(find))))
  }
  const rows = checkoutRows(db)
  const store = {
    ...sqliteCheckouts(db, access, rows),
    ...sqliteHandovers(db, access, rows),
    ...sqliteTransfers(db, access),
    ...sqliteOrders(db, access),
    ...sqliteReportedOrders(db, access),
    ...sqliteOrderList(db, access),
    ...sqliteOutbox(db, access),
    ...sqliteReconcile(db, access),
    checkReady: writeCheck(db, access),
    close: async () => {
      await flush()
      db.close()
    }
  }
  // From here on SQLite never waits in this thread.
  db.exec('PRAGMA busy_timeout = 0')
  return store
}

/** Runs work, and turns the errors of an unavailable store into StoreUnavailable. */
async function guard<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (code !== undefined && UNAVAILABLE.has(code)) {
      const Unavailable = isSyncError(error) ? StoreUncertain : StoreUnavailable
      throw new Unavailable('the SQLite store is locked, full or out of reach', { cause: error })
    }
    throw error
  }
}

/** @throws OperatorError if the file cannot be opened */
export function openSqlite(file: string, options: Pick<SqliteStoreOptions, 'onCommit'> = {}): Store {
  try {
    const db = connectSqlite(file)
    migrateSqlite(db)
    return sqliteStore(db, { ...options, file })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const remedy = REMEDIES[errorCode(error) ?? 0] ?? 'give a file that this server may write, in an existing folder'
    throw new OperatorError(`${(error as Error).message}; ${remedy}`, { cause: error })
  }
}
