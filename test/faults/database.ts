// The databases that servers are tried on.
import { join } from 'node:path'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { createPostgres, type Postgres } from '../postgres.ts'
import type { Cleanup } from '../server-process.ts'

export type StoreName = 'SQLite' | 'PostgreSQL'

export type Database = {
  name: StoreName
  /** What DATABASE_URL says. */
  url: string
  /** Opens the store beside the servers. */
  open: () => Promise<Store>
}

/** Makes a database, in a folder that is deleted in the end. */
export type OpenDatabase = (folder: string, cleanup: Cleanup) => Promise<Database> | Database

export function sqliteIn(folder: string): Database {
  const file = join(folder, 'shop.sqlite')
  return { name: 'SQLite', url: `sqlite:${file}`, open: async () => openSqlite(file) }
}

/** As it is installed, so that it syncs every commit; tests have it quicker. */
const DURABLE = ['shared_buffers=16MB', 'max_connections=200']

/** A PostgreSQL of its own, with a database in it. */
export async function startPostgres(cleanup: Cleanup): Promise<{ postgres: Postgres; database: Database }> {
  const postgres = await createPostgres(DURABLE)
  cleanup.teardown(postgres.remove)
  const url = await postgres.newUrl()
  return { postgres, database: { name: 'PostgreSQL', url, open: () => openPostgres(url) } }
}

export const databases: Record<StoreName, OpenDatabase> = {
  SQLite: sqliteIn,
  PostgreSQL: async (_folder, cleanup) => (await startPostgres(cleanup)).database
}
