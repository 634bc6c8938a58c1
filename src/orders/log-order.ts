// The line that an order leaves in the log.
import type { Logger } from 'pino'
import { toDecimal } from '../money.ts'
import type { Order } from './order.ts'

/** Logs an order that has been placed. The line has nothing about a person. */
export function logOrder(
  { merchantId, number, reference, total, currency }: Order,
  logger: Pick<Logger, 'info'>
): void {
  logger.info({ merchant: merchantId, order: number, reference, total: toDecimal(total, currency), currency }, 'order')
}
