// A dressed shop for looking at: a demo merchant in every language, with what is needed to bring it into any state.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Cart } from '../../src/cart/cart.ts'
import { type FeedCatalogue, followFeed } from '../../src/catalogue/feed-catalogue.ts'
import type { Offer } from '../../src/catalogue/product.ts'
import { openCheckout } from '../../src/checkout/open-checkout.ts'
import type { Merchant } from '../../src/config/merchant.ts'
import { readMerchantFiles } from '../../src/config/merchant-file.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { uuid } from '../build.ts'

const CONFIG = join(import.meta.dirname, '../../config')

export type LookedAt = {
  app: FastifyInstance
  merchant: Merchant
  catalogue: FeedCatalogue
  /** Hands a bag over. @returns the address of its checkout */
  checkout: (...items: [sku: string, quantity: number][]) => Promise<string>
  /** The address of option 2B for a bag. */
  handOver: (cart: Partial<Cart>) => string
  change: (sku: string, offer: Partial<Offer>) => void
  tick: (milliseconds: number) => void
  /** Makes the store fail from now on, or work again. */
  breakStore: (error: Error | undefined) => void
}

/** Opens a demo merchant as a shop of option 2B, whose refusals are pages; it closes with the test. */
export async function openLookedAt(t: Test, id: string, changes: object = {}): Promise<LookedAt> {
  const file = JSON.parse(readFileSync(join(CONFIG, `${id}.json`), 'utf8'))
  const folder = join(t.testdir({}), id)
  mkdirSync(folder)
  const path = join(folder, `${id}.json`)
  const feed = join(CONFIG, id, 'feed.tsv')
  const transfer = { option: '2B', path: '/cart' }
  const look = { ...file.look, logo: join(CONFIG, file.look.logo) }
  const views = file.views === undefined ? undefined : join(CONFIG, file.views)
  writeFileSync(path, JSON.stringify({ ...file, look, views, ...changes, transfer, catalogue: { feed } }))
  const [merchant] = readMerchantFiles([path], transferOptions) as [Merchant]
  const catalogue = await followFeed(merchant.feed, { onLoad: () => {}, onFailure: () => {} }, 60_000)
  let now = Date.parse('2026-11-20T10:00:00.000Z')
  let failure: Error | undefined
  const opened = openSqlite(join(folder, 'looks.sqlite'))
  const store: Store = {
    ...opened,
    findCheckout: async (...wanted) => {
      if (failure) throw failure
      return opened.findCheckout(...wanted)
    }
  }
  const logger = pino({ level: 'silent' })
  const app = await buildApp({ merchants: [{ merchant, catalogue }], store, clock: () => new Date(now), logger })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await app.close()
    await catalogue.close()
    await store.close()
  })

  const [currency = ''] = merchant.currencies
  const terms = {
    merchantId: merchant.id,
    currencies: merchant.currencies,
    expiresAfterMinutes: merchant.checkout.expiresAfterMinutes,
    option: merchant.option.name,
    pointer: merchant.option.pointer
  }
  let references = 0
  const handOver: LookedAt['handOver'] = cart => {
    const whole = { currency, reference: uuid(++references), items: [], ...cart }
    const { url } = merchant.option.request(whole, app.listeningOrigin + merchant.path + merchant.transfer.path)
    return url
  }
  return {
    app,
    merchant,
    catalogue,
    handOver,
    checkout: async (...items) => {
      const reference = uuid(++references)
      // Longer than a URL may be, so past the option: what is looked at is the page.
      const { checkout } = await openCheckout({ store, catalogue, clock: () => new Date(now) }, terms, {
        currency,
        reference,
        items: items.map(([sku, quantity]) => ({ sku, quantity }))
      })
      return `${app.listeningOrigin}${merchant.path}${merchant.checkout.path}/${checkout.token}`
    },
    change: (sku, offer) => {
      const product = catalogue.product(sku)
      const old = product?.offers[currency]
      if (!product || !old) throw new Error(`the feed has no ${sku} in ${currency}`)
      product.offers[currency] = { ...old, ...offer }
    },
    tick: milliseconds => {
      now += milliseconds
    },
    breakStore: error => {
      failure = error
    }
  }
}
