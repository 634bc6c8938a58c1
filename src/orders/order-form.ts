// The form on the checkout page: its fields and choices, what was entered, and what is wrong with it. Pure. Postcodes
// and phone numbers are never refused by pattern.
import { type DeliveryMethod, type Merchant, methodsTo } from '../merchant/merchant.ts'
import type { MessageName } from '../messages/messages.ts'
import { type AddressField, addressFields } from './address-fields.ts'
import type { Customer } from './order.ts'

/** A field of the form; without a type it is plain text. */
export type FormField = AddressField & { type?: 'email' | 'tel' }

/** The form of a merchant, made once at start. */
export type OrderForm = {
  /** The first is preselected. */
  countries: string[]
  /** By country, in the order in which they are shown. */
  fields: Map<string, FormField[]>
  /** The names of the fields of all countries. */
  names: Set<string>
  /** By currency. */
  deliveries: Record<string, DeliveryMethod[]>
}

/** What was entered, by field name, unchanged. */
export type FormValues = Record<string, string>

/** What the shopper has entered so far, and the choices that follow from it. */
export type FormEntry = {
  values: FormValues
  countries: string[]
  country: string
  fields: FormField[]
  /** What was entered in fields that the country does not have; another one may. */
  kept: [name: string, value: string][]
  /** Those that deliver to the country. */
  deliveries: DeliveryMethod[]
  /** The method chosen, or the first; absent if the merchant has none. */
  delivery: DeliveryMethod | undefined
  /** The country that the form was sent for, and the methods that it showed. */
  shownCountry: string
  shownDeliveries: DeliveryMethod[]
}

/** What is wrong with a field: a message and its values. */
export type FieldMistake = {
  field: string
  label: MessageName
  message: 'enter-field' | 'field-unprintable' | 'field-too-long' | 'email-shape'
  /** In characters. */
  maxLength: number
}

const MAX_LENGTH = 200
const MAX_EMAIL = 254

const EMAIL_FIELD: FormField = {
  name: 'email',
  label: 'field-email',
  isRequired: true,
  autocomplete: 'email',
  type: 'email'
}
const PHONE_FIELD: FormField = {
  name: 'phone',
  label: 'field-phone',
  isRequired: false,
  autocomplete: 'tel',
  type: 'tel'
}

export function orderFormOf({ countries, delivery }: Pick<Merchant, 'countries' | 'delivery'>): OrderForm {
  const fieldsOf = (country: string): FormField[] => [EMAIL_FIELD, ...addressFields(country), PHONE_FIELD]
  const fields = new Map(countries.map(country => [country, fieldsOf(country)]))
  const names = new Set([...fields.values()].flat().map(({ name }) => name))
  return { countries, fields, names, deliveries: delivery }
}

/** Reads the choices from what was entered: the country, or the first one; the delivery method, or the first one. */
export function readEntry(form: OrderForm, values: FormValues, currency: string): FormEntry {
  const { countries } = form
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
    kept: Object.entries(values).filter(([name, value]) => value !== '' && isElsewhere(name)),
    deliveries,
    delivery: deliveries.find(({ id }) => id === values.delivery) ?? deliveries[0],
    shownCountry,
    shownDeliveries: methodsTo(shownCountry, methods)
  }
}

/** The entry with each delivery method at what it costs for goods of this subtotal, in minor units. */
export function atSubtotal(entry: FormEntry, subtotal: number): FormEntry {
  const charged = <Method extends DeliveryMethod | undefined>(method: Method): Method =>
    method?.freeFrom !== undefined && subtotal >= method.freeFrom ? { ...method, price: 0 } : method
  const { deliveries, delivery, shownDeliveries } = entry
  return {
    ...entry,
    deliveries: deliveries.map(charged),
    delivery: charged(delivery),
    shownDeliveries: shownDeliveries.map(charged)
  }
}

/** Whether a form that was sent asks for the fields of a country: by the button, or because others were shown. */
export function asksForCountry({ values, countries, country }: FormEntry): boolean {
  const { country: chosen, shown } = countries.length === 1 ? { country, shown: country, ...values } : values
  return values.look === '1' || chosen !== country || shown !== country
}

/** Whether a form was sent by a button that chooses a language or lists them. */
export function asksForLanguage({ values: { lang, langs } }: FormEntry): boolean {
  return lang !== undefined || langs !== undefined
}

/** Whether a form was sent without the button that orders, or asks for the fields of a country: it is shown again. */
export function asksForForm(entry: FormEntry): boolean {
  return entry.values.look !== undefined || asksForLanguage(entry) || asksForCountry(entry)
}

/** Reads the customer, or every mistake in the order of the fields. */
export function readCustomer(
  entry: Pick<FormEntry, 'values' | 'fields' | 'country'>
): { customer: Customer } | { mistakes: FieldMistake[] } {
  const { values, fields, country } = entry
  const entered = fields.map(field => ({ field, value: (values[field.name] ?? '').trim() }))
  const mistakes = entered.flatMap(({ field, value }) => {
    const maxLength = field.name === EMAIL_FIELD.name ? MAX_EMAIL : MAX_LENGTH
    const message = fieldProblem(field, value, maxLength)
    return message === undefined ? [] : [{ field: field.name, label: field.label, message, maxLength }]
  })
  if (mistakes.length > 0) return { mistakes }
  const filled = entered.flatMap(({ field, value }) => (value === '' ? [] : [[field.name, value] as const]))
  const { email = '', phone, ...address } = Object.fromEntries(filled)
  return { customer: { email, ...(phone !== undefined && { phone }), country, address } }
}

function fieldProblem(field: FormField, value: string, maxLength: number): FieldMistake['message'] | undefined {
  if (value === '') return field.isRequired ? 'enter-field' : undefined
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return 'field-unprintable'
  if (value.length > maxLength) return 'field-too-long'
  if (field.name === EMAIL_FIELD.name && !/^[^@]+@[^@]+$/.test(value)) return 'email-shape'
  return undefined
}
