// The OpenAPI document of one merchant: each endpoint that takes JSON, with this merchant's address, limits and problems.
// (@fastify/swagger would only wrap what is written here: it drops the examples of a body and which headers are required.)
import type { Cart } from '../../cart/cart.ts'
import {
  MAX_REPORT,
  OrderReport,
  REPORT_MISTAKES,
  ReportedOrderJson,
  readReport,
  reportedOrderData
} from '../../checkout/orders/reported-order.ts'
import { alreadyOrdered, cartProblem, findUnsellable } from '../../checkout/price-cart.ts'
import { mistakes, type Problem, type ValidationErrorCode } from '../../errors.ts'
import { readHandoff } from '../../integrations/destination/destination.ts'
import { exampleCart, type ListedProducts, placeholderCart } from '../../merchant/catalogue/product.ts'
import { type Merchant, ORDERS_PATH, TRANSFERS_PATH, type Way } from '../../merchant/merchant.ts'
import { toDecimal } from '../../money.ts'
import { TransferStatus } from '../../reconcile/transfer-status.ts'
import { maxBody, maxValues, type TransferOption } from '../../transfer/option.ts'
import { type Caller, describe, type Operation } from './operation.ts'

/** Raised when the fields or problems change for every merchant. */
const VERSION = '1.0.0'

const TRANSFER_TAG = { name: 'transfer', description: 'For the platform: how bags arrive.' }

/** Always the same, so that the document is. */
const EXAMPLE_REFERENCE = '0f8fad5bd9cb469fa16570867728950e'

/** How many products are searched for an example: a feed may have a million. */
const MAX_SEARCHED = 1000

/**
 * Holds no secret, no name of a variable that has one, and no value that the merchant has the app send.
 * @param origin scheme, host and port of publicUrl
 * @param products those of its feed, for examples
 */
export function merchantDocument(merchant: Merchant, origin: string, products: ListedProducts): object {
  const ways = merchant.ways.flatMap(way => (way.option.exchange ? { ...way, exchange: way.option.exchange } : []))
  const operations = [
    ...ways.map((way, i) => transferOperation(merchant, way, i, origin, products)),
    ...[statusOperation(merchant, ways.flatMap(callersOf)), ordersOperation(merchant)].filter(
      operation => operation !== undefined
    )
  ]
  const described = operations.map(describe)
  const securitySchemes = Object.assign({}, ...described.map(({ securitySchemes }) => securitySchemes))
  return {
    openapi: '3.1.0',
    info: {
      title: `${merchant.name}: bags from shopping apps`,
      version: VERSION,
      description: 'Every problem is problem+json (RFC 9457) that lists all mistakes at once.',
      license: { name: 'MIT', identifier: 'MIT' }
    },
    tags: operations.map(({ tag }) => tag).filter(({ name }, i, tags) => name !== tags[i - 1]?.name),
    servers: [{ url: origin + merchant.path }],
    paths: Object.assign({}, ...described.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign({}, ...described.map(({ schemas }) => schemas)),
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes })
    }
  }
}

/** A way in that takes JSON. */
type JsonWay = Way & { exchange: NonNullable<TransferOption['exchange']> }

/** @param at its place among those: what is named for the second ends in 2 */
function transferOperation(
  merchant: Merchant,
  way: JsonWay,
  at: number,
  origin: string,
  products: ListedProducts
): Operation {
  const { currencies, destination, checkout, path } = merchant
  const { transfer } = way
  const named = (name: string) => (at === 0 ? name : `${name}${at + 1}`)
  const { maxItems, maxQuantity } = transfer
  const found =
    exampleCart(Iterator.from(products).take(MAX_SEARCHED), currencies, transfer) ?? placeholderCart(currencies)
  const cart = { ...found, reference: EXAMPLE_REFERENCE }
  const isOwnShop = destination !== undefined
  const exchange = way.exchange({
    maxItems,
    maxQuantity,
    currencies,
    settings: transfer,
    cart,
    ...(!isOwnShop && { checkoutUrl: origin + path + checkout.path })
  })
  const { items, currency, reference } = cart
  const { request, response, answer = exampleOfShop(cart), mistakes, problem } = exchange
  return {
    path: transfer.path,
    tag: TRANSFER_TAG,
    id: named('transferCart'),
    summary: 'Transfers a bag',
    description: [
      'Answers when the bag is stored, with the web request that opens its checkout.',
      'The same bag under the same reference leads to the same checkout again, so a request without an answer can be sent again.',
      'Another bag under that reference takes the place of the first, until there is an order.',
      `A body has at most ${maxBody(maxItems)} bytes and ${maxValues(maxItems)} JSON values, at any depth.`,
      'If not even the headers of a request could be read, the answer may be a page.'
    ].join(' '),
    callers: callersOf(way, at),
    request: { name: named('CartTransfer'), schema: request, example: { items, currency, reference } },
    answers: { 200: { description: 'The bag is stored, or was before.', example: answer } },
    answer: { name: named('WebRequest'), schema: response },
    problems: [
      { code: 'contract-broken', name: named('ContractBroken'), mistakes, example: problem },
      { code: 'reference-ordered', example: alreadyOrdered(cart) },
      { code: 'too-many-lines' },
      { code: 'cart-not-sellable', mistakes: unsellable(merchant), example: refusalOfCart(merchant, way, cart) },
      ...(isOwnShop ? OWN_SHOP_PROBLEMS.map(code => ({ code })) : [])
    ]
  }
}

