// Errors of SQLite, and which of them say that it cannot serve at the moment.
import { StoreUnavailable, StoreUncertain } from '../../errors.ts'

/** Another connection holds a lock that is needed. */
export const SQLITE_BUSY = 5

/** Codes for a file that is locked, full, read-only or unreadable: not the fault of the request. */
const UNAVAILABLE = new Set([SQLITE_BUSY, 6, 8, 10, 13, 14])

/**
 * The system could not sync what was written (SQLITE_IOERR_FSYNC): if the process is killed then, the next start may find it
 * in the write-ahead log, and keep it.
 */
const NOT_SYNCED = 1034

/** @returns SQLite's primary code, or undefined if the error is not from SQLite */
export function errorCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number }
  // The higher bytes are details, such as the disk operation that failed.
  return errcode === undefined ? undefined : errcode & 0xff
}

/** Runs work, and turns the errors of an unavailable store into StoreUnavailable. */
export async function guard<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!UNAVAILABLE.has(errorCode(error) ?? 0)) throw error
    const Unavailable = (error as { errcode?: number }).errcode === NOT_SYNCED ? StoreUncertain : StoreUnavailable
    throw new Unavailable('the SQLite store is locked, full or out of reach', { cause: error })
  }
}
