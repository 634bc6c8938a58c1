// Carts that a platform keeps at a site by UCP's REST binding: what each answer says, and what the page behind `continue_url`
// shows afterwards, which no answer tells.
import { randomUUID } from 'node:crypto'
import type { Cart, Item } from '../../../cart/cart.ts'
import type { WebHeader, WebRequest } from '../../../transfer/option.ts'
import { checkGroup, EXACT_ITEMS, isProtocol } from '../check.ts'
import { assertResponse } from '../final-response.ts'
import { listedSkus } from '../profile.ts'
import type { Site } from '../site.ts'
import {
  assertItems,
  assertNotFound,
  assertTotals,
  businessProfileAt,
  CartAnswer,
  ErrorAnswer,
  readAnswer,
  unlike
} from './platform-answer.ts'

const sampleCart = ({ newCart }: Site): Cart => newCart([0, 1], [1, 2])

type Sent = { method?: string; path?: string; body?: object; headers?: WebHeader[] }

/** Sends the request that creates a cart, or what is made of it: another operation on the cart with this path. */
function call(site: Site, cart: Cart, { method = 'POST', path = '', body, headers = [] }: Sent = {}) {
  const request = site.requestFor(cart)
  const isRead = method === 'GET'
  const sent: WebRequest = {
    method,
    url: request.url + path,
    headers: [...request.headers.filter(({ name }) => !(isRead && name === 'Content-Type')), ...headers]
  }
  return site.ask(isRead ? sent : { ...sent, body: body ? JSON.stringify(body) : String(request.body) })
}

async function create(site: Site, cart: Cart, sent?: Sent) {
  return readAnswer(await call(site, cart, sent), 201, CartAnswer)
}

/** @throws CheckFailed unless the page that an answer leads to shows exactly these items; none, for a refusal */
async function assertPage(site: Site, url: string, items: Item[]): Promise<void> {
  const page = await site.open({ method: 'GET', url, headers: [] }, undefined, 'behind continue_url', 'page')
  // One that is gone may be refused in any way.
  await assertResponse(page, { status: items.length > 0 ? '2xx' : String(page.status), items })
}

/** The kinds of SKUs that cannot be sold, of which the profile has one. */
const unsellable = ({ profile: { skus } }: Site) =>
  [skus.unknown, listedSkus(skus.outOfStock)].flatMap(list => list.slice(0, 1))

