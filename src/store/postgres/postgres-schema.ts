// PostgreSQL's schema, as migrations: append, never change. After the first, a migration only adds: tables, indexes, and
// columns that may be null or have a default. Servers of the version before keep running meanwhile; what is replaced is
// dropped a version later. Text is compared byte by byte, as SQLite does, whatever the locale of the database.
import { OperatorError } from '../../errors.ts'
import type { DatabaseRow } from '../database.ts'
import { type Migration, pendingMigrations } from '../migrations.ts'
import { sqliteMigrations } from '../sqlite/sqlite-schema.ts'
import type { Run } from './connections.ts'

/** SQLite's migrations from before PostgreSQL was supported, which are one step here. */
const FIRST = sqliteMigrations.filter(({ name }) => name < '013')
/** Those since, but for what only SQLite needs. */
const LATER = sqliteMigrations.filter(({ name }) => name > '015')

const inBytes = ({ statements }: Migration) => statements.map(sql => sql.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"'))

export const postgresMigrations: Migration[] = [
  {
    name: '001-schema',
    statements: FIRST.flatMap(inBytes)
  },
  ...LATER.map(step => ({ ...step, statements: inBytes(step) }))
]

/** The oldest version that PostgreSQL itself still maintains. */
const MIN_VERSION = 14

/** Any number that other programs on the database are unlikely to use. */
const LOCK = 0x63617274

const SELECT_SETTINGS = `SELECT current_setting('server_version_num')::int / 10000 AS version,
  current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
  to_regclass('migrations') IS NOT NULL AS is_migrated`

/**
 * Checks that a database keeps what it confirms, then migrates it to the newest schema, in one transaction. Servers that
 * start together do so one after the other. A database that is up to date is only read.
 * @param isExisting whether a server must have used it before
 * @returns whether this created the tables
 * @throws OperatorError if this version cannot use the database
 */
export async function migratePostgres(
  run: Run,
  { isExisting = false, steps = postgresMigrations }: { isExisting?: boolean; steps?: Migration[] } = {}
): Promise<boolean> {
  const [settings] = (await run(SELECT_SETTINGS)).rows as [DatabaseRow]
  const { version, encoding, commit, is_migrated } = settings
  if (Number(version) < MIN_VERSION) {
    throw new OperatorError(`this is PostgreSQL ${version}; use ${MIN_VERSION} or newer`)
  }
  if (encoding !== 'UTF8') {
    throw new OperatorError(`the database's encoding is ${encoding}; create one with ENCODING 'UTF8'`)
  }
  if (commit === 'off') {
    throw new OperatorError('synchronous_commit is off, so that a crash could lose what was confirmed; set it to on')
  }
  if (isExisting && is_migrated !== true) {
    throw new OperatorError('no server has used this database yet; set DATABASE_URL as for the server')
  }
  const isApplied = is_migrated === true && pendingMigrations(steps, await appliedTo(run)).length === 0
  return !isApplied && (await migrate(run, steps))
}

async function migrate(run: Run, steps: Migration[]): Promise<boolean> {
  // It may take a while, and so may another server's.
  await run('SET statement_timeout = 0')
  await run('SET lock_timeout = 0')
  await run('BEGIN')
  await run(`SELECT pg_advisory_xact_lock(${LOCK})`)
  await run('CREATE TABLE IF NOT EXISTS migrations (name TEXT COLLATE "C" PRIMARY KEY)')
  const applied = await appliedTo(run)
  for (const { name, statements } of pendingMigrations(steps, applied)) {
    for (const statement of statements) await run(statement)
    await run('INSERT INTO migrations (name) VALUES ($1)', [name])
  }
  await run('COMMIT')
  return applied.length === 0
}

async function appliedTo(run: Run): Promise<string[]> {
  return (await run('SELECT name FROM migrations')).rows.map(({ name }) => String(name))
}
