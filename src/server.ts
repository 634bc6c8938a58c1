// Starts the server: reads flags, environment and merchant files, opens catalogues and the store, listens, says where,
// and closes it all again. Nothing else of this project opens anything but the commands.
import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
import { pino } from 'pino'
import { buildApp, ownOrigin } from './app.ts'
import { type FeedCatalogue, followFeed } from './catalogue/feed-catalogue.ts'
import { deleteExpired } from './checkout/delete-expired.ts'
import { EnvironmentError, readEnvironment } from './config/environment.ts'
import type { Merchant } from './config/merchant.ts'
import { MerchantFileError, readMerchantFiles } from './config/merchant-file.ts'
import { curlLine, exampleCart } from './curl.ts'
import { openSqlite } from './store/sqlite.ts'
import { transferOptions } from './transfer/index.ts'

const DEMO_FOLDER = join(import.meta.dirname, '../config')
const FEED_INTERVAL = 2000
const SWEEP_INTERVAL = 10 * 60 * 1000
/** How long a stop waits for what has begun, in milliseconds. */
const STOP_TIMEOUT = 15_000
/** How many broken lines of a feed are logged one by one. */
const REPORTED_LINES = 100

async function start(): Promise<void> {
  const environment = readEnvironment()
  const { positionals } = parseArgs({ allowPositionals: true, options: {} })
  const files = positionals.map(file => resolve(environment.startedIn, file))
  const merchants = readMerchantFiles(files.length > 0 ? files : demoFiles(), transferOptions)
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
  const store = openSqlite(resolve(environment.database))
  const app = await buildApp({ merchants: sellers, store, clock, logger })

  const stopping = new AbortController()
  const sweep = () =>
    deleteExpired(store, merchants, clock(), stopping.signal).catch(error =>
      logger.error({ err: error }, 'clean-up failed')
    )
  let sweeping = sweep()
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep)
  }, SWEEP_INTERVAL)

  closeWithGrace({ delay: STOP_TIMEOUT, logger: { error: error => logger.error(error) } }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'stopping after an error')
    clearInterval(timer)
    stopping.abort()
    await app.close()
    await sweeping
    await Promise.all(sellers.map(({ catalogue }) => catalogue.close()))
    await store.close()
  })
  await app.listen({ host: environment.host, port: environment.port })
  for (const { merchant, catalogue } of sellers) print(merchant, catalogue, ownOrigin(app))
}

function demoFiles(): string[] {
  return readdirSync(DEMO_FOLDER)
    .filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'))
    .sort()
    .map(name => relative(process.cwd(), join(DEMO_FOLDER, name)))
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
    throw new MerchantFileError(`${merchant.id}: catalogue.feed: ${merchant.feed}: ${(error as Error).message}`)
  }
}

/** Says where a merchant is, and a line that tries it. The line goes to this process, whatever publicUrl says. */
function print(
  { name, option, currencies, origin, path, transfer }: Merchant,
  catalogue: FeedCatalogue,
  own: string
): void {
  const [currency = ''] = currencies
  const request = option.request(exampleCart(catalogue.products(), currency), own + path + transfer.path)
  const address = (origin ?? own) + path + transfer.path
  process.stdout.write(`\n${name}: option ${option.name}, ${option.title}\n  ${address}\n  ${curlLine(request)}\n`)
}

try {
  await start()
} catch (error) {
  const isExpected = error instanceof MerchantFileError || error instanceof EnvironmentError
  const { code, message } = error as { code?: string; message: string }
  console.error(isExpected || code ? `cart-transfer cannot start:\n${message}` : error)
  process.exit(1)
}
