// All routes of one merchant: the transfer endpoint, the checkout pages or where its shop reports orders, the description
// of what takes JSON, the pictures and the logo.
import { hash } from 'node:crypto'
import { existsSync, readFileSync, type Stats } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { SendOptions } from '@fastify/send'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { handlePaymentWebhook } from '../checkout/orders/refunds.ts'
import { MAX_REPORT, readReport, reportedOrderData, reportOrder } from '../checkout/orders/reported-order.ts'
import { logOrder, noticeOrder } from '../checkout/orders/shop-order.ts'
import { notFound, Problem } from '../errors.ts'
import type { ShopMessages } from '../integrations/destination/shop-message.ts'
import { PaymentFailed } from '../integrations/payment/provider.ts'
import type { PaymentGateway } from '../integrations/payment/provider-call.ts'
import {
  isHttps,
  isWithin,
  type Merchant,
  OPENAPI_PATH,
  ORDERS_PATH,
  PAYMENTS_PATH,
  PICTURES_PATH,
  THEME_PATHS,
  TRANSFERS_PATH,
  takesJson,
  wayAt
} from '../merchant/merchant.ts'
import { checkoutPages } from '../pages/checkout-pages.ts'
import { findTransferStatus } from '../reconcile/transfer-status.ts'
import type { Authentication } from '../transfer/authentication.ts'
import { asksForPage } from '../transfer/option.ts'
import { acceptBody, refuseContentEncoding, requireAnyAuthentication, requireAuthentication } from './admit-request.ts'
import { aboutOrder, formByAccept, handleErrors, isShed } from './error-handler.ts'
import { setHsts } from './every-request.ts'
import type { RouteContext } from './transfer-record.ts'
import { transferRoute } from './transfer-route.ts'

const PICTURE_FILES: SendOptions = { index: false, dotfiles: 'ignore', acceptRanges: false, maxAge: '1h' }

/** A picture opened by itself runs nothing and loads nothing. */
const PICTURE_HEADERS = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }

export async function merchantRoutes(app: FastifyInstance, { context }: { context: RouteContext }): Promise<void> {
  const { merchant, storefront, ownShop, gateway } = context
  const { ways, checkout, destination } = merchant
  nameRoutes(app, merchant)
  handleErrors(app, storefront, ways.every(({ option }) => asksForPage(option)) ? () => 'page' : formByAccept)
  if (isHttps(merchant)) {
    app.addHook('onRequest', (_request, reply, done) => {
      setHsts(reply)
      done()
    })
  }

  for (const way of ways) {
    const isProtocol = way.option.answer === 'protocol'
    const routes = isProtocol ? (await import('./ucp/ucp-routes.ts')).ucpRoutes : transferRoute
    await app.register(routes, { context: { ...context, way }, prefix: way.transfer.path })
  }
  if (!ownShop) {
    await app.register(
      async scope => {
        handleErrors(scope, storefront, () => 'page', aboutOrder)
        await scope.register(checkoutPages, { context })
      },
      { prefix: checkout.path }
    )
  }
  const platforms = ways.flatMap(({ authentication = [] }) => authentication)
  if (platforms.length > 0) {
    await app.register(transferStatusRoute, { context, platforms, prefix: TRANSFERS_PATH })
  }
  if (destination?.secret !== undefined) {
    const { secret } = destination
    const { name, messages } = destination.adapter
    await app.register(ordersRoute, { context, secret, prefix: ORDERS_PATH })
    if (messages) await app.register(messagesRoute, { context, secret, messages, prefix: `${ORDERS_PATH}/${name}` })
  }
  if (gateway) {
    await app.register(paymentWebhookRoute, { context, gateway, prefix: `${PAYMENTS_PATH}/${gateway.provider}` })
  }
  if (takesJson(merchant)) describeEndpoints(app, context)
  servePictures(app, merchant)
}

