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
import { type LineContext, type LineView, lineView, type PaidBefore, totalsView } from './bag-view.ts'
import { withLang } from './shopper-language.ts'

/** Lines of a bag that does not push the form off the first screen of a phone. */
const MAX_UNFOLDED = 2

export type CheckoutView = ReturnType<typeof checkoutView>

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
) {
  const { currency, items, reference } = cart
  const { say, sayCount } = translator
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const charged = atSubtotal(entry, priced.subtotal ?? 0)
  const { deliveries, delivery } = charged
  // Not the address of the page: a browser removes what it has stored of an address that it posts to.
  const action = withLang(`${merchant.path}${merchant.checkout.path}/${token}?`, lang)
  const lines = priced.lines.map((line, i) =>
    pricedLineView(line, i, shown?.lines?.[i], { merchant, translator, currency })
  )
  const isTold = shown !== undefined || priced.subtotal === undefined
  const isShort = lines.length <= MAX_UNFOLDED || lines.some(({ warnings }) => warnings.length > 0)
  return {
    lines,
    itemCount: sayCount('item-count', count),
    currency,
    reference,
    isRefused,
    /** Whether the bag is unfolded on a phone: if there is something to see in it, or if it is short and the form is right. */
    isOpen: isTold || (isShort && mistakes.length === 0),
    /** Shown at the top: prices changed since the page was shown. */
    ...(shown && { notice: say('prices-changed') }),
    ...(priced.subtotal !== undefined && {
      totals: totalsView(
        priced.subtotal,
        deliveries,
        delivery?.id,
        currency,
        translator,
        paidBefore(priced.lines, shown)
      ),
      form: formView(action, charged, mistakes, priced.lines, translator)
    })
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
  if (claimedPrice !== undefined) view.warnings.push(sayPrice('claim', money(claimedPrice)))
  return view
}

function paidBefore(lines: SellableLine[], shown: ShownPrices | undefined): PaidBefore | undefined {
  const { lines: prices, deliveries } = shown ?? {}
  if (!prices || !deliveries) return undefined
  return { subtotal: lines.reduce((sum, { item }, i) => sum + Number(prices[i]) * item.quantity, 0), deliveries }
}

/** An address that can never be somebody's (RFC 2606). */
const EXAMPLE_EMAIL = 'name@example.com'

/** Fields side by side, or a fold. */
type FormRow = { fields: FieldView[]; isFold?: true; isOpen?: boolean }

export type FormView = ReturnType<typeof formView>

export function formView(
  action: string,
  entry: FormEntry,
  mistakes: FieldMistake[],
  lines: SellableLine[],
  translator: Translator
) {
  const { values, country, countries, kept, deliveries } = entry
  const { say } = translator
  const messages = new Map(mistakes.map(mistake => [mistake.field, fieldMessage(mistake, translator)]))
  const fields = entry.fields.map(field => fieldView(field, values[field.name] ?? '', messages, translator))
  const contact = fields.filter(({ type }) => type !== undefined)
  const address = addressRows(fields.filter(({ type }) => type === undefined))
  const inOrder = [...contact, ...address.flatMap(row => row.fields)]
  const isAsked = values.digest !== undefined && asksForCountry(entry)
  return {
    /** Where the form is sent: the checkout's own address, with an empty query. */
    action,
    digest: quoteDigest({ lines, deliveries }),
    contact,
    address,
    /** For the summary, in the order of the fields: each mistake with the field that it links to. */
    mistakes: inOrder.flatMap(({ name, mistake }) => (mistake === undefined ? [] : { field: name, message: mistake })),
    country,
    /** More than one is a choice. */
    countries: countries.map(code => ({ code, name: translator.country(code), isChosen: code === country })),
    /** After the shopper has changed the choice. */
    ...(isAsked && {
      countryNote: say('country-note', { country: translator.country(country), button: say('place-order') })
    }),
    /** Whether the delivery method has the focus: Enter on it sent the form. */
    focusesMethod: values.look === '' && !isAsked,
    /** What was entered in fields that the country does not have. */
    kept
  }
}

type FieldView = ReturnType<typeof fieldView>

/** Every field has all keys: a template is fastest with objects of one shape. */
function fieldView(
  { name, label, isRequired, autocomplete, type, inputmode, place, choices }: FormField,
  value: string,
  messages: Map<string, string>,
  translator: Translator
) {
  const mistake = messages.get(name)
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
    isFocused: mistake !== undefined && messages.size === 1,
    options: choices && optionsOf(choices, value, translator)
  }
}

/** @returns undefined if what was entered is none of its choices: then it is shown as text */
function optionsOf(choices: FieldChoice[], value: string, { language }: Translator) {
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
