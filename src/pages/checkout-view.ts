// The view model of the checkout page. Pure; templates decide nothing.
import { shipsLater } from '../catalogue/product.ts'
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import type { PricedCart, PricedLine, SellableLine } from '../checkout/price-cart.ts'
import { mistakes } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'
import { atSubtotal, type FieldMistake, type FormEntry } from '../orders/order-form.ts'
import type { ShownPrices } from '../orders/place-order.ts'
import { type LineContext, type LineView, lineView, type PaidBefore, type TotalsView, totalsView } from './bag-view.ts'
import { type FormView, formView } from './form-view.ts'
import { withLang } from './language-links.ts'

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
  /** Absent if a line cannot be sold. */
  totals?: TotalsView
  isRefused: boolean
}

export type FormState = {
  entry: FormEntry
  mistakes?: FieldMistake[]
  /** The prices that the page showed, if they have changed since. */
  shown?: ShownPrices | undefined
  isRefused?: boolean
  /** The language that the address of the page asks for: the form's asks for it too. */
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
  return {
    ...common,
    totals: totalsView(subtotal, deliveries, delivery?.id, currency, translator, paidBefore(lines, shown)),
    form: {
      ...formView(charged, mistakes, lines, translator),
      // Not the address of the page: a browser removes what it has stored of an address that it posts to.
      action: withLang(`${merchant.path}${merchant.checkout.path}/${token}?`, lang)
    }
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
