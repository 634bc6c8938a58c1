// The databases that servers are tried on.
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'

export type StoreName = 'SQLite'

export type Database = {
  name: StoreName
  /** What DATABASE_URL says. */
  url: string
  /** Opens the store beside the servers. */
  open: () => Promise<Store>
}

export function sqliteIn(folder: string): Database {
  const file = join(folder, 'shop.sqlite')
  return { name: 'SQLite', url: `sqlite:${file}`, open: async () => openSqlite(file) }
}

/** How each database is made, in a folder that is deleted in the end. */
export const databases: Record<StoreName, (folder: string) => Promise<Database> | Database> = {
  SQLite: sqliteIn
}
