// Orchard Lane's own shop, which plain `npm start` runs beside the server: it takes bags by the hook
// (src/integrations/destination/hook/README.md), shows them on its own pages, takes orders and reports them. It shares nothing with the server
// but a secret, and keeps a bag in memory for an hour.
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Eta } from 'eta'
import { httpFetch } from '../../integrations/outgoing/http-client.ts'
import type { Merchant } from '../../merchant/merchant.ts'
import { isAnySame, signatureHeaders, signMessage } from '../../secrets.ts'

export const CONFIG = join(import.meta.dirname, '../../../config')

const ID = 'orchard'

export type DemoShopOptions = {
  /** The server's own port: the shop listens on the next one, or on any other if that is taken, or for metrics. */
  port: number
  metricsPort?: number | undefined
  /** Scheme, host and port of the server, once it listens. */
  ownOrigin: () => string
  clock: () => Date
}

type OrchardCart = { key: string; reference: string; currency: string; items: { sku: string; quantity: number }[] }

const WEBHOOK_PATH = '/order-placed'

const FOLDER = join(CONFIG, ID)

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; base-uri 'none'"

/** How long a bag is kept, in milliseconds. */
const LIFETIME = 60 * 60 * 1000

function readProducts(): Map<string, Omit<OrchardLine, 'quantity'> & { isThere: boolean }> {
  const [, ...rows] = readFileSync(join(FOLDER, 'feed.tsv'), 'utf8').trim().split('\n')
  return new Map(
    rows.map(row => {
      const [sku = '', title = '', picture = '', availability, price = ''] = row.split('\t')
      const isThere = availability !== 'out_of_stock'
      const isLater = availability === 'preorder'
      return [sku, { sku, title, picture, isThere, isLater, price: Math.round(Number.parseFloat(price) * 100) }]
    })
  )
}

function isSigned(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: Date): boolean {
  const [id = '', timestamp = '', sent = ''] = ['id', 'timestamp', 'signature'].map(of =>
    String(headers[`webhook-${of}`] ?? '')
  )
  const isNow = Math.abs(now.getTime() / 1000 - Number(timestamp)) < 300
  return isNow && isAnySame([sent], [signMessage(secret, { id, timestamp, body })])
}

