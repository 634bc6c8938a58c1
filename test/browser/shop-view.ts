// A listening merchant site, and a web view that opens the bags transferred to it.
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { resolvePageRequest } from '../../src/kit/client/simulate-transfer.ts'
import { DEFAULT_SELECTORS } from '../../src/kit/conformance/profile.ts'
import type { Store } from '../../src/store/store.ts'
import { isOfApp, type TransferOption } from '../../src/transfer/option.ts'
import { buildListening, type MerchantChanges, merchantFile, uuid } from '../build.ts'
import { readOrders } from '../pages/shopper.ts'
import { sharedViews } from './shared-views.ts'
import { policyViolations } from './views.ts'

export function bag(n: number, ...items: [sku: string, quantity: number][]): Cart {
  return { reference: uuid(n), currency: 'GBP', items: items.map(([sku, quantity]) => ({ sku, quantity })) }
}

export type ShopView = Awaited<ReturnType<typeof openShopView>>

export async function openShopView(
  t: Test,
  option: TransferOption,
  changes: MerchantChanges = {},
  { javaScriptEnabled = true, store }: { javaScriptEnabled?: boolean; store?: (store: Store) => Store } = {}
) {
  const merchants = [merchantFile(option.name, { publicUrl: '/shop', ...changes })]
  const { app, tick, changeOffer, folder } = await buildListening(t, { merchants, ...(store && { store }) })
  /** Page requests that reached the server, by method and path; pages from the browser's cache are not among them. */
  const pageRequests: string[] = []
  app.server.on('request', ({ method, url, headers }: IncomingMessage) => {
    if (headers['sec-fetch-dest'] === 'document') pageRequests.push(`${method} ${url}`)
  })
  const view = await sharedViews().open({ javaScriptEnabled })
  t.teardown(view.close)
  const context = view.page.context()
  const violations = policyViolations(view.page)
  /** Transfers a cart as the platform and app do with this option. */
  const transfer = async (cart: Cart) => {
    const sent = option.request(cart, `${app.listeningOrigin}/shop/cart`)
    const { request } = await resolvePageRequest(sent, option.answer)
    // If the platform is refused, the app shows its generic error, and the web view stays as it was.
    if (!request) return
    if (request.cookies) await context.clearCookies()
    await view.open(request)
  }
  const lines = async () =>
    (await view.read(DEFAULT_SELECTORS)).lines.map(line => ({ ...line, quantity: Number(line.quantity) }))
  /** The numbers of the orders in the database. */
  const orders = () => readOrders(join(folder, 'data/test.sqlite')).map(({ number }) => String(number))
  const isFromApp = isOfApp(option)
  return { ...view, context, violations, tick, transfer, lines, changeOffer, orders, pageRequests, isFromApp }
}

/** Checks that the page shows this bag, line by line, and nothing else; unfolds it if it is folded. */
export async function showsBag(t: Test, { page, lines }: ShopView, { items }: Cart, message: string): Promise<void> {
  const folded = page.locator('.bag details:not([open]) summary')
  if ((await folded.count()) > 0) await folded.click()
  const shown = (await lines()).map(({ sku, quantity }) => ({ sku, quantity }))
  t.strictSame(shown, items, message)
}

/** Checks that the page leads whoever comes from the app back there, and nobody else. */
export async function leadsBack(t: Test, { page, isFromApp }: ShopView): Promise<void> {
  const links = page.locator('main .leave a')
  t.equal(await links.count(), isFromApp ? 1 : 0)
  if (isFromApp) t.equal(await links.getAttribute('href'), 'shop://continue')
}

/** Goes back to the last page with a URL of this scheme, past the app's own page, as a shopper's Back does. */
export async function goBackTo({ page }: ShopView, scheme: string): Promise<void> {
  do await page.goBack({ waitUntil: 'domcontentloaded' })
  while (!page.url().startsWith(scheme))
}
