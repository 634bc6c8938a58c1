// What the simulator page shows of a merchant and its products, and the bags that it offers: ordinary, large and hostile ones.
import { MAX_QUANTITY } from '../../cart/read-cart.ts'
import { findSellable, isSellable, type Product, priceAt } from '../../merchant/catalogue/product.ts'
import type { Merchant, MerchantCatalogue, Way } from '../../merchant/merchant.ts'
import { moneyFormat } from '../../messages/translator.ts'
import { toDecimal } from '../../money.ts'
import { MAX_URL, type TransferOption } from '../../transfer/option.ts'
import { playedPlatform } from '../../ucp/platform-settings.ts'
import { legsOf } from './steps-view.ts'

/** @param baseUrlOf where a way takes bags */
export function merchantView({ merchant, catalogue }: MerchantCatalogue, baseUrlOf: (way: Way) => string, now: Date) {
  const { id, name, locale, ways, checkout, destination, webhook, payment } = merchant
  const seen = ways.map(way => {
    const { option, platforms } = way
    const isUnsigned = platforms !== undefined && !playedPlatform(platforms.values())
    return {
      way: way.name,
      title: option.title,
      meaning: explain(option) + (destination ? LEADS_ON : '') + (payment ? PAID : '') + (isUnsigned ? UNSIGNED : ''),
      currencies: currenciesOf(merchant, way),
      sendsPrices: option.sendsPrices,
      legs: legsOf(option),
      presets: presetBags({ merchant, catalogue }, way, baseUrlOf(way), now)
    }
  })
  const skus = seen.flatMap(({ presets }) => presets.flatMap(({ lines }) => lines.map(({ sku }) => sku)))
  return {
    id,
    name,
    locale,
    ways: seen,
    hasFeed: hasFeed(merchant),
    hasOwnPages: destination !== undefined,
    // About its orders, from server to server.
    hasMessages: webhook !== undefined || payment !== undefined || destination?.secret !== undefined,
    products: productViews({ merchant, catalogue }, skus, now),
    // What an app is configured with for this merchant (REAL-APP.md 8, 9 and 11).
    app: {
      completeTitle: checkout.completeTitle,
      completeUrl: '/complete?order=',
      orderParameter: 'order',
      continueUrl: checkout.continueShoppingUrl
    }
  }
}

/** Whether the products are known here; a shop of the merchant's own can do without. */
const hasFeed = ({ catalogue }: Merchant) => catalogue !== undefined

const LEADS_ON = ' That page is in a shop that the merchant already has: this server hands each bag on to it.'

const PAID = ' What is ordered there has to be paid first, on the page of a payment provider.'

const UNSIGNED =
  ' All platforms that the shop lists sign their requests, with keys that are not here, so the shop refuses the bag. npm run simulate can sign.'

/** The currencies of the bags of a way. */
export function currenciesOf({ currencies }: Pick<Merchant, 'currencies'>, { option, transfer }: Way): string[] {
  // A platform asks for one of them.
  return transfer.currency === undefined || option.answer === 'protocol' ? currencies : [transfer.currency]
}

/** How the option works, for people who have never read the contract. */
function explain({ answer, encoding }: TransferOption): string {
  if (answer === 'description') {
    return 'The platform sends the bag to the shop, and the shop answers with the description of a web request. The app sends that request, and the shop’s page opens.'
  }
  if (answer === 'protocol') {
    return 'The platform makes a cart at the shop, which answers with prices and an address. The app opens that address, and the shop leads it on to its page.'
  }
  if (answer === 'redirect') {
    return 'The app opens a web address that contains the whole bag. The shop leads it on to the address of its page.'
  }
  return encoding === 'query'
    ? 'The app opens a web address that contains the whole bag. The shop answers with its page.'
    : 'The app posts the bag to the shop. The shop answers with its page.'
}

