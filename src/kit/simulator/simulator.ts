// The simulator page: transfers bags to the merchants of this process as platform and app do, and shows every step next
// to a phone. It talks to the merchants over HTTP, like any client, to the shops that they lead to, and to nobody else.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Cart } from '../../cart/cart.ts'
import { notFound, Problem } from '../../errors.ts'
import { findProducts } from '../../merchant/catalogue/product.ts'
import type { Merchant, MerchantCatalogue, Way } from '../../merchant/merchant.ts'
import { languages } from '../../messages/messages.ts'
import { VIEWS_FOLDER } from '../../pages/storefront.ts'
import { credentialsOf } from '../../transfer/authentication.ts'
import type { WebRequest } from '../../transfer/option.ts'
import { headerValue, NoResponseError, type WebResponse } from '../client/send-request.ts'
import { simulateTransfer, WEB_VIEW_HEADERS } from '../client/simulate-transfer.ts'
import { type FaultInjection, failures, type SeenMessage } from '../fault-injection/fault-injection.ts'
import { merchantView, productView, productViews } from './merchant-view.ts'
import { reachable, simulatorKey } from './simulator-key.ts'
import { PAGE_HEADERS, sendView } from './simulator-page.ts'
import { bringsProof, messageView, stepsView } from './steps-view.ts'

export type SimulatorOptions = {
  merchants: MerchantCatalogue[]
  clock: () => Date
  /** Scheme, host and port of this process. */
  ownOrigin: () => string
  key: string
  /** Whether anybody but this machine can reach it. */
  isExposed: boolean
  faults: FaultInjection
  /** Scheme, host and port where its requests to the merchants of this process go. */
  playedAt: () => Promise<string>
}

const BODY_LIMIT = 1024 * 1024
const MAX_RESULTS = 20

const MEDIA_TYPES: Record<string, string> = { '.css': 'text/css', '.js': 'text/javascript' }

/** Headers that belong to one connection; the response to the frame has its own. */
const HOP_BY_HOP_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

/**
 * What is set for the phone: its language as in Accept-Language, absent or empty that of the browser; what goes wrong. Its journey
 * is a name, which nobody can guess, for a bag and all that is pressed after it. Without a way in, it is the shop's first.
 */
const Phone = {
  merchant: Type.String(),
  way: Type.Optional(Type.String()),
  journey: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  failure: Type.Optional(Type.Union(failures.map(name => Type.Literal(name))))
}

export const TypedTransfer = Type.Object({
  ...Phone,
  cart: Type.Object({
    items: Type.Array(
      Type.Object({ sku: Type.String(), quantity: Type.String(), price: Type.Optional(Type.String()) })
    ),
    currency: Type.String(),
    reference: Type.String()
  })
})
export type TypedTransfer = Static<typeof TypedTransfer>

/** A quantity that is not a number stays text, in spite of the type: how shops respond is what the simulator is for. */
export function cartOf({ items, currency, reference }: TypedTransfer['cart']): Cart {
  return { reference, currency, items: items.map(item => ({ ...item, quantity: quantityOf(item.quantity) as number })) }
}

/** A number only if it prints as the same text, so that nothing typed is normalised. */
function quantityOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && String(number) === text ? number : text
}

/** The shopper sends what is pressed in a page; the others what somebody has edited. */
export const TypedRequest = Type.Object({
  ...Phone,
  sender: Type.Union([Type.Literal('platform'), Type.Literal('web view'), Type.Literal('shopper')]),
  request: Type.Object({
    method: Type.String(),
    url: Type.String(),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    body: Type.Optional(Type.String())
  })
})
export type TypedRequest = Static<typeof TypedRequest>

