// Any cart, drawn at random, and the same on its way to a request: every field with all values that are sent for it, right
// or wrong, not yet written in the manner of an option.
import fc from 'fast-check'
import type { Cart, Item } from '../../src/cart/cart.ts'
import { anyText } from '../any-text.ts'

/** A text, to be written in any legal way, or something written already: JSON, or one character per byte of a form. */
export type Value = { text: string } | { written: string }

/** No value is a missing field, two are a repeated one. */
export type Draft = {
  lines: { sku: Value[]; quantity: Value[]; price: Value[] }[]
  currency: Value[]
  reference: Value[]
  /** Further fields of a form. */
  more: { name: Value; value: Value }[]
}

/** The options of the contract. */
export type OptionName = '1' | '2A' | '2B'
export type LinkName = 'meta' | 'permalink'

/** How the names of form fields are written, and places in a cart, in the manner of an option. */
export type Names = (field: string, line?: number) => string

export function namesOf(option: OptionName): Names {
  if (option === '1') return (field, line) => (line === undefined ? `#/${field}` : `#/items/${line}/${field}`)
  if (option === '2A') return (field, line) => (line === undefined ? field : `items[${line}][${field}]`)
  return (field, line) => (line === undefined ? field : `item_${line}_${field}`)
}

export function draftOf({ items, currency, reference }: Cart): Draft {
  return {
    lines: items.map(({ sku, quantity, price }) => ({
      sku: [{ text: sku }],
      quantity: [{ text: String(quantity) }],
      price: price === undefined ? [] : [{ text: price }]
    })),
    currency: [{ text: currency }],
    reference: [{ text: reference }],
    more: []
  }
}

/** Decides between `count` ways; 0 is the plainest. */
export type Choose = (count: number) => number

/** The numbers are used again from the start; without any, everything is plain. */
export function chooser(numbers: number[]): Choose {
  let next = 0
  return count => (numbers.length === 0 ? 0 : Number(numbers[next++ % numbers.length]) % count)
}

export const anyNumbers = fc.array(fc.nat(0xffff), { maxLength: 40, size: 'max' })

export function pick<T>(choose: Choose, list: readonly T[]): T {
  return list[choose(list.length)] as T
}

/** A list in an order of its own. */
export function shuffle<T>(list: T[], choose: Choose): T[] {
  const left = [...list]
  return list.map(() => left.splice(choose(left.length), 1)[0] as T)
}

/** SKUs that mean something to a parser, a template, a database or a prototype. */
const AWKWARD = [
  ...['MUG', 'a+b c', 'ソ-☕', '__proto__', 'constructor', 'toString', 'null', 'undefined', '0', '-1', 'NaN', '[]'],
  ...['items[0][sku]', 'item_0_sku', 'a&currency=USD', 'a=b', 'a;b', 'a,b', '100%', '%41', '%00', '\\u0041', '"', "''"],
  ...['</script><script>alert(1)</script>', '&amp;', '&#39;', '<!--', '<%= it %>', '{{1}}', "' OR 1=1 --"],
  ...['../../etc/passwd', 'a\\', '/', '?', '#', '\u00a0', '\u00ad', '\u200b', '\u2028', '\u202e', '\ufeff'],
  ...['\uffff', '\u{1f469}\u200d\u{1f4bb}', 'e\u0301', '\u00e9', '\u{10ffff}', '\u{1f600}'.repeat(128), 'x'.repeat(128)]
]

/** Products that refuse a cart: sold out, and sold in dollars only. */
export const SOLD_OUT = 'SOLD-OUT'
export const DOLLARS_ONLY = 'DOLLARS-ONLY'
export const UNKNOWN = 'no such SKU'

/** SKUs of a catalogue: the awkward ones and, from a seed, any others. */
export function someSkus(seed: number): string[] {
  // A feed's reader takes U+FFFD for a sign of bytes that are not UTF-8.
  const text = anyText({ minLength: 1, maxLength: 128 }).map(text =>
    text.toWellFormed().replace(/[\p{Cc}\ufffd]/gu, '')
  )
  // The feed's reader trims.
  const isSku = (sku: string) => [...sku].length <= 128 && sku !== '' && sku.trim() === sku && sku !== UNKNOWN
  return [...new Set([...AWKWARD, ...fc.sample(text, { seed, numRuns: 200 })])].filter(isSku)
}

/** A product feed that sells each of these SKUs in pounds. */
export function feedOf(skus: string[]): string {
  // The largest bag costs less than can be paid at once.
  const priceOf = (i: number) => ((50 + (i % 50)) / 100).toFixed(2)
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const sold = [...new Set(skus)].map(
    (sku, i) => `${quoted(sku)}\t${quoted(`Title of ${sku}`)}\tin_stock\t${priceOf(i)} GBP`
  )
  const unsold = [`${SOLD_OUT}\tLantern\tout_of_stock\t45.00 GBP`, `${DOLLARS_ONLY}\tDollar\tin_stock\t5.00 USD`]
  return ['id\ttitle\tavailability\tprice', ...sold, ...unsold].join('\n')
}

/** What an app may claim as a price: the contract gives no format, so it is any text without NUL. */
const anyPrice = fc.constantFrom(
  '12.50',
  '',
  '-1',
  '1e999',
  '£ 3,50',
  '__proto__',
  '<b>',
  '\n',
  '\ufeff',
  'x'.repeat(300)
)

/** Two carts of one reference would meet, so it is neither favoured nor made smaller. */
export const anyReference = fc
  .noShrink(fc.noBias(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })))
  .map(n => n.toString(16).padStart(32, '0'))

/** Any acceptable cart of these SKUs; its reference suits every option. */
export function anyCart(skus: string[]): fc.Arbitrary<Cart> {
  const item: fc.Arbitrary<Item> = fc.record(
    {
      sku: fc.nat(skus.length - 1).map(i => skus[i] as string),
      quantity: fc.integer({ min: 1, max: 9999 }),
      price: anyPrice
    },
    { requiredKeys: ['sku', 'quantity'] }
  )
  const items = fc.array(item, { minLength: 1, maxLength: 12 })
  return fc.record({ reference: anyReference, currency: fc.constant('GBP'), items })
}
