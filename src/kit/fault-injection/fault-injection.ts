// What only bags of the simulator meet: failures that are chosen for them, where they would happen, and a record of the
// messages between servers about their orders. Their requests go to an app of their own, and are known by the connection, so
// nothing is added to them.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { StoreUnavailable } from '../../errors.ts'
import type { Fetch } from '../../integrations/outgoing/http-client.ts'
import type { PaymentGateway } from '../../integrations/payment/provider-call.ts'
import type { ListedCatalogue, Offer } from '../../merchant/catalogue/product.ts'
import type { Merchant, MerchantCatalogue } from '../../merchant/merchant.ts'
import { traceCalls } from '../../observer.ts'
import type { Store } from '../../store/store.ts'
import type { WebHeader, WebRequest } from '../../transfer/option.ts'

/** Without a network nothing leaves the phone; the others happen in this server. */
export const failures = ['sold-out', 'price-changed', 'expired', 'busy', 'slow', 'offline'] as const
export type Failure = (typeof failures)[number]

/**
 * A message about an order, its answer, which is undefined if none came, when it began (`performance.now()`), and how long that
 * took. What opens, looks at and cancels a payment goes to its provider, and notifications come from there.
 */
export type SeenMessage = {
  kind: 'webhook' | 'report' | 'open' | 'look' | 'cancel' | 'notification'
  request: WebRequest
  answer: { status: number; headers: WebRequest['headers']; body: string } | undefined
  began: number
  milliseconds: number
}

/** While a request is answered. Only the first product that is looked up is sold out, or costs more. */
type Played = { failure: Failure | undefined; seen: SeenMessage[]; sku?: string }

/** While a payment provider is asked, with its key, which nobody is shown. */
type Asking = Pick<SeenMessage, 'kind'> & { seen: SeenMessage[]; secret: string; variable: string }

/** How long an answer waits, in milliseconds. */
export const SLOW_ANSWER = 5000
/** Webhooks have what shoppers typed: they are kept until the page has fetched them, at most for this long. */
const KEPT = { max: 500, ttl: 10 * 60 * 1000, ttlAutopurge: true }

export type InjectedParts = { merchants: MerchantCatalogue[]; store: Store }

export type FaultInjection = ReturnType<typeof openFaultInjection>

