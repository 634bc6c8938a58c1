// Erases the personal data of orders once it is older than their merchant keeps it, in small batches.
import type { Merchant } from '../../merchant/merchant.ts'
import type { Log } from '../../observer.ts'
import { daysBefore, inBatches } from '../checkout-store.ts'
import type { ErasureStore } from './order.ts'
import type { PaymentStore } from './payment.ts'

/**
 * What was frozen to be paid, and was not, goes as soon as its bag has expired.
 * Leaves and logs an order whose webhook has not been delivered: the shop has no other copy of the address.
 * @throws StoreUnavailable when other readers still hold the old pages; a later call finishes
 */
export async function eraseOldOrders(
  store: ErasureStore & PaymentStore,
  merchants: Merchant[],
  now: Date,
  logger: Log,
  signal?: AbortSignal
): Promise<void> {
  const erasing = merchants.flatMap(({ id, eraseAfterDays }) =>
    eraseAfterDays === undefined ? [] : { merchant: id, before: daysBefore(now, eraseAfterDays) }
  )
  for (const { merchant, before } of erasing) {
    const erased = await inBatches(limit => store.eraseOrders(merchant, before, limit), signal)
    if (erased > 0) logger.info({ merchant, orders: erased }, 'personal data erased')
    if (signal?.aborted) return
    const kept = await store.countUnerased(merchant, before)
    if (kept > 0) logger.warn({ merchant, orders: kept }, 'personal data kept: webhook not delivered')
  }
  // Also of merchants that take no payment any more.
  for (const { id, checkout } of merchants) {
    const before = new Date(now.getTime() - checkout.expiresAfterMinutes * 60_000).toISOString()
    await inBatches(limit => store.erasePayments(id, before, limit), signal)
  }
  await store.purgeErased()
}
