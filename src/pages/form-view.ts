// The view model of the order form: the fields with what was entered and what is wrong.
import type { SellableLine } from '../checkout/price-cart.ts'
import type { Translator } from '../messages/translator.ts'
import {
  asksForCountry,
  type FieldChoice,
  type FieldMistake,
  type FormEntry,
  type FormField
} from '../orders/order-form.ts'
import { quoteDigest } from '../orders/place-order.ts'

/** An address that can never be somebody's (RFC 2606). */
const EXAMPLE_EMAIL = 'name@example.com'

export type FieldView = {
  name: string
  label: string
  isRequired: boolean
  autocomplete: string
  type: FormField['type'] | undefined
  inputmode: FormField['inputmode'] | undefined
  place: FormField['place'] | undefined
  value: string
  mistake: string | undefined
  /** Whether it has the focus: the only one with a mistake. */
  isFocused: boolean
  /** Absent if what was entered is none of its choices: then it is shown as text. */
  options: { label: string; code: string | undefined; isChosen: boolean }[] | undefined
}

/** Fields side by side, or a fold. */
export type FormRow = { fields: FieldView[]; isFold?: true; isOpen?: boolean }

export type FormView = {
  /** Where the form is sent: the checkout's own address, with an empty query. */
  action: string
  digest: string
  contact: FieldView[]
  address: FormRow[]
  /** For the summary, in the order of the fields: each mistake with the field that it links to. */
  mistakes: { field: string; message: string }[]
  country: string
  /** More than one is a choice. */
  countries: { code: string; name: string; isChosen: boolean }[]
  /** After the shopper has changed the choice. */
  countryNote?: string
  /** Whether the delivery method has the focus: Enter on it sent the form. */
  focusesMethod: boolean
  /** What was entered in fields that the country does not have. */
  kept: [name: string, value: string][]
}

export function formView(
  entry: FormEntry,
  mistakes: FieldMistake[],
  lines: SellableLine[],
  translator: Translator
): Omit<FormView, 'action'> {
  const { values, country, countries, kept, deliveries } = entry
  const { say } = translator
  const messages = new Map(mistakes.map(mistake => [mistake.field, fieldMessage(mistake, translator)]))
  const fields = entry.fields.map((field): FieldView => {
    const { name, label, isRequired, autocomplete, type, inputmode, place, choices } = field
    const mistake = messages.get(name)
    const value = values[name] ?? ''
    // Every field has all keys: a template is fastest with objects of one shape.
    return {
      name,
      label: isRequired ? translator.label(label) : translator.optionalLabel(label),
      isRequired,
      autocomplete,
      type,
      inputmode,
      place,
      value,
      mistake,
      isFocused: mistake !== undefined && mistakes.length === 1,
      options: choices && optionsOf(choices, value, translator)
    }
  })
  const contact = fields.filter(({ type }) => type !== undefined)
  const address = addressRows(fields.filter(({ type }) => type === undefined))
  const inOrder = [...contact, ...address.flatMap(row => row.fields)]
  const isAsked = values.digest !== undefined && asksForCountry(entry)
  return {
    digest: quoteDigest({ lines, deliveries }),
    contact,
    address,
    mistakes: inOrder.flatMap(({ name, mistake }) => (mistake === undefined ? [] : { field: name, message: mistake })),
    country,
    countries: countries.map(code => ({ code, name: translator.country(code), isChosen: code === country })),
    ...(isAsked && {
      countryNote: say('country-note', { country: translator.country(country), button: say('place-order') })
    }),
    focusesMethod: values.look === '' && !isAsked,
    kept
  }
}

function optionsOf(choices: FieldChoice[], value: string, { language }: Translator): FieldView['options'] {
  const options = choices.map(names => ({
    label: names[language] ?? names.latin,
    code: names.code,
    isChosen: Object.values(names).includes(value)
  }))
  return options.some(({ isChosen }) => isChosen || value === '') ? options : undefined
}

/**
 * The name comes first in every country, and what few need is folded away below the street, unless it has a value or a
 * mistake. Browsers do not fill in what is folded away: until it is open, the street is the whole of it.
 */
function addressRows(fields: FieldView[]): FormRow[] {
  const folded = fields.filter(({ place }) => place === 'fold')
  const isOpen = folded.some(({ value, mistake }) => value !== '' || mistake !== undefined)
  const unfolded = fields.filter(({ place }) => place !== 'fold')
  const isName = ({ name }: FieldView) => name === 'name'
  const rows: FormRow[] = []
  for (const field of [...unfolded.filter(isName), ...unfolded.filter(field => !isName(field))]) {
    const last = rows.at(-1)?.fields
    if (field.name === 'address1') {
      rows.push({ fields: [isOpen ? field : { ...field, autocomplete: 'street-address' }] })
      rows.push({ fields: folded, isFold: true, isOpen })
    } else if (field.place === 'beside' && last?.[0]?.place === 'beside') last.push(field)
    else rows.push({ fields: [field] })
  }
  return rows
}

export function fieldMessage({ label, message, maxLength }: FieldMistake, { say, label: labelOf }: Translator): string {
  // Some sentences begin with the label; in others it is in the middle.
  const name = message === 'enter-field' ? say(label) : labelOf(label)
  return say(message, { label: name, most: maxLength, example: EXAMPLE_EMAIL })
}
