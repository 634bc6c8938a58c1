// Whether the database takes writes, for `/readyz`: only a write can tell.
import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Access } from './access.ts'

/** What is written, in bytes: about as much as a cart, which changes several pages. */
const CHECK_SIZE = 16_000

/** Overwrites a row of its own. Checks that are asked for at the same time share one write. */
export function writeCheck(db: DatabaseSync, { write }: Access): () => Promise<void> {
  const upsert = db.prepare(
    'INSERT INTO write_checks (id, content) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content'
  )
  let pending: Promise<void> | undefined
  return () => {
    // SQLite writes no page that stays the same.
    pending ??= write(() => {
      upsert.run(randomBytes(CHECK_SIZE / 2).toString('hex'))
    }).finally(() => {
      pending = undefined
    })
    return pending
  }
}
