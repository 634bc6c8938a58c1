// The form on the checkout page: its fields and choices, what was entered, and what is wrong with it. Pure. The fields of an
// address are those of each country, in the order of its envelopes, from libaddressinput's data.
import type { Buyer } from '../../cart/cart.ts'
import type { EnteredField } from '../../errors.ts'
import { type CountryFormat, countryFormat } from '../../merchant/countries.ts'
import { chargedAt, type Merchant, methodsTo } from '../../merchant/merchant.ts'
import { isMessageName, type MessageName } from '../../messages/messages.ts'
import type { Customer, Order } from './order.ts'

export type FormField = {
  name: string
  label: MessageName
  isRequired: boolean
  autocomplete: string
  /** Plain text, if absent. */
  type?: 'email' | 'tel' | 'textarea'
  maxLength?: number
  inputmode?: 'numeric'
  /** Folded away, as it is optional; or on one line with the postcode, as on an envelope. */
  place?: 'fold' | 'beside'
  /** A form may still send anything else. */
  choices?: FieldChoice[]
}

export type OrderForm = ReturnType<typeof orderFormOf>

/** What was entered, by field name, unchanged. */
export type FormValues = Record<string, string>

/** A parsed form; a field that was sent twice is a list. */
export type FormBody = Record<string, unknown> | undefined

/** The values entered; a field that was sent twice counts as empty. */
export function readValues(form: FormBody): FormValues {
  const values = Object.entries(form ?? {}).filter((field): field is [string, string] => typeof field[1] === 'string')
  return Object.fromEntries(values)
}

export type FormEntry = ReturnType<typeof readEntry>

type FieldProblem = 'enter-field' | 'choose-field' | 'field-unprintable' | 'field-too-long' | 'email-shape'

/** What is wrong with a field, or only doubted. */
export type FieldError = {
  field: string
  label: MessageName
  message: FieldProblem | 'doubt-form' | 'doubt-digits' | 'doubt-meant' | 'doubt-short'
  /** In characters. */
  maxLength?: number
  /** What is usual, or may be meant; by default an email. */
  example?: string | undefined
  /** The one that cannot be printed. */
  character?: string
}

const MAX_LENGTH = 200
export const MAX_EMAIL = 254

const EMAIL_FIELD = {
  name: 'email',
  label: 'field-email',
  autocomplete: 'email',
  type: 'email',
  isRequired: true,
  maxLength: MAX_EMAIL
} as const
const PHONE_FIELD = {
  name: 'phone',
  label: 'field-phone',
  autocomplete: 'tel',
  type: 'tel',
  isRequired: false
} as const

const GIFT_FIELD = {
  name: 'giftNote',
  label: 'field-gift',
  autocomplete: 'off',
  type: 'textarea',
  isRequired: false,
  maxLength: 300
} as const

export function orderFormOf({ countries, delivery, checkout }: Merchant) {
  const gift = checkout.giftNote ? [GIFT_FIELD] : []
  const fieldsOf = (country: string): FormField[] => [EMAIL_FIELD, ...addressFields(country), PHONE_FIELD, ...gift]
  const all = new Set(Object.values(countries).flat())
  const fields = new Map(Array.from(all, country => [country, fieldsOf(country)]))
  return {
    /** By currency; the first is preselected. */
    countries,
    /** By country, in the order in which they are shown. */
    fields,
    /** Of the fields of all countries: a form may have been sent with thousands. */
    names: new Set([...fields.values()].flat().map(({ name }) => name)),
    /** By currency. */
    deliveries: delivery
  }
}

/**
 * @param sent `use` is the email that was offered in place of what was typed, if the shopper took it
 * @param currency of the bag; if it is no longer sold in, every country is offered
 */
export function readEntry(form: OrderForm, sent: FormValues, currency: string) {
  const values = sent.use === undefined ? sent : { ...sent, [EMAIL_FIELD.name]: sent.use }
  const countries = form.countries[currency] ?? [...form.fields.keys()]
  const country = countries.find(code => code === values.country) ?? String(countries[0])
  const shownCountry = countries.find(code => code === values.shown) ?? country
  const methods = form.deliveries[currency] ?? []
  const deliveries = methodsTo(country, methods)
  const fields = form.fields.get(country) as FormField[]
  const isElsewhere = (name: string) => form.names.has(name) && !fields.some(field => field.name === name)
  return {
    values,
    countries,
    country,
    fields,
    /** What was entered in fields that the country does not have; another one may. */
    kept: Object.entries(values).filter(([name, value]) => value !== '' && isElsewhere(name)),
    deliveries,
    /** The one chosen, or the first; absent if the merchant has none. */
    delivery: deliveries.find(({ id }) => id === values.delivery) ?? deliveries[0],
    /** The country that the form was sent for, and the methods that it showed. */
    shownCountry,
    shownFields: form.fields.get(shownCountry) as FormField[],
    shownDeliveries: methodsTo(shownCountry, methods)
  }
}

