// Reads amounts of money, the countries that a merchant delivers to, and its delivery methods.
import { isLocale } from '../messages/messages.ts'
import { isCurrency, toDecimal, toMinor } from '../money.ts'
import { isKnownCountry } from './countries.ts'
import type { Key, ReportMistake } from './json-file.ts'
import type { DeliveryMethod, Merchant } from './merchant.ts'
import type { SettingsSource } from './read-settings.ts'
import type { Amounts } from './setting-types.ts'

/** The countries delivered to: those of the file, or the country of the locale. */
export function readCountries({ settings: { countries, locale }, report }: SettingsSource): string[] {
  countries?.forEach((country, i) => {
    if (!isKnownCountry(country)) report(['countries', i], `it is "${country}"; give an ISO 3166-1 code such as "GB"`)
  })
  if (countries || !isLocale(locale)) return countries ?? []
  const region = String(new Intl.Locale(locale).maximize().region)
  if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
  return [region]
}

/** By currency; each method has a price in every currency, and each country has a method. */
export function readDelivery({ settings, report }: SettingsSource, countries: string[]): Merchant['delivery'] {
  const { delivery = [], currencies, countries: listed } = settings
  const methods = delivery.map(({ price, freeFrom, ...method }, i) => {
    const { id, countries: only = [], days } = method
    if (delivery.findIndex(other => other.id === id) !== i) {
      report(['delivery', i, 'id'], `"${id}" is another method's id too; give each its own`)
    }
    if (days && days[0] > days[1]) {
      report(['delivery', i, 'days'], `it is [${days.join(', ')}]; give the smaller number first`)
    }
    only.forEach((country, j) => {
      if (countries.includes(country)) return
      const known = `${countries.join(', ')}, the "countries" of the shop`
      report(['delivery', i, 'countries', j], `it is "${country}"; give one of ${known}, or add it there`)
    })
    const prices = readAmounts(price, currencies, ['delivery', i, 'price'], report)
    const limits = freeFrom && readAmounts(freeFrom, currencies, ['delivery', i, 'freeFrom'], report)
    return (currency: string): DeliveryMethod => ({
      ...method,
      price: Number(prices[currency]),
      ...(limits && { freeFrom: Number(limits[currency]) })
    })
  })
  countries.forEach((country, i) => {
    if (delivery.length === 0 || delivery.some(({ countries: only }) => only?.includes(country) ?? true)) return
    const key = listed ? ['countries', i] : ['delivery']
    report(key, `no delivery method delivers to "${country}"; add it to the countries of one, or leave it out here`)
  })
  return Object.fromEntries(
    currencies.filter(isCurrency).map(currency => [currency, methods.map(method => method(currency))])
  )
}

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
