// A store in a file of its test, with the connection and the file, and what other connections do there.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'
import { connectSqlite } from '../../../src/store/sqlite/sqlite-file.ts'
import { type SqliteStoreOptions, sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { writeDatabase } from './write-database.ts'

export const fileOf = (t: Test) => join(t.testdirName, 'data/test.sqlite')

export type Connected = { store: Store; db: DatabaseSync; file: string }

export function connect(t: Test, options?: SqliteStoreOptions): Connected {
  t.testdir({})
  const file = fileOf(t)
  writeDatabase(file)
  const db = connectSqlite(file)
  const store = sqliteStore(db, options)
  t.teardown(async () => db.isOpen && store.close())
  return { store, db, file }
}

/** Takes the write lock, as another process may. @returns what ends it */
export function lock(t: Test, file: string): () => void {
  const other = new DatabaseSync(file)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  return () => other.exec('COMMIT')
}

/** Records every statement of `exec` once it has returned. */
export function record(db: DatabaseSync): string[] {
  const log: string[] = []
  const exec = db.exec.bind(db)
  db.exec = sql => {
    exec(sql)
    log.push(sql)
  }
  return log
}

/** Counts the statements that `exec` is given. @returns how many there have been */
export function count(db: DatabaseSync): () => number {
  let given = 0
  const exec = db.exec.bind(db)
  db.exec = sql => {
    given++
    exec(sql)
  }
  return () => given
}
