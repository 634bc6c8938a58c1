// The view model of the checkout page: the cart, and the form with what was entered and what is wrong. Pure.
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import { confirmedName } from '../checkout/orders/input-warnings.ts'
import {
  asksForCountry,
  asksForLanguage,
  atSubtotal,
  enteredFields,
  type FieldChoice,
  type FieldError,
  type FormEntry,
  type FormField
} from '../checkout/orders/order-form.ts'
import { quoteDigest, type ShownPrices, type UnpayableTotal } from '../checkout/orders/place-order.ts'
import type { PricedCart, PricedLine, SellableLine } from '../checkout/price-cart.ts'
import { mistakes } from '../errors.ts'
import { shipsLater } from '../merchant/catalogue/product.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'
import {
  enteredView,
  type LineContext,
  type LineView,
  lineView,
  type PaidBefore,
  timeText,
  totalsView,
  untimed
} from './bag-view.ts'
import { withLang } from './shopper-language.ts'

/** The most lines that do not push the form off a phone's first screen. */
const MAX_UNFOLDED = 2

export type CheckoutView = ReturnType<typeof checkoutView>

export type FormState = {
  entry: FormEntry
  mistakes?: FieldError[]
  /** The prices that the page showed, if they have changed since. */
  shown?: ShownPrices | undefined
  isRefused?: boolean
  /** Shown at the top, unless prices have changed. */
  notice?: 'not-charged' | 'payment-unavailable' | 'payment-too-often' | 'payment-held' | 'check-again'
  /** Why it cannot be paid: shown at the top. */
  unpayable?: UnpayableTotal
}

export function checkoutPath({ path, checkout }: Merchant, token: string): string {
  return `${path}${checkout.path}/${token}`
}

/** @param lang the code of the page's language, which the address of the form asks for; absent if there is only one */
export function checkoutView(
  { cart, token }: StoredCheckout,
  priced: PricedCart,
  merchant: Merchant,
  { translator, lang, now }: { translator: Translator; lang?: string | undefined; now: Date },
  { entry, mistakes = [], shown, isRefused = false, notice, unpayable }: FormState
) {
  const { currency, items, reference } = cart
  const { translate, translateCount } = translator
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const charged = atSubtotal(entry, priced.subtotal ?? 0)
  const { deliveries, delivery } = charged
  const isCharged = Number(priced.subtotal) > 0 || deliveries.some(({ price }) => price > 0)
  // Not the page's address: a browser drops what it has stored for an address that it posts to.
  const action = withLang(`${checkoutPath(merchant, token)}?`, lang)
  const lines = priced.lines.map((line, i) =>
    pricedLineView(line, i, shown?.lines?.[i], { merchant, translator, currency })
  )
  const isTold = shown !== undefined || priced.subtotal === undefined
  const isShort = lines.length <= MAX_UNFOLDED || lines.some(({ warnings }) => warnings.length > 0)
  return {
    lines,
    itemCount: translateCount('item-count', count),
    currency,
    reference,
    isRefused,
    /** Whether the cart is unfolded on a phone: if it has something to tell, or is short and the form has no errors. */
    isOpen: isTold || (isShort && mistakes.length === 0),
    ...(shown && { notice: translate('prices-changed') }),
    ...(!shown && notice && { notice: translate(notice, { button: translate('place-order') }) }),
    ...(unpayable && { notice: unpayableText(unpayable, currency, translator) }),
    ...(priced.subtotal === undefined && { entered: enteredView(enteredFields(entry), translator) }),
    ...(merchant.payment &&
      isCharged && { payNext: translate('pay-next', { provider: merchant.payment.provider.title }) }),
    ...(priced.subtotal !== undefined && {
      totals: totalsView(
        priced.subtotal,
        priced.lines.every(({ availability }) => shipsLater(availability)) ? untimed(deliveries) : deliveries,
        delivery?.id,
        currency,
        translator,
        paidBefore(priced.lines, shown),
        days => timeText(days, now, merchant, translator)
      ),
      form: formView(action, charged, mistakes, priced.lines, translator)
    })
  }
}

/** What helps: another delivery method, if there is one, else another cart. */
function unpayableText({ breaks, nearest, total, method }: UnpayableTotal, currency: string, translator: Translator) {
  const { translate, read, money } = translator
  if (method) return translate('pay-with-method', { method: read(method.label).text })
  if (breaks === 'exact') return translate('pay-other-total', { total: money(total, currency) })
  const bound = money(nearest, currency)
  return breaks === 'least' ? translate('pay-at-least', { least: bound }) : translate('pay-at-most', { most: bound })
}

