// The view model of the order form: the fields with what was entered and what is wrong. Pure, like the rest of the page.
import type { SellableLine } from '../checkout/price-cart.ts'
import type { LocalText, Translator } from '../messages/translator.ts'
import { asksForCountry, type FieldMistake, type FormEntry, type FormField } from '../orders/order-form.ts'
import { quoteDigest } from '../orders/quote.ts'

/** An address that can never be somebody's (RFC 2606). */
const EXAMPLE_EMAIL = 'name@example.com'

export type FormView = {
  /** Where the form is sent: the checkout's own address. */
  action: string
  digest: string
  fields: (Omit<FormField, 'label'> & { label: string; value: string; mistake?: string })[]
  /** For the summary: each mistake with the field that it links to. */
  mistakes: { field: string; message: string }[]
  country: string
  /** More than one is a choice. */
  countries: { code: string; name: string; isChosen: boolean }[]
  /** Shown next to the choice after the shopper has changed it. */
  countryNote?: string
  paymentText?: LocalText
}

export function formView(
  entry: FormEntry,
  mistakes: FieldMistake[],
  lines: SellableLine[],
  translator: Translator
): Omit<FormView, 'action' | 'paymentText'> {
  const { values, country, countries, fields, deliveries } = entry
  const { say } = translator
  const messages = new Map(mistakes.map(mistake => [mistake.field, fieldMessage(mistake, translator)]))
  const isSent = values.digest !== undefined
  return {
    digest: quoteDigest({ lines, deliveries }),
    fields: fields.map(field => {
      const mistake = messages.get(field.name)
      return {
        ...field,
        label: field.isRequired ? translator.label(field.label) : translator.optionalLabel(field.label),
        value: values[field.name] ?? '',
        ...(mistake !== undefined && { mistake })
      }
    }),
    mistakes: Array.from(messages, ([field, message]) => ({ field, message })),
    country,
    countries: countries.map(code => ({ code, name: translator.country(code), isChosen: code === country })),
    ...(isSent &&
      asksForCountry(entry) && { countryNote: say('country-note', { country: translator.country(country) }) })
  }
}

/** A mistake in the shopper's words, shown next to the field and in the summary. */
export function fieldMessage({ label, message, maxLength }: FieldMistake, { say, label: labelOf }: Translator): string {
  // Some sentences begin with the label; in others it is in the middle.
  const name = message === 'enter-field' ? say(label) : labelOf(label)
  return say(message, { label: name, most: maxLength, example: EXAMPLE_EMAIL })
}
