// What the checkout page of a shop weighs, in what it wears and with what it sells: its first response should fit the
// first TCP flight (decisions.md, "The checkout page").
import type { FastifyInstance } from 'fastify'
import { findSellable } from '../catalogue/find-sellable.ts'
import type { ListedCatalogue } from '../catalogue/product.ts'
import type { Merchant } from '../config/merchant.ts'
import { sampleCheckout } from './sample-pages.ts'
import { renderPage } from './send-page.ts'
import type { ShopFront } from './shop-front.ts'

/** What a server may send before it has heard from the other side, in bytes. */
const FIRST_FLIGHT = 14_600

/** Of so many lines a bag should fit. */
const LINES = 20

/** What the status line and the headers of a page take, with https and pictures from two hosts. */
const HEADERS = 720

export type Weighed = { merchant: Merchant; catalogue: ListedCatalogue; front: ShopFront }

/** Says in the log if the checkout page of LINES lines is too large, in the language in which it is largest. */
export async function warnOfSize(app: FastifyInstance, weighed: Weighed): Promise<void> {
  const { lang, bytes } = await largestCheckout(app, weighed)
  if (bytes <= FIRST_FLIGHT) return
  const [size, room] = [bytes, FIRST_FLIGHT].map(count => count.toLocaleString('en'))
  app.log.warn(
    { merchant: weighed.merchant.id, lang, bytes },
    `the checkout page of ${LINES} lines takes about ${size} bytes in ${lang}; a first TCP flight takes ${room}`
  )
}

/** The size in bytes with headers, and the language of the page that is largest. */
async function largestCheckout(
  app: FastifyInstance,
  { merchant, catalogue, front }: Weighed
): Promise<{ lang: string; bytes: number }> {
  const { currency, sellable } = findSellable({ ...merchant, products: catalogue.products() }, LINES)
  // Where there are fewer than LINES, they come again.
  const skus = Array.from({ length: LINES }).flatMap((_, i) => sellable[i % sellable.length]?.product.sku ?? [])
  let largest = { lang: merchant.locale, bytes: 0 }
  for (const locale of [merchant.locale, ...merchant.locales]) {
    const words = front.wordsFor(locale)
    const html = await renderPage(app, front, words, sampleCheckout(merchant, words, { currency, catalogue, skus }))
    const bytes = HEADERS + Buffer.byteLength(html)
    if (bytes > largest.bytes) largest = { lang: words.lang, bytes }
  }
  return largest
}
