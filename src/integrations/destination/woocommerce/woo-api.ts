// The ways into a shop with WooCommerce: its Store API, its checkout link, which begins a cart and leads on to the checkout, and
// that page itself.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Fetch } from '../../outgoing/http-client.ts'
import { type RefusedCode, type ShopAccess, ShopFailed } from '../destination.ts'
import { callShop, retryAfter } from '../shop-call.ts'
import { withParameters } from '../shop-page.ts'

type Access = Pick<ShopAccess<{ url: string }>, 'settings' | 'fetch' | 'signal'>

/** Its token, and how many lines it has at most. */
export type CartInShop = { token: string; lines: number }

/** @param path below /wc/store/v1/ */
export type WooApi = <T extends TSchema>(schema: T, path: string, sent: object, cart?: CartInShop) => Promise<Static<T>>

/** A POST in place of a GET: no cache keeps its answer, and it has room for any number of SKUs. */
export const READ = '&_method=GET'

const StoreError = Type.Object({ code: Type.String(), message: Type.String() })

const OTHER = ': is url the address of a shop with WooCommerce, and does no page for maintenance or log-in hide it?'
const CLOSED = ': does a security plugin, a firewall or a log-in close the Store API? It has to let this server in'
const LIMITED = ': the rate limit of the Store API counts all bags as one shopper; it has to let this server have more'
export const HINTS = { 200: OTHER, 401: CLOSED, 403: CLOSED, 404: OTHER, 429: LIMITED, 503: ': is it in maintenance?' }

/**
 * Whatever its permalinks, WordPress takes a route from the query; for WooCommerce to mind the token of a cart, the usual path of
 * the API has to be somewhere in the address.
 */
export function wooApi({ settings: { url }, fetch, signal }: Access): WooApi {
  return async (schema, path, sent, cart) => {
    const address = shopAddress(url, `wp-json/wc/store/&rest_route=/wc/store/v1/${path}`)
    const { status, headers, json } = await callShop(fetch, address, {
      ...(cart && { headers: { 'cart-token': cart.token }, lines: cart.lines }),
      body: JSON.stringify(sent),
      signal,
      reads: 400,
      hints: HINTS
    })
    if (status !== 400 && Value.Check(schema, json)) return json
    const name = `/wc/store/v1/${path.replace(READ, '')}`
    if (!Value.Check(StoreError, json)) throw new ShopFailed(`${name} gave an answer that is not that of WooCommerce`)
    const hint = json.code === 'rate_limit_exceeded' ? LIMITED : ''
    throw new ShopFailed(`${name} answered ${status}: ${json.message.slice(0, 200)}${hint}`, {
      retryAfter: retryAfter({ headers })
    })
  }
}

export const shopAddress = (url: string, query: string) => `${url.replace(/\/+$/, '')}/?${query}`

/**
 * Begins a fresh cart, by a POST: a cache could keep the answer to a GET, and with it one cart for two bags.
 * @param products as `id:units`, with commas between
 * @returns its token, and the address of the checkout with it; or what the shop says if it takes none of the products
 */
export async function beginCart(
  { settings: { url }, fetch, signal }: Access,
  products: string
): Promise<{ token: string; page: URL; expiresAt?: string } | string> {
  const address = shopAddress(url, `checkout-link=true&products=${products}`)
  const { headers } = await callShop(fetch, address, { body: '', signal, headersOnly: true, hints: HINTS })
  const location = headers.get('location')
  if (location === null) {
    throw new ShopFailed('it does not know checkout links: is its WooCommerce older than 10.0? It has to be updated')
  }
  const page = new URL(location, url)
  const refused = page.searchParams.get('wc_error')
  if (refused !== null) return refused
  const token = page.searchParams.get('session')
  if (token === null) {
    const place = page.origin + page.pathname
    throw new ShopFailed(`its checkout link leads to ${place}: for a log-in, or is its checkout on another host?`)
  }
  if (page.origin !== new URL(url).origin) throw new ShopFailed(`its checkout is on ${page.origin}; give that in url`)
  const [, content = ''] = token.split('.')
  // Whatever is wrong with it, the next call fails.
  const seconds = Number(/"exp":(\d{1,11})\b/.exec(Buffer.from(content, 'base64url').toString())?.[1])
  return { token, page, ...(seconds > 0 && { expiresAt: new Date(seconds * 1000).toISOString() }) }
}

/** What WooCommerce sends instead of a page that it hides until the shop is opened. */
const COMING_SOON = 'max-age=60'

/**
 * Its embedded form shows no cart, and costs the shop little, but leads elsewhere as the page itself does.
 * @throws ShopFailed if a shopper would not get the checkout
 */
export async function checkPage({ fetch, signal }: Access, page: URL): Promise<void> {
  const embedded = new URL(page)
  embedded.searchParams.set('embed', 'true')
  const { headers } = await callShop(fetch, embedded, { signal, headersOnly: true, hints: HINTS })
  const location = headers.get('location')
  if (location !== null) {
    const { origin, pathname } = new URL(location, page)
    throw new ShopFailed(`its checkout leads on to ${origin}${pathname}: does it ask guests to log in?`)
  }
  if (headers.get('cache-control') === COMING_SOON) {
    throw new ShopFailed('its checkout says "coming soon": set the site visibility of WooCommerce to live')
  }
}

/** Of a page, in bytes. */
const MAX_PAGE = 1024 * 1024

/** @returns its beginning, whatever its status */
export async function readPage(fetch: Fetch, address: string, signal: AbortSignal): Promise<string> {
  const { body } = await fetch(address, { headers: { accept: 'text/html' }, signal })
  const chunks: Uint8Array[] = []
  let room = MAX_PAGE
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    room -= chunk.length
    if (room < 0) break
  }
  return Buffer.concat(chunks).toString()
}

/**
 * The address of the checkout by which it shows, as an error, why it refuses codes. A theme may have no place for errors, and one
 * that is not shown would keep the checkout from taking the order: so it is tried.
 */
export async function withErrors({ fetch, signal }: Access, address: string, refused: RefusedCode[]): Promise<string> {
  if (refused.length === 0) return address
  const page = await readPage(fetch, withParameters(address, [['wc_error', SAMPLE_ERROR]]), signal)
  const error = refused.map(({ detail }) => detail).join(' ')
  return page.includes(SAMPLE_ERROR) ? withParameters(address, [['wc_error', error]]) : address
}

/** With spaces, which are others in an address: a page may quote its own. */
const SAMPLE_ERROR = 'Sample error of cart transfer'

const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"' }))

/** Text as WordPress writes it into HTML, and so into its JSON. */
export function decoded(html: string): string {
  return html.replace(/&(?:#(\d{1,6})|(\w+));/g, (entity, code, name) =>
    code === undefined ? (NAMED.get(name) ?? entity) : String.fromCodePoint(Number(code))
  )
}
