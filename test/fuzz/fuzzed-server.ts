// The server that `npm run fuzz` sends its requests to: a process of its own, watched from outside.
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openPaymentDouble } from '../../src/kit/payment/payment-double.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { readProcess } from '../bench/children.ts'
import { startOurs } from '../bench/subjects.ts'
import { merchantFile } from '../build.ts'
import { STRIPE_KEY, STRIPE_SECRET } from './page-requests.ts'
import type { Turns } from './turn-meter.ts'
import { ORIGIN, shopOf } from './write-request.ts'

const PRELOAD = join(import.meta.dirname, 'turn-meter-preload.ts')

export type FuzzedServer = {
  port: number
  /** The turns of its event loop since the last call. */
  turns: () => Promise<Turns>
  isRunning: () => boolean
  /** Resident memory, in bytes. */
  memory: () => number
  /** Lines of the log since the last call that are errors. */
  errors: () => string[]
  stop: () => Promise<void>
}

/** @param folder for its database, log and merchant files; they are overwritten */
export async function startFuzzed(folder: string, feed: string): Promise<FuzzedServer> {
  writeFileSync(join(folder, 'feed.tsv'), feed)
  const shops = await openShops()
  const merchants = shops.merchants.map((content, i) => {
    const file = join(folder, `${i}.json`)
    writeFileSync(file, JSON.stringify(content))
    return file
  })
  const socket = join(folder, 'turns')
  const log = join(folder, 'log')
  rmSync(socket, { force: true })
  const settings = { TURN_METER: socket, NODE_OPTIONS: `--import ${PRELOAD}`, SIMULATOR: 'off', LOG_LEVEL: 'info' }
  const env = { ...settings, ...shops.variables }
  const server = await startOurs({ merchants, database: join(folder, 'shop.sqlite'), env, log })
  const meter = connect(socket)
  meter.on('error', () => {})
  const answers = meter[Symbol.asyncIterator]()
  const over = { done: true, value: undefined }
  const turns = async (): Promise<Turns> => {
    meter.write('\n')
    const { done, value } = await answers.next().catch(() => over)
    return done ? { longest: 0, total: 0 } : JSON.parse(value)
  }
  return {
    port: server.port,
    turns,
    isRunning: () => server.child.exitCode === null && server.child.signalCode === null,
    memory: () => readProcess(server.pid).rss,
    errors: () => {
      const lines = readFileSync(log, 'utf8').split('\n')
      // It is opened for appending.
      truncateSync(log)
      return lines.filter(line => /^\{"level":[56]0,/.test(line))
    },
    stop: async () => {
      meter.destroy()
      await server.stop()
      await shops.close()
    }
  }
}

/** The most lines of a cart that they take: the default. */
export const MAX_ITEMS = 500

export const merchantFiles = transferOptions.map(({ name }) => {
  const { path } = shopOf(name)
  return merchantFile(name, {
    id: path.slice(1),
    publicUrl: ORIGIN + path,
    locales: ['de-DE', 'ar'],
    countries: ['GB', 'JP'],
    delivery: [
      { id: 'standard', label: 'Standard', price: '4.50' },
      { id: 'express', label: 'Express', price: '9.00' }
    ]
  })
})

/** The shops, of which that of option 2B takes payments. */
export async function openShops() {
  const double = await openPaymentDouble({ secretKey: STRIPE_KEY, webhookSecret: STRIPE_SECRET })
  const payment = {
    provider: 'stripe',
    secretVariable: 'STRIPE_KEY',
    webhookSecretVariable: 'STRIPE_SECRET',
    apiUrl: double.origin
  }
  const merchants = merchantFiles.map(file =>
    file.transfer.option === '2B' ? { ...file, checkout: { ...file.checkout, payment } } : file
  )
  return { merchants, variables: { STRIPE_KEY, STRIPE_SECRET }, close: double.close }
}
