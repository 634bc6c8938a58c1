// Stores in a schema of its test, in the PostgreSQL that all tests of this process share.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { type Network, openNetwork } from '../../faults/network.ts'
import { sharedPostgres } from '../../postgres.ts'

const urls = new WeakMap<Test, Promise<string>>()

/** The address of the test's schema, which is empty at first. */
export function urlOf(t: Test): Promise<string> {
  const url = urls.get(t) ?? sharedPostgres().then(postgres => postgres.newUrl())
  urls.set(t, url)
  return url
}

const emptied = new WeakSet<Test>()
let reused: Promise<string> | undefined

/**
 * Opens one more store on a schema that is empty at the beginning of the test. All tests that call this share it, as to
 * create its tables takes longer than most of them.
 */
export async function openReused(t: Test): Promise<Store> {
  const postgres = await sharedPostgres()
  reused ??= postgres.newUrl().then(async url => {
    await (await openPostgres(url)).close()
    return `${url}&pool_max_conns=4`
  })
  const url = await reused
  if (!emptied.has(t)) {
    const [, schema = ''] = /search_path%3D(\w+)/.exec(url) ?? []
    await postgres.query(`SET search_path = ${schema}; ${TABLES.map(name => `DELETE FROM ${name}`).join('; ')}`)
  }
  emptied.add(t)
  return openPostgres(url)
}

const TABLES = [
  'checkouts',
  'handovers',
  'idempotency_keys',
  'orders',
  'outbox',
  'payments',
  'reported_orders',
  'stopped_webhooks',
  'transfers',
  'unreadable_transfers'
]

/** A connection to the schema of the test that no store has. */
export async function connectClient(t: Test): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await urlOf(t) })
  await client.connect()
  t.teardown(() => client.end())
  return client
}

/** Opens one more store on the schema of the test. */
export async function openTested(t: Test, options?: PostgresOptions): Promise<Store> {
  return openPostgres(await urlOf(t), {}, options)
}

/** Several, as several servers have them; they are closed with the test. */
export async function openReplicas(t: Test, count: number): Promise<[Store, ...Store[]]> {
  const stores = await Promise.all(Array.from({ length: count }, () => openTested(t)))
  t.teardown(() => Promise.all(stores.map(store => store.close())))
  return stores as [Store, ...Store[]]
}

/** Adds a column to every table, as a newer version's migration may. @param url of a schema in the shared PostgreSQL */
export async function addColumns(url: string): Promise<void> {
  const { query } = await sharedPostgres()
  const schema = /search_path%3D(\w+)/.exec(url)?.[1]
  const found = await query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)
  for (const { tablename } of found.rows) await query(`ALTER TABLE ${schema}.${tablename} ADD COLUMN added TEXT`)
}

/** A way to the database of the test that can break. */
export async function openNetworkOf(t: Test): Promise<Network> {
  // Not tap's own folder: the path of a socket may not be as long.
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-network-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return openNetwork(t, await urlOf(t), folder)
}
