// Builds the app from parts that are already open: views, error pages, one merchant after the other. It opens nothing
// and reads no environment.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import view from '@fastify/view'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import type { ListedCatalogue } from './catalogue/product.ts'
import { warnOfSize } from './checkout/page-size.ts'
import { openShopFront } from './checkout/shop-front.ts'
import { VIEWS } from './checkout/views.ts'
import { closeInOrder } from './closing.ts'
import type { Merchant } from './config/merchant.ts'
import { Refusal } from './errors.ts'
import { merchantRoutes } from './merchant.ts'
import { knowAllMethods, refuseOtherMethods } from './other-methods.ts'
import { notFound, type RefusingParts, refuse, toRefusal } from './refuse.ts'
import { SIMULATOR_PATH, type SimulatorParts, simulator } from './simulator/simulator.ts'
import type { Store } from './store/store.ts'
import { answerSocket, bareAnswer, MAX_HEADER } from './unrouted.ts'

/** How long a request may take to arrive, in milliseconds: a phone on a poor connection is slow, not gone. */
const REQUEST_TIMEOUT = 60_000

/** The longest path parameter; a token is found or not, however long it is. */
const MAX_PARAM = MAX_HEADER

export type AppParts = {
  merchants: { merchant: Merchant; catalogue: ListedCatalogue }[]
  store: Store
  clock: () => Date
  logger: FastifyBaseLogger
  /** Whom the simulator page at SIMULATOR_PATH answers; absent where there is none. */
  simulator?: SimulatorParts['servedTo']
}

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { merchants, store, clock, logger } = parts
  const sellers = merchants.map(({ merchant, catalogue }) => ({ merchant, catalogue, front: openShopFront(merchant) }))
  const refusing: RefusingParts = {
    fronts: sellers.map(({ merchant, front }) => ({ ...front, merchant })),
    bare: openShopFront()
  }

  const answers = new WeakMap<Socket, ServerResponse<IncomingMessage>>()
  const app = Fastify({
    loggerInstance: logger,
    genReqId: () => randomUUID(),
    // A proxy may send the whole URL (RFC 9112, section 3.2.2); its origin is not what anything here goes by.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?#]*/i, ''),
    // Fastify's own lines would hold addresses of clients, and tokens in paths.
    logController: new LogController({ disableRequestLogging: true }),
    // What arrives while the server stops is still answered: the store closes last.
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT,
    http: { maxHeaderSize: MAX_HEADER, requireHostHeader: false },
    // Nothing reads queries but option 2B, with a parser of its own.
    routerOptions: { maxParamLength: MAX_PARAM, querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => void answerSocket(app, refusing, error, socket, answers.get(socket)),
    frameworkErrors: async (error, request, reply) => {
      const refusal = toRefusal(error)
      const { accept, 'accept-language': language } = request.headers
      const { status, headers, body } = await bareAnswer(app, refusing, refusal, { url: request.url, accept, language })
      request.log.info({ status, problem: refusal.code }, 'request refused unread')
      return (reply as FastifyReply).code(status).headers(headers).send(body)
    }
  })
  app.server.on('request', (request, response) => answers.set(request.socket, response))
  knowAllMethods(app)
  app.decorateRequest('accepted', undefined)
  app.decorateRequest('refusal', undefined)

  await app.register(helmet, { global: false })
  for (const { eta, view: propertyName } of [refusing.bare, ...refusing.fronts]) {
    await app.register(view, { engine: { eta }, root: VIEWS, viewExt: 'eta', production: true, propertyName })
  }
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
      throw new Refusal('malformed-request', { detail: 'An HTTP/1.1 request needs a Host header.' })
    }
  })
  closeInOrder(app)
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, refusing))
  app.setNotFoundHandler((request, reply) => refuse(notFound(), request, reply, refusing))

  await app.register(async health => {
    const refuseOthers = refuseOtherMethods(health)
    health.get('/healthz', async (_request, reply) => {
      reply.header('Cache-Control', 'no-store')
      await store.ping()
      return { status: 'ok' }
    })
    // Browsers ask for it by themselves; a 404 would stand in their consoles as an error of the page.
    health.get('/favicon.ico', async (_request, reply) =>
      reply.code(204).header('Cache-Control', 'public, max-age=86400').send()
    )
    refuseOthers()
  })
  // Remembered, as a server that is stopping still answers and listens no more.
  let origin = ''
  app.addHook('onListen', async () => {
    origin = ownOrigin(app)
  })
  // Nobody waits for it: requests are answered already.
  app.addHook('onListen', async () => {
    for (const seller of sellers) await warnOfSize(app, seller)
  })
  for (const { merchant, catalogue, front } of sellers) {
    const shop = { merchant, catalogue, store, clock, front, ownOrigin: () => origin }
    await app.register(scope => merchantRoutes(scope, shop), { prefix: merchant.path })
  }
  if (parts.simulator) {
    const playing = { merchants, clock, views: VIEWS, ownOrigin: () => origin, servedTo: parts.simulator }
    await app.register(scope => simulator(scope, playing), { prefix: SIMULATOR_PATH })
  }
  return app
}

/** Scheme, host and port this process listens on; for "every address" that of loopback, which one can open. */
export function ownOrigin(app: FastifyInstance): string {
  return app.listeningOrigin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
