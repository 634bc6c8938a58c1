// Records what a real shop answers to its adapter, for the tests that run without it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cart } from '../../src/cart/cart.ts'
import {
  CartRefused,
  type Destination,
  type Handoff,
  ShopFailed
} from '../../src/integrations/destination/destination.ts'
import { destinations } from '../../src/integrations/destination/index.ts'
import { type Fetch, httpFetch } from '../../src/integrations/outgoing/http-client.ts'
import { ROOT } from '../node-process.ts'
import type { Addresses, Scenario, Shop } from './shop.ts'
import { pagePath } from './storefront.ts'

/** One request, and the answer to it. Headers are those that matter. */
export type Call = {
  request: { method: string; path: string; headers: Record<string, string>; body?: string }
  response: { status: number; headers: [name: string, value: string][]; body: string }
}

export type Recording = {
  name: string
  settings: object
  cart: Cart
  calls: Call[]
  /** What the adapter made of it. */
  outcome: { handover: Handoff } | { refused: CartRefused['mistakes'] } | { failed: string }
}

/** All recordings of a shop. `origin` is where it was. */
export type Recordings = { shop: string; at: string; origin: string; recordings: Recording[] }

/** Below `ROOT`. */
export const recordingsFile = (name: string) => join('test/integrations/destination', name, 'recorded.json')

/** Different in every answer, and of no use to a test. */
const LEFT_OUT =
  /^(date|connection|keep-alive|etag|content-length|x-powered-by|vary|access-control-.*|user-agent|accept|host|link|expires|x-(robots|frame|content-type)-.*|content-security-policy)$/

/** A `fetch` that keeps what goes through it. */
function recordingFetch(calls: Call[]): Fetch {
  return async (input, init) => {
    const url = new URL(String(input))
    const response = await httpFetch(url, init)
    const text = await response.text()
    // A page is long, and a test that is about one writes what matters of it.
    const body = /html/.test(response.headers.get('content-type') ?? '') ? '' : text
    const headersOf = (headers: Headers) => [...headers].filter(([name]) => !LEFT_OUT.test(name))
    calls.push({
      request: {
        method: init?.method ?? 'GET',
        path: url.pathname + url.search,
        headers: Object.fromEntries(headersOf(new Headers(init?.headers))),
        ...(typeof init?.body === 'string' && { body: init.body })
      },
      response: { status: response.status, headers: headersOf(response.headers), body }
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

/** What an adapter makes of a cart. */
export function openRecorded(
  destination: Destination,
  settings: unknown,
  cart: Cart,
  fetch: Fetch
): Promise<Recording['outcome']> {
  const signal = AbortSignal.timeout(60_000)
  return destination.open(cart, { settings, key: 'key-of-a-recording', signal, fetch, clock: () => new Date() }).then(
    handover => ({ handover }),
    error => {
      if (error instanceof CartRefused) return { refused: error.mistakes }
      if (error instanceof ShopFailed) return { failed: error.message }
      throw error
    }
  )
}

async function recordScenario(
  shop: Shop,
  addresses: Addresses,
  { name, settings, cart: sent }: Scenario
): Promise<Recording> {
  const destination = destinations.find(({ name }) => name === shop.name)
  const all = { ...shop.ways[0]?.settings(addresses, pagePath(0)), ...settings(addresses) }
  const cart = { reference: '0123456789abcdef0123456789abcdef', ...sent }
  const calls: Call[] = []
  if (!destination) throw new Error(`no destination is called ${shop.name}`)
  const outcome = await openRecorded(destination, all, cart, recordingFetch(calls))
  return { name, settings: all, cart, calls, outcome }
}

/** Writes the recordings of a shop that is running. */
export async function recordAll(shop: Shop, addresses: Addresses): Promise<void> {
  const recordings: Recording[] = []
  for (const scenario of shop.scenarios) recordings.push(await recordScenario(shop, addresses, scenario))
  const at = new Date().toISOString().slice(0, 10)
  const all: Recordings = { shop: shop.title, at, origin: addresses.shop, recordings }
  writeFileSync(join(ROOT, recordingsFile(shop.name)), `${JSON.stringify(all, null, 2)}\n`)
}
