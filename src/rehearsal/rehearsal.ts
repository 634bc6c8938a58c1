// What only bags of the simulator meet: failures that are chosen for them, where they would happen, and a record of the
// messages between servers about their orders. Their requests are known by the connection, so nothing is added to them.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { ListedCatalogue, Offer } from '../catalogue/product.ts'
import { StoreUnavailable } from '../errors.ts'
import type { MerchantCatalogue } from '../merchant/merchant.ts'
import { traceCalls } from '../observer.ts'
import type { Fetch } from '../outgoing/http-client.ts'
import type { Store } from '../store/store.ts'
import type { WebRequest } from '../transfer/option.ts'

/** Without a network nothing leaves the phone; the others happen in this server. */
export const failures = ['sold-out', 'price-changed', 'expired', 'busy', 'slow', 'offline'] as const
export type Failure = (typeof failures)[number]

/** A message about an order, its answer, which is undefined if none came, and how long that took. */
export type SeenMessage = {
  kind: 'webhook' | 'report'
  request: WebRequest
  answer: { status: number; headers: WebRequest['headers']; body: string } | undefined
  milliseconds: number
}

/** While a request is answered. Only the first product that is looked up is sold out, or costs more. */
type Played = { failure: Failure | undefined; sku?: string }

/** How long an answer waits, in milliseconds. */
export const SLOW_ANSWER = 5000
/** Webhooks have what shoppers typed: they are kept until the page has fetched them, at most for this long. */
const KEPT = { max: 100, ttl: 10 * 60 * 1000, ttlAutopurge: true }

export type Rehearsal = ReturnType<typeof openRehearsal>

export function openRehearsal() {
  const playing = new AsyncLocalStorage<Played>()
  const connections = new Map<string, Played>()
  /** By order number, or by what the merchant's own shop knows the order by. */
  const messages = new LRUCache<string, SeenMessage[]>(KEPT)
  const handedOver = (merchantId: string, reference: string) => `${merchantId} ${reference}`

  function wrapCatalogue(catalogue: ListedCatalogue): ListedCatalogue {
    const product = (sku: string) => {
      const [found, played] = [catalogue.product(sku), playing.getStore()]
      if (!found || !played?.failure) return found
      played.sku ??= sku
      if (played.sku !== sku) return found
      const offers = Object.entries(found.offers).map(([code, offer]) => [code, changedBy(played.failure, offer)])
      return { ...found, offers: Object.fromEntries(offers) }
    }
    return { product, products: () => catalogue.products() }
  }

  function wrapStore(store: Store): Store {
    const calls = traceCalls('store', store, async (_name, call) => {
      if (playing.getStore()?.failure === 'busy') throw new StoreUnavailable('the simulator plays a busy database')
      return call()
    })
    const expect = (key: string) => playing.getStore() && messages.set(key, messages.get(key) ?? [])
    return {
      ...calls,
      // Not by the clock, which would date what is stored.
      findCheckout: async (merchantId, token) => {
        const found = await calls.findCheckout(merchantId, token)
        return found && playing.getStore()?.failure === 'expired' ? { ...found, expiresAt: found.createdAt } : found
      },
      placeOrder: (order, options) => {
        expect(order.number)
        return calls.placeOrder(order, options)
      },
      beginHandover: (attempt, reusableFrom) => {
        expect(handedOver(attempt.merchantId, attempt.cart.reference))
        return calls.beginHandover(attempt, reusableFrom)
      }
    }
  }

  return {
    /** Parts that behave as before for everybody else. */
    wrap: (parts: { merchants: MerchantCatalogue[]; store: Store }) => ({
      merchants: parts.merchants.map(shop => ({ ...shop, catalogue: wrapCatalogue(shop.catalogue) })),
      store: wrapStore(parts.store)
    }),
    /** Takes note of a connection over which the simulator sends a request to this server. */
    connected: (socket: Socket, failure: Failure | undefined): void => {
      const name = nameOf(socket.localAddress, socket.localPort, socket.remotePort)
      connections.set(name, { failure })
      socket.once('close', () => connections.delete(name))
    },
    /** Goes on with a request that has arrived over a connection. */
    play: ({ remoteAddress, remotePort, localPort }: Socket, goOn: () => void): void => {
      const played = connections.get(nameOf(remoteAddress, remotePort, localPort))
      if (!played) goOn()
      else playing.run(played, () => setTimeout(goOn, played.failure === 'slow' ? SLOW_ANSWER : 0))
    },
    /** An order that the merchant's own shop reports. */
    reported: (merchantId: string, reference: string, message: SeenMessage): void => {
      messages.get(handedOver(merchantId, reference))?.push(message)
    },
    /** Sees the webhooks among what is fetched. */
    watch:
      (fetch: Fetch): Fetch =>
      async (url, options) => {
        const { method = 'GET', headers = {}, body } = options
        const seen = messages.get(String(headers['webhook-id']).replace('order_placed_', ''))
        if (!seen) return fetch(url, options)
        const request = { method, url: String(url), headers: pairs(Object.entries(headers)), body: String(body) }
        const began = performance.now()
        let answer: SeenMessage['answer']
        try {
          const response = await fetch(url, options)
          answer = { status: response.status, headers: pairs(response.headers), body: '' }
          return response
        } finally {
          seen.push({ kind: 'webhook', request, answer, milliseconds: performance.now() - began })
        }
      },
    /** @returns the messages about an order since the last call */
    take: (merchantId: string, reference: string, orderNumber: string): SeenMessage[] =>
      [handedOver(merchantId, reference), orderNumber].flatMap(key => messages.get(key)?.splice(0) ?? [])
  }
}

/** Another price is a tenth above the usual one, and no sale. */
function changedBy(failure: Failure | undefined, offer: Offer): Offer {
  if (failure === 'sold-out') return { ...offer, availability: 'out_of_stock' }
  const { availability, price } = offer
  return failure === 'price-changed' ? { availability, price: price + Math.ceil(price / 10) } : offer
}

/**
 * A connection as both of its ends know it; one from the same port may lead to another server. A server that listens on IPv6
 * writes IPv4 addresses in those.
 */
function nameOf(address: string | undefined, port: number | undefined, serverPort: number | undefined): string {
  return `${address?.replace('::ffff:', '')} ${port} ${serverPort}`
}

function pairs(entries: Iterable<[string, string]>): WebRequest['headers'] {
  return Array.from(entries, ([name, value]) => ({ name, value }))
}
