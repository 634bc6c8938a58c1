// The view model of the form on the checkout page: what was entered, what is wrong with it, and what is doubted. Pure.
import { confirmedName } from '../checkout/orders/input-warnings.ts'
import {
  asksForCountry,
  type FieldChoice,
  type FieldError,
  type FormEntry,
  type FormField
} from '../checkout/orders/order-form.ts'
import { quoteDigest } from '../checkout/orders/place-order.ts'
import type { SellableLine } from '../checkout/price-cart.ts'
import type { Translator } from '../messages/translator.ts'

/** An address that can never be somebody's (RFC 2606). */
const EXAMPLE_EMAIL = 'name@example.com'

/** Fields side by side, or a fold. */
type FormRow = { fields: FieldView[]; isFold?: true; isOpen?: boolean }

/** `button`: what the order button says. */
type FormContext = { translator: Translator; button: string }

export type FormView = ReturnType<typeof formView>

export function formView(
  action: string,
  entry: FormEntry,
  mistakes: FieldError[],
  lines: SellableLine[],
  context: FormContext
) {
  const { translator } = context
  const { values, country, countries, kept, deliveries } = entry
  const { translate } = translator
  const mistakeOf = new Map(mistakes.map(mistake => [mistake.field, mistake]))
  const fields = entry.fields.map(field => fieldView(field, entry, mistakeOf, context))
  const contact = fields.filter(({ type }) => type === 'email' || type === 'tel')
  const giftNote = fields.find(({ type }) => type === 'textarea')
  const address = addressRows(fields.filter(({ type }) => type === undefined))
  const inOrder = [...contact, ...address.flatMap(row => row.fields), ...(giftNote ? [giftNote] : [])]
  const isCalm = inOrder.every(({ mistake, isDoubt }) => mistake === undefined || isDoubt)
  const isDoubted = ({ name, value, isDoubt }: FieldView) =>
    value !== '' && (isDoubt ? isCalm : values[confirmedName(name)] === value)
  const doubted = inOrder.filter(isDoubted).map(({ name, value }) => [confirmedName(name), value] as const)
  const mistaken = inOrder.flatMap(({ name, mistake }) =>
    mistake === undefined ? [] : { field: name, message: mistake }
  )
  const isAsked = values.digest !== undefined && asksForCountry(entry)
  const folded = entry.fields.filter(({ place, name }) => place === 'fold' && !/^(organization|address2)$/.test(name))
  const [first] = [...folded.filter(({ name }) => name === 'postcode'), ...folded]
  return {
    /** Where the form is sent: the checkout's own address, with an empty query. */
    action,
    digest: quoteDigest({ lines, deliveries }),
    contact,
    address,
    giftNote,
    foldLabel: first ? translate('add-more', { label: translate(first.label) }) : translate('add-company'),
    /** For the summary, in the order of the fields: each error or input warning, with the field that it links to. */
    mistakes: mistaken,
    /** Whether there are input warnings, and no errors. */
    isCalm,
    country,
    /** More than one is a choice. */
    countries: countries.map(code => ({ code, name: translator.country(code), isChosen: code === country })),
    /** After the shopper has changed the choice. */
    ...(isAsked && countryNotes(entry, fields, context)),
    /** Whether the delivery method has the focus: Enter on it sent the form. */
    focusesMethod: values.look === '' && !isAsked,
    /**
     * What was entered in fields that the country does not have, what the shopper has been asked about, and which fields have
     * a mistake, for a change of language.
     */
    kept: [
      ...kept,
      ...(values.use === undefined ? doubted : []),
      ...(mistaken.length > 0 ? [['mistaken', mistaken.map(({ field }) => field).join(' ')] as const] : [])
    ]
  }
}