/** The entry with each delivery method at what it costs for goods of this subtotal, in minor units. */
export function atSubtotal(entry: FormEntry, subtotal: number): FormEntry {
  const { deliveries, delivery, shownDeliveries } = entry
  return {
    ...entry,
    deliveries: deliveries.map(method => chargedAt(subtotal, method)),
    delivery: delivery && chargedAt(subtotal, delivery),
    shownDeliveries: shownDeliveries.map(method => chargedAt(subtotal, method))
  }
}

/** Whether a form that was sent asks for the fields of a country: by the button, or because others were shown. */
export function asksForCountry({ values, countries, country }: FormEntry): boolean {
  const { country: chosen, shown } = countries.length === 1 ? { country, shown: country, ...values } : values
  return values.look === '1' || chosen !== country || shown !== country
}

export function asksForLanguage({ values }: FormEntry): boolean {
  return values.lang !== undefined
}

export function enteredFields({ fields, values }: FormEntry): EnteredField[] {
  return fields.flatMap(({ name, label }) => (values[name] ? { label, value: values[name] } : []))
}

/** What was typed for an order, as a form would send it again. */
export function enteredValues({ address, country, ...contact }: Customer, delivery: Order['delivery']): FormValues {
  return { ...address, ...contact, country, shown: country, ...(delivery && { delivery: delivery.id }) }
}

/** What a link says about the buyer, as a form would send it: right or wrong, it is only typed for them. */
export function givenValues({ names }: OrderForm, { email, phone, country, address }: Buyer): FormValues {
  const given = Object.entries({ ...address, email, phone }).filter(([name]) => names.has(name))
  const filled = [...given, ['country', country], ['shown', country]].filter(([, value]) => value !== undefined)
  return Object.fromEntries(filled)
}

/** Mistakes are in the order of the fields. */
export function readCustomer(entry: FormEntry): { customer: Customer } | { mistakes: FieldError[] } {
  const { values, fields, country } = entry
  const entered = fields.map(field => ({ field, value: (values[field.name] ?? '').replaceAll('\r\n', '\n').trim() }))
  const mistakes = entered.flatMap(({ field, value }) => {
    const { maxLength = MAX_LENGTH } = field
    const problem = fieldProblem(field, value, maxLength)
    return problem === undefined ? [] : [{ field: field.name, label: field.label, maxLength, ...problem }]
  })
  if (mistakes.length > 0) return { mistakes }
  const filled = entered.flatMap(({ field, value }) => (value === '' ? [] : [[field.name, value] as const]))
  const { email = '', phone, giftNote, ...address } = Object.fromEntries(filled)
  const optional = { ...(phone !== undefined && { phone }), ...(giftNote !== undefined && { giftNote }) }
  return { customer: { email, ...optional, country, address } }
}

function fieldProblem(
  field: FormField,
  value: string,
  maxLength: number
): { message: FieldProblem; character?: string } | undefined {
  if (value === '' && !field.isRequired) return undefined
  if (value === '') return { message: field.choices ? 'choose-field' : 'enter-field' }
  const line = field.type === 'textarea' ? value.replaceAll('\n', '') : value
  const [character] = /[\p{Cc}\p{Cs}]/u.exec(line) ?? []
  if (character !== undefined) return { message: 'field-unprintable', character }
  if (value.length > maxLength) return { message: 'field-too-long' }
  if (field.name === EMAIL_FIELD.name && !/^[^@]+@[^@]+$/.test(value)) return { message: 'email-shape' }
  return undefined
}

/** Its name by language; `latin` is in Latin letters, for all others. `code` is sent in place of the name. */
export type FieldChoice = { latin: string; code?: string; [language: string]: string | undefined }

const DEFAULT_FORMAT = '%N%n%O%n%A%n%C'
/** Japanese forms, and browsers, have the city (市区町村) in a field, where libaddressinput has it in the street. */
const OWN_FORMATS: Record<string, CountryFormat> = { JP: { fmt: '〒%Z%n%S%n%C%n%A%n%O%n%N', require: 'ACSZ' } }
/** Where envelopes have the codes of states: shoppers, and the autofill of their browsers, know both. */
const WITH_CODES = new Set(['AU', 'BR', 'CA', 'IT', 'US'])
/** The postcode with the city or state next to it on the same line. */
const BESIDE_POSTCODE = /%[CS][^%]*%Z|%Z[^%]*%[CS]/

