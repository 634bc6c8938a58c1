// What a merchant is told of an order: one schema, and the order written down in it at the moment of sending, so that
// an order whose personal data was erased sends none.
import { type Static, Type } from '@sinclair/typebox'
import { toDecimal } from '../money.ts'
import type { Order } from '../orders/order.ts'

const closed = { additionalProperties: false }

/** Major units of the order's currency, with as many digits as it has: `"147.99"`. */
const Amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })

const Line = Type.Object(
  {
    sku: Type.String(),
    title: Type.String(),
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

/** An order as it leaves this server: in webhooks, and from `orders --json`. */
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
    /** Absent where the merchant names no methods. */
    deliveryMethod: Type.Optional(Type.Object({ id: Type.String(), label: Type.String() }, closed)),
    /** Absent once the personal data has been erased. */
    customer: Type.Optional(CustomerData)
  },
  closed
)
export type OrderData = Static<typeof OrderData>

export const OrderPlaced = Type.Object(
  {
    type: Type.Literal('order.placed'),
    /** When the order was placed: UTC, ISO 8601. */
    timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    data: OrderData
  },
  closed
)
export type OrderPlaced = Static<typeof OrderPlaced>

export function orderData(order: Order): OrderData {
  const { number, merchantId, reference, currency, lines, subtotal, delivery, total, customer } = order
  const amount = (minor: number) => toDecimal(minor, currency)
  return {
    orderNumber: number,
    merchant: merchantId,
    reference,
    currency,
    lines: lines.map(({ sku, title, quantity, unitPrice, lineTotal }) => ({
      sku,
      title,
      quantity,
      unitPrice: amount(unitPrice),
      lineTotal: amount(lineTotal)
    })),
    subTotal: amount(subtotal),
    // Unit prices already include a sale.
    discount: amount(0),
    delivery: amount(delivery?.price ?? 0),
    total: amount(total),
    ...(delivery && { deliveryMethod: { id: delivery.id, label: delivery.label } }),
    ...(customer && { customer })
  }
}

export function orderPlaced(order: Order): OrderPlaced {
  return { type: 'order.placed', timestamp: order.placedAt, data: orderData(order) }
}
