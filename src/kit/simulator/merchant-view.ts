// What the simulator page shows of a merchant and its products.
import { isSellable, type Product, priceAt } from '../../catalogue/product.ts'
import type { Merchant } from '../../merchant/merchant.ts'
import type { MerchantCatalogue } from '../../merchant/shop.ts'
import { moneyFormat, toDecimal } from '../../money.ts'
import type { TransferOption } from '../../transfer/option.ts'
import { type LegView, legsOf } from './legs.ts'
import { type PresetBag, presetBags } from './preset-bags.ts'

export type MerchantView = {
  id: string
  name: string
  option: string
  title: string
  /** How the option works, for people who have never read the contract. */
  meaning: string
  /** How amounts are written. */
  locale: string
  currencies: string[]
  sendsPrices: boolean
  legs: LegView[]
  presets: PresetBag[]
  /** Whether the products are known here; a shop of the merchant's own can do without. */
  hasFeed: boolean
  /** The products in the presets. */
  products: ProductView[]
  /** What an app is configured with for this merchant (REAL-APP.md 8, 9 and 11). */
  app: { completeTitle: string; completeUrl: string; orderParameter: string; continueUrl: string }
}

export type ProductView = {
  sku: string
  title: string
  image?: string
  offers: { currency: string; amount: string; text: string; availability: string; isSellable: boolean }[]
}

export function merchantView({ merchant, catalogue }: MerchantCatalogue, baseUrl: string, now: Date): MerchantView {
  const { id, name, option, locale, currencies, checkout, destination, transfer } = merchant
  const { maxQuantity } = transfer
  const hasFeed = merchant.catalogue !== undefined
  const products = catalogue.products()
  const presets = presetBags({ products, currencies, option, maxQuantity, hasFeed, baseUrl, now })
  const skus = presets.flatMap(({ lines }) => lines.map(({ sku }) => sku))
  return {
    id,
    name,
    option: option.name,
    title: option.title,
    meaning: explain(option) + (destination ? LEADS_ON : ''),
    locale,
    currencies,
    sendsPrices: option.sendsPrices,
    legs: legsOf(option),
    presets,
    hasFeed,
    products: productViews({ merchant, catalogue }, skus, now),
    app: {
      completeTitle: checkout.completeTitle,
      completeUrl: '/complete?order=',
      orderParameter: 'order',
      continueUrl: checkout.continueShoppingUrl
    }
  }
}

const LEADS_ON = ' That page is in a shop that the merchant already has: this server hands each bag on to it.'

function explain({ answer, encoding }: TransferOption): string {
  if (answer === 'description') {
    return 'The platform sends the bag to the shop, and the shop answers with the description of a web request. The app sends that request, and the shop’s page opens.'
  }
  return encoding === 'query'
    ? 'The app opens a web address that contains the whole bag. The shop answers with its page.'
    : 'The app posts the bag to the shop. The shop answers with its page.'
}

/** The products with these SKUs, as far as the catalogue has them. */
export function productViews({ merchant, catalogue }: MerchantCatalogue, skus: string[], now: Date): ProductView[] {
  const found = Array.from(new Set(skus), sku => catalogue.product(sku))
  return found.flatMap(product => (product ? [productView(product, merchant, now)] : []))
}

const AVAILABILITY = {
  in_stock: 'in stock',
  preorder: 'pre-order',
  backorder: 'back-order',
  out_of_stock: 'out of stock'
}

/** Only with pictures from this server: the page may load no others. */
export function productView(
  { sku, title, image, offers }: Product,
  { path, locale }: Merchant,
  now: Date
): ProductView {
  return {
    sku,
    title,
    ...(image?.startsWith('/') && { image: path + image }),
    offers: Object.entries(offers).map(([currency, offer]) => ({
      currency,
      amount: toDecimal(priceAt(offer, now), currency),
      text: moneyFormat(currency, locale)(priceAt(offer, now)),
      availability: AVAILABILITY[offer.availability],
      isSellable: isSellable(offer)
    }))
  }
}