/** In the order of the country. The shopper's name is one of them and always required. */
export function addressFields(country: string): FormField[] {
  const format = { ...countryFormat(country), ...OWN_FORMATS[country] }
  const required = `N${format.require ?? 'AC'}`
  // A format may print a part twice, as that of Côte d'Ivoire does; it is still one field.
  const { fmt = DEFAULT_FORMAT } = format
  const parts = new Set(fmt.match(/(?<=%)[NOADCSZX]/g))
  const [beside = ''] = BESIDE_POSTCODE.exec(fmt) ?? []
  return [...parts].flatMap(part =>
    fieldsOf(part, format, required.includes(part)).map((field): FormField => {
      // Nothing can be delivered without the city, required or not.
      if (!field.isRequired && part !== 'C') return { ...field, place: 'fold' }
      return beside.includes(`%${part}`) ? { ...field, place: 'beside' } : field
    })
  )
}

/** An address in the lines of an envelope of the country, without the recipient's country. */
export function envelopeLines(address: Customer['address'], country: string): string[] {
  const { fmt = DEFAULT_FORMAT } = { ...countryFormat(country), ...OWN_FORMATS[country] }
  const values = (part: string) => (PARTS[part] as AddressPart[]).flatMap(({ name }) => address[name] ?? [])
  const lines = fmt.split('%n').map(line => line.replace(/%([NOADCSZX])/g, (_, part) => values(part).join('\n')))
  // What stands between two parts, or before one, does not stand alone.
  return lines
    .flatMap(line => line.split('\n'))
    .map(line => line.replace(/^[\s,–-]+|[\s,–-]+$/g, ''))
    .filter(line => /[\p{L}\p{N}]/u.test(line))
}

type AddressPart = Pick<FormField, 'name' | 'label' | 'autocomplete'> & {
  /** Where the data has what people of a country call it. */
  type?: `${'state' | 'zip' | 'locality' | 'sublocality'}_name_type`
}

/** By its letter in a format. */
const PARTS: Record<string, AddressPart[]> = {
  N: [{ name: 'name', label: 'field-name', autocomplete: 'name' }],
  O: [{ name: 'organization', label: 'field-organization', autocomplete: 'organization' }],
  A: [
    { name: 'address1', label: 'field-address1', autocomplete: 'address-line1' },
    { name: 'address2', label: 'field-address2', autocomplete: 'address-line2' }
  ],
  D: [{ name: 'district', label: 'field-suburb', type: 'sublocality_name_type', autocomplete: 'address-level3' }],
  C: [{ name: 'city', label: 'field-city', type: 'locality_name_type', autocomplete: 'address-level2' }],
  S: [{ name: 'state', label: 'field-province', type: 'state_name_type', autocomplete: 'address-level1' }],
  Z: [{ name: 'postcode', label: 'field-postal', type: 'zip_name_type', autocomplete: 'postal-code' }],
  X: [{ name: 'sorting', label: 'field-sorting', autocomplete: 'address-level4' }]
}

function fieldsOf(part: string, format: CountryFormat, isRequired: boolean): FormField[] {
  // Without a field for the town, as in Singapore, it is part of the first line.
  const hasTown = (format.fmt ?? DEFAULT_FORMAT).includes('%C')
  return (PARTS[part] as AddressPart[]).map(({ label, type, ...field }) => ({
    ...field,
    label: field.name === 'address1' && !hasTown ? 'field-address' : labelOf(type && format[type], label),
    isRequired: isRequired && field.name !== 'address2',
    ...(part === 'S' && choices(format)),
    ...(part === 'Z' && isNumeric(format) && { inputmode: 'numeric' })
  }))
}

/** The label of a part in a country, such as `field-post_town`, or the default one. */
function labelOf(type: string | undefined, defaultLabel: MessageName): MessageName {
  const label = `field-${type}`
  return isMessageName(label) ? label : defaultLabel
}

/** Whether a postcode can be typed with digits alone. */
function isNumeric({ zip, zipex = '' }: CountryFormat): boolean {
  const digits = zipex.replace(/,.*|[ -]/gs, '')
  return zip !== undefined && /^\d+$/.test(digits) && new RegExp(`^(${zip})$`).test(digits)
}

function choices({ key: country, sub_regions: regions = [], lang = '' }: CountryFormat): Partial<FormField> {
  const choices = regions.map(({ key, name: { default: name, latin, ...others } }): FieldChoice => {
    // Some keys are codes, others a name in Latin letters.
    const asLatin = /\p{Ll}/u.test(key) ? key : name
    return { ...others, [lang]: name, latin: latin ?? asLatin, ...(WITH_CODES.has(String(country)) && { code: key }) }
  })
  return choices.length > 0 ? { choices } : {}
}
