// Reads what concerns orders on our own page: the countries delivered to, delivery methods, and amounts in every currency.
import { toDecimal, toMinor } from '../money.ts'
import { WEEKDAYS } from './arrival-dates.ts'
import { shown } from './check-value.ts'
import { isKnownCountry } from './countries.ts'
import { attempt, attemptEach, type Key, type ReportMistake } from './json-file.ts'
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
  const { countries } = settings
  if (!countries) {
    const { locale } = settings
    const region = String(new Intl.Locale(locale).maximize().region)
    if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
    return [{ codes: [region] }]
  }
  const lists = Array.isArray(countries)
    ? [{ codes: countries, key: ['countries'] }]
    : Object.entries(countries).map(([currency, codes]) => ({ codes, key: ['countries', currency] }))
  for (const { codes, key } of lists) {
    attemptEach(codes, (country, i) => {
      if (!isKnownCountry(country)) report([...key, i], `it is ${shown(country)}; give an ISO 3166-1 code such as "GB"`)
    })
  }
  attempt(() => {
    const currencies = [...settings.currencies]
    if (Array.isArray(countries)) return
    for (const currency of currencies.filter(one => !(one in countries))) {
      report(['countries'], `there is no list for ${currency}, which is in currencies; add one`)
    }
    for (const currency of Object.keys(countries).filter(one => !currencies.includes(one))) {
      report(['countries', currency], `"${currency}" is not in currencies; add it there, or leave this list out`)
    }
  })
  return lists
}

export function countriesByCurrency(lists: CountryList[], currencies: string[]): Merchant['countries'] {
  const listOf = (currency: string) => lists.find(({ key }) => key?.[1] === currency) ?? (lists[0] as CountryList)
  return Object.fromEntries(currencies.map(currency => [currency, listOf(currency).codes]))
}

/** By currency; each method has a price in every currency, and each country has a method. */
export function readDelivery({ settings, report }: SettingsSource, lists: () => CountryList[]): Merchant['delivery'] {
  const { delivery = [] } = settings
  /** @throws WrongSetting if any may be missing */
  const allCountries = () => {
    const { countries: _ } = settings
    return [...new Set(lists().flatMap(({ codes }) => codes))]
  }
  const methods = attemptEach(delivery, (method, i) => {
    const amounts = (key: 'price' | 'freeFrom') =>
      attempt(() => {
        const { [key]: sent } = method
        return sent === undefined ? undefined : readAmounts(sent, settings.currencies, ['delivery', i, key], report)
      })
    const [prices, limits] = [amounts('price'), amounts('freeFrom')]
    attempt(() => {
      const { days } = method
      if (days && days[0] > days[1]) {
        report(['delivery', i, 'days'], `it is [${days.join(', ')}]; give the smaller number first`)
      }
    })
    attempt(() => {
      const countries = allCountries()
      attemptEach(method.countries ?? [], (country, j) => {
        if (countries.includes(country)) return
        const known = `${countries.join(', ')}, the "countries" of the shop`
        report(['delivery', i, 'countries', j], `it is ${shown(country)}; give one of ${known}, or add it there`)
      })
    })
    attempt(() => {
      const { id } = method
      if (delivery.slice(0, i).every(other => other.id !== id)) return
      report(['delivery', i, 'id'], `"${id}" is another method's id too; give each its own`)
    })
    return (currency: string): DeliveryMethod => {
      const { price, freeFrom, ...others } = method
      const limit = limits()
      return { ...others, price: Number(prices()?.[currency]), ...(limit && { freeFrom: Number(limit[currency]) }) }
    }
  })
  for (const { codes, key = [] } of lists()) {
    attemptEach(codes, (country, i) => {
      if (delivery.length === 0 || delivery.some(({ countries: only }) => only?.includes(country) ?? true)) return
      const remedy = 'add it to the countries of one, or leave it out here'
      report([...key, i], `no delivery method delivers to "${country}"; ${remedy}`)
    })
  }
  return Object.fromEntries(settings.currencies.map(currency => [currency, methods.map(method => method()(currency))]))
}

/** Days that become dates, a time zone that exists, real dates, and a weekday on which something happens. */
export function checkDeliveryDates({ settings, report }: SettingsSource): void {
  const { deliveryDates } = settings.checkout
  if (!deliveryDates) return
  const key = ['checkout', 'deliveryDates']
  attempt(() => {
    if (settings.delivery?.some(({ days }) => days)) return
    report(key, 'no method in "delivery" has "days"; give it some, or leave this out')
  })
  attempt(() => {
    const { timeZone } = deliveryDates
    if (isTimeZone(timeZone)) return
    report([...key, 'timeZone'], `it is ${shown(timeZone)}; give a time zone such as "Europe/London"`)
  })
  attemptEach(deliveryDates.daysOff, (day, i) => {
    const date = day.length === 5 ? `2024-${day}` : day
    if (day.length === 3 || new Date(date).toJSON()?.startsWith(date)) return
    report([...key, 'daysOff', i], `there is no ${shown(day)}; give a date such as "12-25" or "2026-12-28"`)
  })
  attempt(() => {
    if (!WEEKDAYS.every(day => deliveryDates.daysOff.includes(day))) return
    report([...key, 'daysOff'], 'it has every day of the week; leave out those on which something is sent')
  })
}

/** Abbreviations are none: BST would be Bangladesh's. */
function isTimeZone(timeZone: string): boolean {
  try {
    return /^UTC$|\//.test(new Intl.DateTimeFormat('en', { timeZone }) && timeZone)
  } catch {
    return false
  }
}

/** @returns minor units, by currency; a currency without an amount is reported */
function readAmounts(sent: Amounts, currencies: string[], key: Key, report: ReportMistake): Record<string, number> {
  if (typeof sent === 'string' && currencies.length > 1) {
    report(key, `give an amount for each of ${currencies.join(', ')}`)
  }
  const amounts = attemptEach(currencies, (currency): [string, number] => {
    const text = typeof sent === 'string' ? sent : sent[currency]
    const amount = text === undefined ? undefined : toMinor(text, currency)
    if (amount === undefined) {
      const problem = text === undefined ? `there is none in ${currency}` : `${currency} is ${shown(text)}`
      // Every currency can write it: `4.50`, in yen `450`.
      report(key, `${problem}; give an amount such as "${toDecimal(450, currency)}"`)
    }
    return [currency, amount ?? 0]
  })
  return Object.fromEntries(amounts.map(amount => amount()))
}
