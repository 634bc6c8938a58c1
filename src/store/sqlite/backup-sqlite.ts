// A copy of the database, taken while servers write to it: SQLite's own online backup. A copied file would lack what is
// in its WAL.
import { closeSync, openSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'
import { LOCK_TIMEOUT } from './sqlite-file.ts'

/** In one step: several would begin anew with each write of a server. */
const ALL_PAGES = 2 ** 31 - 1

/** What is in a backup: how many orders, and when the last one was placed or reported, in ISO 8601. */
export type BackupContents = { orders: number; lastAt?: string }

/**
 * Copies the database as it is at one moment. The copy is a single file without a WAL, for its owner only; the name is
 * given to it once it is complete and has been checked.
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
    if (check?.quick_check !== 'ok') throw new OperatorError(`it is damaged: ${check?.quick_check}`)
    const hasTable = (name: string) =>
      copy.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined
    if (!hasTable('orders')) {
      throw new OperatorError(
        'there is no table of orders in it: it is another database, or was copied without its -wal'
      )
    }
    // A database that no server of this version has opened yet has no reported orders.
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
