// The view model of the checkout page: the bag, and the form with what was entered and what is wrong. Pure.
import { shipsLater } from '../catalogue/product.ts'
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import type { PricedCart, PricedLine, SellableLine } from '../checkout/price-cart.ts'
import { mistakes } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'
import {
  asksForCountry,
  atSubtotal,
  type FieldChoice,
  type FieldMistake,
  type FormEntry,
  type FormField
} from '../orders/order-form.ts'
import { quoteDigest, type ShownPrices } from '../orders/place-order.ts'
import { type LineContext, type LineView, lineView, type PaidBefore, type TotalsView, totalsView } from './bag-view.ts'
import { withLang } from './shopper-language.ts'

export type CheckoutView = {
  lines: LineView[]
  form?: FormView
  /** Shown at the top: prices changed since the page was shown. */
  notice?: string
  itemCount: string
  currency: string
  reference: string
  /** Whether the bag is unfolded: it is, unless the shopper is asked to look at the form. */
  isOpen: boolean
  totals?: TotalsView
  isRefused: boolean
}

export type FormState = {
  entry: FormEntry
  mistakes?: FieldMistake[]
  /** The prices that the page showed, if they have changed since. */
  shown?: ShownPrices | undefined
  isRefused?: boolean
  /** The code of the page's language, which the address of the form asks for; absent if there is only one. */
  lang?: string | undefined
}

export function checkoutView(
  { cart, token }: Pick<StoredCheckout, 'cart' | 'token'>,
  priced: PricedCart,
  merchant: Merchant,
  translator: Translator,
  { entry, mistakes = [], shown, isRefused = false, lang }: FormState
): CheckoutView {
  const { currency, items, reference } = cart
  const { say, sayCount } = translator
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const common = {
    lines: priced.lines.map((line, i) =>
      pricedLineView(line, i, shown?.lines?.[i], { merchant, translator, currency })
    ),
    itemCount: sayCount('item-count', count),
    currency,
    reference,
    isRefused,
    isOpen: mistakes.length === 0,
    ...(shown && { notice: say('prices-changed') })
  }
  if (priced.subtotal === undefined) return common
  const { lines, subtotal } = priced
  const charged = atSubtotal(entry, subtotal)
  const { deliveries, delivery } = charged
  // Not the address of the page: a browser removes what it has stored of an address that it posts to.
  const action = withLang(`${merchant.path}${merchant.checkout.path}/${token}?`, lang)
  return {
    ...common,
    totals: totalsView(subtotal, deliveries, delivery?.id, currency, translator, paidBefore(lines, shown)),
    form: formView(action, charged, mistakes, lines, translator)
  }
}

/** @param before its unit price before prices changed, if they have and it is known */
function pricedLineView(
  line: PricedLine,
  i: number,
  before: number | undefined,
  context: LineContext & { currency: string }
): LineView {
  const { translator, currency } = context
  const { say, sayPrice } = translator
  const { item, product } = line
  const { sku, quantity } = item
  if (!line.isSellable) {
    const view = lineView(item, i, product, context)
    view.problem = say(mistakes[line.mistake].shopper)
    return view
  }
  const { unitPrice, regularPrice, lineTotal, availability, claimedPrice } = line
  const view = lineView({ sku, quantity, unitPrice, lineTotal }, i, product, context)
  const money = (minor: number) => translator.money(minor, currency)
  if (regularPrice !== undefined) {
    const saved = sayPrice('saved', money((regularPrice - unitPrice) * quantity))
    view.struck.push({ label: say('was'), price: money(regularPrice * quantity), saved })
  }
  // A sale that has begun already shows the price before it.
  if (before !== undefined && before !== unitPrice && before !== regularPrice) {
    const price = money(before)
    view.struck.push({ label: say('price-before'), price: quantity > 1 ? sayPrice('price-each', price) : price })
  }
  if (shipsLater(availability)) view.notes.push(say(availability))
  if (claimedPrice !== undefined) view.notes.push(sayPrice('claim', money(claimedPrice)))
  return view
}

function paidBefore(lines: SellableLine[], shown: ShownPrices | undefined): PaidBefore | undefined {
  const { lines: prices, deliveries } = shown ?? {}
  if (!prices || !deliveries) return undefined
  return { subtotal: lines.reduce((sum, { item }, i) => sum + Number(prices[i]) * item.quantity, 0), deliveries }
}

/** An address that can never be somebody's (RFC 2606). */
const EXAMPLE_EMAIL = 'name@example.com'

type FieldView = {
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
type FormRow = { fields: FieldView[]; isFold?: true; isOpen?: boolean }

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
  action: string,
  entry: FormEntry,
  mistakes: FieldMistake[],
  lines: SellableLine[],
  translator: Translator
): FormView {
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
    action,
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
