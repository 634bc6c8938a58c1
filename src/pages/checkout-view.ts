// The view model of the checkout page, made from a priced cart. Pure, so that it is tested without a browser; templates
// decide nothing.
import { type Availability, shipsLater } from '../catalogue/product.ts'
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import type { PriceClaim, PricedCart, PricedLine, SellableLine } from '../checkout/price-cart.ts'
import { mistakes } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'
import { atSubtotal, type FieldMistake, type FormEntry } from '../orders/order-form.ts'
import type { ShownPrices } from '../orders/quote.ts'
import { type FormView, formView } from './form-view.ts'
import { withLang } from './language-links.ts'
import { type LineView, linePrices, lineView, markFar } from './line-view.ts'
import { type PaidBefore, type TotalsView, totalsView } from './totals-view.ts'

export type CheckoutView = {
  lines: LineView[]
  /** The order form, if the bag can be bought. */
  form?: FormView
  /** Shown at the top: prices changed since the page was shown. */
  notice?: string
  /** `3 items`. */
  itemCount: string
  currency: string
  reference: string
  /** Whether the bag is unfolded: it is, unless the shopper is asked to look at the form. */
  isOpen: boolean
  /** Absent if a line cannot be sold. */
  totals?: TotalsView
  /** Whether it is the answer to an order that was refused. */
  isRefused: boolean
}

/** The form as the shopper sent it, with what is wrong with it. */
export type FormState = {
  entry: FormEntry
  mistakes: FieldMistake[]
  /** The prices that the page showed, if they have changed since. */
  shown: ShownPrices | undefined
  isRefused: boolean
  /** The language that the address of the page asks for: the form's asks for it too. */
  lang?: string | undefined
}

type CheckoutMerchant = Pick<Merchant, 'path' | 'origin'> & { checkout: Pick<Merchant['checkout'], 'path'> }

export function checkoutView(
  { cart, token }: Pick<StoredCheckout, 'cart' | 'token'>,
  priced: PricedCart,
  merchant: CheckoutMerchant,
  translator: Translator,
  { entry, mistakes, shown, isRefused, lang }: FormState
): CheckoutView {
  const { currency, items, reference } = cart
  const { say, sayCount } = translator
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const common = {
    lines: markFar(
      priced.lines.map((line, i) => pricedLineView(line, shown?.lines?.[i], currency, merchant, translator))
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
  before: number | undefined,
  currency: string,
  merchant: CheckoutMerchant,
  translator: Translator
): LineView {
  const { say, sayPrice } = translator
  const { item, product } = line
  const { quantity } = item
  const view: LineView = lineView(item, product, merchant, translator)
  if (!line.isSellable) {
    view.problem = say(mistakes[line.mistake].shopper)
    return view
  }
  const { unitPrice, regularPrice, lineTotal, availability, claim } = line
  const money = (minor: number) => translator.money(minor, currency)
  Object.assign(view, linePrices({ quantity, unitPrice, lineTotal }, currency, translator))
  if (regularPrice !== undefined) {
    const saved = sayPrice('saved', money((regularPrice - unitPrice) * quantity))
    view.struck.push({ label: say('was'), price: money(regularPrice * quantity), saved })
  }
  // A sale that has begun already shows the price before it.
  if (before !== undefined && before !== unitPrice && before !== regularPrice) {
    const price = money(before)
    view.struck.push({ label: say('price-before'), price: quantity > 1 ? sayPrice('price-each', price) : price })
  }
  view.notes.push(...availabilityNote(availability, say), ...claimNote(claim, sayPrice, money))
  return view
}

function paidBefore(lines: SellableLine[], shown: ShownPrices | undefined): PaidBefore | undefined {
  const { lines: prices, deliveries } = shown ?? {}
  if (!prices || !deliveries) return undefined
  return { subtotal: lines.reduce((sum, { item }, i) => sum + Number(prices[i]) * item.quantity, 0), deliveries }
}

function availabilityNote(availability: Availability, say: Translator['say']): string[] {
  return shipsLater(availability) ? [say(availability)] : []
}

/** The catalogue's price is charged; the line says so if the app showed another. */
function claimNote(
  claim: PriceClaim | undefined,
  sayPrice: Translator['sayPrice'],
  money: (minor: number) => string
): string[] {
  if (!claim || claim.isRight || claim.amount === undefined) return []
  return [sayPrice('claim', money(claim.amount))]
}
