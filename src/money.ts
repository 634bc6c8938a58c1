// Integer amounts in minor units (pence, yen, fils), ISO 4217 codes and digits; messages/translator.ts writes them for people.
import * as currencies from 'dinero.js/currencies'

/** The largest price of a product, in minor units: 900 lines of 9,999 units each stay below 2^53. */
export const MAX_PRICE = 999_999_999

// ISO 4217 gives two digits to currencies whose subunit is a fifth (MGA, MRU); dinero.js models the fifth itself.
const digitsByCode: ReadonlyMap<string, number> = new Map(
  Object.values(currencies).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2])
)

/** ISO 4217 codes without a minor unit: metals, funds and the like, in which nothing is priced. */
const WITHOUT_UNIT: ReadonlySet<string> = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '))

/** Whether it is an alphabetic code of ISO 4217, upper case. */
export function isCurrencyCode(code: string): boolean {
  return digitsByCode.has(code) || WITHOUT_UNIT.has(code)
}

/** Whether things are priced in it: metals, funds and the like are not currencies here. */
export function isCurrency(code: string): boolean {
  return digitsByCode.has(code)
}

/** The digits of an ISO 4217 currency's minor unit: 0 for JPY, 2 for EUR, 3 for BHD. */
export function digitsOf(currency: string): number {
  const digits = digitsByCode.get(currency)
  if (digits === undefined) throw new RangeError(`${currency} is not an ISO 4217 code`)
  return digits
}

/**
 * Reads a decimal such as `147.99` as minor units. Undefined for anything but digits with at most one point between
 * them, for a fraction finer than the currency, and for amounts beyond the largest.
 * @param largest in minor units, below 2^51
 */
export function toMinor(decimal: string, currency: string, largest = MAX_PRICE): number | undefined {
  if (!/^\d+(?:\.\d+)?$/.test(decimal)) return undefined
  const digits = digitsOf(currency)
  const point = decimal.indexOf('.')
  if (point !== -1 && /[^0]/.test(decimal.slice(point + 1 + digits))) return undefined
  // Up to 2^51, floating point is off by less than what is rounded.
  const minor = Math.round(Number(decimal) * 10 ** digits)
  return minor <= largest ? minor : undefined
}

/** Writes minor units as a decimal string in major units: 14799 USD is `147.99`, 4500 JPY is `4500`. */
export function toDecimal(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  const text = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
