// Where a merchant's own shop reports its orders, as an operation of OpenAPI.
import type { Refusal } from '../errors.ts'
import { type Merchant, ORDERS_PATH } from '../merchant/merchant.ts'
import {
  MAX_REPORT,
  OrderReport,
  REPORT_MISTAKES,
  ReportedOrderJson,
  readReport,
  reportedOrderData
} from '../orders/reported-order.ts'
import type { Operation } from './operation.ts'

/** @returns undefined if the merchant has no such shop */
export function ordersOperation({ id, currencies, destination }: Merchant): Operation | undefined {
  if (destination?.secret === undefined) return undefined
  const report: OrderReport = {
    reference: '0f8fad5bd9cb469fa16570867728950e',
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
    caller: { name: 'shop', title: "the merchant's own shop", type: 'standard-webhooks' },
    request: { name: 'OrderReport', schema: OrderReport, example: report },
    answers: {
      200: { description: 'The same report was kept before.', example },
      201: { description: 'The order is kept.', example }
    },
    answer: { name: 'ReportedOrder', schema: ReportedOrderJson },
    problems: [
      { code: 'contract-broken', name: 'ReportBroken', mistakes: REPORT_MISTAKES, example: exampleRefusal(report) },
      { code: 'order-differs' }
    ]
  }
}

function exampleRefusal({ number: _, ...report }: OrderReport): Refusal {
  try {
    return readReport(Buffer.from(JSON.stringify(report))) as never
  } catch (error) {
    return error as Refusal
  }
}
