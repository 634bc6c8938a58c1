// The view model of one line of a bag, on every page that shows one.
import { isHttps, type Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'

export type LineView = {
  sku: string
  quantity: number
  /** The quantity for people: `× 2`. */
  count: string
  /** Absent if the feed does not have the product. */
  title: string | undefined
  image?: string
  /** Shown in place of a picture: the first letter of the title. */
  letter?: string
  /** Whether it is probably below the first screen of a phone, so that its picture can wait. */
  isFar?: true
  unitPrice?: string
  lineTotal?: string
  /** Each a sentence for the shopper. */
  notes: string[]
  problem?: string
}

/** What a line has without its prices. @param product what is known of it */
export function lineView(
  { sku, quantity }: { sku: string; quantity: number },
  product: { title: string; image?: string } | undefined,
  merchant: Pick<Merchant, 'path' | 'origin'>,
  { number }: Pick<Translator, 'number'>
): LineView {
  const image = imageAddress(product?.image, merchant)
  return {
    sku,
    quantity,
    count: `× ${number(quantity)}`,
    title: product?.title,
    notes: [],
    ...(image === undefined ? { letter: firstLetter(product?.title ?? sku) } : { image })
  }
}

/** The first letter or digit of a text, or nothing. */
function firstLetter(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0] ?? ''
}

/** An http picture would be blocked on an https page; the placeholder is shown instead. */
function imageAddress(image: string | undefined, merchant: Pick<Merchant, 'path' | 'origin'>): string | undefined {
  if (image === undefined || (isHttps(merchant) && image.startsWith('http:'))) return undefined
  return image.startsWith('/') ? merchant.path + image : image
}
