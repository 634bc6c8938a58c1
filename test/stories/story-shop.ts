// Opens a demo merchant for stories, with helpers that bring it into any state.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Cart, Item } from '../../src/cart/cart.ts'
import { followFeed } from '../../src/catalogue/feed-file.ts'
import type { ListedCatalogue, Product } from '../../src/catalogue/product.ts'
import { openCheckout } from '../../src/checkout/open-checkout.ts'
import { destinations } from '../../src/destination/index.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { pageSettingChecks } from '../../src/pages/check-pages.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { uuid } from '../build.ts'
import { formOf } from '../pages/shopper.ts'
import { type Goods, goodsOf } from './goods.ts'

const CONFIG = join(import.meta.dirname, '../../config')

/** Changes a product of the feed; undefined removes it. */
export type Change = (product: Product) => Product | undefined

/** Lines; `price` is the app's claimed price. */
export type Bag = [sku: string, quantity: number, price?: string][]

export type StoryShop = {
  app: FastifyInstance
  merchant: Merchant
  catalogue: ListedCatalogue
  store: Store
  goods: Goods
  /** The URL of a path of the merchant. */
  urlOf: (path: string) => string
  /** Opens a checkout for a bag. @returns its URL */
  checkout: (...lines: Bag) => Promise<string>
  /** Places the order of a checkout, without a browser. @returns the URL of the confirmation */
  placeOrder: (address: string, typed: Record<string, string>) => Promise<string>
  /** The URL that transfers a cart by option 2B. */
  transferUrl: (cart: Partial<Cart>) => string
  /** Runs `act` while these SKUs are changed in the feed. */
  withFeed: <T>(changes: Record<string, Change>, act: () => Promise<T>) => Promise<T>
  /** Runs `act` while the shop sells at most this many units in a line, and goods for at most this much at once. */
  withLimits: <T>(limits: { units?: number; minor?: number }, act: () => Promise<T>) => Promise<T>
  /** Runs `act` while every request times out before it has arrived in full; its bag must be one that can be sold. */
  withTimeout: <T>(act: () => Promise<T>) => Promise<T>
  tick: (milliseconds: number) => void
  /** Makes the store fail, or work again. */
  breakStore: (error: Error | undefined) => void
}

export function merchantSettings(id: string) {
  return JSON.parse(readFileSync(join(CONFIG, `${id}.json`), 'utf8'))
}

/** Opens a demo merchant with option 2B, whose refusals are pages; it closes with the test. */
export async function openStoryShop(t: Test, id: string, changes: object = {}): Promise<StoryShop> {
  const file = merchantSettings(id)
  const folder = join(t.testdir({}), id)
  mkdirSync(folder)
  const path = join(folder, `${id}.json`)
  const feed = join(CONFIG, id, 'feed.tsv')
  const transfer = { option: '2B', path: '/cart' }
  const look = { ...file.look, logo: join(CONFIG, file.look.logo) }
  const views = file.views === undefined ? undefined : join(CONFIG, file.views)
  writeFileSync(path, JSON.stringify({ ...file, look, views, ...changes, transfer, catalogue: { feed } }))
  const [merchant] = readMerchantFiles([path], { options: transferOptions, destinations, ...pageSettingChecks }) as [
    Merchant
  ]
  const followed = await followFeed(String(merchant.catalogue?.feed), { onLoad: () => {}, onFailure: () => {} }, 60_000)
  let changed: Record<string, Change> = {}
  const catalogue: ListedCatalogue = {
    products: followed.products,
    product: sku => {
      const product = followed.product(sku)
      const change = changed[sku]
      return product && change ? change(product) : product
    }
  }
  let now = Date.parse('2026-11-20T10:00:00.000Z')
  const clock = () => new Date(now)
  let failure: Error | undefined
  const opened = openSqlite(join(folder, 'stories.sqlite'))
  const store: Store = {
    ...opened,
    findCheckout: async (...args) => {
      if (failure) throw failure
      return opened.findCheckout(...args)
    }
  }
  const app = await buildApp({
    merchants: [{ merchant, catalogue }],
    store,
    clock,
    logger: pino({ level: 'silent' }),
    fetch
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await app.close()
    await followed.close()
    await store.close()
  })

  const [currency = ''] = merchant.currencies
  let references = 0
  const urlOf: StoryShop['urlOf'] = path => app.listeningOrigin + merchant.path + path
  const timeOut = ({ socket }: IncomingMessage) =>
    app.server.emit('clientError', Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  return {
    app,
    merchant,
    catalogue,
    store,
    goods: goodsOf(catalogue, currency),
    urlOf,
    checkout: async (...lines) => {
      const items = lines.map(
        ([sku, quantity, price]): Item => ({ sku, quantity, ...(price !== undefined && { price }) })
      )
      // Not through the option: the bag may be too long for a URL.
      const cart = { currency, reference: uuid(++references), items }
      const { checkout } = await openCheckout({ merchant, store, catalogue, clock }, cart)
      return urlOf(`${merchant.checkout.path}/${checkout.token}`)
    },
    placeOrder: async (address, typed) => {
      const { action = '', fields } = formOf((await app.inject(new URL(address).pathname)).body) ?? {}
      const { headers } = await app.inject({
        method: 'POST',
        url: action,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: `${new URLSearchParams({ ...fields, ...typed })}`
      })
      return app.listeningOrigin + headers.location
    },
    transferUrl: cart => {
      const fullCart = { currency, reference: uuid(++references), items: [], ...cart }
      return merchant.option.request(fullCart, urlOf(merchant.transfer.path)).url
    },
    withFeed: async (changes, act) => {
      changed = changes
      try {
        return await act()
      } finally {
        changed = {}
      }
    },
    withLimits: async ({ units, minor }, act) => {
      const { transfer, maxTotal = {} } = merchant
      const maxQuantity = units ?? transfer.maxQuantity
      const maxima = minor === undefined ? maxTotal : { [currency]: minor }
      Object.assign(merchant, { transfer: { ...transfer, maxQuantity }, maxTotal: maxima })
      try {
        return await act()
      } finally {
        Object.assign(merchant, { transfer, maxTotal })
      }
    },
    withTimeout: async act => {
      app.server.on('request', timeOut)
      try {
        return await act()
      } finally {
        app.server.off('request', timeOut)
      }
    },
    tick: milliseconds => {
      now += milliseconds
    },
    breakStore: error => {
      failure = error
    }
  }
}
