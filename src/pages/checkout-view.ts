// The view model of the checkout page: the cart, and the form with what was entered and what is wrong. Pure.
import type { Buyer } from '../cart/cart.ts'
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import { atSubtotal, enteredFields, type FieldError, type FormEntry } from '../checkout/orders/order-form.ts'
import type { ShownPrices, UnpayableTotal } from '../checkout/orders/place-order.ts'
import type { PricedCart, PricedLine, SellableLine } from '../checkout/price-cart.ts'
import { mistakes } from '../errors.ts'
import { shipsLater } from '../merchant/catalogue/product.ts'
import { needsBindingButton } from '../merchant/countries.ts'
import type { DeliveryMethod, Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'
import {
  enteredView,
  firstNames,
  type LineContext,
  type LineView,
  lineView,
  moreOf,
  type PaidBefore,
  shortName,
  timeText,
  totalsView,
  untimed
} from './bag-view.ts'
import { formView } from './form-view.ts'
import { fillsField, withBuyer } from './given-buyer.ts'
import { withLang } from './shopper-language.ts'

/** The most lines that do not push the form off a phone's first screen. */
const MAX_UNFOLDED = 2
/** How many pictures a folded bag shows. */
const FOLDED_PICTURES = 4

export type CheckoutView = ReturnType<typeof checkoutView>

export type FormState = {
  entry: FormEntry
  /** Who stands in the form, if the address of the page says so. */
  given?: Buyer | undefined
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
  { entry, given, mistakes = [], shown, isRefused = false, notice, unpayable }: FormState
) {
  const { currency, items, reference, codes = [] } = cart
  const { translate, translateCount } = translator
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const charged = atSubtotal(entry, priced.subtotal ?? 0)
  const { deliveries, delivery } = charged
  const isCharged = Number(priced.subtotal) > 0 || deliveries.some(({ price }) => price > 0)
  const payment = isCharged ? merchant.payment : undefined
  const isOrderedHere = payment === undefined || needsBindingButton(entry.country)
  const button = translate(isOrderedHere ? 'place-order' : 'continue-payment')
  // Not the page's address: a browser drops what it has stored for an address that it posts to.
  const action = withLang(withBuyer(`${checkoutPath(merchant, token)}?`, given), lang)
  const lines = priced.lines.map((line, i) =>
    pricedLineView(line, i, shown?.lines?.[i], { merchant, translator, currency })
  )
  const later = lines.filter((_, i) => isLater(priced.lines[i]))
  const isTold = shown !== undefined || priced.subtotal === undefined || later.length > 0
  const isShort = lines.length <= MAX_UNFOLDED || lines.some(({ warnings }) => warnings.length > 0)
  const isOpen = isTold || lines.length === 1 || (isShort && mistakes.length === 0)
  const isAllLater = later.length === lines.length
  const hasDates = !isAllLater && deliveries.some(({ days }) => days)
  return {
    lines,
    itemCount: translateCount('item-count', count),
    currency,
    reference,
    isRefused,
    /** Whether the cart is unfolded on a phone: if it has something to tell, or is short and the form has no errors. */
    isOpen,
    /** Which lines the dates of the delivery methods are not for. */
    ...(hasDates &&
      later.length > 0 && { laterText: translate('later-lines', { items: firstNames(later, translator) }) }),
    ...(shown && { notice: translateCount('prices-changed', countChanged(priced.lines, deliveries, shown)) }),
    ...(!shown && notice && { notice: translate(notice, { button }) }),
    ...(unpayable && { notice: unpayableText(unpayable, currency, translator) }),
    ...(priced.subtotal === undefined && {
      entered: enteredView(enteredFields(entry), translator),
      unsold: translate(
        priced.lines.filter(({ isSellable }) => !isSellable).length === 1 ? 'one-unsold' : 'some-unsold'
      )
    }),
    button,
    acceptTerms: translate(isOrderedHere ? 'accept-terms' : 'accept-continuing'),
    ...(payment && { payNext: payNextText(payment, translator) }),
    ...(priced.subtotal !== undefined && {
      ...(given && fillsField(given, entry.fields) && { givenText: translate('details-given') }),
      ...(codes.length > 0 && { codesText: codesText(codes, translator) }),
      ...(!isOpen && { folded: foldedView(priced.lines, lines, currency, translator) }),
      totals: totalsView(
        priced.subtotal,
        isAllLater ? untimed(deliveries) : deliveries,
        delivery?.id,
        currency,
        translator,
        paidBefore(priced.lines, shown),
        days => timeText(days, now, merchant, translator)
      ),
      form: formView(action, charged, mistakes, priced.lines, { translator, button })
    })
  }
}

/** What is to be read right above the order button (DECISIONS.md, "The checkout page"). */
function foldedView(sold: SellableLine[], lines: LineView[], currency: string, translator: Translator) {
  const { translatePrice, money } = translator
  const saved = sold.reduce((sum, line) => sum + savingOf(line), 0)
  return {
    names: firstNames(lines, translator, shortName),
    ...(saved > 0 && { saved: translatePrice('saved', money(saved, currency)) }),
    ...(lines.length > FOLDED_PICTURES && { more: moreOf(lines, FOLDED_PICTURES, translator) })
  }
}

function isLater(line: PricedLine | undefined): boolean {
  return line?.isSellable === true && shipsLater(line.availability)
}

function savingOf({ regularPrice, unitPrice, item }: SellableLine): number {
  return ((regularPrice ?? unitPrice) - unitPrice) * item.quantity
}

function payNextText(
  { provider, settings }: NonNullable<Merchant['payment']>,
  { translate, list }: Translator
): string {
  const names = settings.methods.map(name => (name === 'card' ? translate('pay-card') : name))
  return translate('pay-next', { methods: list(names, 'disjunction'), provider: provider.title })
}

/** How many codes are named, and how much of each, in characters. */
const NAMED_CODES = 3
const NAMED_CODE = 40

/** Without characters that hide or reverse text. */
function codesText(codes: string[], { translate }: Translator): string {
  const names = codes.slice(0, NAMED_CODES).map(code => {
    const characters = [...code.replace(/\p{C}/gu, '')]
    return characters.slice(0, NAMED_CODE).join('') + (characters.length > NAMED_CODE ? '…' : '')
  })
  return translate('codes-unused', { codes: names.join(' · ') })
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
    const saved = translatePrice('saved', money(savingOf(line)))
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
  if (claimedPrice !== undefined) {
    view.warnings.push(translate('claim', { shown: money(claimedPrice), price: money(unitPrice) }))
  }
  return view
}

/** How many prices are not those that the page showed. */
function countChanged(lines: PricedLine[], deliveries: DeliveryMethod[], shown: ShownPrices): number {
  const changedLines = lines.filter((line, i) => line.isSellable && line.unitPrice !== shown.lines?.[i])
  return changedLines.length + deliveries.filter(({ price }, i) => price !== shown.deliveries?.[i]).length
}

function paidBefore(lines: SellableLine[], shown: ShownPrices | undefined): PaidBefore | undefined {
  const { lines: prices, deliveries } = shown ?? {}
  if (!prices || !deliveries) return undefined
  return { subtotal: lines.reduce((sum, { item }, i) => sum + Number(prices[i]) * item.quantity, 0), deliveries }
}
