// Money: integer amounts in minor units (pence, yen, fils), ISO 4217 codes and digits, exact in both directions.
import * as currencies from 'dinero.js/currencies'
import { remember } from './remember.ts'

/** The largest price of a product, in minor units: 900 lines of 9,999 units each stay below 2^53. */
export const MAX_PRICE = 999_999_999

// ISO 4217 gives two digits to currencies whose subunit is a fifth (MGA, MRU); dinero.js models the fifth itself.
const digitsByCode: ReadonlyMap<string, number> = new Map(
  Object.values(currencies).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2])
)

/** How the currency is written: `symbol` tells currencies apart (`UK£`), `narrowSymbol` is shorter (`£`). */
export type CurrencyDisplay = 'symbol' | 'narrowSymbol'

/** What Intl puts before an amount in a right-to-left script. */
const RIGHT_TO_LEFT_MARK = '\u200f'

/** ISO 4217 codes without a minor unit: metals, funds and the like, in which nothing is priced. */
const WITHOUT_UNIT: ReadonlySet<string> = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '))

/** Whether `code` is an ISO 4217 alphabetic code, upper case. */
export function isCurrencyCode(code: string): boolean {
  return digitsByCode.has(code) || WITHOUT_UNIT.has(code)
}

/** Whether `code` is the ISO 4217 alphabetic code of a currency that things are priced in. */
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

/** How many numbers of thousands, and below, are remembered of a currency. */
const MAX_WHOLE = 2000

/**
 * A function that formats minor units, 0 or more, of one currency for people of one locale: 14799 is `$147.99`. Intl takes a
 * microsecond or more, so it formats thousands, each once, and what follows them is put in their place.
 */
export function moneyFormat(
  currency: string,
  locale: string,
  currencyDisplay: CurrencyDisplay = 'symbol'
): (minor: number) => string {
  const digits = digitsOf(currency)
  const units = 10 ** digits
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const ordinary = symbolIn(locale, currency, 'symbol')
  // A symbol in the script of the locale (ج.م.) is known better than a short one (£).
  const isShort = currencyDisplay === 'narrowSymbol' && !/[^\p{sc=Latn}\P{L}]/u.test(ordinary)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: isShort ? 'narrowSymbol' : 'symbol',
    ...fraction
  })
  // Intl has no short symbols for some languages: it is UK£ in Arabic, where £ is understood.
  const english = symbolIn('en', currency, 'narrowSymbol')
  const fractionFormat = new Intl.NumberFormat(locale, { minimumIntegerDigits: digits || 1, useGrouping: false })
  // In a right-to-left script, a symbol with letters in it (UK£) would move what follows to its other side unless
  // isolated. The mark itself is redundant on a page that runs right to left.
  const isolates = format.format(0).includes(RIGHT_TO_LEFT_MARK)
  const shown = ({ type, value }: Intl.NumberFormatPart) => {
    if (type !== 'currency') return value.replace(RIGHT_TO_LEFT_MARK, '')
    const symbol = isShort && value.includes(english) ? english : value
    return isolates && /\p{L}/u.test(symbol) ? `\u2066${symbol}\u2069` : symbol
  }
  // In every language, the last three digits of a whole number stand together.
  const thousandFormat = new Intl.NumberFormat(locale, { minimumIntegerDigits: 3, useGrouping: false })
  const lastDigitsOf = remember((rest: number) => thousandFormat.format(rest))
  /** @param whole thousands, whose last three digits are left out, or less than one thousand */
  const wholeOf = remember((whole: number) => {
    const parts = format.formatToParts(whole)
    const textOf = (some: Intl.NumberFormatPart[]) => some.map(shown).join('')
    const pointAt = parts.findLastIndex(({ type }) => type === 'integer') + 1
    const end = digits === 0 ? pointAt : parts.findIndex(({ type }) => type === 'fraction')
    const number = textOf(parts.slice(0, pointAt))
    return {
      before: whole < 1000 ? number : number.slice(0, -lastDigitsOf(0).length),
      point: textOf(parts.slice(pointAt, end)),
      after: textOf(parts.slice(digits === 0 ? end : end + 1))
    }
  }, MAX_WHOLE)
  const fractionOf = remember((rest: number) => (digits === 0 ? '' : fractionFormat.format(rest)))
  return minor => {
    const fraction = minor % units
    const whole = (minor - fraction) / units
    const rest = whole % 1000
    const { before, point, after } = wholeOf(whole < 1000 ? whole : whole - rest)
    return before + (whole < 1000 ? '' : lastDigitsOf(rest)) + point + fractionOf(fraction) + after
  }
}

function symbolIn(locale: string, currency: string, currencyDisplay: CurrencyDisplay): string {
  const parts = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).formatToParts(0)
  return String(parts.find(({ type }) => type === 'currency')?.value)
}
