// The form of the checkout page: which fields there are, what was typed into them, and what is wrong with it. Pure; a
// postcode or a phone number is never refused by pattern.
import type { MessageName } from '../messages/messages.ts'
import { type AddressField, addressFields } from './address-fields.ts'
import type { Customer } from './order.ts'

/** A field of the form with the keyboard and the memory that a phone brings to it; without a type it is plain text. */
export type FormField = AddressField & { type?: 'email' | 'tel' }

/** What was typed, by field name; every value is text as it came. */
export type Typed = Record<string, string>

/** What is wrong with a field: a message, and what it needs to be said. */
export type FieldMistake = {
  field: string
  label: MessageName
  message: 'enter-field' | 'field-unprintable' | 'field-too-long' | 'email-shape'
  /** How many characters it may have. */
  most: number
}

const MAX_LENGTH = 200
const MAX_EMAIL = 254

const EMAIL: FormField = {
  name: 'email',
  label: 'field-email',
  isRequired: true,
  autocomplete: 'email',
  type: 'email'
}
const PHONE: FormField = {
  name: 'phone',
  label: 'field-phone',
  isRequired: false,
  autocomplete: 'tel',
  type: 'tel'
}

/** Every field of the form for a country, in its order. */
export function formFields(country: string): FormField[] {
  return [EMAIL, ...addressFields(country), PHONE]
}

/** Reads what was typed for a country: a customer, or every mistake in the order of the fields. */
export function readOrderForm(typed: Typed, country: string): { customer: Customer } | { mistakes: FieldMistake[] } {
  const filled = formFields(country).map(field => ({ field, value: (typed[field.name] ?? '').trim() }))
  const mistakes = filled.flatMap(({ field, value }) => {
    const most = field.name === EMAIL.name ? MAX_EMAIL : MAX_LENGTH
    const message = wrongWith(field, value, most)
    return message === undefined ? [] : [{ field: field.name, label: field.label, message, most }]
  })
  if (mistakes.length > 0) return { mistakes }
  const values = filled.flatMap(({ field, value }) => (value === '' ? [] : [[field.name, value] as const]))
  const { email = '', phone, ...address } = Object.fromEntries(values)
  return { customer: { email, ...(phone !== undefined && { phone }), country, address } }
}

function wrongWith({ name, isRequired }: FormField, value: string, most: number): FieldMistake['message'] | undefined {
  if (value === '') return isRequired ? 'enter-field' : undefined
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return 'field-unprintable'
  if (value.length > most) return 'field-too-long'
  if (name === EMAIL.name && !/^[^@]+@[^@]+$/.test(value)) return 'email-shape'
  return undefined
}
