// The simulator page: hands bags over to the merchants of this process as platform and app do, and shows every step of
// it beside a phone. It knows the merchants from outside, over HTTP, and sends to nobody else.
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findProducts } from '../catalogue/find-products.ts'
import type { ListedCatalogue } from '../catalogue/product.ts'
import type { Merchant } from '../config/merchant.ts'
import { isWithin } from '../config/public-url.ts'
import { isLoopback } from '../config/simulator-switch.ts'
import { Refusal } from '../errors.ts'
import { refuseOtherMethods } from '../other-methods.ts'
import { handOver } from '../platform/hand-over.ts'
import type { Answer } from '../platform/send-request.ts'
import { notFound } from '../refuse.ts'
import { transferOptions } from '../transfer/index.ts'
import { keepAnswers } from './kept-answers.ts'
import { merchantView, productView } from './merchant-view.ts'
import { stepsView } from './steps-view.ts'
import { cartOf, TypedTransfer } from './typed-cart.ts'

/** Where the page is. */
export const SIMULATOR_PATH = '/simulator'

export type SimulatorParts = {
  merchants: { merchant: Merchant; catalogue: ListedCatalogue }[]
  clock: () => Date
  /** Scheme, host and port of this process. */
  ownOrigin: () => string
  /** The folder of the page. */
  views: string
  /** This machine means: nobody through a proxy, and no page of another site whose name has come to mean this machine. */
  servedTo: 'this machine' | 'everybody'
}

const BODY_LIMIT = 1024 * 1024
const MOST_PRODUCTS = 20

/** Headers of one connection, which the frame's own has itself. */
const HOP_BY_HOP = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

export async function simulator(app: FastifyInstance, parts: SimulatorParts): Promise<void> {
  const { merchants, clock, ownOrigin, views, servedTo } = parts
  const answers = keepAnswers(clock)
  app.addHook('onRequest', async ({ headers }) => {
    if (servedTo === 'this machine' && !isOfThisMachine(headers)) throw notFound()
  })
  const refuseOthers = refuseOtherMethods(app)
  // JSON alone: no page of another origin can have a browser send it unasked.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    app.getDefaultJsonParser('error', 'error')
  )

  app.get('', async (_request, reply) => {
    const now = clock()
    const shown = merchants.map(shop => merchantView(shop, transferOptions, baseUrlOf(shop.merchant), now))
    await secure(reply)
    return reply.viewAsync('simulator/simulator', { json: JSON.stringify(shown).replaceAll('<', '\\u003c') })
  })
  for (const [name, type] of [
    ['simulator.css', 'text/css'],
    ['simulator.js', 'text/javascript'],
    ['simulator-catalogue.js', 'text/javascript'],
    ['simulator-element.js', 'text/javascript'],
    ['simulator-phone.js', 'text/javascript'],
    ['simulator-steps.js', 'text/javascript']
  ] as const) {
    const text = readFileSync(join(views, 'simulator', name), 'utf8')
    app.get(`/${name}`, async (_request, reply) => {
      await secure(reply)
      return reply.type(`${type}; charset=utf-8`).send(text)
    })
  }
  app.get('/products', async ({ url }, reply) => {
    const { searchParams } = new URL(url, 'http://simulator')
    const { merchant, catalogue } = findMerchant(searchParams.get('merchant'))
    const found = await findProducts(catalogue, searchParams.get('q') ?? '', MOST_PRODUCTS)
    reply.header('Cache-Control', 'no-store')
    return found.map(product => productView(product, merchant, clock()))
  })
  app.post<{ Body: TypedTransfer }>('/transfers', { schema: { body: TypedTransfer } }, async ({ body }, reply) => {
    const { merchant } = findMerchant(body.merchant)
    const { steps, shown } = await handOver(merchant.option, cartOf(body.cart), baseUrlOf(merchant), {
      connectTo: ownOrigin(),
      mayReach: url => isOf(merchant, url)
    })
    reply.header('Cache-Control', 'no-store')
    const page = shown && {
      frame: `${SIMULATOR_PATH}/frames/${answers.keep(shown)}`,
      url: shown.url,
      status: shown.status
    }
    return { steps: stepsView(steps), ...(page && { page }) }
  })
  app.get<{ Params: { id: string } }>('/frames/:id', async ({ params: { id } }, reply) => {
    const answer = answers.find(id)
    if (!answer) throw new Refusal('not-found', { detail: 'This answer is no longer kept; press Checkout again.' })
    return sendAsItCame(reply, answer)
  })
  refuseOthers()

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

/** Whether a request names this machine, and no proxy has passed it on. */
function isOfThisMachine(headers: IncomingHttpHeaders): boolean {
  const isPassedOn = Object.keys(headers).some(name => name === 'forwarded' || name.startsWith('x-forwarded-'))
  const { hostname = '' } = URL.parse(`http://${headers.host}`) ?? {}
  return !isPassedOn && isLoopback(hostname)
}

/** Nothing but this server's own files, no script within the page, and nobody else's frame around it. */
async function secure(reply: FastifyReply): Promise<void> {
  await reply.helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
        frameSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"]
      }
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false
  })
  reply.header('Cache-Control', 'no-cache')
}

/** The answer with its own status, headers and bytes, as the web view had it. */
function sendAsItCame(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  const names = new Set(headers.map(({ name }) => name.toLowerCase()).filter(name => !HOP_BY_HOP.includes(name)))
  for (const name of names) {
    const values = headers.filter(header => header.name.toLowerCase() === name).map(({ value }) => value)
    reply.header(name, values.length > 1 ? values : values[0])
  }
  return reply.code(status).send(body)
}
