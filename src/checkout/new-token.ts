// Tokens of checkouts.
import { randomBytes } from 'node:crypto'

/** 144 random bits. */
const BYTES = 18

/**
 * Random and URL-safe. It begins with the time, in 8 characters, so new rows go at the end of the index, and a commit
 * writes fewer pages.
 */
export function newToken(at: Date): string {
  return at.getTime().toString(36) + randomBytes(BYTES).toString('base64url')
}
