// The page that confirms an order. Whoever has just ordered reads there what they typed, once; whoever has its address later
// sees it masked.
import type { FastifyReply } from 'fastify'
import { type Customer, newAttemptSecret, type Order, type OrderLine, orderSummary } from '../checkout/orders/order.ts'
import { envelopeLines } from '../checkout/orders/order-form.ts'
import { type EnteredField, Problem, StoreUnavailable } from '../errors.ts'
import { allTexts, type Catalogue, type ProductText } from '../merchant/catalogue/product.ts'
import type { DeliveryMethod, Merchant, OrderedDelivery } from '../merchant/merchant.ts'
import { languageOf } from '../messages/messages.ts'
import { type Translator, textIn } from '../messages/translator.ts'
import {
  enteredView,
  firstNames,
  type LineContext,
  type LineView,
  lineView,
  picturesOf,
  timeText,
  totalsView,
  untimed
} from './bag-view.ts'
import { checkoutPath } from './checkout-view.ts'
import { ATTEMPT } from './paying.ts'
import { sendPage } from './send-page.ts'
import { withLang, withParameter } from './shopper-language.ts'
import type { PageContext } from './storefront.ts'

/** Stable, with the number that apps read from it (REAL-APP.md 8 and 9). */
export function confirmationPath(merchant: Merchant, token: string, orderNumber: string): string {
  return `${checkoutPath(merchant, token)}/complete?order=${orderNumber}`
}

/** @throws Problem unless the address has the order's number */
export async function showConfirmation(
  context: PageContext,
  reply: FastifyReply,
  token: string
): Promise<FastifyReply> {
  const { merchant, store, catalogue, storefront } = context
  const [order, checkout] = await Promise.all([
    store.findOrder(merchant.id, token),
    store.findCheckout(merchant.id, token)
  ])
  reply.request.wayName = checkout?.option
  const { searchParams } = new URL(reply.request.url, 'http://shop')
  if (!order || searchParams.get('order') !== order.number) {
    throw new Problem('checkout-not-found', { detail: 'No order of this merchant has this token and number.' })
  }
  const { translator, lang } = storefront.languageFor(reply.request)
  // For the links to other languages, so that the page stays whole: whoever has it has the address anyway.
  const next = storefront.languages.length > 1 ? newAttemptSecret() : undefined
  // A preview's HEAD spends nothing.
  const isWhole =
    reply.request.method === 'GET' && (await isJustPlaced(context, order, searchParams.get(ATTEMPT), next))
  const view = confirmationView(order, translator, merchant, catalogue, isWhole, lang)
  return sendPage(reply, storefront, translator, {
    template: 'confirmation',
    // Apps recognise a completed order by it.
    title: view.isSent ? merchant.checkout.completeTitle : translator.translate('your-order'),
    view,
    images: picturesOf(view.lines),
    address: withParameter(confirmationPath(merchant, token, order.number), ATTEMPT, isWhole ? next : undefined)
  })
}

/** How long after an order its secret can be used, in milliseconds: an app may keep an address that it never loaded. */
const JUST_PLACED = 10 * 60_000

/**
 * Whether whoever asks has just placed the order, and sees it for the first time: its secret works once.
 * @param next a secret in its place
 */
async function isJustPlaced(
  { store, clock }: PageContext,
  order: Order,
  secret: string | null,
  next: string | undefined
): Promise<boolean> {
  if (secret !== order.secret || clock().getTime() - Date.parse(order.placedAt) > JUST_PLACED) return false
  try {
    return await store.spendSecret(order, next)
  } catch (error) {
    // The page can do without.
    if (error instanceof StoreUnavailable) return false
    throw error
  }
}

function wholeCustomer({ email, address, country }: Customer, translator: Translator) {
  return { email, place: [...envelopeLines(address, country), translator.country(country)].join('\n') }
}

/**
 * For whoever placed the order to recognise: `YO21 •••`, `m••@example.com`. Shows the postcode up to its gap, or half of it,
 * at most four characters; without a postcode, two letters of the city.
 */
