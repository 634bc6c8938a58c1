// Reads the countries that a merchant delivers to, its delivery methods and their prices.
import { isLocale } from '../messages/locales.ts'
import { isCurrency, toMinor } from '../money.ts'
import { isKnownCountry } from './countries.ts'
import type { ReportMistake } from './json-file.ts'
import type { DeliveryMethod } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'

/** The countries delivered to: those of the file, or the country of the locale. */
export function readCountries({ countries, locale }: MerchantSettings, report: ReportMistake): string[] {
  countries?.forEach((country, i) => {
    if (!isKnownCountry(country)) report(['countries', i], `it is "${country}"; give an ISO 3166-1 code such as "GB"`)
  })
  if (countries || !isLocale(locale)) return countries ?? []
  const region = String(new Intl.Locale(locale).maximize().region)
  if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
  return [region]
}

/** The delivery methods by currency; each method has a price in every currency. */
export function readDelivery(
  { delivery = [], currencies }: MerchantSettings,
  report: ReportMistake
): Record<string, DeliveryMethod[]> {
  delivery.forEach(({ id, price, days }, i) => {
    if (delivery.findIndex(other => other.id === id) !== i) {
      report(['delivery', i, 'id'], `"${id}" is another method's id too; give each its own`)
    }
    if (days && days[0] > days[1]) {
      report(['delivery', i, 'days'], `it is [${days.join(', ')}]; give the smaller number first`)
    }
    if (typeof price === 'string' && currencies.length > 1) {
      report(['delivery', i, 'price'], `give a price for each of ${currencies.join(', ')}`)
    }
  })
  const methodsIn = (currency: string) =>
    delivery.map(({ id, label, price, days }, i): DeliveryMethod => {
      const sent = typeof price === 'string' ? price : price[currency]
      const amount = toMinor(sent ?? '', currency)
      if (amount === undefined) {
        const problem = sent === undefined ? `there is none in ${currency}` : `${currency} is "${sent}"`
        report(['delivery', i, 'price'], `${problem}; give an amount such as "4.50"`)
      }
      return { id, label, price: amount ?? 0, ...(days && { days }) }
    })
  return Object.fromEntries(currencies.filter(isCurrency).map(currency => [currency, methodsIn(currency)]))
}
