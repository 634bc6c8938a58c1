// The storefront before each shop, as small as one can be: its page asks the real shop what is in the cart.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Addresses, ShopCart, Way } from './shop.ts'

/** The page of a way: `/0/checkout`. */
export const pagePath = (way: number) => `/${way}/checkout`

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`)

function page(cart: ShopCart | undefined): string {
  const lines = cart?.lines.map(
    ({ sku, quantity }) =>
      `<li data-sku="${escapeHtml(sku)}" data-quantity="${quantity}">${quantity} × ${escapeHtml(sku)}</li>`
  )
  const body = lines ? `<ul>${lines.join('')}</ul><p data-total="${cart?.total}">${cart?.total}</p>` : '<p>No cart.</p>'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Checkout</title><link rel="icon" href="data:,">${body}`
}

/** @param header as in `Cookie`. Of two with one name the first counts, as in the parsers of most shops. */
export function readCookies(header = ''): Record<string, string> {
  const pairs = header
    .split('; ')
    .map(pair => pair.split(/=(.*)/))
    .reverse()
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]))
}

/** @returns its port */
export async function startStorefront(ways: Way[], addresses: () => Addresses): Promise<number> {
  const server = createServer(async (request, response) => {
    const url = new URL(String(request.url), 'http://storefront')
    const way = ways.find((_, i) => pagePath(i) === url.pathname)
    const cookies = readCookies(request.headers.cookie)
    // A shop that does not answer is a page without a cart.
    const cart = await way?.readCart({ url, cookies }, addresses()).catch(() => undefined)
    response.writeHead(cart ? 200 : 404, { 'content-type': 'text/html', 'cache-control': 'no-store' })
    response.end(page(cart))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return (server.address() as { port: number }).port
}
