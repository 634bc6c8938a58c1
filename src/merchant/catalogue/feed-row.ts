// One row of Google Merchant's product feed: its attributes, read strictly. A row that cannot be read says why.
import { createRequire } from 'node:module'
import { MAX_SKU } from '../../cart/cart.ts'
import { isCalendarDate } from '../../cart/exact-values.ts'
import { digitsOf, isCurrency, MAX_PRICE, toMinor } from '../../money.ts'
import { AVAILABILITIES, type Availability, type Offer, type Sale } from './product.ts'

export type FileChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export class FeedError extends Error {}

/** It has prices, but none that the shop could take. */
export class CurrencyError extends FeedError {}

/** An attribute of the current row by Google's name (`sale_price`); undefined if the row leaves it empty. */
export type FeedRow = (name: string) => string | undefined

/** The longest row, in UTF-16 units: several times what all attributes of Google's format may have together. */
export const LONGEST_ROW = 256 * 1024

/** `line` is where a row begins, counted from 1. */
export type RowHandlers = {
  onRow: (line: number, row: FeedRow) => void
  onSkipped: (line: number, reason: string, id?: string) => void
}

/**
 * The usual address of a picture, which a parser would leave as it is: a name that ends in letters, so is no IP address, and
 * is not in Punycode; a path without `.` at the start of a segment.
 */
const PLAIN_ADDRESS = /^https:\/\/(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]+(?:\/[\w-][\w.~-]*)+(?:\?[\w.~=&-]*)?$/

export class RowError extends Error {}

/** In characters; Google's limit is 150. */
const MAX_TITLE = 500
/** Google's limits, in characters. */
const MAX_IMAGE_LINK = 2000
const VARIANT = [
  ['color', 100],
  ['size', 100],
  ['material', 200]
] as const

const load = createRequire(import.meta.url)

/** How templates that always write a sale price say that there is no sale. */
const NO_SALE = /^(?:[A-Z]{3} ?)?0+(?:[.,]0+)?(?: ?[A-Z]{3})?$/i

/** @param limit how much of the value is shown, in characters */
function wrong(name: string, value: string, right: string, limit = 40): RowError {
  return new RowError(`${name} ${quoteValue(value.slice(0, limit))}: ${right}`)
}

/** What looks like a space, or like nothing, is shown as its code. */
function quoteValue(value: string): string {
  return JSON.stringify(value).replace(/(?! )[\p{Z}\p{Cf}]/gu, found =>
    found.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  )
}

/**
 * `isNoSale`: its sale_price is 0, which never counts.
 * @param hasFreeProducts whether a price of 0 is meant
 * @throws RowError naming the attribute, what is wrong and what would be right
 */
export function readFeedRow(row: FeedRow, hasFreeProducts = false) {
  const sku = required(row, 'id')
  if (isLonger(sku, MAX_SKU) || /\p{Cc}/u.test(sku)) {
    throw wrong('id', sku, `at most ${MAX_SKU} characters, none of them a control character`)
  }
  const title = readTitle(required(row, 'title'))
  const priceText = required(row, 'price')
  const { minor: price, currency } = readPrice('price', priceText)
  if (price === 0 && !hasFreeProducts) {
    throw wrong('price', priceText, 'it is free; give a price, or set catalogue.freeProducts to true if that is meant')
  }
  const availability = readAvailability(required(row, 'availability'))
  const salePrice = row('sale_price')
  const isNoSale = salePrice !== undefined && NO_SALE.test(salePrice)
  const sale =
    salePrice === undefined || isNoSale ? undefined : readSale(salePrice, currency, row('sale_price_effective_date'))
  if (sale && sale.price > price) throw new RowError(`sale_price ${salePrice} is above price ${priceText}`)
  const offer: Offer = { availability, price, ...(sale && { sale }) }
  return { sku, title, currency, offer, isNoSale }
}

/**
 * The address of a row's picture: an absolute http(s) address as it is, or a path in `pictures/` next to the feed.
 * @param isHttps whether it is for pages served over https, on which browsers block http pictures
 * @throws RowError; the product is then served without a picture
 */
export function readImage(row: FeedRow, isHttps = false): string | undefined {
  const link = row('image_link')
  if (link === undefined) return undefined
  if (isLonger(link, MAX_IMAGE_LINK)) throw wrong('image_link', link, `at most ${MAX_IMAGE_LINK} characters`)
  if (PLAIN_ADDRESS.test(link)) return link
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) {
    const url = URL.parse(link)
    if (isHttps && url?.protocol === 'http:') {
      throw wrong('image_link', link, 'a page over https cannot show it; give an https address', 80)
    }
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
    // The host goes into a header of the page, where other characters would be read as more than a host.
    if (isWeb && /^([\w.-]+|\[[0-9a-f:.]+\])(:\d+)?$/.test(url.host) && url.username + url.password === '')
      return url.href
  } else if (/^\/?pictures\//.test(link)) {
    // Made absolute, so that no `..` leads out of the folder.
    const { pathname } = new URL(link, 'http://feed/')
    if (pathname.startsWith('/pictures/')) return pathname
  }
  throw wrong('image_link', link, 'give an http(s) address or a path below "pictures/"', 80)
}

