// When a message that failed is sent again: the schedule that Standard Webhooks recommends, over three days.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]

/** How many attempts a message gets before it has failed. */
export const MAX_ATTEMPTS = DELAYS.length + 1

/** A delay is lengthened by up to this part of it, so that what failed together does not come back together. */
const JITTER = 0.2

/** No receiver can put its messages off for longer than this. */
const MAX_RETRY_AFTER = 24 * HOUR

/**
 * @param failed how many attempts have failed so far, at least one
 * @param random from 0 to 1
 * @param retryAfter how long the receiver asks to be left alone, if it does
 * @returns milliseconds until the next attempt, or undefined when there is none
 */
export function retryDelay(failed: number, random: number, retryAfter = 0): number | undefined {
  const delay = DELAYS[failed - 1]
  if (delay === undefined) return undefined
  return Math.max(delay * (1 + JITTER * random), Math.min(retryAfter, MAX_RETRY_AFTER))
}

/** Reads a Retry-After header, seconds or a date, into milliseconds from now; 0 when it says nothing. */
export function readRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const milliseconds = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Math.max(milliseconds, 0) || 0
}
