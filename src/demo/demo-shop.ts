// The demo merchants, which plain `npm start` serves, and Orchard Lane's own shop, which it runs beside the server: it takes
// bags by the hook (src/destination/hook/README.md), shows them on its own pages, takes orders and reports them. It shares
// nothing with the server but a secret, and keeps a bag in memory for an hour.
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import type { Merchant } from '../merchant/merchant.ts'
import { httpFetch } from '../outgoing/http-client.ts'
import { isAnySame, signatureHeaders, signMessage } from '../secrets.ts'

const CONFIG = join(import.meta.dirname, '../../config')

export function demoFiles(): string[] {
  return readdirSync(CONFIG)
    .filter(name => /(?<!\.schema)\.json$/.test(name) && name !== 'minimal.json')
    .sort()
    .map(name => relative(process.cwd(), join(CONFIG, name)))
}

const ID = 'orchard'

type DemoShopOptions = {
  /** The server's own port: the shop listens on the next one, or on any other if that is taken, or for metrics. */
  port: number
  metricsPort?: number | undefined
  /** Scheme, host and port of the server, once it listens. */
  ownOrigin: () => string
  clock: () => Date
}

type OrchardCart = { key: string; reference: string; currency: string; items: { sku: string; quantity: number }[] }

const FOLDER = join(CONFIG, ID)

/** How long a bag is kept, in milliseconds. */
const LIFETIME = 60 * 60 * 1000

