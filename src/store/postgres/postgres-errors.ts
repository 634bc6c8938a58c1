// Which errors of PostgreSQL say that it cannot serve at the moment, rather than that something is wrong with a statement.
import { StoreUnavailable, StoreUncertain } from '../../errors.ts'

/**
 * SQLSTATE classes and codes: connection lost, out of resources or disk, shutting down or starting, cancelled by a timeout,
 * locked, read-only, I/O error, and conflicts that have outlasted every retry.
 */
const UNAVAILABLE = /^(08|53|58|57P|57014|55P03|25006|25P0[34]|40001|40P01)/

/** The code of an error from the server; undefined for others, such as a lost connection. */
export function sqlState(error: unknown): string | undefined {
  const { severity, code } = error as { severity?: string; code?: string }
  return severity === undefined ? undefined : code
}

/** Whether what failed may succeed if it is run again: another transaction was in its way. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(sqlState(error) ?? '')
}

/** Whether it waited too long for another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** What the driver or the server says is wrong. A host with several addresses has an error without a message. */
export function driverReason(error: unknown): string {
  const { message, code } = error as { message: string; code?: string }
  return message || String(code)
}

/**
 * An error of a statement or a connection, as the rest of the server is to see it.
 * @param isUncertain whether the database may have done what was asked of it
 */
export function explained(error: unknown, isUncertain = false): unknown {
  const state = sqlState(error)
  // It may show a whole row, personal data included.
  delete (error as { detail?: string }).detail
  if (state !== undefined && !UNAVAILABLE.test(state)) return error
  const Unavailable = isUncertain ? StoreUncertain : StoreUnavailable
  return new Unavailable('PostgreSQL is out of reach, too slow or read-only', { cause: error })
}
