// An order as it leaves this server: in webhooks, from `orders --json`, and, as a summary without personal data, on the
// confirmation page. It is built when it is sent, so that an order whose personal data was erased sends none.
import { type Static, Type } from '@sinclair/typebox'
import { toDecimal } from '../money.ts'
import type { Order } from './order.ts'

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
