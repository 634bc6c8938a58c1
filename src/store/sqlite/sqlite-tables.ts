// An SQLite database as tables and rows, for copying it elsewhere. While it is open, nobody else can use it: what is
// copied is of one moment, and nothing is added to what is left behind.
import type { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'
import type { TableRow, Tables } from '../tables.ts'
import { connectSqlite, errorCode, SQLITE_BUSY } from './sqlite-file.ts'
import { migrateSqlite } from './sqlite-schema.ts'

/** Each database has its own: which migrations were applied, and what the readiness check writes. */
const NOT_COPIED = ['migrations', 'write_checks']

/**
 * Opens a database for this process alone, migrated to the newest schema.
 * @throws OperatorError if it cannot be opened, or if another process has it open
 */
export function openSqliteTables(file: string): Tables & { close: () => void } {
  let db: DatabaseSync | undefined
  try {
    db = connectSqlite(file)
    lock(db)
    return tablesOf(db)
  } catch (error) {
    db?.close()
    if (errorCode(error) !== SQLITE_BUSY) throw new OperatorError(`${file}: ${(error as Error).message}`)
    throw new OperatorError(`another process has ${file} open; stop every server and command that uses it`)
  }
}

function lock(db: DatabaseSync): void {
  // A server has it open all the time, a backup for a moment.
  db.exec('PRAGMA busy_timeout = 500')
  // In WAL mode this succeeds only if nobody else has the database open, and lasts until it is closed.
  db.exec('PRAGMA locking_mode = EXCLUSIVE')
  migrateSqlite(db)
}

function tablesOf(db: DatabaseSync): ReturnType<typeof openSqliteTables> {
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all()
  const tables = names
    .map(({ name }) => String(name))
    .filter(name => !NOT_COPIED.includes(name))
    .map(name => ({
      name,
      columns: db
        .prepare(`SELECT name FROM pragma_table_info('${name}')`)
        .all()
        .map(column => String(column.name)),
      rows: Number(db.prepare(`SELECT count(*) AS rows FROM ${name}`).get()?.rows)
    }))
  return {
    tables,
    readRows: ({ name, columns }) => {
      const select = db.prepare(`SELECT ${columns.join(', ')} FROM ${name}`)
      select.setReturnArrays(true)
      return select.iterate() as unknown as Iterable<TableRow>
    },
    close: () => db.close()
  }
}
