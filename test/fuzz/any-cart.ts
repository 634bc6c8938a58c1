// Any cart that a fuzzed merchant accepts, and the feed that sells it.
import fc from 'fast-check'
import type { Cart, Item } from '../../src/cart/cart.ts'
import { anyText } from '../any-text.ts'

/** SKUs that mean something to a parser, a template, a database or a prototype. */
const AWKWARD = [
  ...['MUG', ' a+b c ', 'ソ-☕', '__proto__', 'constructor', 'toString', 'null', 'undefined', '0', '-1', 'NaN', '[]'],
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
  const isSku = (sku: string) => [...sku].length <= 128 && sku.trim() !== '' && sku !== UNKNOWN
  return [...new Set([...AWKWARD, ...fc.sample(text, { seed, numRuns: 200 }).filter(isSku)])]
}

/** A product feed that sells each of these SKUs in pounds. */
export function feedOf(skus: string[]): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const sold = [...new Set(skus)].map((sku, i) => `${quoted(sku)}\t${quoted(`Title of ${sku}`)}\tin_stock\t${i}.99 GBP`)
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