export async function simulator(
  app: FastifyInstance,
  { merchants, clock, ownOrigin, key, isExposed, faults, playedAt }: SimulatorOptions
): Promise<void> {
  const responses = responseCache(clock)
  const { route, isOurs } = reachable(ownOrigin, isExposed)
  const { isIn, cookie } = simulatorKey(key, app.prefix, ownOrigin)
  // Without the key, routing finds nothing here: the answer is that of any unknown address, whatever the method.
  app.addConstraintStrategy({ name: 'withKey', storage: () => new Map(), deriveConstraint: isIn })
  app.addHook('onRoute', options => {
    options.constraints = { withKey: true }
  })
  // JSON only: a page of another origin cannot make a browser send it without a preflight.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    app.getDefaultJsonParser('error', 'error')
  )

  app.get('', async ({ url, raw }, reply) => {
    // An address stays in the history, and is seen in pictures of the page.
    if (url !== app.prefix) {
      return reply.headers({ 'set-cookie': cookie(raw), 'cache-control': 'no-store' }).redirect(app.prefix, 303)
    }
    const now = clock()
    const views = merchants.map(shop => merchantView(shop, way => baseUrlOf(shop.merchant, way), now))
    return sendView(reply, 'simulator', {
      json: JSON.stringify(views).replaceAll('<', '\\u003c'),
      // Each by its own name.
      languages: Object.keys(languages).map(code => {
        return { code, name: new Intl.DisplayNames(code, { type: 'language' }).of(code) }
      })
    })
  })
  app.get<{ Params: { name: string } }>('/:name(^simulator[-.][a-z.]+$)', async ({ params: { name } }, reply) => {
    const [type, file] = [MEDIA_TYPES[extname(name)], join(VIEWS_FOLDER, 'simulator', name)]
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
    const { body, headers } = request
    const { merchant } = findShop(body.merchant)
    reply.header('cache-control', 'no-store')
    const way = findWay(merchant, body.way)
    const transfer = way.option.request(cartOf(body.cart), baseUrlOf(merchant, way), way.transfer)
    return play(merchant, transfer, body, headers['accept-language'])
  })
  // A request that was edited, or that the shopper makes by what is pressed in the phone.
  app.post<{ Body: TypedRequest }>('/requests', { schema: { body: TypedRequest } }, async (request, reply) => {
    const { body, headers } = request
    if (!URL.canParse(body.request.url)) throw new Problem('malformed-request', { detail: 'Its address is no URL.' })
    const { merchant } = findShop(body.merchant)
    reply.header('cache-control', 'no-store')
    return play(merchant, body.request, body, headers['accept-language'])
  })
  app.get('/messages', async ({ url }, reply) => {
    const journey = new URL(url, 'http://simulator').searchParams.get('journey') ?? undefined
    reply.header('cache-control', 'no-store')
    return faults.take(journey).map(messageView)
  })
  app.get<{ Params: { id: string } }>('/frames/:id', async ({ params: { id } }, reply) => {
    const response = responses.get(id)
    if (!response) throw new Problem('not-found', { detail: 'This answer is no longer kept; press Checkout again.' })
    return sendAsReceived(reply, response)
  })

  function findShop(id: string | null) {
    const found = merchants.find(({ merchant }) => merchant.id === id)
    if (!found) throw new Problem('not-found', { detail: 'No merchant here has this id.' })
    return found
  }
  function findWay({ ways }: Merchant, name = ways[0].name): Way {
    const found = ways.find(way => way.name === name)
    if (!found) throw new Problem('not-found', { detail: 'No way into this shop has this name.' })
    return found
  }
  /** @param by who sends the first request, if it is not the option's own, in which language, and what goes wrong */
  async function play(merchant: Merchant, first: WebRequest, by: Partial<TypedRequest>, browserLanguage?: string) {
    const { sender, failure, language = '', journey } = by
    /** What servers have told each other before each request of the phone, and after the last. */
    const seen: SeenMessage[][] = []
    const way = findWay(merchant, by.way)
    const { answer } = way.option
    const asked = language || browserLanguage
    const connectTo = await playedAt()
    const { steps, shown } = await simulateTransfer(first, sender && sender !== 'platform' ? 'page' : answer, {
      route: (url, from) => {
        seen.push(faults.take(journey))
        if (failure === 'offline') throw new NoResponseError('the phone has no network, so nothing was sent')
        return route(merchant, url, from, connectTo)
      },
      onConnect: socket => faults.connected(socket, failure, journey),
      clock,
      // An edited request may go to the merchant's own shop, which is no business of theirs.
      credentials: isOurs(merchant, first.url) && !bringsProof(first) ? credentialsOf(way) : undefined,
      webViewHeaders: [...WEB_VIEW_HEADERS, ...(asked ? [{ name: 'Accept-Language', value: asked }] : [])]
    })
    seen.push(faults.take(journey))
    const isOwnPage = (url: string) => !isOurs(merchant, url)
    const views = stepsView(steps, answer, sender, isOwnPage, merchant.payment !== undefined)
    const page = shown && {
      frame: `${app.prefix}/frames/${responses.add(isOwnPage(shown.url) ? framedPage(shown) : shown)}`,
      url: shown.url,
      status: shown.status,
      isPayment: isOwnPage(shown.url) && merchant.payment !== undefined
    }
    const told = (count: number) => seen.splice(0, count).flat().map(messageView)
    const all = [
      ...told(1),
      ...views.flatMap(view => (view.request ? [view, ...told(1)] : [view])),
      ...told(seen.length)
    ]
    return { steps: all, ...(page && { page }) }
  }
  function baseUrlOf({ origin = ownOrigin(), path }: Merchant, { transfer }: Way): string {
    return origin + path + transfer.path
  }
}

