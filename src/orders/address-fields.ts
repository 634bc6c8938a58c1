// The fields of a delivery address, in the order in which each country writes them on an envelope, from libaddressinput's
// data. The data only says which fields there are and which are required: no value is refused by pattern.
import { type CountryFormat, countryFormat } from '../merchant/countries.ts'
import { isMessageName, type MessageName } from '../messages/messages.ts'

/** A field of the form: its name, the message that labels it, and hints for the keyboard and autofill. */
export type AddressField = {
  name: string
  label: MessageName
  isRequired: boolean
  autocomplete: string
  inputmode?: 'numeric'
  /** What few need is folded away; a postcode and what an envelope has beside it are side by side. */
  place?: 'fold' | 'beside'
  /** What may be chosen, if that is little enough; a form may send anything else all the same. */
  choices?: FieldChoice[]
}

/** Its name by language; `latin` is in Latin letters, for all others. `code` is sent in place of the name. */
export type FieldChoice = { latin: string; code?: string; [language: string]: string | undefined }

const DEFAULT_FORMAT = '%N%n%O%n%A%n%C'
const DEFAULT_REQUIRED = 'AC'
/** Where envelopes have the codes of states: shoppers, and the autofill of their browsers, know both. */
const WITH_CODES = new Set(['AU', 'CA'])
/** The postcode with the city or state next to it on the same line. */
const BESIDE_POSTCODE = /%[CS][^%]*%Z|%Z[^%]*%[CS]/

/**
 * In bytes: how much the choices of a field may take. With them, the checkout page of 20 lines fits the first flight in
 * every language but Arabic, as it does with 27 countries (DECISIONS.md, "The checkout page").
 */
const MAX_CHOICES = 600

/** The fields of an address in a country, in its order. The shopper's name is one of them and always required. */
export function addressFields(country: string): AddressField[] {
  const format = countryFormat(country) ?? {}
  const required = `N${format.require ?? DEFAULT_REQUIRED}`
  // A format may print a part twice, as that of Côte d'Ivoire does; it is still one field.
  const { fmt = DEFAULT_FORMAT } = format
  const parts = new Set(fmt.match(/(?<=%)[NOADCSZX]/g))
  const [beside = ''] = BESIDE_POSTCODE.exec(fmt) ?? []
  return [...parts].flatMap(part =>
    fieldsOf(part, format, required.includes(part)).map(
      (field): AddressField => (beside.includes(`%${part}`) && !field.choices ? { ...field, place: 'beside' } : field)
    )
  )
}

function fieldsOf(part: string, format: CountryFormat, isRequired: boolean): AddressField[] {
  const field = (name: string, label: MessageName, autocomplete: string, required = isRequired): AddressField => ({
    name,
    label,
    isRequired: required,
    autocomplete
  })
  switch (part) {
    case 'N':
      return [field('name', 'field-name', 'name')]
    case 'O':
      return [{ ...field('organization', 'field-organization', 'organization'), place: 'fold' }]
    case 'A': {
      const second = field('address2', 'field-address2', 'address-line2', false)
      // Without a field for the town, as in Japan, it is part of this one.
      const hasTown = (format.fmt ?? DEFAULT_FORMAT).includes('%C')
      return [
        field('address1', hasTown ? 'field-address1' : 'field-address', 'address-line1'),
        { ...second, place: 'fold' }
      ]
    }
    case 'D':
      return [field('district', labelOf(format.sublocality_name_type, 'field-suburb'), 'address-level3')]
    case 'C':
      return [field('city', labelOf(format.locality_name_type, 'field-city'), 'address-level2')]
    case 'S':
      return [
        { ...field('state', labelOf(format.state_name_type, 'field-province'), 'address-level1'), ...choices(format) }
      ]
    case 'Z': {
      const postcode = field('postcode', labelOf(format.zip_name_type, 'field-postal'), 'postal-code')
      return [{ ...postcode, ...inputMode(format) }]
    }
    default:
      return [field('sorting', 'field-sorting', 'address-level4')]
  }
}

/** The label of a part in a country, such as `field-post_town`, or the default one. */
function labelOf(type: string | undefined, defaultLabel: MessageName): MessageName {
  const label = `field-${type}`
  return isMessageName(label) ? label : defaultLabel
}

function choices({ key: country = '', sub_regions: regions = [], lang = '' }: CountryFormat): {
  choices?: FieldChoice[]
} {
  const choices = regions.map(({ key, name: { default: name, latin, ...others } }): FieldChoice => {
    // Some keys are codes, others a name in Latin letters.
    const asLatin = /\p{Ll}/u.test(key) ? key : name
    return { ...others, [lang]: name, latin: latin ?? asLatin, ...(WITH_CODES.has(country) && { code: key }) }
  })
  const bytes = choices.reduce((sum, names) => {
    const lengths = Object.values(names).map(name => Buffer.byteLength(String(name)))
    return sum + '<option value=>'.length + Math.max(...lengths)
  }, 0)
  return bytes > 0 && bytes <= MAX_CHOICES ? { choices } : {}
}

/** A postcode of digits only gets a numeric keyboard. */
function inputMode({ zip }: CountryFormat): { inputmode?: 'numeric' } {
  return zip !== undefined && /^(\\d(\{\d(,\d)?\})?)+$/.test(zip) ? { inputmode: 'numeric' } : {}
}
