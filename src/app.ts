// Builds the app from parts that are already open: views, error pages, merchants. It opens nothing and reads no
// environment.
import { randomUUID } from 'node:crypto'
import view from '@fastify/view'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import { cutTinyChunks, watchChunks } from './http/body-chunks.ts'
import {
  answerClientError,
  areSecure,
  handleNotFound,
  refuseConnect,
  type Storefronts,
  unroutedResponse
} from './http/client-errors.ts'
import { formByAccept, handleErrors, rememberProblems, toRefusal } from './http/error-handler.ts'
import { requireOneHost, setHeadersOfEvery } from './http/every-answer.ts'
import { closeGracefully } from './http/graceful-close.ts'
import { merchantRoutes } from './http/merchant-routes.ts'
import { routedMethod } from './http/method-not-allowed.ts'
import { createNodeServer, MAX_HEADER, type NodeServer } from './http/node-server.ts'
import { observeRequests } from './http/observe-requests.ts'
import { schemaController } from './http/schema-compilers.ts'
import { serverRoutes } from './http/server-routes.ts'
import { logSharedFailures } from './http/shared-failures.ts'
import { type RateLimit, shedLoad } from './http/shed-load.ts'
import { traceRequests } from './http/trace-requests.ts'
import { SIMULATOR_PATH, simulator } from './kit/simulator/simulator.ts'
import { type SimulatorSettings, simulatorAccess } from './kit/simulator/simulator-access.ts'
import { connectShop } from './merchant/connect-shop.ts'
import type { MerchantCatalogue } from './merchant/shop.ts'
import { noopObserver, type Observer, untraced } from './observer.ts'
import { orderFormOf } from './orders/order-form.ts'
import { openStorefront, sharedParts } from './pages/storefront.ts'
import { textEngine } from './pages/template-engine.ts'
import { VIEWS_FOLDER } from './pages/view-files.ts'
import type { Store } from './store/store.ts'
import { traceStore } from './tracing/traced-store.ts'
import type { Tracing } from './tracing/tracing.ts'

export type AppParts = {
  merchants: MerchantCatalogue[]
  store: Store
  clock: () => Date
  logger: FastifyBaseLogger
  /** Calls the merchants' own shops. */
  fetch: typeof fetch
  /** Who may open the simulator; if absent, there is no simulator. */
  simulator?: SimulatorSettings
  /** Told of what happens; if absent, nobody is. */
  observer?: Observer
  /** If absent, nothing is traced. */
  tracing?: Pick<Tracing, 'beginRequest' | 'part'>
  /** If absent, an address may send any number of requests. */
  rateLimit?: RateLimit
}

export async function buildApp({
  merchants,
  store,
  clock,
  logger,
  fetch,
  simulator,
  rateLimit,
  observer,
  tracing
}: AppParts): Promise<FastifyInstance> {
  const shared = sharedParts()
  const shops = merchants.map(({ merchant, catalogue }) => ({
    merchant,
    catalogue,
    store: tracing ? traceStore(store, tracing.part) : store,
    clock,
    storefront: { ...openStorefront(merchant, shared), merchant },
    orderForm: orderFormOf(merchant),
    observer: observer ?? noopObserver,
    trace: tracing?.part ?? untraced,
    ...connectShop(merchant, { clock, fetch, logger, observer: observer ?? noopObserver })
  }))
  const storefronts: Storefronts = {
    merchants: shops.map(({ storefront }) => storefront),
    fallback: openStorefront(undefined, shared)
  }
  const { app, nodeServer } = createApp(logger, storefronts, rateLimit?.trustedProxies)

  await app.register(view, { engine: { eta: textEngine().eta }, root: VIEWS_FOLDER, viewExt: 'eta', production: true })
  if (observer) observeRequests(app, observer)
  setHeadersOfEvery(app, areSecure(storefronts))
  requireOneHost(app)
  cutTinyChunks(app)
  closeGracefully(app, nodeServer)
  logSharedFailures(app)
  rememberProblems(app)
  handleErrors(app, storefronts.fallback, formByAccept)

  await app.register(serverRoutes, { store })
  // Kept because a server that is stopping still answers but no longer listens.
  let origin = ''
  const ownOrigin = () => origin
  app.addHook('onListen', async () => {
    origin = listeningOrigin(app)
  })
  await app.register(async scope => {
    if (tracing) traceRequests(scope, tracing)
    await shedLoad(scope, rateLimit)
    handleNotFound(scope, storefronts)
    for (const shop of shops) {
      await scope.register(merchantRoutes, { shop: { ...shop, ownOrigin }, prefix: shop.merchant.path })
    }
  })
  if (simulator) await registerSimulator(app, simulator, { merchants, clock, ownOrigin })
  return app
}

function createApp(
  logger: FastifyBaseLogger,
  storefronts: Storefronts,
  trustProxy: string[] | false = false
): { app: FastifyInstance; nodeServer: NodeServer } {
  let nodeServer!: NodeServer
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    trustProxy,
    serverFactory: route => {
      nodeServer = createNodeServer(route, {
        onConnect: (request, socket) =>
          void refuseConnect(app, storefronts, request, socket, nodeServer).catch(() => socket.destroy()),
        onCut: () => app.logSharedFailure('connection cut: too many requests without waiting for an answer')
      })
      return nodeServer.server
    },
    genReqId: () => randomUUID(),
    schemaController,
    // Fastify has no earlier hook: the router reads the method right after this.
    rewriteUrl: request => {
      request.method = routedMethod(request)
      // A proxy may send the whole URL (RFC 9112, section 3.2.2); its origin is not used for anything.
      return String(request.url).replace(/^https?:\/\/[^/?#]*/i, '')
    },
    // Fastify's own lines would hold client addresses, and tokens in paths.
    logController: new LogController({ disableRequestLogging: true }),
    // Requests that arrive while the server stops are still answered: the store closes last.
    return503OnClosing: false,
    // A token is found or not, however long it is. Only option 2B reads queries, with its own parser.
    routerOptions: { maxParamLength: MAX_HEADER, querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) =>
      void answerClientError(app, storefronts, error, socket, nodeServer).catch(() => socket.destroy()),
    frameworkErrors: async (error, request, reply) => {
      const { status, headers, body } = await unroutedResponse(app, storefronts, toRefusal(error), request.raw)
      // None of Fastify's hooks run.
      if (app.isDraining) headers.Connection = 'close'
      watchChunks(app, request.raw)
      return (reply as FastifyReply).code(status).headers(headers).send(body)
    }
  })
  return { app, nodeServer }
}

async function registerSimulator(
  app: FastifyInstance,
  settings: SimulatorSettings,
  parts: Pick<AppParts, 'merchants' | 'clock'> & { ownOrigin: () => string }
): Promise<void> {
  const { servedTo, reason, isExposed } = simulatorAccess(
    settings,
    parts.merchants.map(({ merchant }) => merchant)
  )
  const details = { ...(servedTo && { path: SIMULATOR_PATH, servedTo }), reason }
  if (isExposed) app.log.warn(details, 'simulator on: anyone who can reach it can send bags to every merchant')
  else app.log.info(details, `simulator ${servedTo ? 'on' : 'off'}`)
  if (servedTo) await app.register(simulator, { ...parts, servedTo, prefix: SIMULATOR_PATH })
}

export function servesSimulator(app: FastifyInstance): boolean {
  return app.hasRoute({ method: 'GET', url: SIMULATOR_PATH })
}

/** Scheme, host and port that this process listens on; loopback if it listens on every address. */
export function listeningOrigin(app: FastifyInstance): string {
  return app.listeningOrigin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
