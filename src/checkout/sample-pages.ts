// Pages of a shop as its shoppers will see them, made of a sample bag by the same functions: so that its templates are
// tried, and its pages weighed, before anybody comes.
import type { Cart } from '../cart/cart.ts'
import type { Catalogue } from '../catalogue/product.ts'
import type { Merchant } from '../config/merchant.ts'
import { type Mistake, Refusal } from '../errors.ts'
import type { Words } from '../messages/words.ts'
import type { Order } from '../orders/order.ts'
import { type FieldMistake, readOrderForm } from '../orders/order-form.ts'
import { countryOf, deliveriesIn } from '../orders/place-order.ts'
import { checkoutView, NO_PROGRESS, type Progress } from './checkout-view.ts'
import { confirmationView } from './confirmation-view.ts'
import { priceCart } from './price-cart.ts'
import { problemView } from './problem-view.ts'
import type { Printed } from './send-page.ts'
import { checkoutTitle } from './titles.ts'

/** What the bag of a sample is filled with: products by SKU, those of them that are in it, and what they are priced in. */
export type SampleGoods = { catalogue: Catalogue; skus: string[]; currency: string }

const QUANTITY = 12
const PRICE = 5000
const TOKEN = 'x'.repeat(32)
const REFERENCE = '0'.repeat(32)
const REQUEST_ID = '00000000-0000-4000-8000-000000000000'
const NUMBER = 'XXXX-XXXX'
const DETAIL = 'A sample.'

/** Goods that every shop could have: one product with a picture, and one without. */
function sampleGoods({ currencies }: Merchant): SampleGoods {
  const offers = Object.fromEntries(currencies.map(code => [code, { availability: 'preorder', price: PRICE } as const]))
  const products = [
    { sku: 'SAMPLE-1', title: 'A sample', image: 'https://pictures.shop.example/sample.jpg', offers },
    { sku: 'SAMPLE-2', title: 'Another sample', offers }
  ]
  const catalogue = { product: (sku: string) => products.find(product => product.sku === sku) }
  return { catalogue, skus: products.map(({ sku }) => sku), currency: String(currencies[0]) }
}

/** The checkout page of these goods; without progress, as it is shown for the first time. */
export function sampleCheckout(
  merchant: Merchant,
  words: Words,
  { catalogue, skus, currency } = sampleGoods(merchant),
  progress: Progress = NO_PROGRESS
): Printed {
  const items = skus.map(sku => ({ sku, quantity: QUANTITY }))
  const cart: Cart = { reference: REFERENCE, currency, items }
  const priced = priceCart(cart, catalogue, new Date(0))
  const view = checkoutView({ cart, token: TOKEN }, priced, merchant, words, progress)
  const isRefused = progress !== NO_PROGRESS
  return { template: 'checkout', title: checkoutTitle(words, isRefused), view: { ...view, isRefused } }
}

/** Every page of a shop, in each of the states that a template tells apart. */
export function samplePages(merchant: Merchant, words: Words): Printed[] {
  const goods = sampleGoods(merchant)
  // A form that nothing was typed into has mistakes, whatever the country.
  const { mistakes } = readOrderForm({}, countryOf({}, merchant.countries)) as { mistakes: FieldMistake[] }
  const refused: Progress = { typed: { digest: '' }, mistakes, changed: [true, false] }
  const otherCountry: Progress = { ...NO_PROGRESS, typed: { digest: '', look: '1' } }
  return [
    sampleCheckout(merchant, words),
    sampleCheckout(merchant, words, goods, refused),
    sampleCheckout(merchant, words, goods, otherCountry),
    sampleCheckout(merchant, words, { ...goods, skus: [...goods.skus, 'NO-SUCH-SAMPLE'] }),
    ...confirmations(merchant, words),
    ...problemsIn(words)
  ]
}

/** The confirmation of an order, and of one whose personal data was erased. */
function confirmations(merchant: Merchant, words: Words): Printed[] {
  const currency = String(merchant.currencies[0])
  const [delivery] = deliveriesIn(merchant.delivery, currency, words)
  const lineTotal = QUANTITY * PRICE
  const line = { sku: 'SAMPLE-1', title: 'A sample', quantity: QUANTITY, unitPrice: PRICE, lineTotal }
  const erased: Order = {
    number: NUMBER,
    merchantId: merchant.id,
    token: TOKEN,
    reference: REFERENCE,
    currency,
    lines: [line],
    subtotal: lineTotal,
    ...(delivery && { delivery: { ...delivery, label: delivery.label.text } }),
    total: lineTotal + (delivery?.price ?? 0),
    placedAt: new Date(0).toISOString()
  }
  const customer = { email: 'name@example.com', country: String(merchant.countries[0]), address: {} }
  return [{ ...erased, customer }, erased].map(order => ({
    template: 'confirmation',
    title: merchant.checkout.completeTitle,
    view: confirmationView(order, words, merchant)
  }))
}

/** A refusal that names items in each way there is, one that leads to an order, and a failure of our own. */
function problemsIn(words: Words): Printed[] {
  const mistakes: Mistake[] = [
    { pointer: 'sku', code: 'out-of-stock', detail: DETAIL, sku: 'SAMPLE-1', label: 'A sample' },
    { pointer: 'sku', code: 'sku-unknown', detail: DETAIL, sku: 'NO-SUCH-SAMPLE' },
    { pointer: 'currency', code: 'currency-not-sold', detail: DETAIL }
  ]
  const link = { href: '/', text: words.say('order', { number: NUMBER }) }
  const views = [
    problemView(new Refusal('cart-not-sellable', { detail: DETAIL, mistakes }), words, REQUEST_ID),
    { ...problemView(new Refusal('order-placed', { detail: DETAIL }), words, REQUEST_ID), link },
    problemView(new Refusal('internal-error', { detail: DETAIL }), words, REQUEST_ID)
  ]
  return views.map(view => ({ template: 'problem', title: view.heading, view }))
}