function maskedCustomer({ email, address: { postcode = '', city = '' } }: Customer) {
  const [first = ''] = email
  const [area = ''] = postcode.split(/[\s-]/)
  const known = area === postcode ? area.slice(0, area.length / 2) : area
  const place = known === '' ? [...city].slice(0, 2).join('') : known.slice(0, 4)
  return { email: `${first}••${email.slice(email.indexOf('@'))}`, place: place && `${place} •••` }
}

function sentTo({ place, email }: { place: string; email: string }): EnteredField[] {
  return [
    ...(place === '' ? [] : [{ label: 'delivery-address', value: place } as const]),
    { label: 'field-email', value: email }
  ]
}

const PAYMENT_NOTES = {
  paid: 'payment-paid',
  pending: 'payment-pending',
  failed: 'payment-failed',
  refunded: 'payment-refunded'
} as const

/**
 * Personal data is masked: a reference and the same cart lead here too, and the URL may end up in a browser history that
 * others see.
 * @param isWhole whether it is shown unmasked all the same
 */
export function confirmationView(
  order: Order,
  translator: Translator,
  merchant: Merchant,
  catalogue: Catalogue,
  isWhole = false,
  lang?: string
) {
  const { number, token, reference, currency, lines, subtotal, delivery, customer, payment } = order
  const methods = delivery ? [currentMethod(delivery, order.language ?? merchant.locale, merchant)] : []
  const isLater = ({ availability }: OrderLine) => availability !== undefined
  const views = lines.map((line, i) => orderedLineView(line, i, catalogue, { merchant, translator, currency }))
  const later = views.filter((_, i) => isLater(lines[i] as OrderLine))
  // Nobody knows when the money comes, or what is sent later.
  const isDated = payment?.status !== 'pending' && later.length < lines.length
  return {
    number,
    reference,
    currency,
    lines: views,
    // The delivery method, if there are any, and how long it takes.
    deliveries: (isDated ? methods : untimed(methods)).map(({ label, days }: DeliveryMethod) => ({
      label: translator.read(label),
      ...(days && { days: timeText(days, new Date(order.placedAt), merchant, translator) })
    })),
    sentTo: customer
      ? enteredView(sentTo(isWhole ? wholeCustomer(customer, translator) : maskedCustomer(customer)), translator)
      : [],
    ...(later.length > 0 && {
      laterText: translator.translate('later-lines', { items: firstNames(later, translator) })
    }),
    // What is still to be done, or was done.
    ...(payment && { paymentNote: translator.translate(PAYMENT_NOTES[payment.status]) }),
    ...(payment?.status === 'pending' && { instructions: payment.instructionsUrl }),
    ...(payment?.status === 'failed' && { orderAgain: withLang(checkoutPath(merchant, token), lang) }),
    isSent: payment?.status !== 'failed' && payment?.status !== 'refunded',
    // How long it takes is above already.
    totals: totalsView(subtotal, untimed(methods), delivery?.id, currency, translator),
    // Apps read it (REAL-APP.md 9 and 10); safe inside a script element.
    json: JSON.stringify(orderSummary(order)).replaceAll('<', '\\u003c')
  }
}

/**
 * An order keeps no picture: the feed's current one is shown, if any. A product whose name has not changed since it was
 * ordered is described in the language of the page, any other as the order has it.
 */
function orderedLineView(line: OrderLine, i: number, catalogue: Catalogue, context: LineContext): LineView {
  const product = catalogue.product(line.sku)
  const hasOrderedName = ({ title, variant }: ProductText) => title === line.title && variant === line.variant
  const described = product && allTexts(product).some(hasOrderedName) ? product : { ...line, image: product?.image }
  const view = lineView(line, i, described, context)
  if (line.availability !== undefined) view.notes.push(context.translator.translate(line.availability))
  return view
}

/** A method whose label has not changed since it was ordered, with its labels and days; any other as the order has it. */
function currentMethod({ id, label, price }: OrderedDelivery, locale: string, { delivery }: Merchant): DeliveryMethod {
  const language = languageOf(locale)
  const current = Object.values(delivery)
    .flat()
    .find(method => method.id === id && textIn(method.label, language) === label)
  return { label: { [language]: label }, ...current, id, price }
}
