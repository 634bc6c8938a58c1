// A merchant site that really listens, and a web view in which the bags of its option are handed over.
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { Offer } from '../../src/catalogue/product.ts'
import { readEnvironment } from '../../src/environment.ts'
import { findChromium } from '../../src/kit/browser/find-chromium.ts'
import { type WebView, webViews } from '../../src/kit/browser/web-view.ts'
import { resolvePageRequest } from '../../src/kit/client/simulate-transfer.ts'
import type { Store } from '../../src/store/store.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { type Built, build, type MerchantChanges, merchantFile, uuid } from '../build.ts'
import { readOrders } from '../pages/shopper.ts'

export function bag(n: number, ...items: [sku: string, quantity: number][]): Cart {
  return { reference: uuid(n), currency: 'GBP', items: items.map(([sku, quantity]) => ({ sku, quantity })) }
}

/** The Chromium that `npm test` has found or installed. */
export function chromiumPath(): string {
  return findChromium(readEnvironment().chromium)
}

/** One browser for the tests of a file. */
const views = webViews(chromiumPath())
t.teardown(views.close)

export type Stand = Omit<WebView, 'lines'> & {
  tick: Built['tick']
  /** Hands a cart over as the platform and the app of this option do. */
  handOver: (cart: Cart) => Promise<void>
  /** The lines of the page as its own attributes tell them. */
  lines: () => Promise<{ sku: string; quantity: number; text: string }[]>
  /** Changes what the feed says of a SKU in pounds. */
  change: (sku: string, offer: Partial<Offer>) => void
  /** The numbers of the orders in the database. */
  orders: () => string[]
  /** The pages that the server was asked for, by method and path, and not those out of the browser's cache. */
  asked: string[]
}

export type StandParts = { javaScriptEnabled?: boolean; store?: (store: Store) => Store }

export async function stand(
  t: Test,
  option: TransferOption,
  changes: MerchantChanges = {},
  { javaScriptEnabled = true, store }: StandParts = {}
): Promise<Stand> {
  const merchants = [merchantFile(option.name, { publicUrl: '/shop', ...changes })]
  const { app, tick, catalogues, folder } = await build(t, { merchants, ...(store && { store }) })
  const asked: string[] = []
  app.server.on('request', ({ method, url, headers }: IncomingMessage) => {
    if (headers['sec-fetch-dest'] === 'document') asked.push(`${method} ${url}`)
  })
  await app.listen({ port: 0 })
  const view = await views.open({ javaScriptEnabled })
  t.teardown(view.close)
  const handOver = async (cart: Cart) => {
    const request = await resolvePageRequest(option, cart, `${app.listeningOrigin}/shop/cart`)
    // A refusal describes nothing: the app shows its generic error, and the web view stays as it was.
    if (request) await view.open(request)
  }
  const lines = async () => (await view.lines()).map(line => ({ ...line, quantity: Number(line.quantity) }))
  const change = (sku: string, offer: Partial<Offer>) => {
    const product = catalogues[0]?.product(sku)
    if (!product?.offers.GBP) throw new Error(`the feed has no ${sku} in pounds`)
    product.offers.GBP = { ...product.offers.GBP, ...offer }
  }
  const orders = () => readOrders(join(folder, 'data/test.sqlite')).map(({ number }) => String(number))
  return { ...view, tick, handOver, lines, change, orders, asked }
}

/** Checks that the page shows this bag, line by line, and nothing else. */
export async function shows(t: Test, { lines }: Stand, { items }: Cart, message: string): Promise<void> {
  const shown = (await lines()).map(({ sku, quantity }) => ({ sku, quantity }))
  t.strictSame(shown, items, message)
}

/** Goes back past the app's own page until an address of this kind, as a shopper's Back does. */
export async function goBackTo({ page }: Stand, scheme: string): Promise<void> {
  do await page.goBack({ waitUntil: 'domcontentloaded' })
  while (!page.url().startsWith(scheme))
}