/** Such as `Indigo · M`. @throws RowError; the product is then served without it */
export function readVariant(row: FeedRow): string | undefined {
  let variant: string | undefined
  for (const [name, limit] of VARIANT) {
    const value = row(name)
    if (value === undefined) continue
    const text = onOneLine(unescaped(value)).trim()
    if (isLonger(text, limit)) throw wrong(name, text, `at most ${limit} characters`)
    if (text !== '') variant = variant === undefined ? text : `${variant} · ${text}`
  }
  return variant
}

/**
 * The text that is meant if it was escaped once too often, as in `Tom &amp; Jerry`. That is certain only if all of it is
 * escaped: it has no `<`, and each `&` begins a reference that is known.
 */
function unescaped(text: string): string {
  if (!/&[#\w]+;/.test(text) || text.includes('<')) return text
  // Loaded with the first such text.
  const sax: typeof import('sax') = load('sax')
  let meant = ''
  const parser = sax.parser(true)
  parser.ontext = part => {
    meant += part
  }
  try {
    parser.write(`<t>${text}</t>`).close()
    return meant
  } catch {
    return text
  }
}

/**
 * Control characters (line ends, tabs, NUL) become a space. Characters that begin or end a bidi isolate are left out: a
 * page isolates each text itself, and a text could end that and reverse what follows it.
 */
function onOneLine(text: string): string {
  if (!/[\p{Cc}\p{Zl}\p{Zp}\u2066-\u2069]/u.test(text)) return text
  return text.replace(/[\u2066-\u2069]/g, '').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

function readTitle(text: string): string {
  const title = onOneLine(unescaped(text))
  if (title.trim() === '') throw new RowError('title is empty')
  if (isLonger(title, MAX_TITLE)) throw wrong('title', title, `at most ${MAX_TITLE} characters`)
  return title
}

/** A character is one or two units of UTF-16. */
function isLonger(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || [...text].length > characters)
}

function required(row: FeedRow, name: string): string {
  const value = row(name)
  if (value === undefined) throw new RowError(`${name} is empty`)
  return value
}

function readPrice(name: string, text: string): { minor: number; currency: string } {
  const currency = text.slice(-3)
  const decimal = text.slice(0, text.at(-4) === ' ' ? -4 : -3)
  const minor = isCurrency(currency) ? toMinor(decimal, currency) : undefined
  if (minor !== undefined) return { minor, currency }
  if (!isCurrency(currency) || !/^\d+(?:\.\d+)?$/.test(decimal)) {
    const mistake = /[\u00a0\u2007\u202f]/.test(text) ? 'it has a no-break space; ' : ''
    throw wrong(name, text, `${mistake}give an amount and an ISO 4217 code, such as "15.00 GBP"`)
  }
  throw wrong(name, text, `${currency} takes at most ${digitsOf(currency)} decimals and ${MAX_PRICE} minor units`)
}

function readAvailability(text: string): Availability {
  // As most feeds write it, and fastest.
  if (text === 'in_stock') return text
  const word = text
    .toLowerCase()
    .replace(/[\s_\p{Pd}]+/gu, '_')
    .replace(/^(pre|back)_order$/, '$1order')
  const found = AVAILABILITIES.find(known => known === word)
  if (found !== undefined) return found
  throw wrong('availability', text, 'give in_stock, out_of_stock, preorder or backorder')
}

function readSale(text: string, currency: string, dates: string | undefined): Sale {
  const sale = readPrice('sale_price', text)
  if (sale.currency !== currency) throw new RowError(`sale_price is in ${sale.currency} and price in ${currency}`)
  if (dates === undefined) return { price: sale.minor }
  const [from = '', until = '', ...rest] = dates.split('/')
  const period = { from: readTime(from, '00:00:00'), until: readTime(until, '23:59:59.999') }
  if (rest.length > 0 || Number.isNaN(period.from) || Number.isNaN(period.until)) {
    const right = 'give two times, such as "2026-11-20T09:00+0100/2026-11-30T18:00+0100"'
    throw wrong('sale_price_effective_date', dates, right, 60)
  }
  return { price: sale.minor, ...period }
}

/** ISO 8601, extended or basic; programs also write a space in place of `T` and before the offset. */
const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?)? ?(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/i

/** In milliseconds, UTC without a zone; NaN if it is no ISO 8601 date or time. */
function readTime(text: string, timeOfDay: string): number {
  const [, year, month, day, hour, minute = '00', second = '00', fraction = '0', offset = '+00', offsetMinutes = '00'] =
    TIME.exec(text.trim()) ?? []
  const date = `${year}-${month}-${day}`
  if (!isCalendarDate(date)) return Number.NaN
  const time = hour === undefined ? timeOfDay : `${hour}:${minute}:${second}.${fraction.slice(0, 3)}`
  return Date.parse(`${date}T${time}${offset}:${offsetMinutes}`)
}
