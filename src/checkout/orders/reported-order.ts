// An order that the merchant's own checkout took, as the merchant reports it: read strictly, every mistake named, and kept
// once per reference and per number; or as the shop tells it by itself. It has nothing about a person.
import { isDeepStrictEqual } from 'node:util'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { type Cart, CHARACTER, SKU_PATTERN, unitsBySku } from '../../cart/cart.ts'
import { describeNotUtf8 } from '../../cart/exact-values.ts'
import { MAX_QUANTITY, quote } from '../../cart/read-cart.ts'
import { isAny, Problem, problemFrom, summarize, type ValidationError, type ValidationErrorCode } from '../../errors.ts'
import { jsonMeter } from '../../integrations/destination/shop-json.ts'
import { ORDER_STATUSES, type OrderStatus } from '../../integrations/destination/shop-message.ts'
import { digitsOf, isCurrency, toDecimal, toMinor } from '../../money.ts'

export type ReportedOrder = {
  merchantId: string
  reference: string
  number: string
  currency: string
  items: { sku: string; quantity: number }[]
  /** What was charged, in minor units. */
  total: number
  /** As it was last told; `placed` if absent. */
  status?: OrderStatus
  /** Whether its reference had an order before it. */
  isFurther?: boolean
  /** UTC, ISO 8601. */
  reportedAt: string
  /** When its cart arrived here, as far as was known when it was reported; absent if none had. */
  arrivedAt?: string
}

/** @param statusAt when it came to have its status: see `currentStatus` */
export type NewReport = Omit<ReportedOrder, 'arrivedAt'> & { statusAt?: string }

/** Kept now, or not: the merchant has an order under its reference, reported or placed here, or one with its number. */
export type KeptReport =
  // With the cart of its reference, and the order that the reference had.
  | { outcome: 'kept'; order: ReportedOrder; cart?: Cart; first?: ReportedOrder }
  | { outcome: 'reference-known' | 'number-known'; order: ReportedOrder; isChanged?: boolean }
  | { outcome: 'placed'; number: string }

/** Of what a shop tells by itself. */
export type NotKept = { outcome: 'never-placed' } | { outcome: 'never-arrived' }

export type ReportedOrderStore = {
  /**
   * Keeps an order with the time at which its cart arrived, if one did. If the same is known, its newer status is kept.
   * Resolves once the result is on disk.
   */
  keepReport: (order: NewReport) => Promise<KeptReport>
  /**
   * The same for an order that a shop tells by itself: a further one of a reference is kept too, its newer status whatever
   * else has changed; one that is first heard of as cancelled, or whose cart has not arrived here, is not.
   */
  keepNotice: (order: NewReport) => Promise<KeptReport | NotKept>
  /** The references of up to `limit` carts in the merchant's shop that have no order, and at `at` were there with these items. */
  cartsLike: (merchantId: string, cart: Omit<Cart, 'reference'>, at: string, limit: number) => Promise<string[]>
}

export const ReportedOrderJson = Type.Object({
  orderNumber: Type.String({ description: "The shop's number of the order." }),
  merchant: Type.String({ description: 'The id of the merchant on this server.' }),
  reference: Type.String({ description: 'The reference of the transfer.' }),
  currency: Type.String({ description: 'The ISO 4217 code.' }),
  items: Type.Array(Type.Object({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }) })),
  total: Type.String({ pattern: '^\\d+(\\.\\d+)?$', description: 'What was charged, in major units.' }),
  status: Type.String({ enum: [...ORDER_STATUSES], description: 'As it was last reported.' }),
  reportedAt: Type.String({ description: 'When the report arrived, in UTC (ISO 8601).' }),
  arrivedAt: Type.Union([Type.String(), Type.Null()], {
    description: 'When the bag of this reference had arrived (ISO 8601); null if none had.'
  })
})
export type ReportedOrderJson = Static<typeof ReportedOrderJson>

export function reportedOrderData(order: ReportedOrder): ReportedOrderJson {
  const { merchantId: merchant, number: orderNumber, reference, currency, items, reportedAt, arrivedAt = null } = order
  const { status = 'placed' } = order
  const total = toDecimal(order.total, currency)
  return { orderNumber, merchant, reference, currency, items, total, status, reportedAt, arrivedAt }
}

