// The simulator page: sends bags to the merchants of this process as platform and app do, and shows every step beside a
// phone. It knows the merchants from outside, over HTTP, and sends to nobody else.
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findProducts } from '../../catalogue/find-products.ts'
import type { ListedCatalogue } from '../../catalogue/product.ts'
import { notFound, Refusal } from '../../errors.ts'
import { watchMethods } from '../../http/method-not-allowed.ts'
import type { Merchant } from '../../merchant/merchant.ts'
import { isLoopback, isWithin } from '../../merchant/public-url.ts'
import { contentSecurityPolicy } from '../../pages/security-headers.ts'
import { VIEWS } from '../../pages/view-files.ts'
import { transferOptions } from '../../transfer/index.ts'
import type { WebResponse } from '../client/send-request.ts'
import { simulateTransfer } from '../client/simulate-transfer.ts'
import { keepResponses } from './kept-responses.ts'
import { merchantView, productView } from './merchant-view.ts'
import type { SimulatorAccess } from './simulator-access.ts'
import { stepsView } from './steps-view.ts'
import { cartOf, TypedTransfer } from './typed-cart.ts'

/** Where the page is. */
export const SIMULATOR_PATH = '/simulator'

export type SimulatorParts = {
  merchants: { merchant: Merchant; catalogue: ListedCatalogue }[]
  clock: () => Date
  /** Scheme, host and port of this process. */
  ownOrigin: () => string
  servedTo: NonNullable<SimulatorAccess['servedTo']>
}

const BODY_LIMIT = 1024 * 1024
const MAX_PRODUCTS = 20

const ASSETS = {
  'simulator.css': 'text/css',
  'simulator.js': 'text/javascript',
  'simulator-catalogue.js': 'text/javascript',
  'simulator-element.js': 'text/javascript',
  'simulator-phone.js': 'text/javascript',
  'simulator-steps.js': 'text/javascript'
}

/** Headers of one connection; the frame's connection has its own. */
const HOP_BY_HOP = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

/** Nothing but this server's own files, no inline script, and nobody else's frame around the page. */
const PAGE_HEADERS = {
  'content-security-policy': contentSecurityPolicy({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'frame-src': "'self'",
    'img-src': "'self'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'"
  }),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache'
}

export async function simulator(
  app: FastifyInstance,
  { merchants, clock, ownOrigin, servedTo }: SimulatorParts
): Promise<void> {
  const responses = keepResponses(clock)
  app.addHook('onRequest', async ({ headers }) => {
    if (servedTo === 'this machine' && !isFromThisMachine(headers)) throw notFound()
  })
  const refuseOtherMethods = watchMethods(app)
  // Only JSON: no page of another origin can make a browser send it unasked.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    app.getDefaultJsonParser('error', 'error')
  )

  app.get('', async (_request, reply) => {
    const now = clock()
    const views = merchants.map(shop => merchantView(shop, transferOptions, baseUrlOf(shop.merchant), now))
    reply.headers(PAGE_HEADERS)
    return reply.viewAsync('simulator/simulator', { json: JSON.stringify(views).replaceAll('<', '\\u003c') })
  })
  for (const [name, type] of Object.entries(ASSETS)) {
    const text = readFileSync(join(VIEWS, 'simulator', name), 'utf8')
    app.get(`/${name}`, async (_request, reply) =>
      reply.headers(PAGE_HEADERS).type(`${type}; charset=utf-8`).send(text)
    )
  }
  app.get('/products', async ({ url }, reply) => {
    const { searchParams } = new URL(url, 'http://simulator')
    const { merchant, catalogue } = findMerchant(searchParams.get('merchant'))
    const found = await findProducts(catalogue, searchParams.get('q') ?? '', MAX_PRODUCTS)
    reply.header('cache-control', 'no-store')
    return found.map(product => productView(product, merchant, clock()))
  })
  app.post<{ Body: TypedTransfer }>('/transfers', { schema: { body: TypedTransfer } }, async ({ body }, reply) => {
    const { merchant } = findMerchant(body.merchant)
    const { steps, shown } = await simulateTransfer(merchant.option, cartOf(body.cart), baseUrlOf(merchant), {
      connectTo: ownOrigin(),
      mayReach: url => isOf(merchant, url)
    })
    reply.header('cache-control', 'no-store')
    const page = shown && {
      frame: `${SIMULATOR_PATH}/frames/${responses.keep(shown)}`,
      url: shown.url,
      status: shown.status
    }
    return { steps: stepsView(steps), ...(page && { page }) }
  })
  app.get<{ Params: { id: string } }>('/frames/:id', async ({ params: { id } }, reply) => {
    const response = responses.find(id)
    if (!response) throw new Refusal('not-found', { detail: 'This answer is no longer kept; press Checkout again.' })
    return sendAsReceived(reply, response)
  })
  refuseOtherMethods()

  function findMerchant(id: string | null) {
    const found = merchants.find(({ merchant }) => merchant.id === id)
    if (!found) throw new Refusal('not-found', { detail: 'No merchant here has this id.' })
    return found
  }
  function baseUrlOf({ origin = ownOrigin(), path, transfer }: Merchant): string {
    return origin + path + transfer.path
  }
  function isOf({ origin = ownOrigin(), path }: Merchant, address: string): boolean {
    const url = URL.parse(address)
    return url?.origin === origin && isWithin(url.pathname, path)
  }
}

/**
 * Whether a request names this machine and no proxy has forwarded it. The name matters, as that of another site can be
 * made to resolve to this machine.
 */
function isFromThisMachine(headers: IncomingHttpHeaders): boolean {
  const isForwarded = Object.keys(headers).some(name => name === 'forwarded' || name.startsWith('x-forwarded-'))
  const { hostname = '' } = URL.parse(`http://${headers.host}`) ?? {}
  return !isForwarded && isLoopback(hostname)
}

/** The response with its own status, headers and bytes, as the web view received it. */
function sendAsReceived(reply: FastifyReply, { status, headers, body }: WebResponse): FastifyReply {
  const names = new Set(headers.map(({ name }) => name.toLowerCase()).filter(name => !HOP_BY_HOP.includes(name)))
  for (const name of names) {
    const values = headers.filter(header => header.name.toLowerCase() === name).map(({ value }) => value)
    reply.header(name, values.length > 1 ? values : values[0])
  }
  return reply.code(status).send(body)
}
