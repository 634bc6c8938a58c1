// Where a shopper comes from, as what sends a cart says it: kept with the checkout, and never a reason to refuse a cart. What is
// unreadable or beyond a limit is left out.
import { Type } from '@sinclair/typebox'
import type { Cart } from '../cart/cart.ts'

export type Attribution = NonNullable<Cart['attribution']>

/** The names in forms and queries. */
const USUAL = /^(?:utm_\w+|gclid|fbclid|ttclid|msclkid|cart_origin)$/

const NAME_PATTERN = '^[A-Za-z][\\w.-]{0,63}$'
const NAME = new RegExp(NAME_PATTERN)

const MAX_VALUES = 20

/** How much of a value is kept, in characters. */
const MAX_VALUE = 512

export const AttributionSetting = Type.Array(
  Type.String({
    pattern: NAME_PATTERN,
    description: 'a name such as "ref": up to 64 letters, digits, "_", "." and "-"'
  }),
  {
    uniqueItems: true,
    maxItems: MAX_VALUES,
    description:
      'a list of more parameters that say where a shopper comes from, such as ["ref"], each once; utm_…, gclid, fbclid, ttclid, msclkid and cart_origin are known'
  }
)

export type AttributionSettings = { attribution?: string[] }

export function isAttribution(name: string, { attribution = [] }: AttributionSettings): boolean {
  return USUAL.test(name) || attribution.includes(name)
}

/** Adds a value, unless the name has one. @param read called only if the value may be kept */
export function addAttribution(to: Attribution, name: string, read: () => string): void {
  if (Object.hasOwn(to, name) || Object.keys(to).length === MAX_VALUES || !NAME.test(name)) return
  const text = read()
  if (text === '' || /\p{Cc}/u.test(text) || !text.isWellFormed()) return
  to[name] = text.slice(0, MAX_VALUE).replace(/[\ud800-\udbff]$/, '')
}

/** The cart with what was found, if anything was. */
export function withAttribution(cart: Cart, attribution: Attribution): Cart {
  return Object.keys(attribution).length > 0 ? { ...cart, attribution } : cart
}
