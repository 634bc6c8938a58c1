// A dressed shop for looking at: a demo merchant in every language, with what is needed to bring it into any state.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Cart, Item } from '../../src/cart/cart.ts'
import { followFeed } from '../../src/catalogue/feed-catalogue.ts'
import type { ListedCatalogue, Product } from '../../src/catalogue/product.ts'
import { openCheckout } from '../../src/checkout/open-checkout.ts'
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

/** What the feed says of a product instead; undefined where it says nothing of it any more. */
export type Change = (product: Product) => Product | undefined

/** Lines, and what the app claimed that one of them costs. */
export type Bag = [sku: string, quantity: number, price?: string][]

export type StoryShop = {
  app: FastifyInstance
  merchant: Merchant
  catalogue: ListedCatalogue
  store: Store
  goods: Goods
  /** The address of a path of the merchant's. */
  at: (path: string) => string
  /** Hands a bag over. @returns the address of its checkout */
  checkout: (...lines: Bag) => Promise<string>
  /** Orders a checkout, without a browser. @returns the address of its confirmation */
  place: (address: string, typed: Record<string, string>) => Promise<string>
  /** The address of option 2B for a bag. */
  handOver: (cart: Partial<Cart>) => string
  /** Does something while the feed says something else of some SKUs. */
  whileFeedSays: <T>(changes: Record<string, Change>, act: () => Promise<T>) => Promise<T>
  /** Does something while no request arrives in time: none that does gets its answer. */
  whileSlow: <T>(act: () => Promise<T>) => Promise<T>
  tick: (milliseconds: number) => void
  /** Makes the store fail from now on, or work again. */
  breakStore: (error: Error | undefined) => void
}

/** What the file of a demo merchant says. */
export function merchantSettings(id: string) {
  return JSON.parse(readFileSync(join(CONFIG, `${id}.json`), 'utf8'))
}

/** Opens a demo merchant as a shop of option 2B, whose refusals are pages; it closes with the test. */
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
  const [merchant] = readMerchantFiles([path], { options: transferOptions, ...pageSettingChecks }) as [Merchant]
  const followed = await followFeed(merchant.feed, { onLoad: () => {}, onFailure: () => {} }, 60_000)
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
    findCheckout: async (...wanted) => {
      if (failure) throw failure
      return opened.findCheckout(...wanted)
    }
  }
  const app = await buildApp({ merchants: [{ merchant, catalogue }], store, clock, logger: pino({ level: 'silent' }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await app.close()
    await followed.close()
    await store.close()
  })

  const [currency = ''] = merchant.currencies
  let references = 0
  const at: StoryShop['at'] = path => app.listeningOrigin + merchant.path + path
  const timeOut = ({ socket }: IncomingMessage) =>
    app.server.emit('clientError', Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  return {
    app,
    merchant,
    catalogue,
    store,
    goods: goodsOf(catalogue, currency),
    at,
    checkout: async (...lines) => {
      const items = lines.map(
        ([sku, quantity, price]): Item => ({ sku, quantity, ...(price !== undefined && { price }) })
      )
      // Longer than a URL may be, so past the option: what is looked at is the page.
      const cart = { currency, reference: uuid(++references), items }
      const { checkout } = await openCheckout({ merchant, store, catalogue, clock }, cart)
      return at(`${merchant.checkout.path}/${checkout.token}`)
    },
    place: async (address, typed) => {
      const { action = '', fields } = formOf((await app.inject(new URL(address).pathname)).body) ?? {}
      const { headers } = await app.inject({
        method: 'POST',
        url: action,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: `${new URLSearchParams({ ...fields, ...typed })}`
      })
      return app.listeningOrigin + headers.location
    },
    handOver: cart => {
      const whole = { currency, reference: uuid(++references), items: [], ...cart }
      return merchant.option.request(whole, at(merchant.transfer.path)).url
    },
    whileFeedSays: async (changes, act) => {
      changed = changes
      try {
        return await act()
      } finally {
        changed = {}
      }
    },
    whileSlow: async act => {
      const [answer] = app.server.listeners('request') as [() => void]
      app.server.off('request', answer).on('request', timeOut)
      try {
        return await act()
      } finally {
        app.server.off('request', timeOut).prependListener('request', answer)
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
