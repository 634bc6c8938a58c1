// The store in one SQLite file, through Node's own driver. The file is in WAL mode and every commit is synced before
// its answer leaves, so what a platform was told survives a crash of the process and of the machine.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { referenceKey } from '../cart/reference.ts'
import { StoreUnavailable } from '../errors.ts'
import { groupCommit } from './group-commit.ts'
import { type Migration, migrations } from './migrations.ts'
import { answersAgain, type NewCheckout, type Store, type StoredCheckout } from './store.ts'

/** How long a statement waits for another process that is writing, in milliseconds. */
const BUSY_TIMEOUT = 5000

const SQLITE_BUSY = 5

/** SQLite's codes for a file that is locked, full, read-only or cannot be read: not this request's fault. */
const UNAVAILABLE = new Set([SQLITE_BUSY, 6, 8, 10, 13, 14])

/** Opens a connection as the store needs it; the file and its folder are made when they are missing. */
export function connectSqlite(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true })
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT })
  try {
    useWal(db)
    db.exec('PRAGMA synchronous = FULL')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Turns WAL mode on. SQLite does not wait for its busy timeout here, though another server may be doing the same. */
function useWal(db: DatabaseSync): void {
  const deadline = Date.now() + BUSY_TIMEOUT
  while (true) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

/**
 * Brings a database to the newest shape, each step in its own transaction.
 * @throws when the file was written by a newer version of this server
 */
export function migrateSqlite(db: DatabaseSync, steps: Migration[] = migrations): void {
  db.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)')
  const unknown = db
    .prepare('SELECT name FROM migrations')
    .all()
    .find(({ name }) => !steps.some(step => step.name === name))
  if (unknown) {
    throw new Error(
      `the database has the step "${unknown.name}", which this version does not know; use a newer version`
    )
  }
  for (const { name, statements } of steps) {
    db.exec('BEGIN IMMEDIATE')
    try {
      if (!db.prepare('SELECT 1 FROM migrations WHERE name = ?').get(name)) {
        for (const statement of statements) db.exec(statement)
        db.prepare('INSERT INTO migrations (name) VALUES (?)').run(name)
      }
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

type Row = Record<string, SQLOutputValue>

function fromRow(row: Row): StoredCheckout {
  return {
    token: String(row.token),
    merchantId: String(row.merchant_id),
    option: String(row.transfer_option),
    cart: JSON.parse(String(row.cart)),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(row.superseded_at !== null && { supersededAt: String(row.superseded_at) })
  }
}

/** The store on an open connection, which it closes in the end. */
export function sqliteStore(db: DatabaseSync): Store {
  const selectNewest = db.prepare(
    'SELECT * FROM checkouts WHERE merchant_id = ? AND reference_key = ? AND superseded_at IS NULL'
  )
  const selectByToken = db.prepare('SELECT * FROM checkouts WHERE token = ? AND merchant_id = ?')
  const supersede = db.prepare('UPDATE checkouts SET superseded_at = ? WHERE token = ?')
  const insert = db.prepare(
    `INSERT INTO checkouts (token, merchant_id, reference_key, transfer_option, cart, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`
  )
  const deleteSome = db.prepare(
    `DELETE FROM checkouts WHERE token IN
     (SELECT token FROM checkouts WHERE merchant_id = ? AND expires_at < ? ORDER BY expires_at LIMIT ?)`
  )
  const ping = db.prepare('SELECT 1')
  const { write, flush } = groupCommit(db)

  const newest = (merchantId: string, reference: string): StoredCheckout | undefined => {
    const row = selectNewest.get(merchantId, referenceKey(reference))
    return row && fromRow(row)
  }
  const add = (checkout: NewCheckout): StoredCheckout => {
    const { token, merchantId, option, cart, createdAt, expiresAt } = checkout
    const before = newest(merchantId, cart.reference)
    if (before && answersAgain(before, cart, createdAt)) return before
    if (before) supersede.run(createdAt, before.token)
    insert.run(token, merchantId, referenceKey(cart.reference), option, JSON.stringify(cart), createdAt, expiresAt)
    return checkout
  }
  return {
    newestCheckout: (merchantId, reference) => attempt(() => newest(merchantId, reference)),
    addCheckout: checkout => attempt(() => write(() => add(checkout))),
    findCheckout: (merchantId, token) =>
      attempt(() => {
        const row = selectByToken.get(token, merchantId)
        return row && fromRow(row)
      }),
    deleteExpired: (merchantId, before, limit) =>
      attempt(() => write(() => Number(deleteSome.run(merchantId, before, limit).changes))),
    ping: () => attempt(() => void ping.get()),
    close: async () => {
      await flush()
      db.close()
    }
  }
}

/** Runs a piece of work and tells a store that is out of reach from a mistake in the program. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { errcode } = error as { errcode?: number }
    // The low byte is SQLite's primary code; the rest tells which disk operation failed.
    if (errcode !== undefined && UNAVAILABLE.has(errcode & 0xff)) {
      throw new StoreUnavailable('the SQLite store is locked, full or out of reach', { cause: error })
    }
    throw error
  }
}

/** Opens the store in a file. */
export function openSqlite(file: string): Store {
  const db = connectSqlite(file)
  migrateSqlite(db)
  return sqliteStore(db)
}
