// The view model of the order form: the fields with what was entered and what is wrong. Pure, like the rest of the page.
import type { SellableLine } from '../checkout/price-cart.ts'
import type { Translator } from '../messages/translator.ts'
import { asksForCountry, type FieldMistake, type FormEntry, type FormField } from '../orders/order-form.ts'
import { quoteDigest } from '../orders/quote.ts'

/** An address that can never be somebody's (RFC 2606). */
const EXAMPLE_EMAIL = 'name@example.com'

export type FieldView = Omit<FormField, 'label' | 'choices'> & {
  label: string
  value: string
  mistake?: string
  /** Whether it has the focus: the only one with a mistake. */
  isFocused?: true
  /** Absent if what was entered is none of them: then it is shown as text. */
  options?: { label: string; code?: string; isChosen: boolean }[]
}

/** Fields side by side, or a fold. */
export type FormRow = { fields: FieldView[]; isFold?: true; isOpen?: boolean }

type FormFields = Pick<FormView, 'contact' | 'address' | 'countries'>

export type FormView = {
  /** Where the form is sent: the checkout's own address, with an empty query. */
  action: string
  digest: string
  contact: FieldView[]
  /** From top to bottom. */
  address: FormRow[]
  /** For the summary: each mistake with the field that it links to. */
  mistakes: { field: string; message: string }[]
  country: string
  /** More than one is a choice. */
  countries: { code: string; name: string; isChosen: boolean }[]
  /** Shown above the choice after the shopper has changed it. */
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
  const { values, country, kept, deliveries } = entry
  const { say } = translator
  const fields = fieldsView(entry, mistakes, translator)
  const isAsked = values.digest !== undefined && asksForCountry(entry)
  return {
    digest: quoteDigest({ lines, deliveries }),
    ...fields,
    mistakes: mistakesIn(fields),
    country,
    ...(isAsked && {
      countryNote: say('country-note', { country: translator.country(country), button: say('place-order') })
    }),
    focusesMethod: values.look === '' && !isAsked,
    kept
  }
}

/** In the order of the fields. */
function mistakesIn({ contact, address }: FormFields): FormView['mistakes'] {
  return [...contact, ...address.flatMap(row => row.fields)].flatMap(({ name, mistake }) =>
    mistake === undefined ? [] : [{ field: name, message: mistake }]
  )
}

function fieldsView(
  { values, country, countries, fields }: FormEntry,
  mistakes: FieldMistake[],
  translator: Translator
): FormFields {
  const messages = new Map(mistakes.map(mistake => [mistake.field, fieldMessage(mistake, translator)]))
  const views = fields.map(({ choices = [], ...field }): FieldView => {
    const mistake = messages.get(field.name)
    const value = values[field.name] ?? ''
    const options = choices.map(names => ({
      label: names[translator.language] ?? names.latin,
      ...(names.code !== undefined && { code: names.code }),
      isChosen: Object.values(names).includes(value)
    }))
    return {
      ...field,
      label: field.isRequired ? translator.label(field.label) : translator.optionalLabel(field.label),
      value,
      ...(mistake !== undefined && { mistake }),
      ...(mistake !== undefined && mistakes.length === 1 && { isFocused: true }),
      ...(options.some(({ isChosen }) => isChosen || value === '') && { options })
    }
  })
  return {
    contact: views.filter(isContact),
    address: addressRows(views.filter(field => !isContact(field))),
    countries: countries.map(code => ({ code, name: translator.country(code), isChosen: code === country }))
  }
}

function isContact({ type }: FieldView): boolean {
  return type !== undefined
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

/** A mistake in the shopper's words, shown next to the field and in the summary. */
export function fieldMessage({ label, message, maxLength }: FieldMistake, { say, label: labelOf }: Translator): string {
  // Some sentences begin with the label; in others it is in the middle.
  const name = message === 'enter-field' ? say(label) : labelOf(label)
  return say(message, { label: name, most: maxLength, example: EXAMPLE_EMAIL })
}
