// Records of transfers as rows, the same in both databases.
import { referenceKey } from '../cart/cart.ts'
import type { TransferRecord } from '../checkout/checkout-store.ts'

export const TRANSFER_COLUMNS = `merchant_id, reference_key, reference, transfer_option, outcome, problem, mistakes,
  transferred_at`

/** The values of TRANSFER_COLUMNS. The reference as it was sent is kept only if its key differs from it. */
export function transferValues(record: TransferRecord & { reference: string }) {
  const { merchantId, reference, option, at, outcome, problem = null, mistakes } = record
  const key = referenceKey(reference)
  const sent = reference === key ? null : reference
  return [merchantId, key, sent, option, outcome, problem, JSON.stringify(mistakes), at] as const
}

export function hasReference(record: TransferRecord): record is TransferRecord & { reference: string } {
  return record.reference !== undefined
}

/** The UTC day of an ISO 8601 time. */
export function dayOf(time: string): string {
  return time.slice(0, 10)
}
