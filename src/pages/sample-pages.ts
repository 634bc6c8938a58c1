// Pages of a sample bag, made by the same functions as the real ones, so that a shop's templates can be tried at start.
import type { Cart } from '../cart/cart.ts'
import type { Catalogue } from '../catalogue/product.ts'
import { priceCart } from '../checkout/price-cart.ts'
import { type Mistake, Refusal, type RefusedLine } from '../errors.ts'
import type { DeliveryMethod, Merchant } from '../merchant/merchant.ts'
import { type Translator, textIn } from '../messages/translator.ts'
import type { Order } from '../orders/order.ts'
import { type FieldMistake, orderFormOf, readCustomer, readEntry } from '../orders/order-form.ts'
import { checkoutView, type FormState } from './checkout-view.ts'
import { confirmationView } from './confirmation-view.ts'
import { problemPage } from './problem-view.ts'
import type { Page } from './send-page.ts'
import { checkoutTitle } from './titles.ts'

const QUANTITY = 12
const PRICE = 5000
const SAMPLE_TOKEN = 'x'.repeat(32)
const REFERENCE = '0'.repeat(32)
const REQUEST_ID = '00000000-0000-4000-8000-000000000000'
const NUMBER = 'XXXX-XXXX'
const DETAIL = 'A sample.'

/** Two products that every shop could have, one with a picture and one without. */
function sampleProducts({ currencies }: Merchant) {
  const offer = { availability: 'preorder', price: 2 * PRICE, sale: { price: PRICE } } as const
  const offers = Object.fromEntries(currencies.map(code => [code, offer]))
  return [
    { sku: 'SAMPLE-1', title: 'A sample', variant: 'Blue', image: 'https://pictures.shop.example/sample.jpg', offers },
    { sku: 'SAMPLE-2', title: 'Another sample', offers }
  ]
}

function sampleCatalogue(merchant: Merchant): Catalogue {
  const products = sampleProducts(merchant)
  return { product: sku => products.find(product => product.sku === sku) }
}

/** The checkout page with both products in the bag, and further SKUs that no product has. */
export function sampleCheckout(
  merchant: Merchant,
  translator: Translator,
  state: Partial<FormState> = {},
  unknownSkus: string[] = []
): Page {
  const products = sampleProducts(merchant)
  const currency = String(merchant.currencies[0])
  const items = [...products.map(({ sku }) => sku), ...unknownSkus].map(sku => ({ sku, quantity: QUANTITY }))
  const cart: Cart = { reference: REFERENCE, currency, items }
  const entry = readEntry(orderFormOf(merchant), {}, currency)
  const view = checkoutView(
    { cart, token: SAMPLE_TOKEN },
    priceCart(cart, sampleCatalogue(merchant), new Date(0)),
    merchant,
    translator,
    {
      entry,
      mistakes: [],
      shown: undefined,
      isRefused: false,
      ...state
    }
  )
  return { template: 'checkout', title: checkoutTitle(translator, view.isRefused), view, address: '/' }
}

/** Every page of a shop, in each state that a template distinguishes. */
export function samplePages(merchant: Merchant, translator: Translator): Page[] {
  const form = orderFormOf(merchant)
  const currency = String(merchant.currencies[0])
  const entry = readEntry(form, { digest: '' }, currency)
  // An empty form has mistakes, whatever the country.
  const { mistakes } = readCustomer(entry) as { mistakes: FieldMistake[] }
  const shown = { lines: [1, PRICE], deliveries: entry.deliveries.map(() => 1) }
  return [
    sampleCheckout(merchant, translator),
    sampleCheckout(merchant, translator, { entry, mistakes, shown, isRefused: true }),
    sampleCheckout(merchant, translator, { entry: readEntry(form, { digest: '', look: '1' }, currency) }),
    sampleCheckout(merchant, translator, {}, ['NO-SUCH-SAMPLE']),
    sampleConfirmation(merchant, translator),
    ...sampleProblems(merchant, translator)
  ]
}

function sampleConfirmation(merchant: Merchant, translator: Translator): Page {
  const currency = String(merchant.currencies[0])
  const [delivery] = merchant.delivery[currency] as DeliveryMethod[]
  const lineTotal = QUANTITY * PRICE
  const order: Order = {
    number: NUMBER,
    merchantId: merchant.id,
    token: SAMPLE_TOKEN,
    reference: REFERENCE,
    currency,
    lines: [{ sku: 'SAMPLE-1', title: 'A sample', quantity: QUANTITY, unitPrice: PRICE, lineTotal }],
    subtotal: lineTotal,
    ...(delivery && { delivery: { ...delivery, label: textIn(delivery.label, translator.language) } }),
    total: lineTotal + (delivery?.price ?? 0),
    placedAt: new Date(0).toISOString()
  }
  const view = confirmationView(order, translator, merchant, sampleCatalogue(merchant))
  return { template: 'confirmation', title: merchant.checkout.completeTitle, view, address: '/' }
}

/** A refusal that names lines in every way there is, one that links to an order, and a failure of the server. */
function sampleProblems(merchant: Merchant, translator: Translator): Page[] {
  const mistakes: Mistake[] = [
    { pointer: 'sku', code: 'out-of-stock', detail: DETAIL, sku: 'SAMPLE-2' },
    { pointer: 'sku', code: 'sku-unknown', detail: DETAIL, sku: 'NO-SUCH-SAMPLE' },
    { pointer: 'currency', code: 'currency-not-sold', detail: DETAIL }
  ]
  const bag: RefusedLine[] = [
    { sku: 'SAMPLE-1', quantity: QUANTITY },
    { sku: 'SAMPLE-2', quantity: QUANTITY, mistake: 'out-of-stock' },
    { sku: 'NO-SUCH-SAMPLE', mistake: 'sku-unknown' }
  ]
  const shop = { merchant, catalogue: sampleCatalogue(merchant) }
  const link = { href: '/', text: translator.say('order', { number: NUMBER }) }
  return [
    problemPage(new Refusal('cart-not-sellable', { detail: DETAIL, mistakes, bag }), translator, REQUEST_ID, shop),
    problemPage(new Refusal('order-placed', { detail: DETAIL }), translator, REQUEST_ID, shop, link),
    problemPage(new Refusal('internal-error', { detail: DETAIL }), translator, REQUEST_ID, shop)
  ]
}