/** Names a merchant's routes by placeholders for what it chose: thousands of merchants would have as many patterns. */
function nameRoutes(app: FastifyInstance, merchant: Merchant): void {
  const { path: outer, checkout } = merchant
  app.addHook('onRoute', route => {
    const path = route.url.slice(outer.length)
    const rest = isWithin(path, checkout.path) ? `/{checkout}${path.slice(checkout.path.length)}` : path
    route.config = { ...route.config, routeName: `/{merchant}${wayAt(merchant, route.url) ? '/{transfer}' : rest}` }
  })
}

/** Where a platform asks what became of a bag. */
async function transferStatusRoute(
  app: FastifyInstance,
  { context, platforms }: { context: RouteContext; platforms: Authentication[] }
): Promise<void> {
  const { store, clock, merchant } = context
  requireAnyAuthentication(app, platforms, clock)
  logProblems(app, context, (log, facts) => log.info(facts, 'transfer not looked up'))
  app.get<{ Params: { reference: string } }>('/:reference', async ({ params: { reference }, log }, reply) => {
    const status = await findTransferStatus(store, merchant.id, reference, clock())
    log.info({ merchant: merchant.id, reference, state: status.state }, 'transfer looked up')
    return reply.header('Cache-Control', 'no-store').send(status)
  })
}

type OrdersRoute = { context: RouteContext; secret: string }

/** Where a merchant's own shop reports the orders that it took: every report leaves one line in the log. */
async function ordersRoute(app: FastifyInstance, { context, secret }: OrdersRoute): Promise<void> {
  const { store, clock, observer, merchant } = context
  requireAuthentication(app, 'standard-webhooks', [secret], clock)
  logProblems(app, context, (log, facts) => log.warn(facts, 'order not kept'))
  app.post<{ Body: Buffer }>('', acceptBody(app, ['application/json'], MAX_REPORT), async (request, reply) => {
    const kept = await reportOrder(store, merchant.id, readReport(request.body), clock())
    if (!kept.isRepeat) observer.ordered(merchant.id, 'reported')
    logOrder(request.log, kept)
    return reply
      .code(kept.isRepeat ? 200 : 201)
      .header('Cache-Control', 'no-store')
      .send(reportedOrderData(kept.order))
  })
}

/**
 * Where a shop sends messages about its orders in its own way. Whatever is authentic and can be read is answered with 200, as
 * shops give up on an address that refuses.
 */
async function messagesRoute(
  app: FastifyInstance,
  { context, secret, messages }: OrdersRoute & { messages: ShopMessages }
): Promise<void> {
  const { store, clock, observer } = context
  const { id: merchant } = context.merchant
  logProblems(app, context, (log, facts) => log.warn(facts, 'order not kept'))
  app.post<{ Body: Buffer }>(
    '',
    acceptBody(app, messages.mediaTypes, MAX_REPORT),
    async ({ headers, body, log }, reply) => {
      const news = messages.read(headers, body, secret)
      if (news.order) {
        const kept = await noticeOrder(store, log, merchant, news.order, clock())
        if (kept && !kept.isRepeat) observer.ordered(merchant, 'reported')
      } else if (news.isOdd) log.warn({ merchant, reason: news.reason }, 'message from the shop not read')
      else log.debug({ merchant, reason: news.reason }, 'message from the shop')
      return reply.header('Cache-Control', 'no-store').send()
    }
  )
}

/** In bytes. A notification has a whole payment in it. */
const MAX_NOTIFICATION = 256 * 1024

