// The message that notifies a merchant of an order.
import { type Static, Type } from '@sinclair/typebox'
import type { Order } from '../orders/order.ts'
import { OrderData, orderData } from '../orders/order-json.ts'

export const OrderPlaced = Type.Object(
  {
    type: Type.Literal('order.placed'),
    /** When the order was placed: UTC, ISO 8601. */
    timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    data: OrderData
  },
  { additionalProperties: false }
)
export type OrderPlaced = Static<typeof OrderPlaced>

export function orderPlaced(order: Order): OrderPlaced {
  return { type: 'order.placed', timestamp: order.placedAt, data: orderData(order) }
}