export function productViews({ merchant, catalogue }: MerchantCatalogue, skus: string[], now: Date) {
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
export function productView({ sku, title, image, offers }: Product, { path, locale }: Merchant, now: Date) {
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

export type PresetLine = { sku: string; quantity: string; price?: string }

export type PresetBag = { name: string; says: string; currency: string; lines: PresetLine[] }

/** How many products the presets use, and how many of the feed are searched for them. */
const MAX_PRODUCTS = 50
const MAX_SEARCHED = 10_000

/** However short its lines, a bag of this many exceeds the limit. */
const MAX_LINES = 500

export const HOSTILE_SKU = `"><img src=x onerror=alert(1)><script>alert(2)</script>' OR 1=1 --&currency=XXX#%00%`

export function presetBags(
  { merchant, catalogue }: MerchantCatalogue,
  way: Way,
  baseUrl: string,
  now: Date
): PresetBag[] {
  const { option, transfer } = way
  const { maxQuantity } = transfer
  const searched = Iterator.from(catalogue.products()).take(MAX_SEARCHED)
  const { currency, sellable } = findSellable(searched, currenciesOf(merchant, way), MAX_PRODUCTS)
  const sold = sellable.map(({ product: { sku }, offer }) => {
    return { sku, quantity: '1', price: toDecimal(priceAt(offer, now), currency) }
  })
  const line = (i: number, quantity = 1): PresetLine[] => {
    const product = sold[i % sold.length]
    return product ? [{ ...product, quantity: String(quantity) }] : []
  }
  const lines = (count: number) => Array.from({ length: count }, (_, i) => line(i)).flat()
  const normal = sold.length > 1 ? [...line(0), ...line(1, Math.min(2, maxQuantity))] : line(0)
  const bag = (name: string, says: string, lines: PresetLine[]): PresetBag => {
    return { name, says, currency, lines: option.sendsPrices ? lines : lines.map(({ price: _, ...rest }) => rest) }
  }
  const byHand = 'Only the shop knows what it sells, as it has no product feed here. Type SKUs below, under “Items”.'
  const bags = hasFeed(merchant)
    ? [
        bag('Normal bag', 'Two products; the shop’s page shows exactly these.', normal),
        bag('50 items', 'Fifty lines; products repeat if the shop has fewer.', lines(50))
      ]
    : [bag('A bag by hand', byHand, [{ sku: '', quantity: '1' }])]
  const unknown = { sku: 'NO-SUCH-SKU', quantity: '1' }
  const hostile = { sku: HOSTILE_SKU, quantity: '1' }
  bags.push(
    bag('Unknown SKU', 'One product is not in the shop’s catalogue: the whole bag is refused.', [...normal, unknown]),
    bag('Hostile SKU', 'A SKU that tries to run a script. It must be plain text everywhere.', [...line(0), hostile])
  )
  const [first] = sold
  if (!first) return bags
  if (option.encoding === 'query' && option.answer === 'page') {
    const says = 'The address with this bag exceeds the contract’s limit of 2,048 characters.'
    const urlLength = (count: number) => {
      const items = lines(count).map(({ sku }) => ({ sku, quantity: 1 }))
      return option.request({ reference: '0'.repeat(32), currency, items }, baseUrl).url.length
    }
    let count = 1
    while (count < MAX_LINES && urlLength(count) <= MAX_URL) count++
    bags.push(bag('URL too long', says, lines(count)))
  }
  if (option.sendsPrices) {
    const says = 'The app shows a price that the shop does not charge, and the page says so.'
    bags.push(bag('Wrong price', says, [{ ...first, price: toDecimal(1, currency) }]))
  }
  if (maxQuantity < MAX_QUANTITY) {
    const says = `The shop sells at most ${maxQuantity} of a product in one line: the whole bag is refused.`
    bags.push(bag('Too many', says, [{ ...first, quantity: String(maxQuantity + 1) }]))
  }
  return bags
}
