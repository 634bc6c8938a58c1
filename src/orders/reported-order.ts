// An order that the merchant's own checkout took, as the merchant reports it. It has nothing about a person.
import { type Static, Type } from '@sinclair/typebox'
import { toDecimal } from '../money.ts'

export type ReportedOrder = {
  merchantId: string
  /** The reference as the merchant sent it. */
  reference: string
  /** The merchant's own number. */
  number: string
  currency: string
  items: { sku: string; quantity: number }[]
  /** What was charged, in minor units. */
  total: number
  /** UTC, ISO 8601. */
  reportedAt: string
  /** When its cart had arrived here, as far as was known by then; absent if none had. */
  arrivedAt?: string
}

/** A reported order as everybody else sees it. */
export const ReportedOrderJson = Type.Object({
  orderNumber: Type.String({ description: "The shop's number of the order." }),
  merchant: Type.String({ description: 'The id of the merchant on this server.' }),
  reference: Type.String({ description: 'The reference of the transfer.' }),
  currency: Type.String({ description: 'The ISO 4217 code.' }),
  items: Type.Array(Type.Object({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }) })),
  total: Type.String({ pattern: '^\\d+(\\.\\d+)?$', description: 'What was charged, in major units.' }),
  reportedAt: Type.String({ description: 'When the report arrived, in UTC (ISO 8601).' }),
  arrivedAt: Type.Union([Type.String(), Type.Null()], {
    description: 'When the bag of this reference had arrived (ISO 8601); null if none had.'
  })
})
export type ReportedOrderJson = Static<typeof ReportedOrderJson>

/** Its total becomes a decimal string in major units. */
export function reportedOrderData({
  merchantId,
  number,
  total,
  arrivedAt,
  ...order
}: ReportedOrder): ReportedOrderJson {
  const { reference, currency, items, reportedAt } = order
  return {
    orderNumber: number,
    merchant: merchantId,
    reference,
    currency,
    items,
    total: toDecimal(total, currency),
    reportedAt,
    arrivedAt: arrivedAt ?? null
  }
}