export function openFaultInjection() {
  const playing = new AsyncLocalStorage<Played>()
  const connections = new Map<string, Played>()
  const asking = new AsyncLocalStorage<Asking>()
  /** By journey, and for its orders by number, or by what the merchant's own shop knows them by. */
  const messages = new LRUCache<string, SeenMessage[]>(KEPT)
  const handedOver = (merchantId: string, reference: string) => `order ${merchantId} ${reference}`
  const ofJourney = (journey: string) => `journey ${journey}`
  /** Order numbers by the provider's names for their payments, and those names by the notifications about them. */
  const numbers = new LRUCache<string, string>(KEPT)
  const notifications = new WeakMap<object, string>()

  /** The latest journey that has to do with an order gets the messages about it. */
  function expect(key: string): void {
    const played = playing.getStore()
    if (played) messages.set(key, played.seen)
  }

  function aboutPayment(providerId = ''): SeenMessage[] | undefined {
    const number = numbers.get(providerId)
    if (number === undefined) return undefined
    expect(number)
    return messages.get(number)
  }

  function wrapCatalogue(catalogue: ListedCatalogue): ListedCatalogue {
    const product = (sku: string) => {
      const [found, played] = [catalogue.product(sku), playing.getStore()]
      if (!found || !played?.failure) return found
      played.sku ??= sku
      if (played.sku !== sku) return found
      const offers = Object.entries(found.offers).map(([code, offer]) => [code, changedBy(played.failure, offer)])
      return { ...found, offers: Object.fromEntries(offers) }
    }
    return { ...catalogue, product }
  }

  function wrapStore(store: Store): Store {
    const busy = () => Promise.reject(new StoreUnavailable('the simulator plays a busy database'))
    const calls = traceCalls('store', store, (_name, call) =>
      playing.getStore()?.failure === 'busy' ? busy() : call()
    )
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
      beginHandoff: (attempt, reusableFrom) => {
        expect(handedOver(attempt.merchantId, attempt.cart.reference))
        return calls.beginHandoff(attempt, reusableFrom)
      }
    }
  }

  function wrapGateway(gateway: PaymentGateway, { payment }: Merchant): PaymentGateway {
    const variable = String(payment?.settings.secretVariable)
    const secret = String(payment?.secret)
    const ask = <T>(kind: Asking['kind'], seen: SeenMessage[] | undefined, work: () => Promise<T>): Promise<T> =>
      seen ? asking.run({ kind, seen, secret, variable }, work) : work()
    return {
      ...gateway,
      open: async request => {
        expect(request.orderNumber)
        const opened = await ask('open', playing.getStore()?.seen, () => gateway.open(request))
        numbers.set(opened.providerId, request.orderNumber)
        return opened
      },
      retrievePayment: id => ask('look', aboutPayment(id), () => gateway.retrievePayment(id)),
      cancel: id => ask('cancel', aboutPayment(id), () => gateway.cancel(id)),
      readPaymentWebhook: async (headers, body, now) => {
        const id = await gateway.readPaymentWebhook(headers, body, now)
        if (id !== undefined) notifications.set(body, id)
        return id
      }
    }
  }

  return {
    /** Parts for the simulator's requests, which fail as they are told to. */
    inject: ({ merchants, store }: InjectedParts): InjectedParts => ({
      merchants: merchants.map(shop => ({ ...shop, catalogue: wrapCatalogue(shop.catalogue) })),
      store: wrapStore(store)
    }),
    /** Gateways of the whole server, which take note of what they ask about the simulator's payments. */
    watchGateways: (gateways: ReadonlyMap<string, PaymentGateway>, merchants: Merchant[]) =>
      new Map(
        merchants.flatMap(merchant => {
          const gateway = gateways.get(merchant.id)
          return gateway ? [[merchant.id, wrapGateway(gateway, merchant)]] : []
        })
      ),
    /** Takes note of a connection over which the simulator sends a request to this server. */
    connected: (socket: Socket, failure: Failure | undefined, journey: string = randomUUID()): void => {
      const name = nameOf(socket.localAddress, socket.localPort, socket.remotePort)
      const seen = messages.get(ofJourney(journey)) ?? []
      messages.set(ofJourney(journey), seen)
      connections.set(name, { failure, seen })
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
    /** A request that may be a notification of a payment. @param body as it was read */
    notified: (body: unknown, message: () => SeenMessage): void => {
      aboutPayment(notifications.get(Object(body)))?.push(message())
    },
    /** Sees the webhooks among what is fetched, and what payment providers are asked. */
    watch:
      (fetch: Fetch): Fetch =>
      async (url, options) => {
        const { method = 'GET', headers = {}, body } = options
        const call = asking.getStore()
        const seen = call?.seen ?? messages.get(String(headers['webhook-id']?.split('_').at(-1)))
        if (!seen) return fetch(url, options)
        const shown = Object.entries(headers).map(([name, value]) => shownHeader(name, value, call))
        const request = { method, url: String(url), headers: shown, ...(body !== undefined && { body }) }
        const began = performance.now()
        let answer: SeenMessage['answer']
        try {
          const response = await fetch(url, options)
          const text = call ? await response.clone().text() : ''
          answer = { status: response.status, headers: pairs(response.headers), body: text }
          return response
        } finally {
          const milliseconds = performance.now() - began
          seen.push({ kind: call?.kind ?? 'webhook', request, answer, began, milliseconds })
        }
      },
    /** @returns the messages that a journey has led to since the last call, oldest first */
    take: (journey = ''): SeenMessage[] =>
      (messages.get(ofJourney(journey))?.splice(0) ?? []).sort((a, b) => a.began - b.began)
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

/** @param call the request is to a payment provider, and has its key */
function shownHeader(name: string, value: string, { secret = '', variable = '' }: Partial<Asking> = {}): WebHeader {
  if (!secret || !value.includes(secret)) return { name, value }
  return { name, value: value.replace(secret, `$${variable}`), variable }
}

function pairs(entries: Iterable<[string, string]>): WebRequest['headers'] {
  return Array.from(entries, ([name, value]) => ({ name, value }))
}
