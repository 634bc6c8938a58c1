// What every fault starts with: a folder with a merchant for each option and their feed, a receiver for their webhooks, a
// database, and servers as processes of their own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/store/store.ts'
import { FEED, merchantFile } from '../build.ts'
import { type Cleanup, type RunningServer, startServer } from '../server-process.ts'
import { openReceiver, type Receiver } from '../webhook/receiver.ts'
import { DELIVERY, SHOPS } from './bags.ts'
import { type Client, openClient } from './client.ts'
import { type Clock, clockIn } from './clock.ts'
import type { Database, OpenDatabase } from './database.ts'

export type Site = {
  folder: string
  database: Database
  receiver: Receiver
  clock: Clock
  /** Starts a server; several may run at a time. `preload` is JavaScript that runs before it. */
  start: (changes?: Record<string, string>, preload?: string) => Promise<StartedServer>
  /** The store, opened beside the servers. */
  openStore: () => Promise<Store>
}

export type StartedServer = RunningServer & {
  /** Over a connection that is kept. */
  client: Client
  /** When its process began to start, by `performance.now()`. */
  startedAt: number
}

/** What a merchant file says besides. */
type ShopSettings = { checkout?: Record<string, unknown>; catalogue?: Record<string, unknown> }

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
    },
    openStore: async () => {
      const store = await database.open()
      cleanup.teardown(() => store.close())
      return store
    }
  }
}
