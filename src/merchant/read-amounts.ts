// Reads amounts of money in a merchant file: one for a shop with one currency, or one for each currency.
import { isCurrency, toDecimal, toMinor } from '../money.ts'
import type { ReportMistake } from './json-file.ts'
import type { Key } from './json-source.ts'
import type { Amounts } from './setting-types.ts'

/** An amount that every currency can write: `4.50`, in yen `450`. */
const EXAMPLE = 450

/** @returns minor units, by currency; a currency without an amount is reported */
export function readAmounts(
  sent: Amounts,
  currencies: string[],
  key: Key,
  report: ReportMistake
): Record<string, number> {
  if (typeof sent === 'string' && currencies.length > 1) {
    report(key, `give an amount for each of ${currencies.join(', ')}`)
  }
  return Object.fromEntries(
    currencies.filter(isCurrency).map(currency => {
      const text = typeof sent === 'string' ? sent : sent[currency]
      const amount = text === undefined ? undefined : toMinor(text, currency)
      if (amount === undefined) {
        const problem = text === undefined ? `there is none in ${currency}` : `${currency} is ${JSON.stringify(text)}`
        report(key, `${problem}; give an amount such as "${toDecimal(EXAMPLE, currency)}"`)
      }
      return [currency, amount ?? 0]
    })
  )
}
