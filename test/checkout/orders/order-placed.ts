// The schema of the webhook's message, and of the order in it, as src/checkout/orders/README.md has them: nothing else is sent.
import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false }

/** Major units of the order's currency, with as many digits as it has: `"147.99"`. */
const Amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })

const SoldLine = Type.Object(
  {
    sku: Type.String(),
    title: Type.String(),
    variant: Type.Optional(Type.String()),
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
    country: Type.String(),
    address: Type.Record(Type.String(), Type.String())
  },
  closed
)

const PaymentData = Type.Object(
  {
    status: Type.Enum({ pending: 'pending', paid: 'paid', failed: 'failed', refunded: 'refunded' }),
    provider: Type.String(),
    id: Type.String(),
    amount: Amount,
    refunded: Type.Optional(Amount),
    dispute: Type.Optional(Type.Enum({ open: 'open', won: 'won', lost: 'lost' }))
  },
  closed
)

export const OrderData = Type.Object(
  {
    orderNumber: Type.String(),
    merchant: Type.String(),
    reference: Type.String(),
    language: Type.Optional(Type.String()),
    currency: Type.String(),
    lines: Type.Array(SoldLine, { minItems: 1 }),
    subTotal: Amount,
    discount: Amount,
    delivery: Amount,
    total: Amount,
    deliveryMethod: Type.Optional(Type.Object({ id: Type.String(), label: Type.String() }, closed)),
    customer: Type.Optional(CustomerData),
    attribution: Type.Optional(Type.Record(Type.String(), Type.String())),
    codes: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    payment: Type.Optional(PaymentData)
  },
  closed
)
export type OrderData = Static<typeof OrderData>

export const OrderPlaced = Type.Object(
  {
    type: Type.Literal('order.placed'),
    timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    data: OrderData
  },
  closed
)
export type OrderPlaced = Static<typeof OrderPlaced>