/** Where a payment provider tells that a payment has changed. All that is authentic is answered with 200, or it comes again. */
async function paymentWebhookRoute(
  app: FastifyInstance,
  { context, gateway }: { context: RouteContext; gateway: PaymentGateway }
): Promise<void> {
  logProblems(app, context, (log, facts) => log.warn(facts, 'payment webhook refused'))
  const route = acceptBody(app, ['application/json'], MAX_NOTIFICATION)
  app.post<{ Body: Buffer }>('', route, async ({ headers, body, log }, reply) => {
    const name = await gateway.readPaymentWebhook(headers, body, context.clock())
    if (name !== undefined) {
      await handlePaymentWebhook({ ...context, gateway, log }, name).catch(error => {
        if (!(error instanceof PaymentFailed)) throw error
        const detail = 'The payment cannot be looked up at the moment. Send the notification again.'
        throw new Problem('payment-unknown', { detail, reason: error.message })
      })
    }
    return reply.header('Cache-Control', 'no-store').send()
  })
}

function logProblems(
  app: FastifyInstance,
  { storefront, merchant: { id: merchant } }: RouteContext,
  warn: (log: FastifyBaseLogger, facts: object) => void
): void {
  refuseContentEncoding(app)
  const note = (refusal: Problem, { log }: FastifyRequest) => {
    const { code: problem, reference, reason = refusal.message } = refusal
    const mistakes = [...new Set(refusal.mistakes.map(({ code }) => code))]
    if (!isShed(problem)) warn(log, { merchant, reference, problem, mistakes, reason })
    return refusal
  }
  handleErrors(app, storefront, () => 'problem+json', note)
}

function servePictures(app: FastifyInstance, { pictures: root, theme }: Merchant): void {
  if (existsSync(root)) {
    // A link may lead to another place within the folder, which may be one itself.
    const onFile = async (path: string, stat: Stats) => {
      const [folder, file] = await Promise.all([realpath(root), realpath(path)])
      if (!stat.isFile() || !file.startsWith(folder + sep)) throw notFound()
    }
    app.get<{ Params: { '*': string } }>(`${PICTURES_PATH}/*`, async ({ raw, params }, reply) => {
      const { send } = await import('@fastify/send')
      const sent = await send(raw, encodeURIComponent(params['*']), { ...PICTURE_FILES, root, onFile })
      // A link that leads to itself.
      if (sent.type === 'error') {
        const { error }: { error: NodeJS.ErrnoException } = sent.metadata
        throw error.code === 'ELOOP' ? notFound() : error
      }
      if (sent.type === 'directory') throw notFound()
      const { statusCode, headers, stream } = sent
      // An answer that the picture has not changed must not change its type either.
      const type = statusCode === 200 ? { 'Content-Type': 'application/octet-stream' } : {}
      return reply
        .code(statusCode)
        .headers({ ...type, ...headers, ...PICTURE_HEADERS })
        .send(stream)
    })
  }
  for (const name of ['logo', 'darkLogo', 'hero', 'phoneHero'] as const) {
    const picture = theme[name]
    if (!picture || !('file' in picture)) continue
    const bytes = readFileSync(picture.file)
    const headers = { ...PICTURE_HEADERS, 'Cache-Control': 'public, max-age=3600' }
    app.get(THEME_PATHS[name], async (_request, reply) => reply.headers(headers).type(picture.type).send(bytes))
  }
  const font = theme.fontFile
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': 'font/woff2' }
  if (font) app.get(THEME_PATHS.fontFile, async (_request, reply) => reply.headers(headers).send(font.bytes))
}

/** There is no secret in the document, so anybody may read it, also the script of a page on another site. */
function describeEndpoints(app: FastifyInstance, { merchant, catalogue, origin }: RouteContext): void {
  let body: string | undefined
  let etag = ''
  app.get(OPENAPI_PATH, async (request, reply) => {
    if (body === undefined) {
      // Made when it is first asked for, and kept: some 20 KB.
      const { merchantDocument } = await import('./openapi/merchant-document.ts')
      body = JSON.stringify(merchantDocument(merchant, origin(), catalogue.products()))
      etag = `"${hash('sha256', body)}"`
    }
    reply.headers({ 'Cache-Control': 'no-cache', ETag: etag, 'Access-Control-Allow-Origin': '*' })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type('application/json').send(body)
  })
}
