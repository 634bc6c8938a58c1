// A database file and the connection to it. The file has to be the right one: SQLite goes on writing to one that was
// deleted or replaced, and everything in it is gone after a restart; and it writes the WAL of one database into another.
import { closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError, StoreUnavailable, StoreUncertain } from '../../errors.ts'
import { IF_DAMAGED } from '../database.ts'
import { type Migration, pendingMigrations } from '../migrations.ts'
import { sqliteMigrations } from './sqlite-schema.ts'

/** How long opening, each write and a backup wait for another process that is writing, in milliseconds. */
export const LOCK_TIMEOUT = 5000

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
    // In pages. SQLite's default of 1000 moves the log into the file too often for many small commits.
    db.exec('PRAGMA wal_autocheckpoint = 2000')
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
 * Remembers which files are at these paths. While one is open, no other file has its inode.
 * @returns a check that throws StoreUnavailable if one of them was deleted or replaced
 */
export function rememberFiles(paths: string[]): () => void {
  const opened = paths.map(path => ({ path, ...statSync(path, { bigint: true }) }))
  return () => {
    for (const { path, dev, ino } of opened) {
      let cause: unknown
      try {
        const found = statSync(path, { bigint: true })
        if (found.dev === dev && found.ino === ino) continue
      } catch (error) {
        cause = error
      }
      throw new StoreUnavailable(
        `the database file ${path} was deleted or replaced: put it back, and do not restart before: ` +
          'a restart begins with whatever is at that path, and what was deleted is then gone',
        { cause }
      )
    }
  }
}

/** Where a database says whether it is used with a WAL. */
const WRITE_VERSION = 18
const WITHOUT_WAL = 1

/**
 * Refuses a backup that was put beside the WAL of the database it replaces. A backup says that it has no WAL (so does
 * what VACUUM INTO writes), and a database says so no longer before it gets one.
 * @throws OperatorError
 */
function refuseForeignWal(file: string): void {
  const real = realpathSync(file)
  const wal = `${real}-wal`
  if (!statSync(wal, { throwIfNoEntry: false })?.size) return
  const head = Buffer.alloc(WRITE_VERSION + 1)
  const handle = openSync(real, 'r')
  readSync(handle, head, { position: 0 })
  closeSync(handle)
  if (head[WRITE_VERSION] !== WITHOUT_WAL) return
  throw new OperatorError(
    `${wal} belongs to another database and would damage this one, which looks like a restored backup; ` +
      `move ${wal} and ${real}-shm away`
  )
}

/** Another connection holds a lock that is needed. */
export const SQLITE_BUSY = 5

/** Codes for a file that is locked, full, read-only, unreadable or damaged: not the fault of the request. */
const UNAVAILABLE = new Set([SQLITE_BUSY, 6, 8, 10, 11, 13, 14, 26])

/** Codes of a commit whose last page was not written: the disk is full, or a write failed (SQLITE_IOERR_WRITE). */
const UNWRITTEN = new Set([13, 778])

/** @returns SQLite's primary code, or undefined if the error is not from SQLite */
export function errorCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number }
  // The higher bytes are details, such as the disk operation that failed.
  return errcode === undefined ? undefined : errcode & 0xff
}

/** What to do about a database that cannot be opened or read, by SQLite's code. */
const REMEDIES: Record<number, string> = {
  [SQLITE_BUSY]: 'another process has locked it; try again',
  11: IF_DAMAGED,
  26: 'give an SQLite file'
}

/** What is wrong, and what to do about it. @param other what to do if the database itself is all right */
export function withRemedy(error: Error, other?: string): string {
  const remedy = REMEDIES[errorCode(error) ?? 0] ?? other
  return remedy === undefined ? error.message : `${error.message}; ${remedy}`
}

/** Whether the file is damaged, or no database at all. @param error of SQLite, or with that as its cause */
export function isDamage(error: unknown): boolean {
  const { cause = error } = error as Error
  return [11, 26].includes(errorCode(cause) ?? 0)
}

const OUT_OF_REACH = 'the SQLite store is locked, full or out of reach'

/**
 * @throws StoreUncertain if the system could not sync what was written, or the index of the write-ahead log is damaged: the
 * next start may find the transaction in the log, and keep it
 */
export function commitTransaction(db: DatabaseSync): void {
  try {
    db.exec('COMMIT')
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number }
    if (!UNAVAILABLE.has(errcode & 0xff) || UNWRITTEN.has(errcode)) throw error
    throw new StoreUncertain(OUT_OF_REACH, { cause: error })
  }
}

/** Runs work, and turns the errors of an unavailable store into StoreUnavailable. */
export async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!UNAVAILABLE.has(errorCode(error) ?? 0)) throw error
    throw new StoreUnavailable(OUT_OF_REACH, { cause: error })
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
