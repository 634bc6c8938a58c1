// A merchant's context as the app makes it, for tests that need one but are about something else.
import { pino } from 'pino'
import { tokenSource } from '../src/checkout/checkout-store.ts'
import { noFeed } from '../src/merchant/catalogue/followed-feed.ts'
import type { ListedCatalogue, Product } from '../src/merchant/catalogue/product.ts'
import type { MerchantContext } from '../src/merchant/merchant-context.ts'
import { noopObserver, untraced } from '../src/observer.ts'
import { anyMerchant } from './any-merchant.ts'

/** A log that nobody reads. */
export const SILENT = pino({ level: 'silent' })

type Parts<Store> = Partial<MerchantContext<Store>> & { store: Store }

export function anyContext<Store>(parts: Parts<Store>): MerchantContext<Store> {
  return {
    merchant: anyMerchant(),
    catalogue: noFeed,
    clock: () => new Date(),
    newToken: tokenSource(),
    origin: () => 'http://127.0.0.1:3000',
    ownShop: undefined,
    gateway: undefined,
    log: SILENT,
    observer: noopObserver,
    trace: untraced,
    ...parts
  }
}

/** What is put into the map later is in it, too. */
export function catalogueOf(products: Map<string, Product>): ListedCatalogue {
  return { product: sku => products.get(sku), products: () => products.values() }
}
