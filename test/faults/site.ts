// What every fault starts with: a folder with a merchant for each option and their feed, a receiver for their webhooks, a
// database, and servers as processes of their own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { FEED, merchantFile } from '../build.ts'
import { openReceiver, type Receiver } from '../checkout/webhook/receiver.ts'
import { createPostgres, type Postgres } from '../postgres.ts'
import { type Cleanup, type RunningServer, type ServerProcess, startServer } from '../server-process.ts'
import { until } from '../until.ts'
import { DELIVERY, SHOPS } from './bags.ts'
import { type Client, openClient } from './shopper.ts'

export type Site = {
  folder: string
  database: Database
  receiver: Receiver
  clock: Clock
  /** Starts a server; several may run at a time. `preload` is JavaScript that runs before it. */
  start: (changes?: Record<string, string>, preload?: string) => Promise<StartedServer>
}

export type StartedServer = RunningServer & {
  /** Over a connection that is kept. */
  client: Client
  /** When its process began to start, by `performance.now()`. */
  startedAt: number
}

/** What a merchant file says besides. */
export type ShopSettings = {
  publicUrl?: string
  checkout?: Record<string, unknown>
  catalogue?: Record<string, unknown>
}

const SECRET_VARIABLE = 'FAULTS_WEBHOOK_SECRET'

export async function openSite(
  cleanup: Cleanup,
  openDatabase: OpenDatabase,
  settingsOf: (merchant: string) => ShopSettings = () => ({})
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-faults-'))
  cleanup.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const receiver = await openReceiver(cleanup)
  const clock = clockIn(folder)
  const args = SHOPS.map(({ id, option: { name } }) => {
    const { checkout = {}, ...settings } = settingsOf(id)
    const file = {
      ...merchantFile(name, { id, publicUrl: `/${id}`, checkout }),
      delivery: [{ id: 'post', label: 'Post', price: `${DELIVERY / 100}0` }],
      webhook: { url: receiver.webhook.url, secretVariable: SECRET_VARIABLE },
      ...settings
    }
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(file))
    return `${id}.json`
  })
  writeFileSync(join(folder, 'feed.tsv'), FEED)
  const database = await openDatabase(folder, cleanup)
  return {
    folder,
    database,
    receiver,
    clock,
    start: async (changes = {}, preload = '') => {
      const startedAt = performance.now()
      const env = { DATABASE_URL: database.url, [SECRET_VARIABLE]: receiver.webhook.secret, ...changes }
      const server = await startServer(cleanup, { folder, args, env, preload: `${clock.preload}\n{${preload}}` })
      const client = openClient(server.origin)
      cleanup.teardown(client.close)
      return { ...server, client, startedAt }
    }
  }
}

export type Clock = {
  /** JavaScript that runs before the server. */
  preload: string
  /** Sets the clocks of these servers to so many milliseconds from the right time. */
  shift: (servers: ServerProcess[], milliseconds: number) => Promise<void>
  /** Sets them forward by so many milliseconds. */
  advance: (servers: ServerProcess[], milliseconds: number) => Promise<void>
  /** How far they are from the right time, in milliseconds. */
  shifted: () => number
}

export function clockIn(folder: string): Clock {
  const file = join(folder, 'clock')
  writeFileSync(file, '0')
  const preload = `
    import { readFileSync } from 'node:fs'
    const RealDate = Date
    let shift = 0
    const read = () => {
      shift = Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
      process.stderr.write('the clock is ' + shift + ' ms off\\n')
    }
    read()
    process.on('SIGWINCH', read)
    globalThis.Date = class extends RealDate {
      constructor(...given) {
        if (given.length === 0) super(RealDate.now() + shift)
        else super(...given)
      }
      static now() {
        return RealDate.now() + shift
      }
    }`
  let shifted = 0
  const shift: Clock['shift'] = async (servers, milliseconds) => {
    shifted = milliseconds
    writeFileSync(file, String(milliseconds))
    const said = `the clock is ${milliseconds} ms off\n`
    for (const { child, output } of servers) {
      const before = output().err.length
      child.kill('SIGWINCH')
      await until('the clock to be set', () => output().err.slice(before).includes(said))
    }
  }
  return {
    preload,
    shift,
    advance: (servers, milliseconds) => shift(servers, shifted + milliseconds),
    shifted: () => shifted
  }
}

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