export const cartChecks = checkGroup({ group: 'cart', appliesTo: isProtocol }, [
  {
    id: 'profile-leads-here',
    title: 'The profile at /.well-known/ucp, and that of each version it names, leads to this address and may be kept',
    failure: 'The profile did not lead to this address, or may not be kept',
    section: 'UCP overview (Profile Requirements, Protocol Version)',
    why: 'It is all that a platform knows of the shop. Google reads it before the first cart, and follows no redirect.',
    remedy:
      'Answer 200 with Cache-Control: public, max-age of at least 60, the version, the REST endpoint of dev.ucp.shopping and the capability dev.ucp.shopping.cart in that version. In front of the site, let no firewall or login guard this address.',
    dependsOn: [],
    run: async site => {
      const address = new URL('/.well-known/ucp', site.profile.url).href
      const { supported_versions: older = {} } = await businessProfileAt(site, address)
      for (const [version, url] of Object.entries(older)) {
        if (!/^https?:/.test(url) || !URL.canParse(url)) {
          throw unlike(`The address of version ${version}`, url, 'a whole one, with https://')
        }
        const leaf = await businessProfileAt(site, url)
        if (leaf.version !== version) throw unlike(`The version in ${url}`, leaf.version, version)
      }
    }
  },
  {
    id: 'cart-created',
    title: 'A cart is answered 201 with exactly its lines, their prices, and one subtotal and one total',
    failure: 'A cart was not answered with exactly its lines, prices and totals',
    section: 'UCP cart (Create Cart, Total)',
    why: 'The platform shows these lines and sums to the shopper before it leads to the page.',
    remedy:
      'Answer with the lines as sent, amounts in minor units, exactly one subtotal and one total at the cart and at each line, the currency of context.currency if you sell in it, and continue_url.',
    run: async site => {
      const cart = sampleCart(site)
      const answer = await create(site, cart)
      assertItems(answer, cart)
      for (const { totals, item } of answer.line_items) assertTotals(totals, item.id)
      assertTotals(answer.totals, 'the cart')
      if (answer.currency !== cart.currency) throw unlike('The currency', answer.currency, cart.currency)
    }
  },
  {
    id: 'other-fields-ignored',
    title: 'What comes with a cart and is not needed for it changes nothing',
    failure: 'A cart with fields that are not needed for it was not taken as it is',
    section: 'UCP overview (Attribution); schema of the cart (fields that requests omit)',
    why: 'Platforms send attribution, signals and what the next version brings. Google has one try.',
    remedy: 'Ignore fields that you do not know, and a currency, ids or totals that only answers have.',
    run: async site => {
      const cart = sampleCart(site)
      const others = { currency: 'XXX', attribution: { gclid: 'a-b' }, signals: { 'example.score': 1 }, later: [{}] }
      const body = { ...JSON.parse(String(site.requestFor(cart).body)), ...others }
      assertItems(await create(site, cart, { body }), cart)
    }
  },
  {
    id: 'cart-unsellable',
    title: 'A cart with an item that cannot be sold is refused as a whole, with 200 and the path of the line',
    failure: 'A cart with an item that cannot be sold was not refused as a whole, by its line',
    section: 'good practice (UCP lets a cart hold the rest; its errors have a path)',
    why: 'Google sends the cart once, when the shopper has decided. A page with the rest of it looks like success.',
    remedy:
      'Answer 200 with ucp.status "error", no id, and a message of type error for each such line, with its path: $.line_items[1].',
    run: async site => {
      for (const sku of unsellable(site)) {
        site.startOver()
        const { items, ...cart } = site.newCart([0, 1])
        const response = await call(site, { ...cart, items: [...items, { sku, quantity: 1 }] })
        const { messages } = readAnswer(response, 200, ErrorAnswer)
        const paths = messages.filter(({ type }) => type === 'error').map(({ path }) => String(path))
        if (!paths.every(path => path.startsWith('$.line_items[1]')) || paths.length === 0) {
          throw unlike(`The path of ${sku}`, paths.join(', '), '$.line_items[1]')
        }
      }
    }
  },
  {
    id: 'cart-read',
    title: 'A cart can be read by its id; one that never was is not_found',
    failure: 'A cart could not be read by its id, or one that never was could',
    section: 'UCP cart (Get Cart)',
    why: 'An agent reads the cart again before it leads the shopper on.',
    remedy:
      'Answer GET /carts/{id} with 200 and the cart; for an id that you do not know, with 200, ucp.status "error" and the code not_found.',
    dependsOn: [...EXACT_ITEMS, 'cart-created'],
    run: async site => {
      const cart = sampleCart(site)
      const { id } = await create(site, cart)
      const read = readAnswer(await call(site, cart, { method: 'GET', path: `/${id}` }), 200, CartAnswer)
      if (read.id !== id) throw unlike('The id', read.id, id)
      assertItems(read, cart)
      assertNotFound(await call(site, cart, { method: 'GET', path: `/${randomUUID().replaceAll('-', '')}` }))
    }
  },
  {
    id: 'cart-replaced',
    title: 'PUT replaces the cart: id and continue_url stay, and the page behind it shows exactly the new items',
    failure: 'After PUT, answer or page did not have exactly the new items, at the same address',
    section: 'UCP cart (Update Cart)',
    why: 'Who opened the link before, or has it in a message, would buy the old bag.',
    remedy: 'Replace all lines; never add to them. Let continue_url lead to the newest state of the cart.',
    dependsOn: [...EXACT_ITEMS, 'cart-created'],
    run: async site => {
      const { id, continue_url: url } = await create(site, sampleCart(site))
      const cart = site.newCart([2, 3])
      const { body } = site.requestFor(cart)
      const sent = { method: 'PUT', path: `/${id}`, body: { id, ...JSON.parse(String(body)) } }
      const answer = readAnswer(await call(site, cart, sent), 200, CartAnswer)
      assertItems(answer, cart)
      const [got, expected] = [answer.id, id].map((id, i) => `${id} at ${i === 0 ? answer.continue_url : url}`)
      if (got !== expected) throw unlike('The cart', String(got), String(expected))
      await assertPage(site, url, cart.items)
    }
  },
  {
    id: 'cart-cancelled',
    title: 'A cancelled cart is answered as it was, then is not_found, and its page shows none of it',
    failure: 'A cancelled cart was not answered as it was, or could still be read or opened',
    section: 'UCP cart (Cancel Cart)',
    why: 'A platform cancels what the shopper has bought elsewhere, or does not want.',
    remedy: 'Answer POST /carts/{id}/cancel with the cart before it goes. From then on, neither id nor link finds it.',
    dependsOn: [...EXACT_ITEMS, 'cart-created'],
    run: async site => {
      const cart = sampleCart(site)
      const { id, continue_url: url } = await create(site, cart)
      const cancelled = await call(site, cart, { path: `/${id}/cancel`, body: {} })
      assertItems(readAnswer(cancelled, 200, CartAnswer), cart)
      assertNotFound(await call(site, cart, { method: 'GET', path: `/${id}` }))
      await assertPage(site, url, [])
    }
  },
  {
    id: 'key-answers-once',
    title: 'The same Idempotency-Key and body get the same cart; another body under the key is refused with 409',
    failure: 'An Idempotency-Key got two answers, or took another body',
    section: 'UCP signatures (Replay Protection)',
    why: 'A platform that got no answer sends again. Without this the shopper has two carts, or another than was sent.',
    remedy:
      'Keep the answer under the key, with a digest of the body, for 24 hours or more. Answer the same body with it, any other with 409.',
    dependsOn: [...EXACT_ITEMS, 'cart-created'],
    run: async site => {
      const cart = sampleCart(site)
      const headers = [{ name: 'Idempotency-Key', value: randomUUID() }]
      const first = await create(site, cart, { headers })
      const again = await create(site, cart, { headers })
      if (again.id !== first.id) throw unlike('The cart of the repeat', again.id, first.id)
      const { status } = await call(site, site.newCart([2, 3]), { headers })
      if (status !== 409) throw unlike('The status of another body under the key', String(status), '409')
    }
  }
])
