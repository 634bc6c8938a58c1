// Builds the app from parts that are already open.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyReply,
  type FastifySchemaCompiler,
  type FastifyServerOptions,
  LogController
} from 'fastify'
import { tokenSource } from './checkout/checkout-store.ts'
import { orderFormOf } from './checkout/orders/order-form.ts'
import {
  answerClientError,
  areSecure,
  refuseConnect,
  refuseUnrouted,
  type Storefronts,
  unroutedResponse,
  watchRoutes
} from './http/client-errors.ts'
import { refusals, toProblem } from './http/error-handler.ts'
import {
  observeRequests,
  type RateLimit,
  requireOneHost,
  secureEveryAnswer,
  shedLoad,
  traceRequests
} from './http/every-request.ts'
import { merchantRoutes } from './http/merchant-routes.ts'
import {
  type ClientConnections,
  closeGracefully,
  createNodeServer,
  MAX_HEADER,
  serverRoutes
} from './http/node-server.ts'
import { watchBodies, watchChunks } from './http/request-bodies.ts'
import type { RouteContext } from './http/transfer-record.ts'
import { connectShop } from './integrations/destination/shop-call.ts'
import type { Fetch } from './integrations/outgoing/http-client.ts'
import type { PaymentGateway } from './integrations/payment/provider-call.ts'
import { keepsCarts, type MerchantCatalogue } from './merchant/merchant.ts'
import { noopObserver, type Observer, type Tracing, traceCalls, untraced } from './observer.ts'
import { openStorefront, registerViews, sharedParts } from './pages/storefront.ts'
import type { Store } from './store/store.ts'

/** What the plugin of a simulator gets. */
export type SimulatorParts = Pick<AppParts, 'merchants' | 'store' | 'clock'> & {
  ownOrigin: () => string
  /** Builds another app with the same parts but for these, which says that it has the address of this one. */
  buildTwin: (changes: Pick<AppParts, 'merchants' | 'store' | 'simulator'>) => Promise<FastifyInstance>
}

export type AppParts = {
  merchants: MerchantCatalogue[]
  store: Store
  clock: () => Date
  logger: FastifyBaseLogger
  fetch: Fetch
  /** Where orders are paid, by the merchants that have them paid. */
  gateways?: ReadonlyMap<string, PaymentGateway>
  /** The other side, platform and app, in this server. */
  simulator?: FastifyPluginCallback<SimulatorParts> | undefined
  observer?: Observer
  tracing?: Tracing
  /** What bodies that arrive may take, and as much again those of large bags in progress, in bytes. */
  bodyMemory: number
  /** If absent, an address may send any number of requests. */
  rateLimit?: RateLimit
}

