// Starts the server: reads arguments, environment and merchant files, opens catalogues and the store, listens, prints the
// addresses, and closes everything in the end.
import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { buildApp, listeningOrigin } from './app.ts'
import { deleteExpired } from './checkout/checkout-store.ts'
import { eraseOldOrders } from './checkout/orders/erase-old.ts'
import { pollPayments, reportUnpolled } from './checkout/orders/poll-payments.ts'
import { deliverMessages, hastenMessages } from './checkout/webhook/outbox.ts'
import { loadEnvFile, readEnvironment, readSimulatorKey } from './environment.ts'
import { OperatorError } from './errors.ts'
import { destinations } from './integrations/destination/index.ts'
import { httpFetch } from './integrations/outgoing/http-client.ts'
import { paymentProviders } from './integrations/payment/index.ts'
import { connectProviders } from './integrations/payment/provider-call.ts'
import { faintLogos } from './merchant/faint-logos.ts'
import type { Merchant } from './merchant/merchant.ts'
import { noopObserver, untraced } from './observer.ts'
import { findPageMistakes } from './pages/check-pages.ts'
import type { MetricsServer } from './start/metrics/metrics.ts'
import { openMerchants } from './start/open-catalogue.ts'
import { openLog } from './start/open-log.ts'
import { dataFolder, openServerStore } from './start/open-store.ts'
import { logSimulatorAccess, SIMULATOR_PATH, simulatorAccess } from './start/simulator-access.ts'
import { startMessage } from './start/start-message.ts'
import { visibleLines } from './start/visible-text.ts'
import type { Store } from './store/store.ts'
import { transferOptions } from './transfer/index.ts'

const CLEAN_UP_INTERVAL = 10 * 60 * 1000
/** How long a stop waits for work under way, in milliseconds. */
const STOP_TIMEOUT = 15_000

/** Ctrl-C in a terminal, and what a supervisor sends. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
type StopSignal = (typeof STOP_SIGNALS)[number]
/** A signal this soon after the first, in milliseconds, is the same one: npm passes on what the whole group has had. */
const SAME_SIGNAL = 1000
/** How often to check that the parent is still there, in milliseconds. */
const PARENT_INTERVAL = 500

async function start(): Promise<void> {
  loadEnvFile()
  const environment = readEnvironment()
  const files = merchantArguments(environment.startedIn)
  const clock = () => new Date()
  const ownOrigin = () => listeningOrigin(app)
  const { host, port, metricsPort, rateLimit, trustedProxies, drainSeconds } = environment
  // Its shops and payments are for nobody else.
  const demos = files.length === 0 ? await import('./kit/demo/demo.ts') : undefined
  const demo = await demos?.openDemo({ port, metricsPort, ownOrigin, clock })
  const tracing =
    environment.tracing &&
    (await import('./start/tracing/open-tracing.ts')).openTracing(environment.tracing, {
      fetch: httpFetch,
      logger: () => logger
    })
  const logger: Logger = openLog(environment, tracing?.logFields)

  const settings = {
    options: transferOptions,
    destinations,
    providers: paymentProviders,
    ...(demo && { variables: demo.variables }),
    findPageMistakes
  }
  const opened = await openMerchants(demos?.demoFiles() ?? files, settings, logger, dataFolder(environment))
  const shops = opened.map(shop => ({ ...shop, merchant: demo?.lead(shop.merchant) ?? shop.merchant }))
  const merchants = shops.map(({ merchant }) => merchant)
  for (const { id, theme } of merchants) {
    for (const logo of faintLogos(theme)) logger.warn({ merchant: id, ...logo }, 'logo hardly visible on the page')
  }
  // Loaded only by those who want it.
  const metered =
    metricsPort === undefined ? undefined : (await import('./start/metrics/metrics.ts')).meterServer(merchants)
  const observer = metered?.observer ?? noopObserver
  const store = await openServerStore(environment, logger, observer)
  const fetch = tracing?.fetch ?? httpFetch
  const access = simulatorAccess({ setting: environment.simulator, host }, shops)
  logSimulatorAccess(logger, access)
  const simulatorKey = readSimulatorKey()
  const simulator = access.isOn
    ? (await import('./kit/simulator/open-simulator.ts')).openSimulator({
        key: simulatorKey,
        path: SIMULATOR_PATH,
        isExposed: access.isExposed
      })
    : undefined
  const watchedFetch = simulator?.watch(fetch) ?? fetch
  const providers = connectProviders(merchants, { fetch: watchedFetch, clock, logger, observer })
  const gateways = simulator?.watchGateways(providers, merchants) ?? providers
  const app = await buildApp({
    merchants: shops,
    store,
    clock,
    logger,
    fetch,
    simulator: simulator?.plugin,
    gateways,
    bodyMemory: environment.bodyMemoryMb * 1024 * 1024,
    ...(rateLimit && { rateLimit: { requestsPerMinute: rateLimit, trustedProxies } }),
    ...(metered && { observer }),
    ...(tracing && { tracing })
  })
  const stopCleanUp = startCleanUp(store, merchants, clock, logger)
  const stopWebhooks = deliverMessages({
    store,
    merchants,
    clock,
    logger,
    observer,
    fetch: watchedFetch,
    trace: tracing?.task ?? untraced,
    random: Math.random
  })

  const paying = merchants.flatMap(merchant => {
    const gateway = providers.get(merchant.id)
    return gateway ? [{ merchant, gateway, store, clock, observer, log: logger }] : []
  })
  const stopPayments = pollPayments(paying)
  await reportUnpolled(store, merchants, logger)

  if (rateLimit && trustedProxies.length === 0) {
    logger.warn('RATE_LIMIT without TRUSTED_PROXIES: behind a proxy, all shoppers count as one')
  }
  const options = { delay: STOP_TIMEOUT + drainSeconds * 1000, logger, skip: [...STOP_SIGNALS] }
  let signal: StopSignal | undefined
  let metricsServer: MetricsServer | undefined
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) logger.fatal({ err }, 'stopping after an error')
    else logger.info({ signal }, 'stopping')
    // Ctrl-C is a person who waits; SIGTERM comes from what sends the traffic, and needs time to send it elsewhere.
    if (signal === 'SIGTERM') {
      app.isDraining = true
      await sleep(drainSeconds * 1000)
    }
    await Promise.all([app.close(), stopWebhooks(), stopPayments(), stopCleanUp(), demo?.close()])
    await Promise.all(shops.map(({ catalogue }) => catalogue.close()))
    await Promise.all([metricsServer?.close(), tracing?.close()])
    await store.close()
    logger.info('stopped')
  })
  const stop = (received: StopSignal) => {
    signal = received
    void close()
  }
  onStopSignal(stop, logger, environment.isNpmScript)
  const checkReady = async () => {
    if (app.isDraining) throw new Error('the server is stopping')
    await store.checkReady()
  }
  metricsServer = await metered?.serve(host, Number(metricsPort), { store, shops, clock, checkReady })
  if (metricsServer) logger.info({ url: metricsServer.url }, 'metrics on')
  // What is beyond the backlog comes again after seconds, in the end after half a minute.
  await app.listen({ host, port, backlog: 4096 }).catch(({ message }: Error) => {
    throw new OperatorError(`${message}; give a free PORT, and a HOST of this machine`)
  })
  // On standard error, apart from the log. A reader that goes away must not stop the server here either.
  const origins = { server: listeningOrigin(app), demo }
  process.stderr.on('error', () => {}).write(startMessage(origins, shops, access.isOn ? simulatorKey : undefined))
  // Halves the time of the next start. Node itself would write it only when the process exits of its own accord.
  flushCompileCache()
}

