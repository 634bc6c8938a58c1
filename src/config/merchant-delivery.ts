// Where a merchant delivers to, by what methods, and what these cost.
import { isCurrency, toMinor } from '../money.ts'
import { isKnownCountry } from '../orders/address-fields.ts'
import type { Report } from './json-shape.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { isLocale } from './merchant-words.ts'

/** The countries delivered to: those of the file, or that of the locale. */
export function readCountries({ countries, locale }: MerchantSettings, report: Report): string[] {
  countries?.forEach((country, i) => {
    if (!isKnownCountry(country)) report(['countries', i], `it is "${country}"; give an ISO 3166-1 code such as "GB"`)
  })
  if (countries || !isLocale(locale)) return countries ?? []
  const region = String(new Intl.Locale(locale).maximize().region)
  if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
  return [region]
}

/** The delivery methods, each with a price in every currency. */
export function readDelivery({ delivery = [], currencies }: MerchantSettings, report: Report): Merchant['delivery'] {
  return delivery.map(({ id, label, price }, i) => {
    if (delivery.findIndex(other => other.id === id) !== i) {
      report(['delivery', i, 'id'], `"${id}" is another method's id too; give each its own`)
    }
    const amounts = typeof price === 'string' ? Object.fromEntries(currencies.map(code => [code, price])) : price
    if (typeof price === 'string' && currencies.length > 1) {
      report(['delivery', i, 'price'], `give a price for each of ${currencies.join(', ')}`)
    }
    const prices = Object.fromEntries(
      currencies.filter(isCurrency).map(code => {
        const amount = toMinor(amounts[code] ?? '', code)
        if (amount === undefined) {
          report(
            ['delivery', i, 'price'],
            `${code} is ${JSON.stringify(amounts[code] ?? null)}; give an amount such as "4.50"`
          )
        }
        return [code, amount ?? 0]
      })
    )
    return { id, label, prices }
  })
}