/** @param givenOrigin the address that it has; by default where it listens */
export async function buildApp(parts: AppParts, givenOrigin?: () => string): Promise<FastifyInstance> {
  const { merchants, store, gateways, clock, logger, fetch, simulator, rateLimit, bodyMemory, observer, tracing } =
    parts
  // Kept because a server that is stopping still answers but no longer listens.
  let listening = ''
  const ownOrigin = givenOrigin ?? (() => listening)
  const shared = sharedParts(logger)
  const common = {
    store: tracing ? traceCalls('store', store, tracing.part) : store,
    clock,
    fetch,
    newToken: tokenSource(),
    log: logger,
    observer: observer ?? noopObserver,
    trace: tracing?.part ?? untraced
  }
  const contexts = merchants.map(({ merchant, catalogue }): RouteContext => {
    const gateway = gateways?.get(merchant.id)
    return {
      ...common,
      merchant,
      catalogue,
      origin: () => merchant.origin ?? ownOrigin(),
      ownShop: connectShop(merchant, { clock, fetch, logger, observer: common.observer }),
      gateway,
      orderForm: orderFormOf(merchant),
      storefront: openStorefront({ merchant, catalogue }, shared, gateway?.pageOrigins)
    }
  })
  const storefronts: Storefronts = { merchants: contexts, fallback: openStorefront({}, shared) }
  const { app, connections } = createApp(logger, storefronts, rateLimit?.trustedProxies)

  await registerViews(app, [storefronts.fallback, ...contexts.map(({ storefront }) => storefront)])
  await app.register(refusals, { storefront: storefronts.fallback })
  if (observer) await app.register(observeRequests, { observer })
  await app.register(secureEveryAnswer, { isSecure: areSecure(storefronts) })
  await app.register(requireOneHost)
  await app.register(watchBodies, { bodyMemory })
  await app.register(closeGracefully, { connections })

  app.addHook('onListen', async () => {
    listening = listeningOrigin(app)
  })
  // Not watched: without the key all of it is unknown, whatever the method.
  if (simulator) {
    const buildTwin: SimulatorParts['buildTwin'] = changes => buildApp({ ...parts, ...changes }, ownOrigin)
    await app.register(simulator, { merchants, store, clock, ownOrigin, buildTwin })
  }
  const routesOf = watchRoutes(app)
  await app.register(serverRoutes, { store })
  await app.register(async scope => {
    if (tracing) await scope.register(traceRequests, tracing)
    await scope.register(shedLoad, { bodyMemory, limit: rateLimit })
    await scope.register(refuseUnrouted, { storefronts, routesOf })
    for (const context of contexts) {
      await scope.register(merchantRoutes, { context, prefix: context.merchant.path })
    }
    // Loaded only where it is needed: a twelfth of a start.
    if (contexts.some(({ merchant }) => keepsCarts(merchant))) {
      const { profileRoutes } = await import('./http/ucp/profile-routes.ts')
      await scope.register(profileRoutes, { contexts })
    }
  })
  return app
}

function createApp(
  logger: FastifyBaseLogger,
  storefronts: Storefronts,
  trustProxy: string[] | false = false
): { app: FastifyInstance; connections: ClientConnections } {
  const connections: ClientConnections = new Map()
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    trustProxy,
    serverFactory: route =>
      createNodeServer(route, connections, () =>
        app.logSharedFailure('connection closed: too many pipelined requests')
      ),
    genReqId: () => randomUUID(),
    schemaController,
    // A proxy may send the whole URL (RFC 9112, section 3.2.2); its origin is not used for anything.
    rewriteUrl: ({ url }) => String(url).replace(/^https?:\/\/[^/?#]*/i, ''),
    // Fastify's own lines would hold client addresses, and tokens in paths.
    logController: new LogController({ disableRequestLogging: true }),
    // Requests that arrive while the server stops are still answered: the store closes last.
    return503OnClosing: false,
    // A token is found or not, however long it is. Only option 2B reads queries, with its own parser.
    routerOptions: { maxParamLength: MAX_HEADER, querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => void answerClientError(parts, error, socket).catch(() => socket.destroy()),
    frameworkErrors: async (error, request, reply) => {
      const { status, headers, body } = await unroutedResponse(parts, toProblem(error, request), request.raw)
      // None of Fastify's hooks run.
      if (app.isDraining) headers.Connection = 'close'
      watchChunks(app, request.raw)
      return (reply as FastifyReply).code(status).headers(headers).send(body)
    }
  })
  const parts = { app, storefronts, connections }
  app.server.on('connect', (request, socket) => {
    refuseConnect(parts, request, socket as Socket).catch(() => socket.destroy())
  })
  return parts
}

/** TypeBox checks bodies: Fastify would load ajv and fast-json-stringify at start. No route has a response schema. */
const schemaController = {
  compilersFactory: { buildValidator: compilerOf, buildSerializer: compilerOf }
} as unknown as NonNullable<FastifyServerOptions['schemaController']> // whose types are those of ajv

function compilerOf(): FastifySchemaCompiler<TSchema> {
  return ({ schema }) =>
    value => {
      const mistake = Value.Errors(schema, value).First()
      return mistake ? { error: new Error(`body${mistake.path}: ${mistake.message}`) } : { value }
    }
}

/** Loopback if it listens on every address. */
export function listeningOrigin(app: FastifyInstance): string {
  return app.listeningOrigin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
