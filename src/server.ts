// Starts the server: reads flags, environment and merchant files, opens catalogues and the store, listens, says where,
// and closes it all again. Nothing else of this project opens anything but the commands.
import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp, ownOrigin } from './app.ts'
import { type FeedCatalogue, followFeed } from './catalogue/feed-catalogue.ts'
import { deleteExpired, deleteOldRecords } from './checkout/delete-expired.ts'
import { type Environment, EnvironmentError, readEnvironment, readSecret } from './config/environment.ts'
import type { Merchant } from './config/merchant.ts'
import { MerchantFileError, readMerchantFiles } from './config/merchant-file.ts'
import { switchSimulator } from './config/simulator-switch.ts'
import { curlLine } from './platform/curl.ts'
import { exampleCart } from './platform/example-cart.ts'
import { SIMULATOR_PATH } from './simulator/simulator.ts'
import { openSqlite } from './store/sqlite.ts'
import type { Store } from './store/store.ts'
import { transferOptions } from './transfer/index.ts'
import { deliverMessages } from './webhook/deliver-messages.ts'

const DEMO_FOLDER = join(import.meta.dirname, '../config')
const FEED_INTERVAL = 2000
const SWEEP_INTERVAL = 10 * 60 * 1000
/** How long a stop waits for what has begun, in milliseconds. */
const STOP_TIMEOUT = 15_000
/** How many broken lines of a feed are logged one by one. */
const REPORTED_LINES = 100

async function start(): Promise<void> {
  const environment = readEnvironment()
  const files = readArguments().map(file => resolve(environment.startedIn, file))
  const merchants = readMerchantFiles(files.length > 0 ? files : demoFiles(), transferOptions, readSecret)
  // A reader of the log that goes away takes nothing else with it.
  process.stdout.on('error', () => {})
  const logger = pino(
    { level: environment.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    process.stdout
  )
  const clock = () => new Date()

  const sellers = await Promise.all(
    merchants.map(async merchant => ({ merchant, catalogue: await openCatalogue(merchant, logger) }))
  )
  const store = openStore(environment.database)
  const { servedTo, reason, isExposed } = switchSimulator(environment, merchants)
  const app = await buildApp({ merchants: sellers, store, clock, logger, ...(servedTo && { simulator: servedTo }) })
  if (isExposed) {
    logger.warn(
      { path: SIMULATOR_PATH, reason },
      'simulator on: anybody who reaches it can send bags to every merchant'
    )
  } else
    logger.info({ ...(servedTo && { path: SIMULATOR_PATH, servedTo }), reason }, `simulator ${servedTo ? 'on' : 'off'}`)

  const stopping = new AbortController()
  const sweep = () =>
    deleteExpired(store, merchants, clock(), stopping.signal)
      .then(() => deleteOldRecords(store, merchants, clock(), stopping.signal))
      .catch(error => logger.error({ err: error }, 'clean-up failed'))
  let sweeping = sweep()
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep)
  }, SWEEP_INTERVAL)
  const delivery = deliverMessages({ store, merchants, clock, logger, fetch, random: Math.random })

  closeWithGrace({ delay: STOP_TIMEOUT, logger: { error: error => logger.error(error) } }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'stopping after an error')
    clearInterval(timer)
    stopping.abort()
    await Promise.all([app.close(), delivery.stop()])
    await sweeping
    await Promise.all(sellers.map(({ catalogue }) => catalogue.close()))
    await store.close()
  })
  await listen(app, environment)
  for (const { merchant, catalogue } of sellers) print(merchant, catalogue, ownOrigin(app))
  if (servedTo) process.stdout.write(`\nSimulator: try each of them in a phone\n  ${ownOrigin(app)}${SIMULATOR_PATH}\n`)
}

/** What keeps the server from starting and is no mistake of the program: said without a stack. */
class StartError extends Error {}

function openStore(file: string): Store {
  try {
    return openSqlite(resolve(file))
  } catch (error) {
    throw new StartError(`DATABASE_URL: ${file}: ${(error as Error).message}; give a file that this server may write`)
  }
}

async function listen(app: FastifyInstance, { host, port }: Environment): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new StartError(`${(error as Error).message}; give a free PORT, and a HOST of this machine`)
  }
}

function demoFiles(): string[] {
  return readdirSync(DEMO_FOLDER)
    .filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'))
    .sort()
    .map(name => relative(process.cwd(), join(DEMO_FOLDER, name)))
}

/** The merchant files named on the command line. */
function readArguments(): string[] {
  try {
    return parseArgs({ allowPositionals: true, options: {} }).positionals
  } catch (error) {
    throw new StartError(`${(error as Error).message}; give the paths of merchant files, and nothing else`)
  }
}

async function openCatalogue(merchant: Merchant, logger: pino.Logger): Promise<FeedCatalogue> {
  const log = logger.child({ merchant: merchant.id, feed: merchant.feed })
  try {
    return await followFeed(
      merchant.feed,
      {
        onLoad: ({ products, problems, milliseconds }) => {
          for (const { line, reason } of problems.slice(0, REPORTED_LINES))
            log.warn({ line, reason }, 'feed line not served')
          log.info({ products, problems: problems.length, durationMs: Math.round(milliseconds) }, 'feed loaded')
        },
        onFailure: error =>
          log.error({ reason: error.message }, 'changed feed not taken up; the last good one stays in use')
      },
      FEED_INTERVAL
    )
  } catch (error) {
    const { message } = error as Error
    throw new StartError(
      `${merchant.id}: catalogue.feed: ${merchant.feed}: ${message}; give a product feed that can be read`
    )
  }
}

/** Says where a merchant is, and a line that tries it. The line goes to this process, whatever publicUrl says. */
function print(
  { name, option, currencies, origin, path, transfer }: Merchant,
  catalogue: FeedCatalogue,
  own: string
): void {
  const cart = exampleCart({ products: catalogue.products(), currencies })
  const address = (origin ?? own) + path + transfer.path
  const example = cart
    ? curlLine(option.request(cart, own + path + transfer.path))
    : `nothing in its feed can be bought in ${currencies.join(', ')}`
  process.stdout.write(`\n${name}: option ${option.name}, ${option.title}\n  ${address}\n  ${example}\n`)
}

try {
  await start()
} catch (error) {
  const isExpected = [StartError, MerchantFileError, EnvironmentError].some(expected => error instanceof expected)
  console.error(isExpected ? `cart-transfer cannot start:\n${(error as Error).message}` : error)
  process.exit(1)
}