/** @param before its unit price before prices changed, if they have changed and it is known */
function pricedLineView(
  line: PricedLine,
  i: number,
  before: number | undefined,
  context: LineContext & { currency: string }
): LineView {
  const { translator, currency } = context
  const { translate, translatePrice } = translator
  const { item, product } = line
  const { sku, quantity } = item
  if (!line.isSellable) {
    const view = lineView(item, i, product, context)
    view.problem = translate(mistakes[line.mistake].shopper)
    return view
  }
  const { unitPrice, regularPrice, lineTotal, availability, claimedPrice } = line
  const view = lineView({ sku, quantity, unitPrice, lineTotal }, i, product, context)
  const money = (minor: number) => translator.money(minor, currency)
  if (regularPrice !== undefined) {
    const saved = translatePrice('saved', money((regularPrice - unitPrice) * quantity))
    view.struck.push({ label: translate('was'), price: money(regularPrice * quantity), saved })
  }
  // A sale that has begun already shows the price before it.
  if (before !== undefined && before !== unitPrice && before !== regularPrice) {
    const price = money(before)
    view.struck.push({
      label: translate('price-before'),
      price: quantity > 1 ? translatePrice('price-each', price) : price
    })
  }
  if (shipsLater(availability)) view.notes.push(translate(availability))
  if (claimedPrice !== undefined) view.warnings.push(translatePrice('claim', money(claimedPrice)))
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
  mistakes: FieldError[],
  lines: SellableLine[],
  translator: Translator
) {
  const { values, country, countries, kept, deliveries } = entry
  const { translate } = translator
  const mistakeOf = new Map(mistakes.map(mistake => [mistake.field, mistake]))
  const fields = entry.fields.map(field => fieldView(field, entry, mistakeOf, translator))
  const contact = fields.filter(({ type }) => type === 'email' || type === 'tel')
  const giftNote = fields.find(({ type }) => type === 'textarea')
  const address = addressRows(fields.filter(({ type }) => type === undefined))
  const inOrder = [...contact, ...address.flatMap(row => row.fields), ...(giftNote ? [giftNote] : [])]
  const doubted = inOrder.map(
    ({ name, value, isDoubt }) => [confirmedName(name), isDoubt ? value : (values[confirmedName(name)] ?? '')] as const
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
    mistakes: inOrder.flatMap(({ name, mistake }) => (mistake === undefined ? [] : { field: name, message: mistake })),
    /** Whether there are input warnings, and no errors. */
    isCalm: inOrder.every(({ mistake, isDoubt }) => mistake === undefined || isDoubt),
    country,
    /** More than one is a choice. */
    countries: countries.map(code => ({ code, name: translator.country(code), isChosen: code === country })),
    /** After the shopper has changed the choice. */
    ...(isAsked && countryNotes(entry, fields, translator)),
    /** Whether the delivery method has the focus: Enter on it sent the form. */
    focusesMethod: values.look === '' && !isAsked,
    /** What was entered in fields that the country does not have, and the input warnings shown in this language. */
    kept: [...kept, ...(asksForLanguage(entry) ? [] : doubted.filter(([, value]) => value !== ''))]
  }
}

function countryNotes(entry: FormEntry, fields: FieldView[], { translate, label: labelOf, lang, country }: Translator) {
  // A field with another label is another field: a state, a province.
  const keyOf = ({ name, label }: FormField) => (name === 'state' ? label : name)
  const seen = new Set(entry.shownFields.filter(({ isRequired }) => isRequired).map(keyOf))
  // A state that was entered has been emptied if it is another country's.
  const isAdded = (field: FormField, i: number) =>
    field.isRequired && fields[i]?.value === '' && (entry.values[field.name] || !seen.has(keyOf(field)))
  const added = entry.fields.filter(isAdded).map(({ label }) => labelOf(label))
  return {
    countryNote: translate('country-note', { country: country(entry.country), button: translate('place-order') }),
    addedNote: added[0] && translate('fields-added', { fields: new Intl.ListFormat(lang).format(added) })
  }
}

type FieldView = ReturnType<typeof fieldView>

/** Every field has all keys, as templates are fastest with objects of one shape. */
function fieldView(
  { name, label, isRequired, autocomplete, type, inputmode, place, choices, areMany }: FormField,
  { values, country, shownCountry, shownFields }: FormEntry,
  mistakeOf: Map<string, FieldError>,
  translator: Translator
) {
  const mistake = mistakeOf.get(name)
  const typed = values[name] ?? ''
  const isOfOther = () => isAmong(shownFields.find(field => field.name === name)?.choices, typed)
  // A state belongs to its country, even if another country has the same code: CA is California, and Cagliari.
  const isForeign = choices !== undefined && country !== shownCountry && (isOfOther() || !isAmong(choices, typed))
  const value = isForeign ? '' : typed
  const isListed = !(areMany && values.digest === undefined) && (value === '' || isAmong(choices, value))
  const options = choices && isListed ? listOf(choices, value, translator) : undefined
  return {
    name,
    label: isRequired ? translator.label(label) : translator.optionalLabel(label),
    isRequired,
    autocomplete,
    type,
    inputmode,
    place: options && place === 'beside' ? undefined : place,
    value,
    mistake: mistake && fieldMessage(mistake, translator),
    isDoubt: mistake?.message.startsWith('doubt') === true,
    isFocused: mistake !== undefined && mistakeOf.size === 1,
    options
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

export function fieldMessage(mistake: FieldError, { translate, label: labelOf }: Translator): string {
  const { label, message, maxLength = 0, example = EXAMPLE_EMAIL } = mistake
  // Some sentences begin with the label; in others it is in the middle.
  const name = message.startsWith('field') ? labelOf(label) : translate(label)
  return translate(message, { label: name, most: maxLength, example, button: translate('place-order') })
}