const OWN_SHOP_PROBLEMS = ['checkout-superseded', 'destination-unusable', 'destination-unavailable'] as const

function exampleOfShop({ items: lines, currency }: Cart): object {
  const url = 'https://shop.example/checkout?cart=5f1c9a0e7b1d4a8e'
  return readHandoff({ lines, currency, url }, new Date()).description
}

function unsellable({ destination, maxTotal, payment }: Merchant): ValidationErrorCode[] {
  return (Object.keys(mistakes) as ValidationErrorCode[]).filter(code => {
    if (code === 'total-too-large') return maxTotal !== undefined || payment !== undefined
    if (code === 'total-too-small' || code === 'total-inexact') return payment !== undefined
    if (code === 'destination-differs') return destination !== undefined
    return mistakes[code].problem === 'cart-not-sellable'
  })
}

function refusalOfCart(merchant: Merchant, way: Way, cart: Cart) {
  const unknown = { ...cart, items: [{ sku: 'NO-SUCH-SKU', quantity: 1 }] }
  const mistakes = findUnsellable(unknown, { merchant, way }, () => 'sku-unknown')
  return cartProblem(unknown, mistakes, way)
}

function callersOf({ authentication }: Way, at: number): Caller[] {
  const name = at === 0 ? 'platform' : `platform${at + 1}`
  return authentication ? [{ name, title: 'the platform', type: authentication.type }] : []
}

/** @returns undefined if no platform proves who it is */
function statusOperation({ currencies }: Merchant, callers: Caller[]): Operation | undefined {
  if (callers.length === 0) return undefined
  const currency = String(currencies[0])
  const order = { orderNumber: '7KQM-3XH9', total: toDecimal(2500, currency), currency }
  const example = { reference: EXAMPLE_REFERENCE, state: 'ordered', at: '2026-11-20T10:00:00.000Z', ...order }
  const description = 'The reference of the transfer, percent-encoded. Of a UUID, case and hyphens do not count.'
  return {
    path: `${TRANSFERS_PATH}/{reference}`,
    tag: TRANSFER_TAG,
    id: 'getTransfer',
    summary: 'What became of a bag',
    description: 'Of the last bag under a reference, if several came. A signature is that of an empty body.',
    callers,
    parameters: [{ name: 'reference', in: 'path', required: true, description, schema: { type: 'string' } }],
    answers: { 200: { description: 'A bag with this reference is on record.', example } },
    answer: { name: 'TransferStatus', schema: TransferStatus },
    problems: [{ code: 'transfer-unknown' }]
  }
}

/** @returns undefined if the merchant has no such shop */
function ordersOperation({ id, currencies, destination }: Merchant): Operation | undefined {
  if (destination?.secret === undefined) return undefined
  const report: OrderReport = {
    reference: EXAMPLE_REFERENCE,
    number: '1001',
    currency: String(currencies[0]),
    total: '25',
    items: [{ sku: 'YOUR-SKU', quantity: 2 }]
  }
  const order = { ...readReport(Buffer.from(JSON.stringify(report))), merchantId: id }
  const [arrivedAt, reportedAt] = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:05:00.000Z']
  const example = reportedOrderData({ ...order, arrivedAt, reportedAt })
  return {
    path: ORDERS_PATH,
    tag: { name: 'orders', description: "For the merchant's own shop: how orders come back." },
    id: 'reportOrder',
    summary: "Reports an order of the merchant's own shop",
    description: `Other fields are ignored, and nothing about a person is kept. A body has at most ${MAX_REPORT} bytes.`,
    callers: [{ name: 'shop', title: "the merchant's own shop", type: 'standard-webhooks' }],
    request: { name: 'OrderReport', schema: OrderReport, example: report },
    answers: {
      200: { description: 'The same report was kept before.', example },
      201: { description: 'The order is kept.', example }
    },
    answer: { name: 'ReportedOrder', schema: ReportedOrderJson },
    problems: [
      { code: 'contract-broken', name: 'ReportBroken', mistakes: REPORT_MISTAKES, example: refusalOfReport(report) },
      { code: 'order-differs' }
    ]
  }
}

function refusalOfReport({ number: _, ...report }: OrderReport): Problem {
  try {
    return readReport(Buffer.from(JSON.stringify(report))) as never
  } catch (error) {
    return error as Problem
  }
}
