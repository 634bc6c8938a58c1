// The simulator page: transfers bags to the merchants of this process as platform and app do, and shows every step next
// to a phone. It talks to the merchants over HTTP, like any client, to the shops that they lead to, and to nobody else.
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findProducts } from '../../catalogue/product.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Merchant, MerchantCatalogue } from '../../merchant/merchant.ts'
import { languages } from '../../messages/messages.ts'
import { contentSecurityPolicy, VIEWS_FOLDER } from '../../pages/storefront.ts'
import { credentialsOf } from '../../transfer/authentication.ts'
import type { WebRequest } from '../../transfer/option.ts'
import type { WebResponse } from '../client/send-request.ts'
import { type Sender, simulateTransfer, WEB_VIEW_HEADERS } from '../client/simulate-transfer.ts'
import { framedPage, responseCache } from './frames.ts'
import { merchantView, productView, productViews } from './merchant-view.ts'
import { isFromThisMachine, reachable, type SimulatorAccess } from './simulator-access.ts'
import { stepsView } from './steps-view.ts'
import { bringsProof, cartOf, TypedRequest, TypedTransfer } from './typed-request.ts'

export const SIMULATOR_PATH = '/simulator'

export type SimulatorOptions = {
  merchants: MerchantCatalogue[]
  clock: () => Date
  /** Scheme, host and port of this process. */
  ownOrigin: () => string
  servedTo: NonNullable<SimulatorAccess['servedTo']>
}

const BODY_LIMIT = 1024 * 1024
const MAX_RESULTS = 20

/** The name of a language in that language. */
const nameOf = (code: string) => new Intl.DisplayNames(code, { type: 'language' }).of(code)

/** The page's own files, by their names. */
const ASSETS_FOLDER = join(VIEWS_FOLDER, 'simulator')
const MEDIA_TYPES: Record<string, string> = { '.css': 'text/css', '.js': 'text/javascript' }

/** Headers that belong to one connection; the response to the frame has its own. */
const HOP_BY_HOP_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

/** Only this server's own files, no inline scripts, and no framing by other sites. */
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
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache'
}

export async function simulator(
  app: FastifyInstance,
  { merchants, clock, ownOrigin, servedTo }: SimulatorOptions
): Promise<void> {
  const responses = responseCache(clock)
  const { route, isOurs } = reachable(ownOrigin, servedTo)
  app.addHook('onRequest', async ({ raw }) => {
    if (servedTo === 'this machine' && !isFromThisMachine(raw)) throw notFound()
  })
  // JSON only: a page of another origin cannot make a browser send it without a preflight.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    app.getDefaultJsonParser('error', 'error')
  )

  app.get('', async (_request, reply) => {
    const now = clock()
    const views = merchants.map(shop => merchantView(shop, baseUrlOf(shop.merchant), now))
    reply.headers(PAGE_HEADERS)
    return reply.viewAsync('simulator/simulator', {
      json: JSON.stringify(views).replaceAll('<', '\\u003c'),
      languages: Object.keys(languages).map(code => ({ code, name: nameOf(code) }))
    })
  })
  app.get<{ Params: { name: string } }>('/:name(^simulator[-.][a-z.]+$)', async ({ params: { name } }, reply) => {
    const [type, file] = [MEDIA_TYPES[extname(name)], join(ASSETS_FOLDER, name)]
    if (type === undefined || !existsSync(file)) throw notFound()
    return reply.headers(PAGE_HEADERS).type(`${type}; charset=utf-8`).send(readFileSync(file))
  })
  app.get('/products', async ({ url }, reply) => {
    const { searchParams } = new URL(url, 'http://simulator')
    const shop = findShop(searchParams.get('merchant'))
    reply.header('cache-control', 'no-store')
    if (searchParams.has('sku')) return productViews(shop, searchParams.getAll('sku'), clock())
    const found = await findProducts(shop.catalogue, searchParams.get('q') ?? '', MAX_RESULTS)
    return found.map(product => productView(product, shop.merchant, clock()))
  })
  app.post<{ Body: TypedTransfer }>('/transfers', { schema: { body: TypedTransfer } }, async (request, reply) => {
    const { cart, language } = request.body
    const { merchant } = findShop(request.body.merchant)
    reply.header('cache-control', 'no-store')
    const transfer = merchant.option.request(cartOf(cart), baseUrlOf(merchant))
    return play(merchant, transfer, language || request.headers['accept-language'])
  })
  // A request that was edited, or that the shopper makes by what is pressed in the phone.
  app.post<{ Body: TypedRequest }>('/requests', { schema: { body: TypedRequest } }, async (request, reply) => {
    const { body, headers } = request
    if (!URL.canParse(body.request.url)) throw new Refusal('malformed-request', { detail: 'Its address is no URL.' })
    const { merchant } = findShop(body.merchant)
    reply.header('cache-control', 'no-store')
    return play(merchant, body.request, body.language || headers['accept-language'], body.sender)
  })
  app.get<{ Params: { id: string } }>('/frames/:id', async ({ params: { id } }, reply) => {
    const response = responses.get(id)
    if (!response) throw new Refusal('not-found', { detail: 'This answer is no longer kept; press Checkout again.' })
    return sendAsReceived(reply, response)
  })

  function findShop(id: string | null) {
    const found = merchants.find(({ merchant }) => merchant.id === id)
    if (!found) throw new Refusal('not-found', { detail: 'No merchant here has this id.' })
    return found
  }
  /** @param edited who sends the first request, if it is not the option's own */
  async function play(merchant: Merchant, first: WebRequest, language: string | undefined, edited?: Sender) {
    const { answer } = merchant.option
    const { steps, shown } = await simulateTransfer(first, edited === 'web view' ? 'page' : answer, {
      route: (url, from) => route(merchant, url, from),
      clock,
      credentials: bringsProof(first) ? undefined : credentialsOf(merchant.authentication),
      webViewHeaders: [...WEB_VIEW_HEADERS, ...(language ? [{ name: 'Accept-Language', value: language }] : [])]
    })
    const isOwnPage = (url: string) => !isOurs(merchant, url)
    const page = shown && {
      frame: `${SIMULATOR_PATH}/frames/${responses.add(isOwnPage(shown.url) ? framedPage(shown) : shown)}`,
      url: shown.url,
      status: shown.status
    }
    return { steps: stepsView(steps, answer, edited, isOwnPage), ...(page && { page }) }
  }
  function baseUrlOf({ origin = ownOrigin(), path, transfer }: Merchant): string {
    return origin + path + transfer.path
  }
}

/** Sends the response with its original status, headers and bytes. */
function sendAsReceived(reply: FastifyReply, { status, headers, body }: WebResponse): FastifyReply {
  for (const [name, repeated] of Map.groupBy(headers, header => header.name.toLowerCase())) {
    if (HOP_BY_HOP_HEADERS.includes(name)) continue
    const values = repeated.map(({ value }) => value)
    reply.header(name, values.length > 1 ? values : values[0])
  }
  return reply.code(status).send(body)
}