export async function openDemoShop({ port, metricsPort, ownOrigin, clock }: DemoShopOptions) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const products = readProducts()
  /** By the key of the cart, which nobody can guess: a repeat gets the same bag. */
  const bags = new Map<string, OrchardBag>()
  let origin = ''
  /** Numbers go on from start to start, as those of a real shop do: a number names one order. */
  let orders = Math.floor(clock().getTime() / 1000)

  function takeCart({ key, reference, currency, items }: OrchardCart): { status: number; json: object } {
    const lines = items.flatMap(({ sku, quantity }) => {
      const product = products.get(sku)
      return product ? [{ ...product, quantity }] : []
    })
    const errors = items.flatMap(({ sku }, i) => {
      const code = products.has(sku) ? 'out-of-stock' : 'sku-unknown'
      return products.get(sku)?.isThere ? [] : [{ pointer: `#/items/${i}/sku`, code }]
    })
    if (currency !== 'EUR') errors.push({ pointer: '#/currency', code: 'currency-not-sold' })
    if (errors.length > 0) return { status: 422, json: { title: 'The bag cannot be sold', errors } }

    const now = clock().getTime()
    for (const [id, { expiresAt }] of bags) if (expiresAt < now) bags.delete(id)
    const bag = bags.get(key) ?? { id: key, reference, lines, expiresAt: now + LIFETIME }
    bags.set(key, bag)
    return {
      status: 200,
      json: {
        lines: bag.lines.map(({ sku, quantity }) => ({ sku, quantity })),
        currency,
        url: `${origin}/bag/${bag.id}`,
        expiresAt: new Date(bag.expiresAt)
      }
    }
  }

  /** A real shop would try again until its report has arrived. */
  async function reportOrder({ reference, lines }: OrchardBag, number: string): Promise<void> {
    const items = lines.map(({ sku, quantity }) => ({ sku, quantity }))
    const total = (totalOf(lines) / 100).toFixed(2)
    const body = JSON.stringify({ reference, number, currency: 'EUR', total, items })
    const headers = { 'content-type': 'application/json', ...signatureHeaders(secret, randomUUID(), body, clock()) }
    const url = `${ownOrigin()}/${ID}/orders`
    await httpFetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) }).then(
      answer => answer.body?.cancel(),
      () => {}
    )
  }

  /** @returns the address of the confirmation */
  async function placeOrder(bag: OrchardBag): Promise<string> {
    if (!bag.order) {
      bag.order = `OL-${++orders}`
      await reportOrder(bag, bag.order)
    }
    return `/bag/${bag.id}/complete?order=${bag.order}`
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname } = new URL(String(request.url), 'http://orchard')
    const send = (status: number, type: string, content: string | Buffer) =>
      response.writeHead(status, { 'content-type': type }).end(content)
    const sendPage = (status: number, html: string) => {
      response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY)
      response.setHeader('cache-control', 'no-store')
      return send(status, 'text/html; charset=utf-8', html)
    }
    if (pathname === '/app-cart' || pathname === WEBHOOK_PATH) {
      const body = Buffer.concat(await request.toArray())
      if (!isSigned(secret, request.headers, body, clock())) return send(401, 'application/json', '{}')
      if (pathname === WEBHOOK_PATH) return response.writeHead(204).end()
      const { status, json } = takeCart(JSON.parse(body.toString()))
      return send(status, 'application/json', JSON.stringify(json))
    }
    const pictured = [...products.values()].find(({ picture }) => pathname === `/${picture}`)
    if (pictured) return send(200, 'image/svg+xml', readFileSync(join(FOLDER, pictured.picture)))
    const [, id = '', complete] = /^\/bag\/([\w-]+)(\/complete)?$/.exec(pathname) ?? []
    const bag = bags.get(id)
    if (!bag) return sendPage(404, render('lost', {}))
    if (complete && bag.order) return sendPage(200, bagPage('order', bag))
    if (request.method !== 'POST' && !bag.order) return sendPage(200, bagPage('bag', bag))
    return response.writeHead(303, { location: await placeOrder(bag), 'cache-control': 'no-store' }).end()
  }

  const server = createServer((request, response) => {
    // A client that has gone away gets no answer.
    respond(request, response).catch(() => response.destroy())
  })
  const listen = (at: number) => once(server.listen(at, '127.0.0.1'), 'listening')
  const next = (port + 1) % 65_536
  await listen(port === 0 || next === metricsPort ? 0 : next).catch(() => listen(0))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    /** The secret that server and shop share is made at each start. */
    variables: { ORCHARD_SHOP_SECRET: secret },
    /**
     * Leads the bags of its merchant to where the shop listens, which the merchant file cannot know. For the others it takes
     * the place of their systems, and their webhooks.
     */
    lead: (merchant: Merchant): Merchant => {
      const { id, destination } = merchant
      if (id !== ID || !destination) return { webhook: { url: origin + WEBHOOK_PATH, secret }, ...merchant }
      const settings = { ...destination.settings, url: `${origin}/app-cart` }
      return { ...merchant, destination: { ...destination, settings } }
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
}

type OrchardLine = { sku: string; title: string; picture: string; quantity: number; price: number; isLater: boolean }

type OrchardBag = {
  id: string
  reference: string
  lines: OrchardLine[]
  /** In milliseconds. */
  expiresAt: number
  /** Its number. */
  order?: string
}

/** In cents. */
const DELIVERY = 490

/** What is charged for these lines, in cents. */
function totalOf(lines: OrchardLine[]): number {
  return lines.reduce((sum, { quantity, price }) => sum + quantity * price, DELIVERY)
}

const EUROS = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })

const VIEWS = join(import.meta.dirname, '../../../views/orchard')

const render = (name: 'bag' | 'order' | 'lost', values: object) => new Eta({ views: VIEWS }).render(name, values)

/** @param name of the template */
function bagPage(name: 'bag' | 'order', bag: OrchardBag): string {
  const inEuros = (cents: number) => EUROS.format(cents / 100)
  return render(name, { ...bag, inEuros, delivery: DELIVERY, total: totalOf(bag.lines) })
}
