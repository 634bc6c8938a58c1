// What a newer version's migration may do to a database while servers use it.
import { sharedPostgres } from '../../postgres.ts'

/** Adds a column to every table. @param url of a schema in the shared PostgreSQL */
export async function addColumns(url: string): Promise<void> {
  const { query } = await sharedPostgres()
  const schema = /search_path%3D(\w+)/.exec(url)?.[1]
  const found = await query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)
  for (const { tablename } of found.rows) await query(`ALTER TABLE ${schema}.${tablename} ADD COLUMN added TEXT`)
}
