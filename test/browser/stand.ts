// A merchant site that really listens, and a web view in which the bags of its option are handed over.
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { Offer } from '../../src/catalogue/product.ts'
import type { Store } from '../../src/store/store.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { type Built, build, type MerchantChanges, merchantFile, uuid } from '../build.ts'
import { readOrders } from '../checkout/shopper.ts'
import { requestOf } from '../real-app.ts'
import { openWebView, type WebView } from './web-view.ts'

export function bag(n: number, ...items: [sku: string, quantity: number][]): Cart {
  return { reference: uuid(n), currency: 'GBP', items: items.map(([sku, quantity]) => ({ sku, quantity })) }
}

export type Stand = WebView & {
  tick: Built['tick']
  /** Hands a cart over as the platform and the app of this option do. */
  handOver: (cart: Cart) => Promise<void>
  /** Changes what the feed says of a SKU in pounds. */
  change: (sku: string, offer: Partial<Offer>) => void
  /** The numbers of the orders in the database. */
  orders: () => string[]
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
  await app.listen({ port: 0 })
  const view = await openWebView(t, { javaScriptEnabled })
  const handOver = async (cart: Cart) => {
    const { method, url, headers, body } = option.request(cart, `${app.listeningOrigin}/shop/cart`)
    if (option.name !== jsonDescription.name) return view.send({ method, url, headers, ...(body && { body }) })
    const sent = Object.fromEntries(headers.map(({ name, value }) => [name, value]))
    const answer = await fetch(url, { method, headers: sent, ...(body && { body }) })
    // From here on the app knows nothing but the description; a refusal describes nothing.
    if (answer.ok) await view.open(requestOf(await answer.json()))
  }
  const change = (sku: string, offer: Partial<Offer>) => {
    const product = catalogues[0]?.product(sku)
    if (!product?.offers.GBP) throw new Error(`the feed has no ${sku} in pounds`)
    product.offers.GBP = { ...product.offers.GBP, ...offer }
  }
  const orders = () => readOrders(join(folder, 'data/test.sqlite')).map(({ number }) => String(number))
  return { ...view, tick, handOver, change, orders }
}

/** Checks that the page shows this bag, line by line, and nothing else. */
export async function shows(t: Test, { lines }: WebView, { items }: Cart, message: string): Promise<void> {
  const shown = (await lines()).map(({ sku, quantity }) => ({ sku, quantity }))
  t.strictSame(shown, items, message)
}

/** Goes back past the app's own page until an address of this kind, as a shopper's Back does. */
export async function goBackTo({ page }: WebView, scheme: string): Promise<void> {
  do await page.goBack({ waitUntil: 'load' })
  while (!page.url().startsWith(scheme))
}
