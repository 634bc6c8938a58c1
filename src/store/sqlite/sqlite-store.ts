// The store in one SQLite file, through Node's own driver. The file is in WAL mode and every commit is synced before its
// answer is sent, so what was answered survives a crash of the process and of the machine. Nothing is written to a file
// that was deleted or replaced: it would be gone after a restart.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OperatorError } from '../../errors.ts'
import {
  type Database,
  type DatabaseRow,
  type DatabaseStep,
  type Result,
  type SqlValues,
  type Work,
  watchForDamage
} from '../database.ts'
import { type Store, storeIn } from '../store.ts'
import { type CommitOptions, groupCommit } from './group-commit.ts'
import { connectSqlite, guard, isDamage, migrateSqlite, rememberFiles, withRemedy } from './sqlite-file.ts'

/** With the path by which the database was opened, and by which the next start will look for it. */
export type SqliteStoreOptions = CommitOptions & { file?: string }

/** @throws OperatorError if the file cannot be opened */
export function openSqlite(file: string, options: CommitOptions = {}): Store {
  try {
    const db = connectSqlite(file)
    migrateSqlite(db)
    return sqliteStore(db, { ...options, file })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const remedy = 'give a file that this server may write, in an existing folder'
    throw new OperatorError(withRemedy(error as Error, remedy), { cause: error })
  }
}

/** The store on an open connection to a database of the newest schema, which it closes in the end. */
export function sqliteStore(db: DatabaseSync, options: SqliteStoreOptions = {}): Store {
  const { file = db.location() } = options
  // A database in memory has no file. The name of the log follows that of the file itself, not of a link to it.
  const checkFiles = file === null ? () => {} : rememberFiles([file, `${db.location()}-wal`])
  const { watch, checkSound } = watchForDamage(`the database file ${file}`, isDamage)
  const checkDurable = () => {
    checkSound()
    checkFiles()
  }
  const { write: commit, flush } = groupCommit(db, checkDurable, options)
  const prepare = preparedOn(db)
  // A transaction has the whole database to itself, so a reference needs no lock of its own.
  const execute = (step: DatabaseStep) => ('sql' in step ? prepare(step.sql)(step.values) : UNCHANGED)
  const doAll = <T>(work: Work<T>): T => {
    let step = work.next()
    while (!step.done) step = work.next(execute(step.value))
    return step.value
  }
  const findDurable = <T>(work: Work<T>): T => {
    const found = doAll(work)
    if (found !== undefined) checkDurable()
    return found
  }
  /** Reads wait until all requests of a turn of the event loop have arrived: together they find their code in the CPU cache. */
  let turn: Promise<void> | undefined
  const endOfTurn = () => {
    turn ??= nextTurn().then(() => {
      turn = undefined
    })
    return turn
  }
  const database: Database = {
    read: async (sql, values = []) => {
      const execute = prepare(sql)
      await endOfTurn()
      return execute(values)
    },
    write: (sql, values = []) => commit(() => prepare(sql)(values)),
    transaction: (work, find) => commit(() => doAll(work()), find && (() => findDurable(find()))),
    snapshot: async work => {
      db.exec('BEGIN')
      try {
        return doAll(work())
      } finally {
        db.exec('COMMIT')
      }
    },
    // One writer at a time, whoever it is: nobody waits for a connection, or for rows.
    of: () => database,
    checkDurable,
    guard: call => guard(() => watch(call)),
    /**
     * Moves everything into the main file and truncates the write-ahead log, which still has the old pages. SQLite would
     * hold the write lock while it waits for readers, and hold up a server: so it does not wait.
     */
    purge: async () => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0,
    close: async () => {
      await flush()
      await turn
      db.close()
    }
  }
  // From here on SQLite never waits in this thread.
  db.exec('PRAGMA busy_timeout = 0')
  return storeIn(database)
}

const UNCHANGED: Result = { rows: [], count: 0 }

type Prepared = (values: SqlValues) => Result

/** @returns a function that prepares a statement when it is first needed */
function preparedOn(db: DatabaseSync): (sql: string) => Prepared {
  const prepared = new Map<string, Prepared>()
  return sql => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = executing(db.prepare(sqliteSql(sql)))
    prepared.set(sql, statement)
    return statement
  }
}

function executing(statement: StatementSync): Prepared {
  const columns = statement.columns().map(({ name }) => name)
  if (columns.length === 0) {
    return values => ({ rows: [], count: Number(statement.run(...values.map(sqliteValue)).changes) })
  }
  // The driver's own objects take several times as long, and as much memory.
  statement.setReturnArrays(true)
  return values => {
    const found = statement.all(...values.map(sqliteValue)) as unknown as unknown[][]
    const rows = found.map(row => {
      const named: DatabaseRow = {}
      for (let i = 0; i < columns.length; i++) named[String(columns[i])] = row[i]
      return named
    })
    return { rows, count: rows.length }
  }
}

/** PostgreSQL's SQL as SQLite understands it, which locks no rows. */
function sqliteSql(sql: string): string {
  return sql
    .replace(/FOR UPDATE( OF \w+)?( SKIP LOCKED)?/g, '')
    .replace(/= ANY \((\$\d+)\)/g, 'IN (SELECT value FROM json_each($1))')
    .replace(/\bctid\b/g, 'rowid')
    .replaceAll('$', '?')
}

function sqliteValue(value: SqlValues[number]): string | number | null {
  return typeof value === 'object' ? value && JSON.stringify(value) : value
}
