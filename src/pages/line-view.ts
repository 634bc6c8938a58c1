// The view model of one line of a bag, on every page that shows one.
import type { Product } from '../catalogue/product.ts'
import { isHttps, type Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'

export type LineView = {
  sku: string
  quantity: number
  /** The quantity for people: `Qty 2`. Absent if it could not be read. */
  count?: string
  /** Absent if the feed does not have the product. */
  title: string | undefined
  /** The `lang` of title and variant, if that is not the page's. */
  otherLang?: string
  /** `Indigo · M`. */
  variant?: string
  image?: string
  /** Shown in place of a picture: the first letter of the title. */
  letter?: string
  /** Whether it is probably below the first screen of a phone, so that its picture can wait. */
  isFar?: true
  /** The price per unit, if there are several: `£12.50 each`. */
  each?: string
  lineTotal?: string
  /** Amounts that no longer count, each after what it is: the line's total without a sale, or before prices changed. */
  struck: { label: string; price: string; saved?: string }[]
  /** Each a sentence for the shopper. */
  notes: string[]
  problem?: string
  /** Whether it is of a refused bag, whose lines no program is to count: without `data-sku` and `data-quantity`. */
  isUncounted?: true
}

/** What the address of a picture depends on. */
export type LineMerchant = Pick<Merchant, 'path' | 'origin'>

/** Lines that a tall phone shows without scrolling. */
const NEAR_LINES = 6

/** What a line has without its prices. @param product what is known of it */
export function lineView(
  { sku, quantity }: { sku: string; quantity: number },
  product: Pick<Product, 'title' | 'variant' | 'image'> | undefined,
  merchant: LineMerchant,
  { sayCount, otherLang }: Pick<Translator, 'sayCount' | 'otherLang'>
): LineView & { count: string } {
  const image = imageAddress(product?.image, merchant)
  return {
    sku,
    quantity,
    count: sayCount('quantity', quantity),
    title: product && breakAroundKatakana(product.title),
    ...(otherLang !== undefined && { otherLang }),
    ...(product?.variant !== undefined && { variant: product.variant }),
    ...(image === undefined ? { letter: firstLetter(product?.title ?? sku) } : { image }),
    struck: [],
    notes: []
  }
}

/** Nearly every title has none of what `breakAroundKatakana` is for, which takes much longer to find. */
const MAY_HAVE_KATAKANA = /[\u3000-\uffff]/

/** Without spaces, a browser breaks a long Japanese title anywhere: a break before or after a katakana word is better. */
function breakAroundKatakana(title: string): string {
  if (!MAY_HAVE_KATAKANA.test(title)) return title
  return title.replace(/(?<=[\p{sc=Han}\p{sc=Hira}])(?=\p{sc=Kana})|(?<=[\p{sc=Kana}ー])(?=\p{sc=Han})/gu, '\u200b')
}

/** What a line costs, in minor units of a currency: each unit, if there are several, and all together. */
export function linePrices(
  { quantity, unitPrice, lineTotal }: { quantity: number; unitPrice: number; lineTotal: number },
  currency: string,
  { sayPrice, money }: Pick<Translator, 'sayPrice' | 'money'>
): Pick<LineView, 'each' | 'lineTotal'> {
  return {
    ...(quantity > 1 && { each: sayPrice('price-each', money(unitPrice, currency)) }),
    lineTotal: money(lineTotal, currency)
  }
}

/** Marks the lines that are probably below the first screen. */
export function markFar(lines: LineView[]): LineView[] {
  for (const line of lines.slice(NEAR_LINES)) line.isFar = true
  return lines
}

/** The addresses of the pictures of these lines. */
export function picturesOf(lines: LineView[]): string[] {
  const pictures: string[] = []
  for (const { image } of lines) if (image !== undefined) pictures.push(image)
  return pictures
}

/** The first letter or digit of a text, or nothing. */
function firstLetter(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0] ?? ''
}

/** An http picture would be blocked on an https page; the placeholder is shown instead. */
function imageAddress(image: string | undefined, merchant: LineMerchant): string | undefined {
  if (image === undefined || (isHttps(merchant) && image.startsWith('http:'))) return undefined
  return image.startsWith('/') ? merchant.path + image : image
}
