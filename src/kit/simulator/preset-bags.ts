// Preset bags for a merchant, built from what it sells: ordinary, large and hostile ones.
import { MAX_QUANTITY } from '../../cart/read-cart.ts'
import { type Assortment, findSellable } from '../../catalogue/find-sellable.ts'
import { priceAt } from '../../catalogue/product.ts'
import { toDecimal } from '../../money.ts'
import { MAX_URL, type TransferOption } from '../../transfer/option.ts'

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
