// Bags worth trying on any merchant, made from what it sells: ordinary ones, large ones and hostile ones.
import { findSellable, type Sold } from '../../catalogue/find-sellable.ts'
import { priceAt } from '../../catalogue/product.ts'
import { toDecimal } from '../../money.ts'
import { MAX_URL, type TransferOption } from '../../transfer/option.ts'

/** A line as somebody would type it; `title` is for the eye alone. */
export type PresetLine = { sku: string; quantity: string; price?: string; title?: string }

export type PresetBag = { name: string; says: string; currency: string; lines: PresetLine[] }

export type PresetParts = Sold & {
  now: Date
  option: TransferOption
  /** Every option there is: the one that puts the cart into its URL decides when that is too long. */
  options: TransferOption[]
  baseUrl: string
}

/** Products in the largest bag, and how many of the feed are searched for them at most. */
const ENOUGH = 50
const MAX_SEARCHED = 10_000

/** The lines of that bag if no option puts the cart into its URL. */
const MAX_LINES = 500

/** 32 characters, as a reference has. */
const ANY_REFERENCE = '0'.repeat(32)

export const HOSTILE_SKU = `"><img src=x onerror=alert(1)><script>alert(2)</script>' OR 1=1 --&currency=XXX#%00%`

export function presetBags(parts: PresetParts): PresetBag[] {
  const { option, options, baseUrl } = parts
  const { currency, sellable } = findSellable(parts, ENOUGH, MAX_SEARCHED)
  const sold = sellable.map(({ product: { sku, title }, offer }) => {
    return { sku, title, quantity: '1', price: toDecimal(priceAt(offer, parts.now), currency) }
  })
  const line = (i: number, quantity = 1): PresetLine[] => {
    const found = sold[i % sold.length]
    return found ? [{ ...found, quantity: String(quantity) }] : []
  }
  const lines = (count: number) => Array.from({ length: count }, (_, i) => line(i)).flat()
  const normal = [line(0), sold.length > 1 ? line(1, 2) : []].flat()
  const asked: PresetLine = { sku: 'NO-SUCH-SKU', quantity: '1' }
  const hostile: PresetLine = { sku: HOSTILE_SKU, quantity: '1' }
  const bags: Omit<PresetBag, 'currency'>[] = [
    { name: 'Normal bag', says: 'Two products: the shop’s page shows exactly these.', lines: normal },
    { name: '50 items', says: 'Fifty lines; where the shop has fewer products some come again.', lines: lines(50) },
    {
      name: 'URL too long',
      says: 'More than 2,048 characters, were the bag in one address: that is the contract’s limit.',
      lines: lines(overLimit(options, baseUrl, currency, lines))
    },
    {
      name: 'Unknown SKU',
      says: 'One product that the shop does not have: the whole bag is refused.',
      lines: [...normal, asked]
    },
    {
      name: 'Hostile SKU',
      says: 'A SKU that tries to run script. Everywhere it must be plain text.',
      lines: [...line(0), hostile]
    }
  ]
  const [first] = sold
  if (option.sendsPrices && first) {
    const says = 'The app shows a price that the shop does not charge: the page says so.'
    bags.push({ name: 'Wrong price', says, lines: [{ ...first, price: toDecimal(1, currency) }] })
  }
  return bags.map(bag => ({
    ...bag,
    currency,
    lines: option.sendsPrices ? bag.lines : bag.lines.map(({ price: _, ...rest }) => rest)
  }))
}

/** How many lines it takes until some option's URL is longer than the contract allows. */
function overLimit(
  options: TransferOption[],
  baseUrl: string,
  currency: string,
  lines: (count: number) => PresetLine[]
): number {
  const inUrl = options.filter(({ encoding }) => encoding === 'query')
  if (lines(1).length === 0) return 0
  for (let count = 1; count < MAX_LINES; count++) {
    const items = lines(count).map(({ sku }) => ({ sku, quantity: 1 }))
    const isTooLong = (option: TransferOption) =>
      option.request({ reference: ANY_REFERENCE, currency, items }, baseUrl).url.length > MAX_URL
    if (inUrl.some(isTooLong)) return count
  }
  return MAX_LINES
}
