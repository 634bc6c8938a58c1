// The transfer endpoint of a merchant as an operation of OpenAPI.
import type { Cart } from '../cart/cart.ts'
import { exampleCart, placeholderCart } from '../catalogue/find-products.ts'
import type { Product } from '../catalogue/product.ts'
import { alreadyOrdered, cartRefusal, findUnsellable } from '../checkout/price-cart.ts'
import { readHandover } from '../destination/destination.ts'
import { type MistakeCode, mistakes } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { maxBody, maxValues } from '../transfer/limits.ts'
import type { Operation } from './operation.ts'
import type { KnownProblem } from './problem-responses.ts'

/** Always the same, so that the document is. */
const EXAMPLE_REFERENCE = '0f8fad5bd9cb469fa16570867728950e'

/** How many products are searched for an example: a feed may have a million. */
const MAX_SEARCHED = 1000

/** @param origin scheme, host and port of publicUrl @returns undefined if the option takes no JSON */
export function transferOperation(
  merchant: Merchant,
  origin: string,
  products: Iterable<Product>
): Operation | undefined {
  const { option, transfer, currencies, destination, authentication, checkout, path } = merchant
  const { maxItems, maxQuantity } = transfer
  const found =
    exampleCart(Iterator.from(products).take(MAX_SEARCHED), currencies, transfer) ?? placeholderCart(currencies)
  const cart = { ...found, reference: EXAMPLE_REFERENCE }
  const isOwnShop = destination !== undefined
  const exchange = option.exchange?.({
    maxItems,
    maxQuantity,
    currencies,
    settings: transfer,
    cart,
    ...(!isOwnShop && { checkoutUrl: origin + path + checkout.path })
  })
  if (!exchange) return undefined
  const { items, currency, reference } = cart
  const { request, response, answer = exampleOfShop(cart), mistakes, refusal } = exchange
  const limits = `at most ${maxBody(maxItems)} bytes and ${maxValues(maxItems)} JSON values, at any depth`
  return {
    path: transfer.path,
    tag: { name: 'transfer', description: 'For the platform: how bags arrive.' },
    id: 'transferCart',
    summary: 'Transfers a bag',
    description: [
      'Answers when the bag is stored, with the web request that opens its checkout.',
      'The same bag under the same reference leads to the same checkout again, so a request without an answer can be sent again.',
      'Another bag under that reference takes the place of the first, until there is an order.',
      `A body has ${limits}.`,
      'If not even the headers of a request could be read, the answer may be a page.'
    ].join(' '),
    caller: authentication && { name: 'platform', title: 'the platform', type: authentication.type },
    request: { name: 'CartTransfer', schema: request, example: { items, currency, reference } },
    answers: { 200: { description: 'The bag is stored, or was before.', example: answer } },
    answer: { name: 'WebRequest', schema: response },
    problems: [
      { code: 'contract-broken', mistakes, example: refusal },
      { code: 'reference-ordered', example: alreadyOrdered(cart) },
      { code: 'too-many-lines' },
      { code: 'cart-not-sellable', mistakes: unsellable(merchant), example: exampleRefusal(merchant, cart) },
      ...(isOwnShop ? OWN_SHOP_PROBLEMS : [])
    ]
  }
}

const OWN_SHOP_PROBLEMS: KnownProblem[] = [
  { code: 'checkout-superseded' },
  { code: 'destination-unusable' },
  { code: 'destination-unavailable' }
]

function exampleOfShop({ items: lines, currency }: Cart): object {
  const url = 'https://shop.example/checkout?cart=5f1c9a0e7b1d4a8e'
  return readHandover({ lines, currency, url }, new Date()).description
}

/** What can keep a merchant from selling a cart. */
function unsellable({ destination, maxTotal }: Merchant): MistakeCode[] {
  return (Object.keys(mistakes) as MistakeCode[]).filter(code => {
    if (code === 'total-too-large') return maxTotal !== undefined
    if (code === 'destination-differs') return destination !== undefined
    return mistakes[code].problem === 'cart-not-sellable'
  })
}

function exampleRefusal(merchant: Merchant, cart: Cart) {
  const unknown = { ...cart, items: [{ sku: 'NO-SUCH-SKU', quantity: 1 }] }
  const mistakes = findUnsellable(unknown, merchant, () => 'sku-unknown')
  return cartRefusal(unknown, mistakes, merchant)
}
