// The carts that a bare site keeps for platforms by UCP, and what it may get wrong about them. No code of ours is in it.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Bag, type Is, No } from './bare-reading.ts'
import type { Page } from './bare-site.ts'

type Parts = {
  is: Is
  origin: () => string
  /** Refuses what cannot be sold. */
  check: (bag: Bag) => Bag
  /** @returns the id of its page */
  keep: (bag: Bag) => string
}

type Sent = { line_items: { item: { id: string }; quantity: number }[]; context: { currency: string }; later?: unknown }

const CART = 'dev.ucp.shopping.cart'
const [NEWEST, OLDER] = ['2026-08-25', '2026-04-08']
const PRICE = 500

export function openCarts({ is, origin, check, keep }: Parts) {
  const carts = new Map<string, { bag: Bag; page: string }>()
  const answered = new Map<string, { body: string; answer: Page }>()
  let cancelled = ''

  const json = (status: number, body: object, cache = 'no-store'): Page => ({
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': cache },
    body: JSON.stringify(body)
  })
  const refusal = (messages: object[]) => json(200, { ucp: { version: NEWEST, status: 'error' }, messages })
  const continueUrl = (id: string) => `${origin()}/bag/carts/${id}/continue`

  function profile(version: string): Page {
    const base = is('endpoint-elsewhere') ? 'https://shop.example' : origin()
    const services = {
      'dev.ucp.shopping': [{ version, transport: is('only-mcp') ? 'mcp' : 'rest', endpoint: `${base}/bag` }]
    }
    const capabilities = { [CART]: [{ version: is('capability-of-other-version') ? '2026-01-11' : version }] }
    const leaf = `${is('leaf-relative') ? '' : origin()}/.well-known/ucp/${OLDER}`
    const older = version === NEWEST && { supported_versions: { [OLDER]: leaf } }
    if (is('profile-as-page')) return { body: '<p>Welcome' }
    if (is('profile-moved')) return { status: 308, headers: { Location: '/ucp' }, body: '' }
    const cache = is('profile-private') ? 'private, max-age=600' : 'public, max-age=600'
    return json(200, { ucp: { version, ...older, services, capabilities, payment_handlers: {} } }, cache)
  }

  function cartAnswer(status: number, id: string, { lines }: Bag): Page {
    const totals = (amount: number) => [
      { type: 'subtotal', amount },
      ...(is('two-totals') ? [{ type: 'total', amount }] : []),
      { type: 'total', amount: is('totals-apart') ? amount + 1 : amount }
    ]
    const items = lines.map(({ sku, quantity }) => {
      return { id: sku, item: { id: sku, title: sku, price: PRICE }, quantity, totals: totals(quantity * PRICE) }
    })
    return json(status, {
      ucp: { version: NEWEST },
      ...(!is('cart-without-id') && { id }),
      line_items: is('lines-turned') ? items.reverse() : items,
      currency: is('other-currency') ? 'EUR' : 'GBP',
      totals: totals(lines.reduce((sum, { quantity }) => sum + quantity * PRICE, 0)),
      continue_url: continueUrl(id) + (is('moved-by-put') ? `?${randomUUID()}` : '')
    })
  }

  function read(body: string): Bag {
    const { line_items: lines, later }: Sent = JSON.parse(body)
    if (later && is('no-other-fields')) throw new No(400, 'what is this?')
    const sent = lines.map(({ item, quantity }) => ({ sku: item.id, quantity }))
    return { reference: randomUUID().slice(0, 32), currency: 'GBP', lines: sent }
  }

  /** What cannot be sold of a bag. */
  function messagesAbout(bag: Bag): object[] {
    return bag.lines.flatMap((line, i) => {
      try {
        check({ ...bag, lines: [line] })
        return []
      } catch (error) {
        const path = is('line-not-named') ? {} : { path: `$.line_items[${i}]` }
        return { type: 'error', code: 'item_unavailable', ...path, content: (error as Error).message }
      }
    })
  }

  async function put(status: number, id: string, bag: Bag, before?: Bag): Promise<Page> {
    const messages = messagesAbout(bag)
    if (messages.length > 0 && !is('rest-sold')) return refusal(messages)
    if (messages.length > 0) bag.lines.pop()
    if (before && is('added-by-put')) bag.lines = [...before.lines, ...bag.lines]
    const page = before && is('page-of-first') ? String(carts.get(id)?.page) : keep(bag)
    carts.set(id, { bag, page })
    return cartAnswer(status, id, bag)
  }

  async function operate(method: string, id: string, operation: string, body: string): Promise<Page> {
    const cart = carts.get(id)
    if (operation === 'continue') {
      if (!cart || (id === cancelled && !is('cancelled-shown'))) throw new No(404, 'no such bag')
      return { status: 303, headers: { Location: `/show?id=${cart.page}`, 'Cache-Control': 'no-store' }, body: '' }
    }
    if (!cart || (id === cancelled && !is('cancelled-read'))) {
      const code = is('unknown-is-gone') ? 'gone' : 'not_found'
      return is('unknown-is-404') ? json(404, {}) : refusal([{ type: 'error', code, content: 'no such cart' }])
    }
    if (operation === 'cancel') cancelled = id
    if (method === 'PUT') return put(200, id, read(body), cart.bag)
    const isOther = method === 'GET' && is('read-under-other-id')
    return cartAnswer(200, isOther ? 'other' : id, cart.bag)
  }

  /** @param path of what a platform, or a shopper by `continue_url`, asks for */
  return async ({ method = '', headers }: IncomingMessage, path: string, body: string): Promise<Page> => {
    if (path.startsWith('/.well-known/')) {
      return profile(path.endsWith(OLDER) && !is('leaf-of-newest') ? OLDER : NEWEST)
    }
    const [, id, operation = ''] = /^\/bag\/carts\/([^/]+)\/?(\w*)$/.exec(path) ?? []
    if (id !== undefined) return operate(method, id, operation, body)
    if (path !== '/bag/carts') throw new No(404, 'not here')
    const key = is('key-ignored') ? '' : String(headers['idempotency-key'] ?? '')
    const known = key === '' ? undefined : answered.get(key)
    if (known && known.body !== body && !is('key-takes-other-body')) return json(409, {})
    const answer = known?.answer ?? (await put(201, randomUUID(), read(body)))
    answered.set(key, { body, answer })
    return answer
  }
}
