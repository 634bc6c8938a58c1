// An order: a checkout that the shopper placed, at the prices of that moment, one per merchant and reference. Its number, its
// line in the log, and its JSON as it leaves this server: in webhooks, from `orders --json`, and without personal data on the
// confirmation page.
import { randomInt } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Logger } from 'pino'
import type { LaterAvailability } from '../catalogue/product.ts'
import type { OrderedDelivery } from '../merchant/merchant.ts'
import { toDecimal } from '../money.ts'

/** A line as it was sold. Amounts are integers in minor units of the order's currency. */
export type OrderLine = {
  sku: string
  title: string
  /** As the product had it: `Indigo · M`. */
  variant?: string
  /** If it was sold to be sent later. */
  availability?: LaterAvailability
  quantity: number
  unitPrice: number
  lineTotal: number
}

/** What the shopper typed. `address` holds the fields of the country, by the names of `order-form.ts`. */
export type Customer = {
  email: string
  phone?: string
  country: string
  address: Record<string, string>
}

export type Order = {
  number: string
  merchantId: string
  /** The token of the checkout that it was placed from. */
  token: string
  /** The reference as the platform sent it. */
  reference: string
  currency: string
  lines: OrderLine[]
  subtotal: number
  delivery?: OrderedDelivery
  total: number
  /** Absent once it has been erased. */
  customer?: Customer
  /** UTC, ISO 8601. */
  placedAt: string
}

/** Without 0 and O, 1, I and L, and U, which looks and sounds like V. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A random number such as `7KQM-3XH9`, one of some 650,000 million: short enough to read out, and not countable. */
export function newOrderNumber(): string {
  const part = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${part()}-${part()}`
}

/** Logs an order that has been placed. The line has nothing about a person. */
export function logOrder(
  { merchantId, number, reference, total, currency }: Order,
  logger: Pick<Logger, 'info'>
): void {
  logger.info({ merchant: merchantId, order: number, reference, total: toDecimal(total, currency), currency }, 'order')
}

const closed = { additionalProperties: false }

/** Major units of the order's currency, with as many digits as it has: `"147.99"`. */
const Amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })

const Line = Type.Object(
  {
    sku: Type.String(),
    title: Type.String(),
    /** Absent if the feed had none. */
    variant: Type.Optional(Type.String()),
    /** Absent if it was in stock. */
    availability: Type.Optional(Type.Union([Type.Literal('preorder'), Type.Literal('backorder')])),
    quantity: Type.Integer({ minimum: 1 }),
    unitPrice: Amount,
    lineTotal: Amount
  },
  closed
)

const CustomerData = Type.Object(
  {
    email: Type.String(),
    phone: Type.Optional(Type.String()),
    /** ISO 3166-1, two letters. */
    country: Type.String(),
    /** `name` and the fields of the country: organization, address1, address2, district, city, state, postcode, sorting. */
    address: Type.Record(Type.String(), Type.String())
  },
  closed
)

export const OrderData = Type.Object(
  {
    orderNumber: Type.String(),
    merchant: Type.String(),
    reference: Type.String(),
    currency: Type.String(),
    lines: Type.Array(Line, { minItems: 1 }),
    subTotal: Amount,
    discount: Amount,
    delivery: Amount,
    total: Amount,
    /** Absent if the merchant has no delivery methods. */
    deliveryMethod: Type.Optional(Type.Object({ id: Type.String(), label: Type.String() }, closed)),
    /** Absent once the personal data has been erased. */
    customer: Type.Optional(CustomerData)
  },
  closed
)
export type OrderData = Static<typeof OrderData>

/** What apps read from the confirmation page (REAL-APP.md 9 and 10). */
export function orderSummary({ number, reference, currency, subtotal, delivery, total }: Order) {
  return {
    orderNumber: number,
    reference,
    currency,
    subTotal: toDecimal(subtotal, currency),
    // Unit prices already include a sale.
    discount: toDecimal(0, currency),
    delivery: toDecimal(delivery?.price ?? 0, currency),
    total: toDecimal(total, currency)
  }
}

/** Built when it is sent, so that an order whose personal data was erased sends none. */
export function orderData(order: Order): OrderData {
  const { merchantId, lines, delivery, customer } = order
  const { orderNumber, reference, currency, ...amounts } = orderSummary(order)
  return {
    orderNumber,
    merchant: merchantId,
    reference,
    currency,
    lines: lines.map(line => ({
      ...line,
      unitPrice: toDecimal(line.unitPrice, currency),
      lineTotal: toDecimal(line.lineTotal, currency)
    })),
    ...amounts,
    ...(delivery && { deliveryMethod: { id: delivery.id, label: delivery.label } }),
    ...(customer && { customer })
  }
}
