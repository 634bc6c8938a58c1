// PostgreSQL's schema, as migrations: append, never change. After the first, a migration only adds: tables, indexes, and
// columns that may be null or have a default. Servers of the version before go on meanwhile; what is replaced goes a version
// later. Text is compared byte by byte, as SQLite does, whatever the locale of the database.
import { OperatorError } from '../../errors.ts'
import type { DatabaseRow } from '../database.ts'
import { type Migration, pendingMigrations } from '../migrations.ts'
import type { Run } from './connections.ts'

const TEXT = 'TEXT COLLATE "C"'

export const postgresMigrations: Migration[] = [
  {
    name: '001-schema',
    statements: [
      `CREATE TABLE checkouts (
        token ${TEXT} PRIMARY KEY,
        merchant_id ${TEXT} NOT NULL,
        reference_key ${TEXT} NOT NULL,
        transfer_option ${TEXT} NOT NULL,
        cart ${TEXT} NOT NULL,
        created_at ${TEXT} NOT NULL,
        expires_at ${TEXT} NOT NULL,
        superseded_at ${TEXT},
        is_ordered BIGINT NOT NULL DEFAULT 0,
        handover ${TEXT}
      )`,
      `CREATE UNIQUE INDEX checkouts_newest ON checkouts (merchant_id, reference_key) WHERE superseded_at IS NULL`,
      `CREATE INDEX checkouts_superseded ON checkouts (merchant_id, reference_key) WHERE superseded_at IS NOT NULL`,
      `CREATE INDEX checkouts_unordered ON checkouts (merchant_id, expires_at) WHERE is_ordered = 0`,
      `CREATE TABLE orders (
        number ${TEXT} PRIMARY KEY,
        merchant_id ${TEXT} NOT NULL,
        reference_key ${TEXT} NOT NULL,
        token ${TEXT} NOT NULL UNIQUE,
        reference ${TEXT} NOT NULL,
        currency ${TEXT} NOT NULL,
        lines ${TEXT} NOT NULL,
        subtotal BIGINT NOT NULL,
        delivery ${TEXT},
        total BIGINT NOT NULL,
        customer ${TEXT},
        placed_at ${TEXT} NOT NULL
      )`,
      `CREATE UNIQUE INDEX orders_reference ON orders (merchant_id, reference_key)`,
      `CREATE INDEX orders_placed ON orders (placed_at, number)`,
      `CREATE INDEX orders_personal ON orders (merchant_id, placed_at) WHERE customer IS NOT NULL`,
      `CREATE TABLE outbox (
        order_number ${TEXT} PRIMARY KEY,
        merchant_id ${TEXT} NOT NULL,
        state ${TEXT} NOT NULL,
        attempts BIGINT NOT NULL,
        due_at ${TEXT} NOT NULL,
        claim ${TEXT},
        attempted_at ${TEXT},
        problem ${TEXT},
        queued_at ${TEXT}
      )`,
      `CREATE INDEX outbox_due ON outbox (merchant_id, due_at) WHERE state = 'pending'`,
      `CREATE INDEX outbox_failed ON outbox (order_number) WHERE state = 'failed'`,
      `CREATE INDEX outbox_undelivered ON outbox (merchant_id, state, queued_at) WHERE state <> 'delivered'`,
      `CREATE TABLE stopped_webhooks (merchant_id ${TEXT} PRIMARY KEY, stopped_at ${TEXT} NOT NULL)`,
      `CREATE TABLE transfers (
        merchant_id ${TEXT} NOT NULL,
        reference_key ${TEXT} NOT NULL,
        reference ${TEXT},
        transfer_option ${TEXT} NOT NULL,
        outcome ${TEXT} NOT NULL,
        problem ${TEXT},
        mistakes ${TEXT} NOT NULL,
        transferred_at ${TEXT} NOT NULL
      )`,
      `CREATE INDEX transfers_reference ON transfers (merchant_id, reference_key, transferred_at)`,
      `CREATE INDEX transfers_age ON transfers (merchant_id, transferred_at)`,
      `CREATE TABLE unreadable_transfers (
        merchant_id ${TEXT} NOT NULL,
        transferred_on ${TEXT} NOT NULL,
        transfers BIGINT NOT NULL,
        PRIMARY KEY (merchant_id, transferred_on)
      )`,
      `CREATE TABLE handovers (
        merchant_id ${TEXT} NOT NULL,
        reference_key ${TEXT} NOT NULL,
        attempt ${TEXT} NOT NULL,
        cart ${TEXT} NOT NULL,
        created_at ${TEXT} NOT NULL,
        PRIMARY KEY (merchant_id, reference_key)
      )`,
      `CREATE TABLE reported_orders (
        merchant_id ${TEXT} NOT NULL,
        reference_key ${TEXT} NOT NULL,
        reference ${TEXT} NOT NULL,
        number ${TEXT} NOT NULL,
        currency ${TEXT} NOT NULL,
        items ${TEXT} NOT NULL,
        total BIGINT NOT NULL,
        reported_at ${TEXT} NOT NULL,
        arrived_at ${TEXT},
        PRIMARY KEY (merchant_id, reference_key)
      )`,
      `CREATE UNIQUE INDEX reported_orders_number ON reported_orders (number, merchant_id)`,
      `CREATE INDEX reported_orders_reported ON reported_orders (reported_at, number, merchant_id)`,
      `CREATE TABLE write_checks (id INTEGER PRIMARY KEY, content ${TEXT} NOT NULL)`
    ]
  }
]

/** The oldest version that PostgreSQL itself still maintains. */
const MIN_VERSION = 14

/** Any number that other programs on the database are unlikely to use. */
const LOCK = 0x63617274

const SELECT_SETTINGS = `SELECT current_setting('server_version_num')::int / 10000 AS version,
  current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
  to_regclass('migrations') IS NOT NULL AS is_migrated`

export type MigrationOptions = {
  /** Whether a server must have used it before. */
  isExisting?: boolean
  steps?: Migration[]
}

/**
 * Checks that a database keeps what it confirms, then migrates it to the newest schema, in one transaction. Servers that start together do so one after the other. A database that
 * is up to date is only read.
 * @returns whether this created the tables
 * @throws OperatorError if this version cannot use the database
 */
export async function migratePostgres(
  run: Run,
  { isExisting = false, steps = postgresMigrations }: MigrationOptions = {}
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
  // It may take its time, and so may another server's.
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