function sendAsReceived(reply: FastifyReply, { status, headers, body }: WebResponse): FastifyReply {
  for (const [name, repeated] of Map.groupBy(headers, header => header.name.toLowerCase())) {
    if (HOP_BY_HOP_HEADERS.includes(name)) continue
    const values = repeated.map(({ value }) => value)
    reply.header(name, values.length > 1 ? values : values[0])
  }
  return reply.code(status).send(body)
}

/** The latest responses, kept so that the phone's frame can load them. */
export function responseCache(clock: () => Date) {
  const cache = new LRUCache<string, WebResponse>({
    max: 50,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ body }) => Math.max(body.length, 1),
    ttl: 10 * 60 * 1000,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() }
  })
  return {
    /** @returns its id, which cannot be guessed */
    add: (response: WebResponse): string => {
      const id = randomBytes(16).toString('hex')
      cache.set(id, response)
      return id
    },
    get: (id: string): WebResponse | undefined => cache.get(id)
  }
}

/** The sandbox of the phone's frame, also for anyone who opens the page outside it. */
const POLICY = [
  'sandbox allow-forms allow-same-origin',
  "default-src http: https: data: 'unsafe-inline'",
  "script-src 'none'",
  "frame-src 'none'",
  "form-action 'none'"
].join('; ')

/** Where a document's own content begins: after its head's tag, else after its type. */
const BEGINNING = /^.*?<head\b[^<>]*>|^\s*<!doctype[^>]*>|^/is

/**
 * A page of a merchant's own shop, made fit for the frame: without the shop's headers but those about its content, and
 * with the address that it is relative to. The frame has the simulator's origin, so nothing may run there.
 */
export function framedPage(response: WebResponse): WebResponse {
  const { url, headers, body } = response
  const kept = headers.filter(({ name }) => /^content-(type|language)$/i.test(name))
  const added = [
    { name: 'content-security-policy', value: POLICY },
    { name: 'cache-control', value: 'no-store' }
  ]
  const isHtml = /^text\/html/i.test(headerValue(headers, 'content-type') ?? '')
  return { ...response, headers: [...kept, ...added], body: isHtml ? withBase(body, url) : body }
}

/** Works on bytes, whatever the encoding: the tag is ASCII, and so is the text that marks its place. */
function withBase(body: Uint8Array, url: string): Uint8Array {
  const text = Buffer.from(body).toString('latin1')
  const base = `<base href="${new URL(url).href.replaceAll('&', '&amp;').replaceAll('"', '%22')}">`
  return Buffer.from(
    text.replace(BEGINNING, found => found + base),
    'latin1'
  )
}
