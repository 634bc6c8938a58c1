// What concerns one reference of a merchant and takes several statements, one server after the other.
import { referenceKey } from '../../cart/cart.ts'
import type { Run } from './connections.ts'
import { statement } from './statement.ts'

const LOCK = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, hashtextextended($2, 0)))')

/** Waits until no other transaction has locked it; this one keeps it until it ends. */
export async function lockReference(run: Run, merchantId: string, reference: string): Promise<void> {
  await run(LOCK, [referenceKey(reference), merchantId])
}
