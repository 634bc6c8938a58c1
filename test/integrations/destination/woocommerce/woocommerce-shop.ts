// The double of a WooCommerce shop that is looked at: it answers as WordPress 6.9.1 with WooCommerce 10.5.0 does.
import type { Test } from 'tap'
import { listen } from '../../../listen.ts'

export const GENERATOR =
  '<meta name="generator" content="WordPress 6.9.1" />\n<meta name="generator" content="WooCommerce 10.5.0" />'

export const page = (language: string, head: string) =>
  `<!doctype html><html ${language}><head>${head}</head><body></body></html>`

const SHOP: Record<string, string> = {
  'GET /store/?rest_route=/&_fields=name,home,namespaces': JSON.stringify({
    name: 'Ada &amp; Bee&#039;s',
    home: 'http://HOST/store',
    namespaces: ['oembed/1.0', 'wc/store', 'wc/store/v1', 'wp/v2']
  }),
  'POST /store/?wp-json/wc/store/&rest_route=/wc/store/v1/cart&_method=GET':
    '{"totals":{"total_price":"0","currency_code":"EUR"}}',
  'GET /store/': page('lang="de-DE"', GENERATOR)
}

/** What it is asked: the index of its API, a cart, its home page. */
export const [INDEX = '', CART = '', HOME = ''] = Object.keys(SHOP)

/** What the log says to do. */
export const OTHER =
  ': is url the address of a shop with WooCommerce, and does no page for maintenance or log-in hide it?'
export const CLOSED =
  ': does a security plugin, a firewall or a log-in close the Store API? It has to let this server in'

/** An answer without a body. */
export const NO_CONTENT = '204 No Content'

/** @param changed other answers; 401 for an empty one, 404 for none @returns its address, in a folder */
export async function openWooCommerce(t: Test, changed: Record<string, string | undefined> = {}): Promise<string> {
  const { origin } = await listen(t, ({ method, url, headers }, response) => {
    const body = { ...SHOP, ...changed }[`${method} ${url}`]
    if (body === NO_CONTENT) return response.writeHead(204).end()
    return response
      .writeHead(body === '' ? 401 : body === undefined ? 404 : 200)
      .end(body?.replace('HOST', String(headers.host)))
  })
  return `${origin}/store`
}