/**
 * Stops the server at the first signal, and ends the process at the second.
 * @param isNpmScript whether the end of the parent counts as a SIGTERM: npm sends it to its shell, and some shells, such as
 * Debian's, exit without passing it on
 */
function onStopSignal(stop: (signal: StopSignal) => void, logger: Logger, isNpmScript: boolean): void {
  let since: number | undefined
  const receive = (signal: StopSignal) => {
    if (since === undefined) {
      since = performance.now()
      stop(signal)
    } else if (performance.now() - since > SAME_SIGNAL) {
      logger.error('second signal, exiting')
      process.exit(1)
    }
  }
  for (const signal of STOP_SIGNALS) process.on(signal, receive)
  if (!isNpmScript) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    if (since === undefined) receive('SIGTERM')
  }, PARENT_INTERVAL).unref()
}

/** The merchant files on the command line, which are relative to where it was given. */
function merchantArguments(startedIn: string): string[] {
  const files = process.argv.slice(2).filter(word => word !== '--')
  const flag = files.find(word => word.startsWith('-'))
  if (flag === undefined) return files.map(file => resolve(startedIn, file))
  throw new OperatorError(
    `${flag} is not a merchant file; give paths of merchant files here, and settings such as PORT in the environment`
  )
}

/** @returns a function that stops it */
function startCleanUp(store: Store, merchants: Merchant[], clock: () => Date, logger: Logger): () => Promise<void> {
  const abort = new AbortController()
  const cleanUp = async (): Promise<void> => {
    const now = clock()
    try {
      await hastenMessages(store, now, logger)
      await deleteExpired(store, merchants, now, abort.signal)
      await eraseOldOrders(store, merchants, now, logger, abort.signal)
    } catch (err) {
      logger.error({ err }, 'clean-up failed')
    }
  }
  let running = cleanUp()
  const timer = setInterval(() => {
    running = running.then(cleanUp)
  }, CLEAN_UP_INTERVAL)
  return async () => {
    clearInterval(timer)
    abort.abort()
    await running
  }
}

try {
  await start()
} catch (error) {
  const text = error instanceof OperatorError ? `cart-transfer cannot start:\n${error.message}` : inspect(error)
  console.error(visibleLines(text))
  process.exit(1)
}