function readProducts(): Map<string, Omit<OrchardLine, 'quantity'> & { isThere: boolean }> {
  const [, ...rows] = readFileSync(join(FOLDER, 'feed.tsv'), 'utf8').trim().split('\n')
  return new Map(
    rows.map(row => {
      const [sku = '', title = '', picture = '', availability, price = ''] = row.split('\t')
      const isThere = availability !== 'out_of_stock'
      return [sku, { sku, title, picture, isThere, price: Math.round(Number.parseFloat(price) * 100) }]
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

  /** @returns how it was answered; a real shop would try again until its report has arrived */
  async function reportOrder({ reference, lines }: OrchardBag, number: string): Promise<string> {
    const items = lines.map(({ sku, quantity }) => ({ sku, quantity }))
    const total = (totalOf(lines) / 100).toFixed(2)
    const body = JSON.stringify({ reference, number, currency: 'EUR', total, items })
    const headers = { 'content-type': 'application/json', ...signatureHeaders(secret, randomUUID(), body, clock()) }
    const url = `${ownOrigin()}/${ID}/orders`
    return httpFetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) }).then(
      async answer => {
        await answer.body?.cancel()
        return `POST ${url} was answered with ${answer.status}`
      },
      (error: Error) => `POST ${url} failed: ${error.message}`
    )
  }

  /** @returns the address of the confirmation */
  async function placeOrder(bag: OrchardBag): Promise<string> {
    if (!bag.order) {
      bag.order = { number: `OL-${++orders}`, reported: 'not yet' }
      bag.order.reported = await reportOrder(bag, bag.order.number)
    }
    return `/bag/${bag.id}/complete?order=${bag.order.number}`
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
    if (pathname === '/app-cart') {
      const body = Buffer.concat(await request.toArray())
      if (!isSigned(secret, request.headers, body, clock())) return send(401, 'application/json', '{}')
      const { status, json } = takeCart(JSON.parse(body.toString()))
      return send(status, 'application/json', JSON.stringify(json))
    }
    const pictured = [...products.values()].find(({ picture }) => pathname === `/${picture}`)
    if (pictured) return send(200, 'image/svg+xml', readFileSync(join(FOLDER, pictured.picture)))
    const [, id = '', complete] = /^\/bag\/([\w-]+)(\/complete)?$/.exec(pathname) ?? []
    const bag = bags.get(id)
    if (!bag) return sendPage(404, lostPage())
    if (complete && bag.order) return sendPage(200, orderPage(bag, bag.order))
    if (request.method !== 'POST' && !bag.order) return sendPage(200, orchardBagPage(bag))
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
    /** Leads the bags of its merchant to where the shop listens, which the merchant file cannot know. */
    lead: (merchant: Merchant): Merchant => {
      const { id, destination } = merchant
      if (id !== ID || !destination) return merchant
      const settings = { ...destination.settings, ...{ url: `${origin}/app-cart` } }
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

type OrchardLine = { sku: string; title: string; picture: string; quantity: number; price: number }

type OrchardBag = {
  id: string
  reference: string
  lines: OrchardLine[]
  /** In milliseconds. */
  expiresAt: number
  /** `reported` says what came of the report. */
  order?: { number: string; reported: string }
}

const DELIVERY = 490
const EUROS = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })
const inEuros = (cents: number) => EUROS.format(cents / 100)

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; base-uri 'none'"

const STYLE = `
*{box-sizing:border-box;margin:0}
body{font:1rem/1.5 Georgia,'Times New Roman',serif;color:#26301c;background:#fbfaf4;max-width:34rem;margin:auto}
header{background:#2f4a22;color:#fff;padding:.9rem 1rem;font-size:1.25rem}
main{padding:1.25rem 1rem 2rem}
h1{font-size:1.6rem;line-height:1.25;margin-bottom:.75rem}
ul{list-style:none;padding:0}
li{display:grid;grid-template-columns:64px 1fr auto;gap:0 .85rem;padding:.85rem 0;border-bottom:1px solid #d9dcc8}
li img{grid-row:span 2;border-radius:50%}
li b{overflow-wrap:anywhere}
li span{grid-column:2/-1;color:#55604a}
dl div{display:flex;justify-content:space-between;padding:.35rem 0}
dl{padding:.75rem 0}
dl .sum{font-size:1.25rem;font-weight:bold;border-top:2px solid #2f4a22;margin-top:.4rem;padding-top:.6rem}
button,.button{display:block;width:100%;min-height:3.25rem;padding:.7rem 1rem;border:0;border-radius:3px;background:#a4331d;color:#fff;font:bold 1.1rem/1.6 Georgia,serif;text-align:center;text-decoration:none;cursor:pointer}
:focus-visible{outline:3px solid #26301c;outline-offset:3px}
p{margin-bottom:.9rem}
.made-up{background:#f3e8c8;border-left:4px solid #b98a1e;padding:.6rem .8rem;margin:1.25rem 0;font-size:.95rem;overflow-wrap:anywhere}`

const escaped = (text: string) => text.replace(/[&<>"']/g, found => `&#${found.charCodeAt(0)};`)

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Orchard Lane</title>
<style>${STYLE}</style>
</head>
<body>
<header>Orchard Lane</header>
<main>
${content}
</main>
</body>
</html>
`
}

/** What is charged for these lines, in cents. */
function totalOf(lines: OrchardLine[]): number {
  return lines.reduce((sum, { quantity, price }) => sum + quantity * price, DELIVERY)
}

function linesAndSums(lines: OrchardLine[]): string {
  const items = lines.map(
    ({ sku, title, picture, quantity, price }) => `<li class="line" data-article="${escaped(sku)}">
<img src="/${escaped(picture)}" alt="" width="64" height="64"><b>${escaped(title)}</b><strong>${inEuros(quantity * price)}</strong>
<span><span class="count">${quantity}</span> ${quantity > 1 ? `pieces, ${inEuros(price)} each` : 'piece'}</span></li>`
  )
  return `<ul>
${items.join('\n')}
</ul>
<dl>
<div><dt>Goods</dt><dd>${inEuros(totalOf(lines) - DELIVERY)}</dd></div>
<div><dt>Delivery in Ireland</dt><dd>${inEuros(DELIVERY)}</dd></div>
<div class="sum"><dt>Total</dt><dd class="total">${inEuros(totalOf(lines))}</dd></div>
</dl>`
}

function orchardBagPage({ id, lines }: OrchardBag): string {
  return page(
    'Your bag',
    `<h1>Your bag</h1>
${linesAndSums(lines)}
<form method="post" action="/bag/${id}"><button>Order and pay ${inEuros(totalOf(lines))}</button></form>
<p class="made-up">This shop is made up. It asks for no address, takes no payment and sends nothing.</p>`
  )
}

const BACK = '<a class="button" href="orchard://continue">Back to the app</a>'

/** The app recognises a completed order by the title and the address of its page. */
function orderPage({ lines, reference }: OrchardBag, { number, reported }: Required<OrchardBag>['order']): string {
  return page(
    'Order complete',
    `<h1>Thank you</h1>
<p>Your order is <b>${number}</b>.</p>
${linesAndSums(lines)}
${BACK}
<p class="made-up">For engineers: it was placed under the reference <code>${escaped(reference)}</code> and reported to the server that handed the bag over: ${escaped(reported)}.</p>`
  )
}

function lostPage(): string {
  return page(
    'No bag here',
    `<h1>There is no bag here</h1>
<p>A bag is kept for an hour. Go back to the app and tap checkout again.</p>
${BACK}`
  )
}
