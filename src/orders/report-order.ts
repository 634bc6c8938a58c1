// Keeps an order that a merchant reports: one per reference and per number. The same report again changes nothing.
import { isDeepStrictEqual } from 'node:util'
import { unitsBySku } from '../cart/units-by-sku.ts'
import { Refusal } from '../errors.ts'
import { toDecimal } from '../money.ts'
import type { ReportedOrderStore } from './order-store.ts'
import type { ReadReport } from './read-report.ts'
import type { ReportedOrder } from './reported-order.ts'

/**
 * Resolves once the order is on disk.
 * @returns the order as it is kept, and whether it had been reported before
 * @throws Refusal `order-differs` if another order is kept under its reference or its number
 */
export async function reportOrder(
  store: ReportedOrderStore,
  merchantId: string,
  report: ReadReport,
  now: Date
): Promise<{ order: ReportedOrder; isRepeat: boolean }> {
  const kept = await store.keepReport({ ...report, merchantId, reportedAt: now.toISOString() })
  if (kept.outcome === 'kept') return { order: kept.order, isRepeat: false }
  if (kept.outcome === 'placed') {
    throw differs(report, `An order was placed on this server under this reference, with the number "${kept.number}".`)
  }
  const { order } = kept
  if (kept.outcome === 'number-known') {
    throw differs(report, `The order ${JSON.stringify(order.number)} is kept under the reference "${order.reference}".`)
  }
  const differences = differencesOf(order, report)
  if (differences.length === 0) return { order, isRepeat: true }
  throw differs(report, `The order kept under this reference has ${differences.join(', ')}; it is not changed.`)
}

function differencesOf(kept: ReportedOrder, { number, currency, total, items }: ReadReport): string[] {
  return [
    ...(kept.number === number ? [] : [`the number ${JSON.stringify(kept.number)}`]),
    ...(kept.currency === currency && kept.total === total
      ? []
      : [`the total ${toDecimal(kept.total, kept.currency)} ${kept.currency}`]),
    ...(isDeepStrictEqual(unitsBySku(kept.items), unitsBySku(items)) ? [] : ['other items'])
  ]
}

function differs({ reference }: ReadReport, detail: string): Refusal {
  return new Refusal('order-differs', { detail, reference })
}