/** In bytes: room for some 8,000 items of 128 bytes; an order has as many as a cart, and what the shop adds. */
export const MAX_REPORT = 1024 * 1024

export const OrderReport = Type.Object(
  {
    reference: Type.String({
      pattern: '^([!-~]{1,32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
      description: 'the reference of the transfer: 1 to 32 characters without spaces, or a UUID with hyphens'
    }),
    number: Type.String({
      pattern: `^(?!\\s)${CHARACTER}{1,64}(?<!\\s)$`,
      description:
        'the shop\'s number of the order as text, such as "1001": 1 to 64 characters, without spaces at its ends'
    }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'an ISO 4217 code in upper case, such as "GBP"' }),
    total: Type.String({
      pattern: '^\\d+(\\.\\d+)?$',
      description: 'what was charged, in major units and as text, such as "12.50"'
    }),
    items: Type.Array(
      Type.Object(
        {
          sku: Type.String({ pattern: SKU_PATTERN, description: 'a SKU of 1 to 128 characters' }),
          quantity: Type.Integer({
            minimum: 1,
            maximum: MAX_QUANTITY,
            description: `a whole number from 1 to ${MAX_QUANTITY}`
          })
        },
        { description: 'an object such as { "sku": "MUG", "quantity": 2 }' }
      ),
      { minItems: 1, description: 'a list of at least one item' }
    ),
    status: Type.Optional(
      Type.Union(
        ORDER_STATUSES.map(status => Type.Literal(status)),
        { description: '"placed", "cancelled" or "refunded", or leave it out' }
      )
    )
  },
  { description: 'an object with reference, number, currency, total and items' }
)
export type OrderReport = Static<typeof OrderReport>

export type ReadReport = Pick<ReportedOrder, 'reference' | 'number' | 'currency' | 'items' | 'total' | 'status'>

/** In minor units. */
const MAX_TOTAL = 999_999_999_999_999

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A body could have a hundred thousand. */
const MAX_MISTAKES = 100

/** @throws Problem `contract-broken` with every mistake; currency and total are looked up only if all have their form */
export function readReport(body: Uint8Array): ReadReport {
  return checkReport(parseJson(body))
}

/** @throws Problem as `readReport` */
export function checkReport(sent: unknown): ReadReport {
  const mistakes = findMistakes(sent)
  if (isAny(mistakes)) throw refused(sent, ...mistakes)
  const { reference, number, currency, total, items, status } = sent as OrderReport
  if (!isCurrency(currency)) {
    const detail = `It is "${currency}"; give ${OrderReport.properties.currency.description}.`
    throw refused(sent, { pointer: '#/currency', code: 'currency-invalid', detail })
  }
  const minor = toMinor(total, currency, MAX_TOTAL)
  if (minor === undefined) {
    const detail = `It is ${quote(total)}; give an amount of ${currency}, which has ${digitsOf(currency)} decimals.`
    throw refused(sent, { pointer: '#/total', code: 'total-invalid', detail })
  }
  const read = { reference, number, currency, total: minor, ...(status !== undefined && { status }) }
  return { ...read, items: items.map(({ sku, quantity }) => ({ sku, quantity })) }
}

/** The first mistake of each field; a field that is missing has two. */
function findMistakes(sent: unknown): ValidationError[] {
  const found = new Map<string, ValidationError>()
  for (const error of Value.Errors(OrderReport, sent)) {
    if (!found.has(error.path)) found.set(error.path, toMistake(error))
    if (found.size === MAX_MISTAKES) break
  }
  return [...found.values()]
}

function parseJson(body: Uint8Array): unknown {
  const problem = jsonMeter()(body)
  if (problem) throw refused(undefined, { pointer: '#', code: 'json-malformed', detail: `It ${problem}.` })
  try {
    return JSON.parse(utf8.decode(body))
  } catch (error) {
    const wrong =
      error instanceof SyntaxError
        ? ({ code: 'json-malformed', detail: `It is not JSON: ${error.message}` } as const)
        : ({ code: 'encoding-malformed', detail: `The body holds ${describeNotUtf8(body)}.` } as const)
    throw refused(undefined, { pointer: '#', ...wrong })
  }
}