function countryNotes(entry: FormEntry, fields: FieldView[], { translator, button }: FormContext) {
  const { translate, label: labelOf, list, country } = translator
  // A field with another label is another field: a state, a province.
  const keyOf = ({ name, label }: FormField) => (name === 'state' ? label : name)
  const seen = new Set(entry.shownFields.filter(({ isRequired }) => isRequired).map(keyOf))
  // A state that was entered has been emptied if it is another country's.
  const isAdded = (field: FormField, i: number) =>
    field.isRequired && fields[i]?.value === '' && (entry.values[field.name] || !seen.has(keyOf(field)))
  const added = entry.fields.filter(isAdded).map(({ label }) => labelOf(label))
  return {
    countryNote: translate('country-note', { country: country(entry.country), button }),
    addedNote: added[0] && translate('fields-added', { fields: list(added, 'conjunction') })
  }
}

type FieldView = ReturnType<typeof fieldView>

/** Every field has all keys, as templates are fastest with objects of one shape. */
function fieldView(
  { name, label, isRequired, autocomplete, type, inputmode, place, choices }: FormField,
  { values, country, shownCountry, shownFields }: FormEntry,
  mistakeOf: Map<string, FieldError>,
  context: FormContext
) {
  const { translator } = context
  const mistake = mistakeOf.get(name)
  const typed = values[name] ?? ''
  const isOfOther = () => isAmong(shownFields.find(field => field.name === name)?.choices, typed)
  // A state belongs to its country, even if another country has the same code: CA is California, and Cagliari.
  const isForeign = choices !== undefined && country !== shownCountry && (isOfOther() || !isAmong(choices, typed))
  const value = isForeign ? '' : typed
  const isListed = value === '' || isAmong(choices, value)
  const options = choices && isListed ? listOf(choices, value, translator) : undefined
  const meant = mistake?.message === 'doubt-meant' ? String(mistake.example) : undefined
  return {
    name,
    label: isRequired ? translator.label(label) : translator.optionalLabel(label),
    isRequired,
    autocomplete,
    type,
    inputmode,
    place: options && place === 'beside' ? undefined : place,
    value,
    mistake: mistake && fieldMessage(mistake, context),
    isDoubt: mistake?.message.startsWith('doubt') === true,
    /** What is probably meant, at one tap. */
    meant,
    useMeant: meant && translator.translate('use-instead', { example: meant }),
    isFocused: mistake ? mistakeOf.size === 1 : name === 'email' && values.use !== undefined,
    options,
    choose: options && translator.translate('choose')
  }
}

function listOf(choices: FieldChoice[], value: string, { language }: Translator) {
  return choices.map(names => ({
    label: names[language] ?? names.latin,
    code: names.code,
    isChosen: isAmong([names], value)
  }))
}

function isAmong(choices: FieldChoice[] | undefined, value: string): boolean {
  const typed = value.trim().toLowerCase()
  return choices?.some(names => Object.values(names).some(name => name?.toLowerCase() === typed)) === true
}

/**
 * The name comes first in every country. Fields that few need are folded below the street, unless they have a value or an
 * error. Browsers do not fill in folded fields: until they are open, the street's field asks for the whole street address.
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

export function fieldMessage(mistake: FieldError, { translator, button }: FormContext): string {
  const { translate, label: labelOf } = translator
  const { label, message, maxLength = 0, example = EXAMPLE_EMAIL, character = '' } = mistake
  // Some sentences begin with the label; in others it is in the middle.
  const name = message.startsWith('field') ? labelOf(label) : translate(label)
  // German has a plural for "Vor- und Nachname", "Straße und Hausnummer".
  const parts = /^(name|address1)$/.test(mistake.field) ? 2 : 1
  const values = { label: name, parts, most: maxLength, example, count: example.length, button }
  return translate(message, { ...values, character: nameOf(character, translator) })
}

/** What a character that cannot be printed is called: `a tab`, or `U+0007`. */
function nameOf(character: string, { translate }: Translator): string {
  if (character === '\t') return translate('character-tab')
  if (/[\n\r]/.test(character)) return translate('character-break')
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
