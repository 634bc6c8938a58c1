// Reads what concerns orders on our own page: the countries delivered to, delivery methods, and amounts in every currency.
import { isAny } from '../errors.ts'
import { toDecimal, toMinor } from '../money.ts'
import type { Key, ReportError } from '../transfer/option.ts'
import { WEEKDAYS } from './arrival-dates.ts'
import { shown } from './check-value.ts'
import { isKnownCountry } from './countries.ts'
import type { DeliveryMethod, Merchant } from './merchant.ts'
import type { SettingsSource } from './read-settings.ts'
import type { Amounts } from './setting-types.ts'

export function readMaxTotal({
  settings: { checkout, currencies },
  report
}: SettingsSource): Pick<Merchant, 'maxTotal'> {
  if (!checkout.maxTotal) return {}
  return { maxTotal: readAmounts(checkout.maxTotal, currencies, ['checkout', 'maxTotal'], report) }
}

/** Countries of a merchant file, with the key of the list; without one they are that of the locale. */
type CountryList = { codes: string[]; key?: Key }

/** The countries delivered to: one list for all currencies, or one for each. */
export function readCountries({ settings, report }: SettingsSource): CountryList[] {
  const { countries, currencies, locale } = settings
  if (!countries) {
    const region = String(new Intl.Locale(locale).maximize().region)
    if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
    return [{ codes: isKnownCountry(region) ? [region] : [] }]
  }
  if (Array.isArray(countries)) return [{ codes: countries, key: ['countries'] }]
  for (const currency of currencies.filter(one => !(one in countries))) {
    report(['countries'], `there is no list for ${currency}, which is in currencies; add one`)
  }
  for (const currency of Object.keys(countries).filter(one => !currencies.includes(one))) {
    report(['countries', currency], `"${currency}" is not in currencies; add it there, or leave this list out`)
  }
  return Object.entries(countries).map(([currency, codes]) => ({ codes, key: ['countries', currency] }))
}

export function countriesByCurrency(lists: CountryList[], currencies: string[]): Merchant['countries'] {
  const listOf = (currency: string) => lists.find(({ key }) => (key?.[1] ?? currency) === currency)
  return Object.fromEntries(currencies.map(currency => [currency, listOf(currency)?.codes ?? []]))
}

/** By currency; each method has a price in every currency, and each country has a method. */
export function readDelivery({ settings, report }: SettingsSource, lists: CountryList[]): Merchant['delivery'] {
  const { delivery = [], currencies } = settings
  const countries = [...new Set(lists.flatMap(({ codes }) => codes))]
  // A list that is missing may have any country.
  const areKnown = Object.values(countriesByCurrency(lists, currencies)).every(isAny)
  const methods = delivery.map((method, i) => {
    const { price, freeFrom, ...others } = method
    const place: Key = ['delivery', i]
    for (const [j, country] of (method.countries ?? []).entries()) {
      if (countries.includes(country) || !areKnown) continue
      const known = `${countries.join(', ')}, the "countries" of the shop`
      report([...place, 'countries', j], `it is ${shown(country)}; give one of ${known}, or add it there`)
    }
    if (delivery.slice(0, i).some(({ id }) => id === method.id)) {
      report([...place, 'id'], `"${method.id}" is another method's id too; give each its own`)
    }
    const prices = readAmounts(price, currencies, [...place, 'price'], report)
    const limits =
      freeFrom === undefined ? undefined : readAmounts(freeFrom, currencies, [...place, 'freeFrom'], report)
    return (currency: string): DeliveryMethod => ({
      ...others,
      price: Number(prices[currency]),
      ...(limits && { freeFrom: Number(limits[currency]) })
    })
  })
  // One that is not delivered to may stand for one that is.
  const isClear = delivery.every(({ countries: only = [] }) => only.every(country => countries.includes(country)))
  for (const { codes, key = [] } of isClear && delivery.length > 0 ? lists : []) {
    for (const [i, country] of codes.entries()) {
      if (delivery.some(({ countries: only }) => only?.includes(country) ?? true)) continue
      const remedy = 'add it to the countries of one, or leave it out here'
      report([...key, i], `no delivery method delivers to "${country}"; ${remedy}`)
    }
  }
  return Object.fromEntries(currencies.map(currency => [currency, methods.map(method => method(currency))]))
}

/** Reports dates that nothing in the file has, and a week without a day on which something happens. */
export function checkDeliveryDates({ settings, report }: SettingsSource): void {
  const { deliveryDates } = settings.checkout
  if (!deliveryDates) return
  const key = ['checkout', 'deliveryDates']
  if (!settings.delivery?.some(({ days }) => days)) {
    report(key, 'no method in "delivery" has "days"; give it some, or leave this out')
  }
  if (WEEKDAYS.every(day => deliveryDates.daysOff.includes(day))) {
    report([...key, 'daysOff'], 'it has every day of the week; leave out those on which something is sent')
  }
}

/** @returns minor units, by currency; a currency without an amount is reported */
function readAmounts(sent: Amounts, currencies: string[], key: Key, report: ReportError): Record<string, number> {
  if (typeof sent === 'string' && currencies.length > 1) {
    report(key, `give an amount for each of ${currencies.join(', ')}`)
  }
  const amounts = currencies.map(currency => {
    const text = typeof sent === 'string' ? sent : sent[currency]
    const amount = text === undefined ? undefined : toMinor(text, currency)
    if (amount === undefined) {
      const problem = text === undefined ? `there is none in ${currency}` : `${currency} is ${shown(text)}`
      // Every currency can write it: `4.50`, in yen `450`.
      report(key, `${problem}; give an amount such as "${toDecimal(450, currency)}"`)
    }
    return [currency, amount ?? 0]
  })
  return Object.fromEntries(amounts)
}
