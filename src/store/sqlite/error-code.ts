// Error codes of SQLite.

/** Another connection holds a lock that is needed. */
export const SQLITE_BUSY = 5

/** @returns SQLite's primary code, or undefined if the error is not from SQLite */
export function errorCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number }
  // The higher bytes are details, such as the disk operation that failed.
  return errcode === undefined ? undefined : errcode & 0xff
}

/**
 * Whether the system could not sync what was written (SQLITE_IOERR_FSYNC): if the process is killed then, the next start may
 * find it in the write-ahead log, and keep it.
 */
export function isSyncError(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 1034
}
