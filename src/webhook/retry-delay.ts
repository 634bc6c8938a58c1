// When a failed message is sent again: the schedule that Standard Webhooks recommends, over three days.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]

/** The attempts that a message gets before it counts as failed. */
export const MAX_ATTEMPTS = DELAYS.length + 1

/** Delays are lengthened by up to this fraction, so that messages that failed together are not retried together. */
const JITTER = 0.2

/** A receiver cannot postpone its messages for longer than this. */
const MAX_RETRY_AFTER = 24 * HOUR

/** No message is put off for longer, in milliseconds. */
export const LONGEST_DELAY = Math.max(...DELAYS) * (1 + JITTER)

/**
 * @param failed failed attempts so far, at least one
 * @param random from 0 to 1
 * @param retryAfter how long the receiver asks to wait, in milliseconds
 * @returns milliseconds until the next attempt, or undefined if there is none
 */
export function retryDelay(failed: number, random: number, retryAfter = 0): number | undefined {
  const delay = DELAYS[failed - 1]
  if (delay === undefined) return undefined
  return Math.max(delay * (1 + JITTER * random), Math.min(retryAfter, MAX_RETRY_AFTER))
}

/** Reads a Retry-After header, seconds or a date, as milliseconds from now; 0 if it is absent or unreadable. */
export function readRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const milliseconds = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Math.max(milliseconds, 0) || 0
}
