// An SQLite database, copied: whole, as a backup, or row by row, into another kind of database.
import { closeSync, openSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'
import { IF_DAMAGED } from '../database.ts'
import { connectSqlite, errorCode, LOCK_TIMEOUT, migrateSqlite, SQLITE_BUSY, withRemedy } from './sqlite-file.ts'

/** All in one step: a backup in several starts over with each write of a server. */
const ALL_PAGES = 2 ** 31 - 1

/** What is in a backup: how many orders, and when the last one was placed or reported, in ISO 8601. */
export type BackupContents = { orders: number; lastAt?: string }

/**
 * Copies the database as it is at one moment, while servers write to it: SQLite's own online backup. A copied file would
 * lack what is in its WAL. The copy is a single file without a WAL, for its owner only; the name is given to it once it is
 * complete and has been checked.
 * @throws if the database cannot be read or is damaged; there is no file then
 */
export async function backupSqlite(file: string, target: string): Promise<BackupContents> {
  const unfinished = `${target}.part`
  const source = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT })
  try {
    rmSync(unfinished, { force: true })
    closeSync(openSync(unfinished, 'wx', 0o600))
    await backup(source, unfinished, { rate: ALL_PAGES })
    const contents = checkCopy(unfinished)
    renameSync(unfinished, target)
    return contents
  } finally {
    source.close()
    rmSync(unfinished, { force: true })
  }
}

function checkCopy(file: string): BackupContents {
  const copy = new DatabaseSync(file)
  try {
    copy.exec('PRAGMA journal_mode = DELETE')
    const [check] = copy.prepare('PRAGMA quick_check(1)').all()
    if (check?.quick_check !== 'ok') throw new OperatorError(`it is damaged: ${check?.quick_check}; ${IF_DAMAGED}`)
    const hasTable = (name: string) =>
      copy.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined
    if (!hasTable('orders')) {
      throw new OperatorError(
        'there is no table of orders in it: it is another database, or was copied without its -wal'
      )
    }
    // A database that no server of this version has opened yet may lack the table.
    const reported = hasTable('reported_orders') ? 'UNION ALL SELECT reported_at FROM reported_orders' : ''
    const counting = copy.prepare(
      `SELECT count(*) AS orders, max(at) AS last FROM (SELECT placed_at AS at FROM orders ${reported})`
    )
    const { orders, last } = counting.get() as { orders: number; last: string | null }
    return { orders, ...(last !== null && { lastAt: last }) }
  } finally {
    copy.close()
  }
}

/** In the order of the table's columns. */
export type TableRow = (string | number | null)[]

export type DatabaseTable = { name: string; columns: string[] }

export type Tables = {
  tables: (DatabaseTable & { rows: number })[]
  readRows: (table: DatabaseTable) => Iterable<TableRow>
  close: () => void
}

/** Each database has its own: which migrations were applied, and what the readiness check writes. */
const NOT_COPIED = ['migrations', 'write_checks']

/**
 * Opens a database, migrated to the newest schema. Until it is closed, nobody else can use it: what is copied is of one
 * moment, and nothing is added to what is left behind.
 * @throws OperatorError if it cannot be opened, or if another process has it open
 */
export function openSqliteTables(file: string): Tables {
  let db: DatabaseSync | undefined
  try {
    db = connectSqlite(file)
    // A server has it open all the time, a backup for a moment.
    db.exec('PRAGMA busy_timeout = 500')
    // In WAL mode this succeeds only if nobody else has the database open.
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    migrateSqlite(db)
    return tablesOf(db)
  } catch (error) {
    db?.close()
    if (errorCode(error) !== SQLITE_BUSY) throw new OperatorError(`${file}: ${withRemedy(error as Error)}`)
    throw new OperatorError(`another process has ${file} open; stop every server and command that uses it`)
  }
}

function tablesOf(db: DatabaseSync): Tables {
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
      // The table itself, not an index of it: damage ends it before anything is copied.
      rows: Number(db.prepare(`SELECT count(*) AS rows FROM ${name} NOT INDEXED`).get()?.rows)
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
