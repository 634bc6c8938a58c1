// What the simulator page shows of a merchant and its products, and the bags that it offers: ordinary, large and hostile ones.
import { MAX_QUANTITY } from '../../cart/read-cart.ts'
import { type Assortment, findSellable } from '../../catalogue/find-products.ts'
import { isSellable, type Product, priceAt } from '../../catalogue/product.ts'
import type { Merchant, MerchantCatalogue } from '../../merchant/merchant.ts'
import { moneyFormat } from '../../messages/money-format.ts'
import { toDecimal } from '../../money.ts'
import { MAX_URL, type TransferOption } from '../../transfer/option.ts'
import { type LegView, legsOf } from './steps-view.ts'

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

/** A line as it would be typed. */
export type PresetLine = { sku: string; quantity: string; price?: string }

export type PresetBag = { name: string; says: string; currency: string; lines: PresetLine[] }

export type PresetOptions = Assortment & {
  now: Date
  option: TransferOption
  /** The most units of a line that the shop sells. */
  maxQuantity: number
  /** Whether its products are known here. */
  hasFeed: boolean
  baseUrl: string
}

/** How many products the presets use, and how many of the feed are searched for them. */
const MAX_PRODUCTS = 50
const MAX_SEARCHED = 10_000

/** However short its lines, a bag of this many exceeds the limit. */
const MAX_LINES = 500

const SAMPLE_REFERENCE = '0'.repeat(32)

export const HOSTILE_SKU = `"><img src=x onerror=alert(1)><script>alert(2)</script>' OR 1=1 --&currency=XXX#%00%`

export function presetBags(presetOptions: PresetOptions): PresetBag[] {
  const { option, maxQuantity, hasFeed, baseUrl, now } = presetOptions
  const { currency, sellable } = findSellable(presetOptions, MAX_PRODUCTS, MAX_SEARCHED)
  const sold = sellable.map(({ product: { sku }, offer }) => {
    return { sku, quantity: '1', price: toDecimal(priceAt(offer, now), currency) }
  })
  const line = (i: number, quantity = 1): PresetLine[] => {
    const product = sold[i % sold.length]
    return product ? [{ ...product, quantity: String(quantity) }] : []
  }
  const lines = (count: number) => Array.from({ length: count }, (_, i) => line(i)).flat()
  const normal = sold.length > 1 ? [...line(0), ...line(1, Math.min(2, maxQuantity))] : line(0)
  const known = [
    { name: 'Normal bag', says: 'Two products; the shop’s page shows exactly these.', lines: normal },
    { name: '50 items', says: 'Fifty lines; products repeat if the shop has fewer.', lines: lines(50) }
  ]
  const typed = [
    {
      name: 'A bag by hand',
      says: 'Only the shop knows what it sells, as it has no product feed here. Type SKUs below, under “Items”.',
      lines: [{ sku: '', quantity: '1' }]
    }
  ]
  const bags: Omit<PresetBag, 'currency'>[] = [
    ...(hasFeed ? known : typed),
    {
      name: 'Unknown SKU',
      says: 'One product is not in the shop’s catalogue: the whole bag is refused.',
      lines: [...normal, { sku: 'NO-SUCH-SKU', quantity: '1' }]
    },
    {
      name: 'Hostile SKU',
      says: 'A SKU that tries to run a script. It must be plain text everywhere.',
      lines: [...line(0), { sku: HOSTILE_SKU, quantity: '1' }]
    }
  ]
  const [first] = sold
  if (option.encoding === 'query' && first) {
    const says = 'The address with this bag exceeds the contract’s limit of 2,048 characters.'
    bags.push({ name: 'URL too long', says, lines: lines(linesOverLimit(option, baseUrl, currency, lines)) })
  }
  if (option.sendsPrices && first) {
    const says = 'The app shows a price that the shop does not charge, and the page says so.'
    bags.push({ name: 'Wrong price', says, lines: [{ ...first, price: toDecimal(1, currency) }] })
  }
  if (maxQuantity < MAX_QUANTITY && first) {
    const says = `The shop sells at most ${maxQuantity} of a product in one line: the whole bag is refused.`
    bags.push({ name: 'Too many', says, lines: [{ ...first, quantity: String(maxQuantity + 1) }] })
  }
  return bags.map(bag => ({
    ...bag,
    currency,
    lines: option.sendsPrices ? bag.lines : bag.lines.map(({ price: _, ...rest }) => rest)
  }))
}

/** The smallest number of lines for which the URL exceeds the limit. */
function linesOverLimit(
  option: TransferOption,
  baseUrl: string,
  currency: string,
  lines: (count: number) => PresetLine[]
): number {
  const urlLength = (count: number) => {
    const items = lines(count).map(({ sku }) => ({ sku, quantity: 1 }))
    return option.request({ reference: SAMPLE_REFERENCE, currency, items }, baseUrl).url.length
  }
  let count = 1
  while (count < MAX_LINES && urlLength(count) <= MAX_URL) count++
  return count
}
