// Amounts of money as people of a locale write them.
import { digitsOf } from '../money.ts'
import { memoize } from './memoize.ts'

/** How the currency is written: `symbol` tells currencies apart (`UK£`), `narrowSymbol` is shorter (`£`). */
export type CurrencyDisplay = 'symbol' | 'narrowSymbol'

/** What Intl puts before an amount in a right-to-left script. */
const RIGHT_TO_LEFT_MARK = '\u200f'

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
  const lastDigitsOf = memoize((rest: number) => thousandFormat.format(rest))
  /** @param whole thousands, whose last three digits are left out, or less than one thousand */
  const wholeOf = memoize((whole: number) => {
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
  const fractionOf = memoize((rest: number) => (digits === 0 ? '' : fractionFormat.format(rest)))
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
