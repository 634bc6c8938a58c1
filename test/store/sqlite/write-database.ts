// A new SQLite file for a test: to make its tables takes longer than most tests, so it is made once in each process.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { connectSqlite, migrateSqlite } from '../../../src/store/sqlite/sqlite-file.ts'

let migrated: Buffer | undefined

/** Writes a database with all its tables and no rows, into a new folder. */
export function writeDatabase(file: string): void {
  mkdirSync(dirname(file))
  if (!migrated) {
    const db = connectSqlite(file)
    migrateSqlite(db)
    db.close()
    migrated = readFileSync(file)
  }
  writeFileSync(file, migrated)
}
