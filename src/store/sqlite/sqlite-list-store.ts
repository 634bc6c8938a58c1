// Lists that are compared, in a temporary SQLite database: a file without a name, which disappears with the process.
import { DatabaseSync } from 'node:sqlite'
import { referenceKey } from '../../cart/cart.ts'
import type { ListStore } from '../../reconcile/compare-lists.ts'
import type { ListRow, ListSide } from '../../reconcile/list-entry.ts'
import type { ReferenceResult } from '../../reconcile/reference-result.ts'

/** How much SQLite may cache, and sort at once, in KiB. */
const CACHE = 8 * 1024

export function openSqliteListStore(): ListStore {
  const db = new DatabaseSync('')
  db.exec(`PRAGMA cache_size = -${CACHE}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF`)
  db.exec(`CREATE TABLE list_rows (reference_key TEXT NOT NULL, side TEXT NOT NULL, line INTEGER NOT NULL,
    list_row TEXT NOT NULL)`)
  db.exec(`CREATE TABLE answers (line INTEGER, merchant_line INTEGER, is_matched INTEGER NOT NULL,
    answer TEXT NOT NULL)`)
  db.exec(`CREATE TABLE found (reference_key TEXT NOT NULL, merchant_id TEXT NOT NULL,
    PRIMARY KEY (reference_key, merchant_id)) WITHOUT ROWID`)
  db.exec('BEGIN')
  const insertRow = db.prepare('INSERT INTO list_rows VALUES (?, ?, ?, ?)')
  const selectRows = db.prepare(
    'SELECT reference_key, side, list_row FROM list_rows ORDER BY reference_key, side, line'
  )
  const insertResult = db.prepare('INSERT INTO answers VALUES (?, ?, ?, ?)')
  const insertFound = db.prepare('INSERT OR IGNORE INTO found VALUES (?, ?)')
  const selectFound = db.prepare('SELECT 1 FROM found WHERE reference_key = ? AND merchant_id = ?')
  const selectResults = db.prepare(
    `SELECT answer FROM answers WHERE is_matched <= ?
     ORDER BY line IS NULL, line, merchant_line IS NULL, merchant_line, rowid`
  )
  return {
    addRow: (side, row) => void insertRow.run(referenceKey(row.reference), side, row.line, JSON.stringify(row)),
    rowsByKey: function* () {
      for (const { reference_key, side, list_row } of selectRows.iterate()) {
        yield { ...(JSON.parse(String(list_row)) as ListRow), key: String(reference_key), side: side as ListSide }
      }
    },
    addResult: (key, result) => {
      const { line = null, merchantLine = null } = result as { line?: number; merchantLine?: number }
      insertResult.run(line, merchantLine, result.answer === 'matched' ? 1 : 0, JSON.stringify(result))
      if (result.answer !== 'only-merchant' && result.merchant !== null) insertFound.run(key, result.merchant)
    },
    isFoundAt: (merchant, key) => selectFound.get(key, merchant) !== undefined,
    results: function* (which) {
      for (const { answer } of selectResults.iterate(which === 'all' ? 1 : 0))
        yield JSON.parse(String(answer)) as ReferenceResult
    },
    close: () => db.close()
  }
}
