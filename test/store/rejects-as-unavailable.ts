// How a store says that it is unavailable.
import type { Test } from 'tap'
import { StoreUnavailable } from '../../src/errors.ts'

/** Checks that a call is rejected because the store is unavailable; with this error of the database, if any, as the cause. */
export async function rejectsAsUnavailable(t: Test, call: Promise<unknown>, reason?: RegExp): Promise<void> {
  const error = await call.catch(reason => reason)
  t.ok(error instanceof StoreUnavailable, `rejected with StoreUnavailable, not with ${error}`)
  if (reason) t.match(error, { cause: { message: reason } })
}
