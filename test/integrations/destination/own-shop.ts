// A merchant's own shop for tests: a real HTTP server that takes carts by the hook, keeps each under its key, and shows
// it. It answers as configured, or not at all.
import type { IncomingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import { signMessage } from '../../../src/secrets.ts'
import { merchantFile } from '../../build.ts'
import { type OpenServer, openServer } from '../../listen.ts'

export const SHOP_SECRET = `whsec_${Buffer.from('a secret that shop and server share').toString('base64')}`

/** A merchant file whose bags lead to a shop. */
export function shopFile(
  option: string,
  url: string,
  { hasFeed = true, ...changes }: { hasFeed?: boolean; id?: string; publicUrl?: string } = {}
) {
  const { catalogue, ...file } = merchantFile(option, changes)
  const { path: _, ...checkout } = file.checkout
  const destination = { type: 'hook', url, secretVariable: 'SHOP_SECRET' }
  return { ...file, ...(hasFeed && { catalogue }), checkout: { ...checkout, destination } }
}

type SentCart = {
  type: string
  key: string
  reference: string
  currency: string
  items: { sku: string; quantity: number; price?: string }[]
  codes?: string[]
  attribution?: Record<string, string>
}

export type ShopAnswer =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | 'hangs'
  | 'cuts'

export type OwnShop = OpenServer & {
  url: string
  /** Every cart that arrived with a valid signature, and the headers of its request. */
  received: { cart: SentCart; headers: IncomingHttpHeaders }[]
  /** Sets what it answers from now on; by default where it keeps the cart. */
  answer: (answer: (cart: SentCart, kept: object) => ShopAnswer | Promise<ShopAnswer>) => void
}

export async function openOwnShop(t: Test): Promise<OwnShop> {
  const carts = new Map<string, SentCart>()
  const received: OwnShop['received'] = []
  let answerOf: (cart: SentCart, kept: object) => ShopAnswer | Promise<ShopAnswer> = (_cart, kept) => ({ json: kept })

  const server = await openServer(t, async (request, response) => {
    const url = new URL(String(request.url), server.origin)
    if (request.method === 'GET') {
      const cart = carts.get(
        url.searchParams.get('cart') ?? /shop_cart=([^;]*)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
      )
      const lines = cart?.items.map(({ sku, quantity }) => `<li data-sku="${sku}" data-quantity=${quantity}></li>`)
      response.setHeader('content-type', 'text/html')
      return response.writeHead(cart ? 200 : 404).end(`<title>Own shop</title><ul>${lines?.join('')}</ul>`)
    }
    const body = (await request.toArray()).join('')
    const [id, timestamp] = [request.headers['webhook-id'], request.headers['webhook-timestamp']].map(String)
    const expected = signMessage(SHOP_SECRET, { id: String(id), timestamp: String(timestamp), body })
    if (request.headers['webhook-signature'] !== expected) return response.writeHead(401).end()
    const cart: SentCart = JSON.parse(body)
    received.push({ cart, headers: request.headers })
    if (!carts.has(cart.key)) carts.set(cart.key, cart)
    const kept = { lines: cart.items, currency: cart.currency, url: `${server.origin}/checkout?cart=${cart.key}` }
    const answer = await answerOf(cart, kept)
    if (answer === 'hangs') return
    if (answer === 'cuts') return response.destroy()
    const { status = 200, json, text = JSON.stringify(json), headers } = answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
  return {
    ...server,
    url: `${server.origin}/carts`,
    received,
    answer: next => {
      answerOf = next
    }
  }
}