const INVALID: Record<string, ValidationErrorCode> = {
  reference: 'reference-invalid',
  number: 'number-invalid',
  currency: 'currency-invalid',
  total: 'total-invalid',
  sku: 'sku-invalid',
  quantity: 'quantity-invalid',
  items: 'items-empty'
}

export const REPORT_MISTAKES: ValidationErrorCode[] = [
  'json-malformed',
  'encoding-malformed',
  'field-missing',
  'field-type',
  ...Object.values(INVALID)
]

function toMistake({ path, schema, value }: ValueError): ValidationError {
  const { type, description } = schema as TSchema & { type: string }
  const pointer = `#${path}`
  if (value === undefined) return { pointer, code: 'field-missing', detail: `Missing; give ${description}.` }
  const field = path.replace(/.*\//, '')
  const sentType = Array.isArray(value) ? 'array' : typeof value
  const code = sentType === (type === 'integer' ? 'number' : type) ? INVALID[field] : undefined
  // The value itself may be too long to print.
  const list = Array.isArray(value) && (value.length > 0 ? 'a list' : 'an empty list')
  const found =
    typeof value === 'string' ? quote(value) : list || (Object(value) === value ? 'an object' : String(value))
  return { pointer, code: code ?? 'field-type', detail: `It is ${found}; give ${description}.` }
}

/** @param sent the report: the log says which it was, as far as that can be read */
function refused(sent: unknown, ...found: [ValidationError, ...ValidationError[]]): Problem {
  const mistakes = found.length === 1 ? '1 mistake' : `${found.length} mistakes`
  const number = readField(sent, 'number')
  return problemFrom(found, {
    detail: `${mistakes} in the report; the order was not kept.`,
    reference: readField(sent, 'reference'),
    reason: (number === undefined ? '' : `order ${quote(number)}: `) + summarize(found)
  })
}

function readField(sent: unknown, name: 'reference' | 'number'): string | undefined {
  const value = (sent as Partial<OrderReport> | null | undefined)?.[name]
  return Value.Check(OrderReport.properties[name], value) ? value : undefined
}

/** An order as it is kept, with what was found beside it: see `KeptReport`. */
export type KeptOrder = {
  order: ReportedOrder
  isRepeat: boolean
  isChanged?: boolean
  cart?: Cart
  first?: ReportedOrder
}

/**
 * Resolves once the order is on disk, as it is returned.
 * @throws Problem `order-differs` if another order is kept under its reference or its number
 */
export async function reportOrder(
  store: ReportedOrderStore,
  merchantId: string,
  report: ReadReport,
  now: Date
): Promise<KeptOrder> {
  const reportedAt = now.toISOString()
  const kept = await store.keepReport({ ...report, merchantId, reportedAt, statusAt: reportedAt })
  return keptOrder(kept, report)
}

/** @throws Problem `order-differs` */
export function keptOrder(kept: KeptReport, report: ReadReport): KeptOrder {
  if (kept.outcome === 'kept') {
    const { outcome: _, ...found } = kept
    return { ...found, isRepeat: false }
  }
  if (kept.outcome === 'placed') {
    throw differs(report, `An order was placed on this server under this reference, with the number "${kept.number}".`)
  }
  const { order, isChanged = false } = kept
  if (kept.outcome === 'number-known') {
    throw differs(report, `The order ${JSON.stringify(order.number)} is kept under the reference "${order.reference}".`)
  }
  const differences = differencesFrom(order, report)
  if (differences.length === 0) return { order, isRepeat: true, ...(isChanged && { isChanged }) }
  throw differs(report, `The order kept under this reference has ${differences.join(', ')}; it is not changed.`)
}

/** What an order has that a report with its reference has not. */
export function differencesFrom({ number, currency, total, items }: ReadReport, report: ReadReport): string[] {
  const isSameTotal = currency === report.currency && total === report.total
  return [
    number !== report.number && `the number ${JSON.stringify(number)}`,
    !isSameTotal && `the total ${toDecimal(total, currency)} ${currency}`,
    !isDeepStrictEqual(unitsBySku(items), unitsBySku(report.items)) && 'other items'
  ].filter(text => text !== false)
}

function differs({ reference }: ReadReport, detail: string): Problem {
  return new Problem('order-differs', { detail, reference })
}
