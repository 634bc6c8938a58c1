// What the order form prints: the fields with what was typed and what is wrong, the delivery methods with what each
// makes the total. Pure, like the rest of the page.
import { moneyFormat } from '../money.ts'
import { type FieldMistake, type FormField, formFields, type Typed } from '../orders/order-form.ts'
import { asksForCountry, countryOf, deliveryOf, quoteFor, type SellableLine } from '../orders/place-order.ts'
import { type DeliveryMethod, digestOf } from '../orders/quote.ts'

export type FormView = {
  /** Where the form is sent: the checkout's own address. */
  action: string
  digest: string
  fields: (FormField & { value: string; enterkeyhint: 'next' | 'done'; mistake?: string })[]
  /** For the summary: each mistake with the field it leads to. */
  mistakes: FieldMistake[]
  country: string
  /** More than one is a choice. */
  countries: { code: string; name: string; isChosen: boolean }[]
  /** Said beside the choice, when the fields of a country were asked for. */
  countryNote?: string
  deliveries: { id: string; label: string; price: string; total: string; isChosen: boolean }[]
  paymentText?: string
}

export type FormParts = {
  action: string
  locale: string
  currency: string
  lines: SellableLine[]
  subtotal: number
  deliveries: DeliveryMethod[]
  countries: string[]
  paymentText?: string | undefined
  typed: Typed
  mistakes: FieldMistake[]
}

export function formView(parts: FormParts): FormView {
  const { action, locale, currency, lines, subtotal, deliveries, countries, paymentText, typed, mistakes } = parts
  const money = moneyFormat(currency, locale)
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const country = countryOf(typed, countries)
  const fields = formFields(country)
  const isSent = typed.digest !== undefined
  const chosen = deliveryOf(typed, deliveries)
  return {
    action,
    digest: digestOf(quoteFor(lines, deliveries)),
    fields: fields.map((field, i) => {
      const mistake = mistakes.find(({ field: name }) => name === field.name)?.message
      const enterkeyhint = i < fields.length - 1 ? 'next' : 'done'
      return { ...field, value: typed[field.name] ?? '', enterkeyhint, ...(mistake !== undefined && { mistake }) }
    }),
    mistakes,
    country,
    countries: countries.map(code => ({ code, name: String(names.of(code)), isChosen: code === country })),
    ...(isSent &&
      asksForCountry(typed, countries) && {
        countryNote: `The fields below are for ${names.of(country)}. Nothing is ordered yet.`
      }),
    deliveries: deliveries.map(({ id, label, price }) => ({
      id,
      label,
      price: money(price),
      total: money(subtotal + price),
      isChosen: id === chosen?.id
    })),
    ...(paymentText !== undefined && { paymentText })
  }
}
