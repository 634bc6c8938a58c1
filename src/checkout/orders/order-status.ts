// Which status of an order in a merchant's own shop counts: the one that is kept, or the one that is told. A shop's messages
// arrive late, twice and in any order, and its clock may be wrong.
import type { OrderStatus } from '../../integrations/destination/shop-message.ts'

/** `at` is the time of the change by the clock of whoever told it, in UTC (ISO 8601); empty if that is not known. */
export type ToldStatus = { status: OrderStatus; at: string }

/** How far the clock of a shop may be ahead of ours, in milliseconds. */
const CLOCK_TOLERANCE = 5 * 60 * 1000

/** The latest time of a shop's that is believed. @param now UTC, ISO 8601 */
export function latestBelieved(now: string): string {
  return new Date(Date.parse(now) + CLOCK_TOLERANCE).toISOString()
}

/** Of two changes at the same time, the later one in this list: whichever arrives first, and however often, it stays. */
const RANK: OrderStatus[] = ['placed', 'cancelled', 'refunded']

/**
 * The later change counts. A told time that is not believed does not say which is later, so it is as if both were the same.
 * A kept one, from a version that believed it, gives way to any that is.
 * @returns `kept` itself if it stays
 */
export function currentStatus(kept: ToldStatus, told: ToldStatus, now: string): ToldStatus {
  const latest = latestBelieved(now)
  const isBelieved = told.at <= latest
  if (isBelieved && told.at !== kept.at) return told.at > kept.at || kept.at > latest ? told : kept
  if (RANK.indexOf(told.status) <= RANK.indexOf(kept.status)) return kept
  return isBelieved ? told : { ...told, at: now }
}
