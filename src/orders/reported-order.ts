// An order that the merchant's own checkout took, as the merchant reports it. It has nothing about a person.
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

/** A reported order as everybody else sees it, its total a decimal string in major units. */
export function reportedOrderData({ merchantId, number, total, arrivedAt, ...order }: ReportedOrder) {
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
