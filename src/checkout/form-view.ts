// What the order form prints: the fields with what was typed and what is wrong, the delivery methods with what each
// makes the total. Pure, like the rest of the page.
import { capitalised, type Said, type Words } from '../messages/words.ts'
import { moneyFormat } from '../money.ts'
import { type FieldMistake, type FormField, formFields, type Typed } from '../orders/order-form.ts'
import {
  asksForCountry,
  countryOf,
  deliveryOf,
  type NamedDelivery,
  quoteFor,
  type SellableLine
} from '../orders/place-order.ts'
import { digestOf } from '../orders/quote.ts'

/** An address that never can be somebody's (RFC 2606). */
const EXAMPLE = 'name@example.com'

/** Of how many methods the style sheet can show the total of the one chosen. */
const MOST_TOTALS = 3

export type FormView = {
  /** Where the form is sent: the checkout's own address. */
  action: string
  digest: string
  fields: (Omit<FormField, 'label'> & {
    label: string
    value: string
    mistake?: string
  })[]
  /** For the summary: each mistake with the field it leads to. */
  mistakes: { field: string; message: string }[]
  country: string
  /** More than one is a choice. */
  countries: { code: string; name: string; isChosen: boolean }[]
  /** Said beside the choice, when the fields of a country were asked for. */
  countryNote?: string
  deliveries: { id: string; label: Said; price: string; total: string; isChosen: boolean }[]
  paymentText?: Said
  /** What the order comes to, by delivery method: the style sheet shows that of the one chosen. */
  choiceTotals: string[]
}

export type FormParts = {
  action: string
  words: Words
  currency: string
  lines: SellableLine[]
  subtotal: number
  deliveries: NamedDelivery[]
  countries: string[]
  paymentText?: Said | undefined
  typed: Typed
  mistakes: FieldMistake[]
}

export function formView(parts: FormParts): FormView {
  const { action, words, currency, lines, subtotal, deliveries, countries, paymentText, typed, mistakes } = parts
  const { locale, lang, say } = words
  const money = moneyFormat(currency, locale)
  const names = new Intl.DisplayNames(lang, { type: 'region' })
  const said = mistakes.map(mistake => ({ field: mistake.field, message: sayMistake(mistake, words) }))
  const country = countryOf(typed, countries)
  const fields = formFields(country)
  const isSent = typed.digest !== undefined
  const chosen = deliveryOf(typed, deliveries)
  return {
    action,
    digest: digestOf(quoteFor(lines, deliveries)),
    fields: fields.map(field => {
      const mistake = said.find(({ field: name }) => name === field.name)?.message
      const name = capitalised(say(field.label), words)
      const label = field.isRequired ? name : say('optional', { label: name })
      return {
        ...field,
        label,
        value: typed[field.name] ?? '',
        ...(mistake !== undefined && { mistake })
      }
    }),
    mistakes: said,
    country,
    countries: countries.map(code => ({ code, name: String(names.of(code)), isChosen: code === country })),
    ...(isSent &&
      asksForCountry(typed, countries) && {
        countryNote: say('country-note', { country: String(names.of(country)) })
      }),
    deliveries: deliveries.map(({ id, label, price }) => ({
      id,
      label,
      price: money(price),
      total: money(subtotal + price),
      isChosen: id === chosen?.id
    })),
    ...(paymentText !== undefined && { paymentText }),
    choiceTotals: totalled(deliveries).map(({ price }) => money(subtotal + price))
  }
}

/** What there is a total of beside the button: each method, or the goods alone; of too many methods, none. */
function totalled(deliveries: { price: number }[]): { price: number }[] {
  if (deliveries.length === 0) return [{ price: 0 }]
  return deliveries.length > MOST_TOTALS ? [] : deliveries
}

/** A mistake in the shopper's words, as it stands beside the field and in the summary. */
export function sayMistake({ label, message, most }: FieldMistake, words: Words): string {
  const { say } = words
  // A label begins some sentences and stands within others.
  const name = message === 'enter-field' ? say(label) : capitalised(say(label), words)
  return say(message, { label: name, most, example: EXAMPLE })
}
